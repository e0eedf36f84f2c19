"""edgegat check."""

from __future__ import annotations

from dataclasses import asdict

import typer

from edgegat.cli.failures import WRONG
from edgegat.cli.say import Say
from edgegat.cli.tables import (
    SCHEMA,
    Edges,
    Nodes,
    SchemaFile,
    edge_table,
    find_schema,
    node_table,
    say_command,
)


def check(say: Say, nodes: Nodes, edges: Edges, schema: SchemaFile = SCHEMA) -> None:
    """Say everything that is or may be wrong with two tables, before anything is trained.

    Every finding has a number, which docs/findings.md explains. The exit
    code is 2 if there is an error, and 0 if there are only warnings.

    [bold]Examples[/]

      edgegat check customers.csv transfers.csv
      edgegat check customers.csv transfers.csv --schema bank.toml --json
    """
    from edgegat.data._words import count
    from edgegat.data.checks import check_tables

    found = find_schema(schema, nodes, edges)
    with say.progress() as progress:
        findings = check_tables(node_table(nodes), edge_table(edges), found, progress=progress)
    errors = sum(finding.level == "error" for finding in findings)
    for finding in findings:
        say(f"{finding}\n")
    say(
        f"{count(errors, 'error')}, {count(len(findings) - errors, 'warning')}."
        if findings
        else "Nothing is wrong with these tables."
    )
    if not errors:
        say.then(say_command("train", nodes, edges, schema))
    say.result({"errors": errors, "findings": [asdict(finding) for finding in findings]})
    if errors:
        raise typer.Exit(WRONG)
