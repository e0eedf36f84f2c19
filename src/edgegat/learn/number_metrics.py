"""How far predicted numbers are from true ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from edgegat.learn.errors import LearningError


@dataclass(frozen=True)
class NumberMetrics:
    r"""What :func:`measure_numbers` finds, in the units of the numbers.

    Attributes:
        count: how many rows were looked at.
        rmse: root of the mean squared error.
        mae: mean absolute error.
        r2: the share of the variance that is explained, :math:`1 - \sum (y - \hat y)^2 / \sum (y - \bar y)^2`; below
            zero if the rows' own mean would have been better, ``None`` if all true numbers are the same.
    """

    count: int
    rmse: float
    mae: float
    r2: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The same metrics again."""
        return cls(**values)


def measure_numbers(y: ArrayLike, predicted: ArrayLike) -> NumberMetrics:
    """Compare ``[n]`` predicted numbers with ``[n]`` true ones, one row at least.

    Example:
        >>> measure_numbers([1.0, 2.0, 6.0], [1.0, 2.0, 3.0])
        NumberMetrics(count=3, rmse=1.73..., mae=1.0, r2=0.357...)
    """
    truth, said = np.asarray(y, np.float64), np.asarray(predicted, np.float64)
    if truth.ndim != 1 or truth.shape != said.shape or not len(truth):
        raise LearningError(
            f"y has shape {truth.shape} and the predictions {said.shape}: both must be [n], for one row at least."
        )
    error = said - truth
    squares, spread = float(np.square(error).sum()), float(np.square(truth - truth.mean()).sum())
    return NumberMetrics(
        count=len(truth),
        rmse=float(np.sqrt(squares / len(truth))),
        mae=float(np.abs(error).mean()),
        r2=1 - squares / spread if (truth != truth[0]).any() else None,
    )
