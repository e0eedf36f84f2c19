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

    def aggregate(self, values: pl.Series, how: Aggregation) -> pl.Series:
        """``[rows]`` to ``[M]``; missing values are left out, and a pair without any other is missing.

        Sums run in the order of the rows: the same rows give the same bits every time, which a sum in parallel
        does not promise. ``first`` and ``last`` are by row; of times, use them with ``min`` and ``max``.
        """
        present = values.is_not_null()
        if how in ("sum", "mean", "count"):
            edge = self.edge_of[present.to_numpy()]
            number = np.bincount(edge, minlength=len(self.size))
            if how == "count":
                return pl.Series(values.name, number.astype(np.float64))
            weights = values.drop_nulls().to_numpy()
            total = np.bincount(edge, weights, minlength=len(self.size))
            result = total if how == "sum" else total / np.maximum(number, 1)
            return pl.Series(values.name, np.where(number > 0, result, np.nan)).fill_nan(None)
        rows = pl.DataFrame({"edge": self.edge_of, "value": values}).lazy()
        value = pl.col("value").drop_nulls()
        picked = {"min": value.min(), "max": value.max(), "first": value.first(), "last": value.last()}[how]
        return rows.group_by("edge").agg(picked).sort("edge").collect()["value"].alias(values.name)
