"""Do the columns exist that the schema names?"""

from __future__ import annotations

from collections.abc import Iterable

from edgegat.data._words import did_you_mean, listing
from edgegat.data.checks.finding import Findings
from edgegat.data.reading import Table
from edgegat.data.roles import EdgeRoles, NodeRoles
from edgegat.data.schema import Schema

_EDGE_ROLES = ("source", "target", "label", "labelled")


def check_columns(schema: Schema, nodes: Table | None, edges: Table, findings: Findings) -> Schema | None:
    """Report missing columns; the schema without them, or ``None`` if ids or ends are among them."""
    missing_in_edges = _report(edges, "edges", schema.edges, (*_EDGE_ROLES, "time", "currency"), findings)
    missing_in_nodes = (
        _report(nodes, "nodes", schema.nodes, ("id", "label", "labelled", "time"), findings)
        if nodes is not None and schema.nodes is not None
        else set[str]()
    )
    split = schema.split
    if schema.labels_on == "edges":
        missing = [column for column in split.columns if column not in edges.dtypes]
        _say(edges, [("split", column) for column in missing], findings)
        if missing or schema.edges.label in missing_in_edges:
            split = split.model_copy(update=dict.fromkeys(("column", "train", "val", "test")))
    elif nodes is not None and schema.nodes is not None:
        missing = [column for column in split.columns if column not in nodes.dtypes]
        _say(nodes, [("split", column) for column in missing], findings)
        if missing or schema.nodes.label in missing_in_nodes:
            split = split.model_copy(update=dict.fromkeys(("column", "train", "val", "test")))
    if {schema.edges.source, schema.edges.target} & missing_in_edges:
        return None
    if schema.nodes is not None and schema.nodes.id in missing_in_nodes:
        return None
    return schema.model_copy(
        update={
            "nodes": schema.nodes and schema.nodes.model_copy(update=_changes(schema.nodes, missing_in_nodes)),
            "edges": schema.edges.model_copy(update=_changes(schema.edges, missing_in_edges)),
            "split": split,
        }
    )


def _report(
    table: Table, section: str, roles: NodeRoles | EdgeRoles, names: Iterable[str], findings: Findings
) -> set[str]:
    named = [(f"{section}.{name}", column) for name in names if (column := getattr(roles, name)) is not None]
    named += [(f"{section}.features", column) for column in roles.features or {}]
    missing = [(path, column) for path, column in named if column not in table.dtypes]
    _say(table, missing, findings)
    return {column for _, column in missing}


def _say(table: Table, missing: list[tuple[str, str]], findings: Findings) -> None:
    for path, column in missing:
        findings.add(
            "EG001",
            table,
            column,
            f"named in {path} of the schema, but not there.{did_you_mean(column, table.columns)} The columns are "
            f"{listing(table.columns, 30)}",
        )


def _changes(roles: NodeRoles | EdgeRoles, missing: set[str]) -> dict[str, object]:
    """What is left of the roles."""
    changes: dict[str, object] = {
        name: None
        for name in ("label", "labelled", "time", "currency")
        if getattr(roles, name, None) in missing
    }
    if roles.features is not None:
        changes["features"] = {name: f for name, f in roles.features.items() if name not in missing}
    return changes
