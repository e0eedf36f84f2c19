"""What two tables say: numbers for ids, values for cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from edgegat.data.cells import read_values
from edgegat.data.edge_rows import EdgeRows, cell_types, edge_columns, gather_edges
from edgegat.data.gaps import time_gaps
from edgegat.data.ids import Numbering, number_nodes
from edgegat.data.labels import Labels
from edgegat.data.partition import NodeTimes, Partition, no_split
from edgegat.data.progress import Progress
from edgegat.data.reading import Table, TableSource, open_table
from edgegat.data.roles import FeatureType
from edgegat.data.schema import Schema

STEPS = ("Looking at the columns", "Reading the ids", "Reading the nodes", "Reading the edges", "Encoding")


@dataclass(frozen=True, eq=False)
class TwoTables:
    """What two tables say, read as the schema says, with numbers for ids.

    Attributes:
        schema: with nothing left to guess.
        numbering: of the nodes.
        node_cells: ``[N]`` rows; all missing for nodes that only edges name.
        edge_cells: one row per row of the edge table.
        node_table: where node times stand.
    """

    schema: Schema
    numbering: Numbering
    node_cells: pl.DataFrame
    edge_cells: pl.DataFrame
    node_table: Table | None

    @classmethod
    def read(
        cls, schema: Schema, nodes: Table | None, edges: Table, progress: Progress, with_edge_time: bool
    ) -> TwoTables:
        """Read what this schema, with nothing left to guess, asks for."""
        roles, spelling = schema.nodes, schema.spelling
        progress(STEPS[1], 1, len(STEPS))
        ends = (schema.edges.source, schema.edges.target)
        numbering = number_nodes(nodes, roles.id if roles is not None else None, edges, ends)
        progress(STEPS[2], 2, len(STEPS))
        types = node_types(schema)
        strangers = len(numbering.ids) - numbering.in_table
        if nodes is not None and types:
            node_cells = read_values(nodes, types, spelling)
            node_cells = pl.concat([node_cells, node_cells.clear(strangers)])
        else:
            node_cells = pl.DataFrame({name: _nothing(name, type_, strangers) for name, type_ in types.items()})
        progress(STEPS[3], 3, len(STEPS))
        edge_types = cell_types(schema.edges, with_edge_time)
        for column in edge_types:
            edges.require(column, "needed to encode the edges")
        edge_cells = read_values(edges, edge_types, spelling) if edge_types else pl.DataFrame()
        if schema.edges.gaps and schema.edges.time is not None:
            times = edge_cells[schema.edges.time].fill_null(np.nan).to_numpy()
            edge_cells = edge_cells.with_columns(time_gaps(numbering.source, numbering.target, times))
        return cls(schema, numbering, node_cells, edge_cells, nodes)

    def edges(self, chosen: NDArray[np.bool_] | None = None) -> EdgeRows:
        """One row per edge, of all rows or of the chosen ones."""
        ends = self.numbering.source, self.numbering.target
        return gather_edges(self.schema.edges, self.edge_cells, *ends, len(self.numbering.ids), chosen)

    def undivided(self) -> Partition:
        """No split of whatever has labels."""
        of_edges = self.schema.labels_on == "edges"
        return no_split(len(self.numbering.source if of_edges else self.numbering.ids))

    def fill(self, of_rows: Labels) -> Labels:
        """``[rows]`` of the node table to ``[N]``, unlabelled for nodes that only edges name."""
        unknown = -1 if of_rows.dtype.kind == "i" else np.nan
        return np.concatenate([of_rows, np.full(len(self.numbering.ids) - len(of_rows), unknown)])

    @property
    def edge_times(self) -> NDArray[np.float64] | None:
        """``[rows]``, if they were read."""
        column = self.schema.edges.time
        if column is None or column not in self.edge_cells.columns:
            return None
        return self.edge_cells[column].fill_null(np.nan).to_numpy()

    @property
    def node_times(self) -> NodeTimes:
        """When the nodes became known."""
        return NodeTimes(self.schema, self.node_table, self.numbering, self.edge_times)

    def to_learn_from(
        self, partition: Partition, edges: EdgeRows, notes: list[str]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The cells of nodes and of edges that belong to the training part."""
        chosen = partition.rows_to_learn_from()
        if self.schema.labels_on == "edges":
            return self.node_cells, edges.cells.filter(chosen) if edges.cells.width else edges.cells
        node_cells = self.node_cells.filter(chosen) if self.node_cells.width else self.node_cells
        cells = edges.cells
        if partition.cut is not None and self.edge_times is not None:
            source, target = self.numbering.source, self.numbering.target
            rows = chosen[source] & chosen[target] & ~(self.edge_times > partition.cut.train_end)
            found, cells = int(rows.sum()), self.edges(rows).cells if rows.any() else cells
        else:
            both = chosen[edges.source] & chosen[edges.target]
            found = int(both.sum())
            cells = cells.filter(both) if cells.width and 0 < found < len(both) else cells
        if not found and cells.width:
            notes.append(
                "no edge belongs to the training part alone: the scales of edges come from all of them"
            )
        return node_cells, cells


def open_both(nodes: TableSource | None, edges: TableSource) -> tuple[Table | None, Table]:
    """Open both tables, by names that messages can use."""
    opened = None if nodes is None else open_table(nodes, "the node table")
    return opened, open_table(edges, "the edge table")


def node_types(schema: Schema) -> dict[str, FeatureType]:
    """The columns that the encoders of nodes get to see, and their types."""
    features = schema.nodes.features if schema.nodes is not None else None
    return {name: feature.type for name, feature in (features or {}).items()}


def edge_types(schema: Schema) -> dict[str, FeatureType]:
    """The columns that the encoders of edges get to see, and their types."""
    return {column.name: column.type for column in edge_columns(schema.edges)}


def _nothing(name: str, type_: FeatureType, rows: int) -> pl.Series:
    return pl.Series(name, [None], pl.String if type_ == "category" else pl.Float64).new_from_index(0, rows)
