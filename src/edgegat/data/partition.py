"""The split of one pair of tables, and which of their rows the encoders may learn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from edgegat.data.cells import read_values
from edgegat.data.errors import DataError
from edgegat.data.ids import Numbering
from edgegat.data.reading import Table
from edgegat.data.schema import Schema
from edgegat.data.splits import (
    NONE,
    PARTS,
    Parts,
    TimeCut,
    draw_parts,
    draw_validation,
    read_parts,
    split_by_time,
)

SplitKind = Literal["column", "flags", "time", "random", "none"]


@dataclass(frozen=True)
class Partition:
    """Which node is in which part.

    Attributes:
        parts: ``[N]`` of nodes, or ``[rows]`` of edges, whichever have labels.
        kind: where it comes from: ``"column"``, ``"flags"``, ``"time"``, ``"random"`` or ``"none"``.
        cut: where the past ends, of a split by time.
        times: ``[N]`` of the nodes, NaN where unknown; empty unless the split goes by time.
    """

    parts: Parts
    kind: SplitKind
    cut: TimeCut | None = None
    times: NDArray[np.float64] | None = None

    def masks(self, y: NDArray[np.int64]) -> dict[str, NDArray[np.bool_]]:
        """``train_mask`` and so on, of labelled nodes; none without a split."""
        if self.kind == "none":
            return {}
        return {f"{name}_mask": (self.parts == part) & (y >= 0) for part, name in enumerate(PARTS)}

    def rows_to_learn_from(self) -> NDArray[np.bool_]:
        """``[N]`` or ``[rows]``: all but validation and test; of a split by time, nothing from after the cut."""
        chosen: NDArray[np.bool_] = (self.parts != PARTS.index("val")) & (self.parts != PARTS.index("test"))
        if self.cut is not None and self.times is not None:
            chosen &= ~(self.times > self.cut.train_end)
        return chosen


Times = Callable[[], NDArray[np.float64]]


def divide(schema: Schema, table: Table, ids: pl.Series, y: NDArray[np.int64], times: Times) -> Partition:
    """Read the split, or draw it; a validation part that is not declared is drawn from the training part."""
    split = schema.split
    if split.columns:
        found = _read(schema, table, ids, y)
    elif split.by_time:
        when = times()
        parts, cut = split_by_time(y, when, split.ratio)
        found = Partition(parts, "time", cut, when)
    else:
        found = Partition(draw_parts(y, ids, split.ratio, split.seed), "random")
    if not ((found.parts == 0) & (y >= 0)).any():
        raise DataError(
            f"{table.name}: no labelled {schema.labels_on[:-1]} is in the training part. Correct the split "
            "columns, or leave them out of the schema to have the split drawn."
        )
    return found


def divide_again(
    schema: Schema, table: Table, ids: pl.Series, y: NDArray[np.int64], times: Times, cut: TimeCut | None
) -> Partition:
    """The split of tables that nothing is learned from: what is declared in them, or the past and the future."""
    split = schema.split
    if split.columns and all(column in table.dtypes for column in split.columns):
        return _read(schema, table, ids, y)
    if cut is not None:
        when = times()
        return Partition(cut.divide(y, when), "time", cut, when)
    return no_split(len(y))


def no_split(num_nodes: int) -> Partition:
    """Nobody is in any part."""
    return Partition(np.full(num_nodes, NONE, np.int8), "none")


@dataclass(frozen=True)
class NodeTimes:
    """When each node became known, read when a split asks for it.

    Attributes:
        schema: says whether nodes have times of their own.
        nodes: the node table.
        numbering: of the nodes.
        edge_times: ``[rows]``; without times of its own, a node has that of its first edge.
    """

    schema: Schema
    nodes: Table | None
    numbering: Numbering
    edge_times: NDArray[np.float64] | None

    def read(self) -> NDArray[np.float64]:
        """``[N]`` microseconds since 1970, NaN where unknown."""
        times = np.full(len(self.numbering.ids), np.nan)
        roles = self.schema.nodes
        if roles is not None and roles.time is not None and self.nodes is not None:
            self.nodes.require(roles.time, "nodes.time")
            cells = read_values(self.nodes, {roles.time: "time"}, self.schema.spelling)[roles.time]
            times[: self.numbering.in_table] = cells.fill_null(np.nan).to_numpy()
        elif self.edge_times is not None:
            ends = np.concatenate([self.numbering.source, self.numbering.target])
            rows = pl.DataFrame({"node": ends, "time": np.tile(self.edge_times, 2)}).fill_nan(None)
            first = rows.drop_nulls().group_by("node").agg(pl.col("time").min())
            times[first["node"].to_numpy()] = first["time"].to_numpy()
        return times


def _read(schema: Schema, nodes: Table, ids: pl.Series, y: NDArray[np.int64]) -> Partition:
    split = schema.split
    parts = np.full(len(y), NONE, np.int8)
    declared = read_parts(nodes, split, schema.spelling)
    parts[: len(declared)] = declared
    parts = draw_validation(parts, y, ids, split.ratio, split.seed)
    return Partition(parts, "column" if split.column else "flags")
