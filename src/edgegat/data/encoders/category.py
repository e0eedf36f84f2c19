"""A few values that repeat: one entry each."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
import polars as pl

from edgegat.data._words import count, show
from edgegat.data.encoders.column import ColumnEncoder, Tensor32

MOST = 32
"""Categories with an entry of their own, at most."""
FEWEST_ROWS = 5
"""Training rows that a category needs for an entry of its own."""


class CategoryEncoder(ColumnEncoder):
    """One entry per frequent category, one for all rare ones together, one for missing cells.

    A category that training never saw is encoded like the rare ones, or as all zeros if training had none: an
    entry of its own would have weights that were never trained. The same holds for missing cells.

    Attributes:
        categories: the frequent ones, most frequent first.
        has_other: whether training had rare ones.

    Example:
        >>> encoder = CategoryEncoder.fit("channel", pl.Series(["web"] * 7 + ["branch"] * 5 + ["fax"]))
        >>> out = np.empty((4, 3), np.float32)
        >>> encoder.encode(pl.Series(["branch", "fax", "pigeon", "web"]), out)
        >>> out.tolist(), encoder.names
        ([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
         ['channel = web', 'channel = branch', 'channel = (other)'])
    """

    type: Literal["category"] = "category"
    categories: list[str]
    has_other: bool

    @property
    def value_names(self) -> list[str]:
        """``column = category``."""
        other = ["(other)"] if self.has_other else []
        return [f"{self.column} = {category}" for category in [*self.categories, *other]]

    @classmethod
    def fit(cls, column: str, cells: pl.Series) -> Self:
        """Count the categories. If all are rare, the most frequent keep their entries."""
        counts = cells.drop_nulls().to_frame("category").group_by("category").len()
        counts = counts.sort("len", "category", descending=[True, False])
        frequent = counts.filter(pl.col("len") >= FEWEST_ROWS)
        kept = (frequent if len(frequent) else counts).head(MOST)["category"].to_list()
        return cls(
            column=column,
            flags_missing=cells.has_nulls(),
            categories=kept,
            has_other=len(counts) > len(kept),
        )

    def encode(self, cells: pl.Series, out: Tensor32) -> str | None:
        """A single 1 in each row."""
        out[:] = 0.0
        numbers = list(range(len(self.categories)))
        number = cells.replace_strict(self.categories, numbers, default=-1, return_dtype=pl.Int64).to_numpy()
        missing = cells.is_null().to_numpy()
        known = np.flatnonzero((number >= 0) & ~missing)
        out[known, number[known].astype(np.int64)] = 1.0
        unknown = (number < 0) & ~missing
        if self.has_other:
            out[unknown, len(self.categories)] = 1.0
        elif unknown.any():
            first = cells[int(np.flatnonzero(unknown)[0])]
            said = f"{self.column}: {count(int(unknown.sum()), 'cell')} unseen in training, like {show(first)}"
            return "; ".join(filter(None, [said, self._write_flag(missing, out)]))
        return self._write_flag(missing, out)
