"""What is checked: two tables, read as far as they can be read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from edgegat.data.cells import read_marked
from edgegat.data.errors import DataError
from edgegat.data.ids import Numbering, id_is_missing, no_ids, number_ids, read_pairs
from edgegat.data.labels import find_classes, number_labels, read_labels
from edgegat.data.reading import Table
from edgegat.data.resolve import resolve
from edgegat.data.roles import FeatureType
from edgegat.data.schema import Schema


@dataclass(frozen=True)
class Cells:
    """Columns of a table as values.

    Attributes:
        types: by column.
        values: null where a cell is missing or cannot be read.
        unreadable: the rows of cells that cannot be read, of columns that have any.
    """

    types: dict[str, FeatureType]
    values: pl.DataFrame
    unreadable: dict[str, pl.Series]


@dataclass(frozen=True, eq=False)
class Subject:
    """Two tables and their schema, in which every named column exists. Nothing here refuses a wrong cell.

    Attributes:
        nodes: the node table, if there is one.
        edges: the edge table.
        schema: as it was declared.
    """

    nodes: Table | None
    edges: Table
    schema: Schema

    @cached_property
    def resolved(self) -> Schema:
        """The schema with all types."""
        return resolve(self.schema, self.nodes, self.edges)[0]

    @cached_property
    def node_ids(self) -> pl.Series:
        """``[rows]`` of the node table as text; empty without one."""
        if self.nodes is None or self.schema.nodes is None:
            return no_ids()
        return self.nodes.read(self.nodes.text(self.schema.nodes.id).alias("id"))["id"]

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """``[rows]`` of the edge table, the ids ``s`` and ``t``; null where there is none."""
        pairs = read_pairs(self.edges, (self.schema.edges.source, self.schema.edges.target))
        return pairs.select(
            pl.when(~id_is_missing(pairs[end])).then(pl.col(end)).alias(end) for end in pairs.columns
        )

    @cached_property
    def node_rows(self) -> NDArray[np.int64]:
        """``[in_table]``: the row of each node, the first of those that share an id."""
        kept = self.node_ids.is_first_distinct() & ~id_is_missing(self.node_ids)
        return kept.arg_true().cast(pl.Int64).to_numpy()

    @cached_property
    def numbering(self) -> Numbering:
        """Of the nodes; an end without an id is ``-1``."""
        return number_ids(self.node_ids.gather(self.node_rows), self.pairs)

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """``[rows]`` of the edge table with two ids."""
        found: NDArray[np.bool_] = (self.numbering.source >= 0) & (self.numbering.target >= 0)
        return found

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """``[N]`` edges at each node; one to itself counts once."""
        source, target = self.numbering.source[self.complete], self.numbering.target[self.complete]
        number = len(self.numbering.ids)
        return np.bincount(source, minlength=number) + np.bincount(target[target != source], minlength=number)

    @cached_property
    def node_cells(self) -> Cells:
        """Features, times, flags and numbers to predict of the node table."""
        roles = self.resolved.nodes
        if self.nodes is None or roles is None:
            return Cells({}, pl.DataFrame(), {})
        types: dict[str, FeatureType] = {name: feature.type for name, feature in (roles.features or {}).items()}
        if roles.time is not None:
            types.setdefault(roles.time, "time")
        flags = self.schema.split.flags.values() if self.schema.labels_on == "nodes" else ()
        for column in (roles.labelled, *flags):
            if column is not None:
                types[column] = "flag"
        if roles.label is not None and roles.kind == "number":
            types[roles.label] = "number"
        return _read(self.nodes, types, self.schema)

    @cached_property
    def edge_cells(self) -> Cells:
        """Features, times and numbers to predict of the edge table."""
        roles = self.resolved.edges
        types: dict[str, FeatureType] = {name: feature.type for name, feature in (roles.features or {}).items()}
        if roles.time is not None:
            types[roles.time] = "time"
        if roles.label is not None and roles.kind == "number":
            types[roles.label] = "number"
        return _read(self.edges, types, self.schema)

    @cached_property
    def labels(self) -> pl.Series | None:
        """``[rows]`` of the node table as text; ``None`` without classes, or if the flag of them is unreadable."""
        roles = self.schema.nodes
        if self.nodes is None or roles is None or roles.label is None or roles.kind == "number":
            return None
        if roles.labelled in self.node_cells.unreadable:
            return None
        return read_labels(self.nodes, roles, self.schema.spelling)

    @cached_property
    def classes(self) -> list[str]:
        """What there is to tell apart; empty if that is nothing."""
        try:
            return [] if self.labels is None else find_classes(self.labels, "")
        except DataError:
            return []

    @cached_property
    def y(self) -> NDArray[np.int64]:
        """``[N]`` class numbers, ``-1`` where unlabelled."""
        y = np.full(len(self.numbering.ids), -1)
        roles = self.schema.nodes
        if (
            self.classes
            and self.labels is not None
            and self.nodes is not None
            and roles is not None
            and roles.label
        ):
            numbers = number_labels(self.labels, self.classes, self.nodes, roles.label)
            y[: len(self.node_rows)] = numbers[self.node_rows]
        return y


def _read(table: Table, types: dict[str, FeatureType], schema: Schema) -> Cells:
    values, unreadable = read_marked(table, types, schema.spelling) if types else (pl.DataFrame(), {})
    return Cells(types, values, unreadable)
