"""Several rows between the same two nodes become one edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from edgegat.data.roles import Aggregation


@dataclass(frozen=True)
class Pairs:
    """Which rows belong to the same pair of nodes.

    Attributes:
        edge_of: ``[rows]``, the pair of each row, numbered in the order of their first rows.
        first_row: ``[M]``, the first row of each pair.
        size: ``[M]``, how many rows it has.
    """

    edge_of: NDArray[np.int64]
    first_row: NDArray[np.int64]
    size: NDArray[np.int64]

    @classmethod
    def find(
        cls, source: NDArray[np.int64], target: NDArray[np.int64], num_nodes: int, directed: bool
    ) -> Pairs:
        """Group rows by ``(source, target)``, or by the two nodes whatever their order.

        Example:
            >>> pairs = Pairs.find(np.array([2, 0, 1, 0]), np.array([1, 1, 2, 1]), 3, directed=False)
            >>> pairs.edge_of.tolist(), pairs.first_row.tolist(), pairs.size.tolist()
            ([0, 1, 0, 1], [0, 1], [2, 2])
        """
        low, high = (source, target) if directed else (np.minimum(source, target), np.maximum(source, target))
        pair = low * num_nodes + high
        order = np.argsort(pair, kind="stable")
        begins = np.diff(pair[order], prepend=-1) != 0
        starts = np.flatnonzero(begins)
        first_row = order[starts]
        in_order_of_rows = np.argsort(first_row)
        number = np.empty_like(first_row)
        number[in_order_of_rows] = np.arange(len(first_row))
        edge_of = np.empty_like(order)
        edge_of[order] = number[np.cumsum(begins) - 1]
        size = np.diff(starts, append=len(pair))
        return cls(edge_of, first_row[in_order_of_rows], size[in_order_of_rows])

    def aggregate(self, values: pl.Series, how: Aggregation, times: pl.Series | None = None) -> pl.Series:
        """``[rows]`` to ``[M]``; missing values are left out, and a pair without any other is missing.

        Sums run in the order of the rows: the same rows give the same bits every time, which a sum in parallel
        does not promise. ``first`` and ``last`` go by the time, if there is one, and then by the row; a row
        without a time is neither while another has one.

        Example:
            >>> pairs = Pairs.find(np.array([0, 0]), np.array([1, 1]), 2, directed=True)
            >>> paid = pl.Series("paid", [1.0, 5.0])
            >>> [pairs.aggregate(paid, how).item() for how in ("sum", "last")]
            [6.0, 5.0]
            >>> pairs.aggregate(paid, "last", pl.Series([20.0, 10.0])).item()
            1.0
        """
        if how in ("first", "last"):
            return values.gather(self._pick(values, how, times))
        edge = self.edge_of[values.is_not_null().to_numpy()]
        present = values.drop_nulls().to_numpy()
        number = np.bincount(edge, minlength=len(self.size))
        if how in ("sum", "mean"):
            result = np.bincount(edge, present, minlength=len(self.size)).astype(np.float64)
            result = result if how == "sum" else result / np.maximum(number, 1)
        elif how == "min":
            result = np.full(len(self.size), np.inf)
            np.minimum.at(result, edge, present)
        else:
            result = np.full(len(self.size), -np.inf)
            np.maximum.at(result, edge, present)
        return pl.Series(values.name, np.where(number > 0, result, np.nan)).fill_nan(None)

    def _pick(self, values: pl.Series, how: Aggregation, times: pl.Series | None) -> pl.Series:
        """``[M]`` rows, null for a pair whose values are all missing."""
        rows = values.is_not_null().arg_true().to_numpy()
        if times is not None:
            unknown = np.inf if how == "first" else -np.inf
            rows = rows[np.argsort(times.fill_null(unknown).to_numpy()[rows], kind="stable")]
        in_order = rows if how == "last" else rows[::-1]
        picked = np.full(len(self.size), -1)
        picked[self.edge_of[in_order]] = in_order  # of many values for one place, the last one stays
        return pl.Series(picked).replace(-1, None)
