"""edgegat init."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from edgegat.cli.say import Say
from edgegat.cli.tables import SCHEMA, Edges, Nodes, edge_table, node_table, say_command


def init(
    say: Say,
    nodes: Nodes,
    edges: Edges,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write it.")] = SCHEMA,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
) -> None:
    """Draft the TOML file that says what the columns of two tables mean.

    It is a guess from names and contents, each line with its reason:
    look at it and correct it.

    [bold]Examples[/]

      edgegat init customers.csv transfers.csv
      edgegat init customers.csv 'transfers-*.csv' --output bank.toml
      edgegat init - calls.parquet    (there is no node table)
    """
    from edgegat.data import DataError, Schema, draft_schema
    from edgegat.learn.files import replace_file

    if output.exists() and not force:
        raise DataError(f"{output} is there already. --force replaces it, --output names another file.")
    text = draft_schema(node_table(nodes), edge_table(edges))
    schema = Schema.from_text(text)
    try:
        replace_file(output, text.encode())
    except OSError as error:
        raise DataError(f"{output} cannot be written: {error.strerror}.") from error
    say(text)
    say(
        f"This is {output} now. Correct it where it is wrong. Then\n  {say_command('check', nodes, edges, output)}"
    )
    say.result({"file": output, "schema": schema.model_dump(mode="json", exclude_none=True)})
