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
        rows = pl.DataFrame({"pair": low * num_nodes + high}).with_row_index("row")
        pairs = rows.group_by("pair").agg(pl.col("row").min(), size=pl.len()).sort("row")
        numbered = pairs.select("pair", edge=pl.int_range(pl.len(), dtype=pl.Int64))
        edge_of = rows.join(numbered, on="pair", how="left", maintain_order="left")["edge"].to_numpy()
        return cls(edge_of, pairs["row"].cast(pl.Int64).to_numpy(), pairs["size"].cast(pl.Int64).to_numpy())

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
        if how in ("sum", "mean"):
            return self._add(values, how)
        rows = pl.DataFrame({"edge": self.edge_of, "value": values})
        if how in ("first", "last") and times is not None:
            rows = rows.with_columns(time=times).sort("time", nulls_last=how == "first", maintain_order=True)
        value = pl.col("value").drop_nulls()
        picked = {"min": value.min(), "max": value.max(), "first": value.first(), "last": value.last()}[how]
        return rows.group_by("edge").agg(picked).sort("edge")["value"].alias(values.name)

    def _add(self, values: pl.Series, how: Aggregation) -> pl.Series:
        edge = self.edge_of[values.is_not_null().to_numpy()]
        number = np.bincount(edge, minlength=len(self.size))
        total = np.bincount(edge, values.drop_nulls().to_numpy(), minlength=len(self.size))
        result = total if how == "sum" else total / np.maximum(number, 1)
        return pl.Series(values.name, np.where(number > 0, result, np.nan)).fill_nan(None)
