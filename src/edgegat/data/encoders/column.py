"""What every encoder of a column is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

Tensor32 = NDArray[np.float32]
Values = NDArray[np.float64]


class ColumnEncoder(BaseModel, ABC):
    """A fitted column: a few numbers that turn a cell into the same tensor entries for ever.

    Cells are encoded one by one, in float64, and rounded to float32 once; no other row has a say. So the same
    cell has the same bits in every table and every process.

    Attributes:
        column: the name in the table.
        flags_missing: whether the last entry says that the cell is missing. It is there if training had missing
            cells; else nothing could be learned about the flag, and a missing cell is only filled in.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    column: str
    flags_missing: bool

    @property
    @abstractmethod
    def value_names(self) -> list[str]:
        """The names of the entries, the flag left out."""

    @classmethod
    @abstractmethod
    def fit(cls, column: str, cells: pl.Series) -> Self:
        """Learn from the training rows' cells, as :func:`edgegat.data.cells.read_values` returns them."""

    @abstractmethod
    def encode(self, cells: pl.Series, out: Tensor32) -> str | None:
        """Write ``[rows, width]``; say what training had never seen, if anything."""

    @property
    def names(self) -> list[str]:
        """The names of the entries."""
        return [*self.value_names, *([f"{self.column} is missing"] if self.flags_missing else [])]

    def _write_flag(self, missing: NDArray[np.bool_], out: Tensor32) -> str | None:
        if self.flags_missing:
            out[:, -1] = missing
        elif missing.any():
            return f"{self.column}: {int(missing.sum()):,} missing cells filled in; training had none"
        return None


def as_numbers(cells: pl.Series) -> Values:
    """``[rows]`` float64, NaN where missing."""
    return cells.cast(pl.Float64).fill_null(np.nan).to_numpy()


def mean_and_spread(values: Values) -> tuple[float, float]:
    """Mean and standard deviation; a spread of 1 where the values are all but constant."""
    if not len(values):
        return 0.0, 1.0
    mean = float(values.mean())
    spread = float(values.std())
    return mean, spread if spread > 1e-9 * max(1.0, abs(mean)) else 1.0
