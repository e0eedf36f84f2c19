"""How long before the next transfer, and after the last one, at the same account."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

GAPS = (
    "since the last at the source",
    "until the next at the source",
    "since the last at the target",
    "until the next at the target",
)
"""Features of an edge, in seconds; missing where there is no other, or no time."""

_MICROSECONDS = 1e6


def time_gaps(
    source: NDArray[np.int64], target: NDArray[np.int64], times: NDArray[np.float64]
) -> list[pl.Series]:
    """The columns :data:`GAPS` of ``[rows]`` transfers, in whatever order they stand. ``O(rows log rows)``.

    All transfers of an account count, those that leave it and those that enter it. Of several at the same moment
    the order of the rows decides, and the gap is zero.

    Args:
        source: ``[rows]`` node numbers.
        target: ``[rows]``.
        times: ``[rows]`` microseconds since 1970, NaN where unknown.

    Example:
        >>> second = 1e6  # 0 pays 1 at second 10, 1 pays 2 at second 13, 0 pays 1 again at second 60
        >>> columns = time_gaps(
        ...     np.array([0, 1, 0]), np.array([1, 2, 1]), np.array([10 * second, 13 * second, 60 * second])
        ... )
        >>> {column.name: column.to_list() for column in columns}["since the last at the target"]
        [None, None, 47.0]
        >>> {column.name: column.to_list() for column in columns}["until the next at the source"]
        [50.0, 47.0, None]
    """
    rows = len(source)
    node, time = np.concatenate([source, target]), np.tile(times, 2)
    loop = source == target
    counted = ~np.isnan(time) & ~np.concatenate([np.zeros(rows, bool), loop])  # a self-loop is at its node once
    events = np.flatnonzero(counted)
    events = events[np.lexsort((events % max(rows, 1), time[events], node[events]))]
    same = node[events[1:]] == node[events[:-1]]
    gap = np.diff(time[events])[same] / _MICROSECONDS
    since, until = np.full(2 * rows, np.nan), np.full(2 * rows, np.nan)
    since[events[1:][same]] = gap
    until[events[:-1][same]] = gap
    columns = []
    for values in (since, until):
        at_source, at_target = values[:rows], values[rows:]
        columns.append((at_source, np.where(loop, at_source, at_target)))
    (since_source, since_target), (until_source, until_target) = columns
    in_order = (since_source, until_source, since_target, until_target)
    return [pl.Series(name, values, nan_to_null=True) for name, values in zip(GAPS, in_order, strict=True)]
