"""The edge table's cells, one row per edge: every row, or one for all rows of a pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from edgegat.data.aggregate import Pairs
from edgegat.data.gaps import GAPS
from edgegat.data.roles import Aggregation, EdgeRoles, FeatureType

ROWS = "count"
"""What the number of rows of a pair is called among the features."""


class EdgeColumn(NamedTuple):
    """One column that an encoder gets to see: a column of the table, or what is kept of it for a pair."""

    name: str
    type: FeatureType
    column: str
    how: Aggregation | None


@dataclass(frozen=True)
class EdgeRows:
    """The edges, before they are encoded.

    Attributes:
        source, target: ``[M]`` node numbers; of an undirected pair in the order of its first row.
        cells: ``[M]`` rows, the columns of :func:`edge_columns`.
        first_row: ``[M]``, the row of the table, the first one of a pair.
    """

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    cells: pl.DataFrame
    first_row: NDArray[np.int64]


def edge_columns(roles: EdgeRoles) -> list[EdgeColumn]:
    """What the encoders get to see, from a schema without anything left to guess.

    Example:
        >>> from edgegat.data.roles import Feature
        >>> roles = EdgeRoles(
        ...     source="from",
        ...     target="to",
        ...     parallel="aggregate",
        ...     features={"paid": Feature(type="amount", aggregate=["sum", "max"])},
        ... )
        >>> [column.name for column in edge_columns(roles)]
        ['count', 'paid (sum)', 'paid (max)']
    """
    features = roles.features or {}
    if roles.parallel == "keep":
        gaps = [EdgeColumn(name, "count", name, None) for name in GAPS if roles.gaps]
        return [EdgeColumn(name, feature.type, name, None) for name, feature in features.items()] + gaps
    rows = EdgeColumn(ROWS, "count", ROWS, None)
    return [rows] + [
        EdgeColumn(f"{name} ({how})", _type_of(feature.type, how), name, how)
        for name, feature in features.items()
        for how in feature.aggregate or []
    ]


def cell_types(roles: EdgeRoles, with_time: bool) -> dict[str, FeatureType]:
    """The columns to read from the table, and as what: the features, and the time where it is needed.

    With aggregation, ``first`` and ``last`` need it; without, the gaps do.
    """
    features = roles.features or {}
    types = {name: feature.type for name, feature in features.items()}
    ordered = any(how in ("first", "last") for f in features.values() for how in f.aggregate or [])
    if roles.time is not None and (with_time or ordered or roles.gaps):
        types[roles.time] = "time"
    return types


def gather_edges(
    roles: EdgeRoles,
    cells: pl.DataFrame,
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    num_nodes: int,
    chosen: NDArray[np.bool_] | None = None,
) -> EdgeRows:
    """Bring the rows of the table (or the chosen ones) to one row per edge.

    Example:
        >>> roles = EdgeRoles(source="from", target="to", parallel="aggregate", directed=False)
        >>> ends = np.array([0, 1, 0]), np.array([1, 0, 2])
        >>> edges = gather_edges(roles, pl.DataFrame(), *ends, num_nodes=3)
        >>> edges.source.tolist(), edges.target.tolist(), edges.cells["count"].to_list()
        ([0, 0], [1, 2], [2.0, 1.0])
    """
    rows = np.arange(len(source))
    if chosen is not None and not chosen.all():
        source, target, rows = source[chosen], target[chosen], rows[chosen]
        cells = cells.filter(chosen) if cells.width else cells
    columns = edge_columns(roles)
    if roles.parallel == "keep":
        return EdgeRows(source, target, cells.select(column.name for column in columns), rows)
    pairs = Pairs.find(source, target, num_nodes, roles.directed)
    in_time = None if roles.time is None or roles.time not in cells.columns else cells[roles.time]
    kept: Mapping[str, pl.Series] = {
        column.name: pl.Series(column.name, pairs.size, pl.Float64)
        if column.how is None
        else pairs.aggregate(cells[column.column], column.how, in_time)
        for column in columns
    }
    first = pairs.first_row
    return EdgeRows(source[first], target[first], pl.DataFrame(kept), rows[first])


def _type_of(type_: FeatureType, how: Aggregation) -> FeatureType:
    """A sum of flags is a count; all else keeps its type, the mean of a flag as a share."""
    return "count" if type_ == "flag" and how == "sum" else type_
