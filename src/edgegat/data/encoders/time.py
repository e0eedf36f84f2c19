"""When something happened."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
import polars as pl
from pydantic import PositiveFloat

from edgegat.data.encoders.column import ColumnEncoder, Tensor32, Values, as_numbers, mean_and_spread

_SECOND = 1e6
_DAY = 86_400 * _SECOND


def _circle(steps: int) -> Values:
    """``[steps, 2]``: sine and cosine of the steps around a circle."""
    angle = np.arange(steps) * (2 * np.pi / steps)
    return np.stack([np.sin(angle), np.cos(angle)], 1)


_OF_DAY = _circle(86_400)
_OF_WEEK = _circle(7)


class TimeEncoder(ColumnEncoder):
    """The age, and the places in the day and in the week.

    The age counts back from the latest time in training: ``sign(d) log(1 + |d|)`` with ``d`` in days,
    standardised, so that next month's rows lie below all others. Hour and weekday (UTC) are points on circles:
    midnight is near to 23:59. Without hours in training (all are midnights) there is no circle of the day.

    Example:
        >>> days = pl.Series([0.0, 1.0, 2.0, 3.0]) * 86_400e6
        >>> encoder = TimeEncoder.fit("booked", days)
        >>> encoder.names
        ['booked: age', 'booked: weekday (sine)', 'booked: weekday (cosine)']
    """

    type: Literal["time"] = "time"
    latest: float
    mean: float
    spread: PositiveFloat
    has_hours: bool

    @property
    def value_names(self) -> list[str]:
        """The age and the coordinates of the circles."""
        cycles = ["hour", "weekday"] if self.has_hours else ["weekday"]
        points = [f"{cycle} ({axis})" for cycle in cycles for axis in ("sine", "cosine")]
        return [f"{self.column}: {part}" for part in ("age", *points)]

    @classmethod
    def fit(cls, column: str, cells: pl.Series) -> Self:
        """The latest time, and the scale of the ages before it."""
        times = as_numbers(cells.drop_nulls())
        latest = float(times.max()) if len(times) else 0.0
        mean, spread = mean_and_spread(_log_age(times, latest))
        return cls(
            column=column,
            flags_missing=cells.has_nulls(),
            latest=latest,
            mean=mean,
            spread=spread,
            has_hours=bool((times % _DAY != 0).any()),
        )

    def encode(self, cells: pl.Series, out: Tensor32) -> str | None:
        """The mean age and the centres of the circles for missing cells."""
        times = as_numbers(cells)
        missing = np.isnan(times)
        age = (_log_age(times, self.latest) - self.mean) / self.spread
        out[:, 0] = np.where(missing, 0.0, age)
        times = np.where(missing, 0.0, times)
        # 1 January 1970 was a Thursday.
        circles = [_OF_WEEK[((times // _DAY).astype(np.int64) + 3) % 7]]
        if self.has_hours:
            circles.insert(0, _OF_DAY[(times % _DAY // _SECOND).astype(np.int64)])
        for number, points in enumerate(circles):
            out[:, 1 + 2 * number : 3 + 2 * number] = np.where(missing[:, None], 0.0, points)
        return self._write_flag(missing, out)


def _log_age(times: Values, latest: float) -> Values:
    days = (latest - times) / _DAY
    return np.copysign(np.log1p(np.abs(days)), days)
