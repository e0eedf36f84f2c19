"""Quantities: brought to a common scale, missing ones filled in with the middle of it."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
import polars as pl
from pydantic import PositiveFloat

from edgegat.data.encoders.column import ColumnEncoder, Tensor32, Values, as_numbers, mean_and_spread

_HUGE = 1e100  # keeps squares and quotients of any input finite
_BOUND = 5.0


class NumberEncoder(ColumnEncoder):
    """``z = (v - median) / spread``, then ``z / sqrt(1 + (z / 5)²)``: nearly linear in the middle, within ±5.

    The spread is the interquartile range over 1.349 (a standard deviation, if the values are normal), so that a
    wild cell neither moves the scale nor leaves it.

    Example:
        >>> encoder = NumberEncoder.fit("age", pl.Series([20.0, 30.0, 40.0, 50.0, 60.0, None]))
        >>> out = np.empty((3, 2), np.float32)
        >>> encoder.encode(pl.Series([40.0, 1e9, None]), out)
        >>> out.tolist(), encoder.names
        ([[0.0, 0.0], [5.0, 0.0], [0.0, 1.0]], ['age', 'age is missing'])
    """

    type: Literal["number"] = "number"
    median: float
    spread: PositiveFloat

    @property
    def value_names(self) -> list[str]:
        """One entry, called like the column."""
        return [self.column]

    @classmethod
    def fit(cls, column: str, cells: pl.Series) -> Self:
        """Median and spread of what is not missing."""
        values = np.clip(as_numbers(cells.drop_nulls()), -_HUGE, _HUGE)
        low, median, high = np.quantile(values, [0.25, 0.5, 0.75]) if len(values) else (0.0, 0.0, 0.0)
        spread = (high - low) / 1.349
        if not spread > 1e-9 * max(1.0, abs(median)):
            spread = mean_and_spread(values)[1]
        return cls(column=column, flags_missing=cells.has_nulls(), median=float(median), spread=float(spread))

    def encode(self, cells: pl.Series, out: Tensor32) -> str | None:
        """Scale and bound; the median for missing cells."""
        values = np.clip(as_numbers(cells), -_HUGE, _HUGE)
        missing = np.isnan(values)
        with np.errstate(over="ignore"):
            z = np.clip((values - self.median) / self.spread, -_HUGE, _HUGE)
        z /= np.sqrt(1.0 + np.square(z / _BOUND))
        out[:, 0] = np.where(missing, 0.0, z)
        return self._write_flag(missing, out)


class _LogEncoder(ColumnEncoder):
    """``u = sign(v) log(1 + |v| / unit)``, then ``(u - mean) / spread``; the mean for missing cells."""

    unit: PositiveFloat
    mean: float
    spread: PositiveFloat

    @property
    def value_names(self) -> list[str]:
        """One entry, called like the column."""
        return [self.column]

    @classmethod
    def fit(cls, column: str, cells: pl.Series) -> Self:
        """Mean and spread of the logarithms of what is not missing."""
        values = as_numbers(cells.drop_nulls())
        unit = cls._unit(values)
        mean, spread = mean_and_spread(_signed_log(values, unit))
        return cls(column=column, flags_missing=cells.has_nulls(), unit=unit, mean=mean, spread=spread)

    def encode(self, cells: pl.Series, out: Tensor32) -> str | None:
        """Logarithm and scale."""
        values = as_numbers(cells)
        missing = np.isnan(values)
        out[:, 0] = np.where(missing, 0.0, (_signed_log(values, self.unit) - self.mean) / self.spread)
        return self._write_flag(missing, out)

    @classmethod
    def _unit(cls, values: Values) -> float:
        return 1.0


class AmountEncoder(_LogEncoder):
    """Money: a logarithmic scale that takes zeros and negatives, whatever the currency's unit.

    ``unit`` is the 5 % quantile of the amounts' sizes, zeros left out: the scale is logarithmic for nearly all
    of them, be it cents or billions, and linear only around zero.

    Example:
        >>> encoder = AmountEncoder.fit("paid", pl.Series([0.0, 10.0, 100.0, 1000.0, -10.0]))
        >>> out = np.empty((2, 1), np.float32)
        >>> encoder.encode(pl.Series([1e6, -1e6]), out)
        >>> bool(out[0, 0] > 2), bool(out[1, 0] < -3)
        (True, True)
    """

    type: Literal["amount"] = "amount"

    @classmethod
    def _unit(cls, values: Values) -> float:
        sizes = np.abs(values[values != 0])
        return max(float(np.quantile(sizes, 0.05)), 1e-100) if len(sizes) else 1.0


class CountEncoder(_LogEncoder):
    """Numbers of things: ``log(1 + v)``, standardised."""

    type: Literal["count"] = "count"


def _signed_log(values: Values, unit: float) -> Values:
    return np.copysign(np.log1p(np.minimum(np.abs(values), _HUGE) / unit), values)
