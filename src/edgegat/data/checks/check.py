"""All checks, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from os import PathLike
from typing import Any

from edgegat.data.checks import cells, ids, labels, leaks, structure
from edgegat.data.checks.columns import check_columns
from edgegat.data.checks.finding import Finding, Findings
from edgegat.data.checks.subject import Subject
from edgegat.data.errors import DataError
from edgegat.data.progress import Progress, ignore_progress
from edgegat.data.reading import TableSource
from edgegat.data.schema import Schema
from edgegat.data.two_tables import open_both

_CHECKS: tuple[tuple[str, Callable[[Subject, Findings], None]], ...] = (
    ("Looking for missing ids", ids.check_missing_ids),
    ("Looking for duplicate ids", ids.check_duplicate_ids),
    ("Comparing the ids of both tables", ids.check_unknown_nodes),
    ("Comparing the spelling of ids", ids.check_similar_ids),
    ("Looking for empty columns", cells.check_variety),
    ("Reading all cells", cells.check_readable),
    ("Looking at the signs of amounts", cells.check_signs),
    ("Looking at times", lambda subject, findings: cells.check_future(subject, findings, time.time() * 1e6)),
    ("Looking at currencies", cells.check_currencies),
    ("Counting labels", labels.check_classes),
    ("Looking at the split", labels.check_parts),
    ("Looking for self-transfers", structure.check_self_transfers),
    ("Looking for duplicate rows", structure.check_duplicate_rows),
    ("Looking for isolated nodes", structure.check_isolated),
    ("Looking for hubs", structure.check_hubs),
    ("Looking for leaks in the nodes", leaks.check_node_leaks),
    ("Looking for leaks on the edges", leaks.check_edge_leaks),
)


def check_tables(
    nodes: TableSource | None,
    edges: TableSource,
    schema: Schema | str | PathLike[str] | dict[str, Any],
    *,
    progress: Progress = ignore_progress,
) -> list[Finding]:
    """Everything that is or may be wrong with two tables, in the order of the findings' numbers.

    ``docs/findings.md`` explains each number. Only files and schemas that cannot be read at all are refused.

    Raises:
        DataError: a table or the schema cannot be read.

    Example:
        >>> import polars as pl
        >>> transfers = pl.DataFrame(
        ...     {"from": ["Ann", "Bob", "Bob"], "to": ["Bob", "Bob", "Cem"], "paid": [5.0, 7.5, -2.0]}
        ... )
        >>> for finding in check_tables(None, transfers, {"edges": {"source": "from", "target": "to"}}):
        ...     print(finding)
        EG012 warning: the edge table, column 'paid': 1 amount below zero. If the sign says the direction...
          the edge table, row 2 (counting from 0): '-2'
        EG021 warning: the edge table: 1 edge from a node to itself. If they are mistakes, remove them; ...
          the edge table, row 1 (counting from 0): 'Bob'
    """
    node_table, edge_table = open_both(nodes, edges)
    declared = Schema.of(schema)
    if node_table is not None and declared.nodes is None:
        raise DataError(f"{node_table.name} is given as node table, but the schema has no [nodes] section.")
    if node_table is None and declared.nodes is not None and declared.nodes.label:
        raise DataError("the schema's label is a column of the node table, but no node table is given.")
    findings = Findings()
    present = check_columns(declared, node_table, edge_table, findings)
    if present is not None:
        subject = Subject(node_table, edge_table, present)
        for number, (step, check) in enumerate(_CHECKS):
            progress(step, number, len(_CHECKS))
            check(subject, findings)
    return findings.finish()
