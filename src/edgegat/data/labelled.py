"""The rows that carry labels: those of the node table, or those of the edge table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from edgegat.data.errors import DataError
from edgegat.data.labels import (
    Labels,
    check_numbers,
    find_classes,
    number_labels,
    read_labels,
    read_numbers,
    strata,
)
from edgegat.data.partition import Partition, divide, divide_again
from edgegat.data.reading import Table
from edgegat.data.roles import EdgeRoles, NodeRoles
from edgegat.data.schema import Schema
from edgegat.data.splits import TimeCut
from edgegat.data.two_tables import TwoTables


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """What labels and splits are read from.

    Attributes:
        schema: with nothing left to guess.
        on: ``"nodes"`` or ``"edges"``.
        table: of the two.
        roles: its columns.
        ids: ``[N]`` of nodes; of edges see :func:`edge_ids`.
        times: gives ``[N]`` or ``[rows]`` times.
    """

    schema: Schema
    on: Literal["nodes", "edges"]
    table: Table
    roles: NodeRoles | EdgeRoles
    ids: pl.Series
    times: Callable[[], NDArray[np.float64]]
    fill: Callable[[Labels], Labels]

    @classmethod
    def find(cls, schema: Schema, nodes: Table | None, edges: Table, tables: TwoTables) -> LabelledRows | None:
        """As the schema says; ``None`` without a label, or without the table that has it."""
        if schema.labels_on == "edges":
            times = tables.edge_times
            known = np.full(len(tables.numbering.source), np.nan) if times is None else times
            ids = edge_ids(tables, known)
            return cls(schema, "edges", edges, schema.edges, ids, lambda: known, lambda y: y.copy())
        if nodes is None or schema.nodes is None or schema.nodes.label is None:
            return None
        ids, read_times = tables.numbering.ids, tables.node_times.read
        return cls(schema, "nodes", nodes, schema.nodes, ids, read_times, tables.fill)

    @property
    def label(self) -> str:
        """The column."""
        assert self.roles.label is not None
        return self.roles.label

    def require(self) -> None:
        """Refuse a table without the column, or without the flag that belongs to it."""
        self.table.require(self.label, f"{self.on}.label")
        if self.roles.labelled is not None:
            self.table.require(self.roles.labelled, f"{self.on}.labelled")

    def read(self, classes: list[str] | None = None) -> tuple[list[str], Labels]:
        """The classes, if they are not given, and each row's place in them; no classes and the numbers, if those are
        to be predicted.
        """
        if self.roles.kind == "number":
            numbers = read_numbers(self.table, self.roles, self.schema.spelling)
            if classes is None:
                check_numbers(numbers, f"{self.table.name}, column {self.label!r}")
            return [], self.fill(numbers)
        labels = read_labels(self.table, self.roles, self.schema.spelling)
        found = (
            find_classes(labels, f"{self.table.name}, column {self.label!r}") if classes is None else classes
        )
        return found, self.fill(number_labels(labels, found, self.table, self.label))

    def divide(self, y: Labels) -> Partition:
        """The split, read or drawn."""
        return divide(self.schema, self.table, self.ids, strata(y), self.times)

    def divide_again(self, y: Labels, cut: TimeCut | None) -> Partition:
        """The split of tables that nothing is learned from."""
        return divide_again(self.schema, self.table, self.ids, strata(y), self.times, cut)


def edge_ids(tables: TwoTables, times: NDArray[np.float64]) -> pl.Series:
    """``[rows]`` text that tells edges apart, in whatever order they stand: both ends, the time, and a number.

    Rows that agree in ends and time are numbered in their order.
    """
    numbering = tables.numbering
    frame = pl.DataFrame(
        {
            "source": numbering.ids.gather(numbering.source),
            "target": numbering.ids.gather(numbering.target),
            "time": pl.Series(times, nan_to_null=True).cast(pl.Int64).cast(pl.String).fill_null(""),
        }
    )
    nth = pl.int_range(pl.len()).over("source", "target", "time").cast(pl.String)
    return frame.select(pl.concat_str("source", "target", "time", nth, separator=" | ").alias("id"))["id"]


def labels_asked_for(schema: Schema, nodes: Table | None, edges: Table, tables: TwoTables) -> LabelledRows:
    """Refuse to read labels where there are none."""
    labelled = LabelledRows.find(schema, nodes, edges, tables)
    if labelled is None:
        reason = "label in the schema." if nodes is not None else "node table."
        raise DataError(f"labels are asked for, but there is no {reason}")
    labelled.require()
    return labelled
