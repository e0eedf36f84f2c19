"""Yes or no."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
import polars as pl

from edgegat.data.encoders.column import ColumnEncoder, Tensor32, as_numbers


class FlagEncoder(ColumnEncoder):
    """1 for yes, 0 for no, the share of yes in training for a missing cell.

    A share, as the mean of an aggregated flag is, stays what it is.
    """

    type: Literal["flag"] = "flag"
    share: float

    @property
    def value_names(self) -> list[str]:
        """One entry, called like the column."""
        return [self.column]

    @classmethod
    def fit(cls, column: str, cells: pl.Series) -> Self:
        """The share of yes in what is not missing."""
        values = as_numbers(cells.drop_nulls())
        return cls(
            column=column,
            flags_missing=cells.has_nulls(),
            share=float(values.mean()) if len(values) else 0.0,
        )

    def encode(self, cells: pl.Series, out: Tensor32) -> str | None:
        """Zeros, ones and shares."""
        values = as_numbers(cells)
        missing = np.isnan(values)
        out[:, 0] = np.where(missing, self.share, values)
        return self._write_flag(missing, out)
