"""Probabilities that mean what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

_COLDEST, _HOTTEST = 0.05, 20.0
_BINS = 10


@dataclass(frozen=True)
class Calibration:
    r"""From logits to probabilities: :math:`p_c \propto e^{z_c / T} / w_c`.

    A loss that weighs class ``c`` by :math:`w_c` teaches a model the probabilities of a world in which the
    classes are as frequent as they weigh. Dividing by the weights leads back to the frequencies of the data.

    Attributes:
        temperature: ``T``; above 1 it makes a model more modest.
        weights: ``[C]`` the loss's class weights; ``None`` if all were equal.

    Example:
        >>> Calibration(temperature=2.0).probabilities([[0.0, 2.0]]).round(3).tolist()
        [[0.269, 0.731]]
        >>> Calibration(weights=(0.5, 2.0)).probabilities([[0.0, 0.0]]).tolist()
        [[0.8, 0.2]]
    """

    temperature: float = 1.0
    weights: tuple[float, ...] | None = None

    def probabilities(self, logits: ArrayLike | Tensor) -> NDArray[np.float64]:
        """``[n, C]`` to ``[n, C]``; each row sums to one."""
        z = _as_numpy(logits) / self.temperature
        if self.weights is not None:
            z = z - np.log(self.weights)
        return _softmax(z)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def calibrate(
    logits: ArrayLike | Tensor, y: ArrayLike | Tensor, weights: ArrayLike | Tensor | None = None
) -> Calibration:
    r"""The temperature under which the validation nodes' labels are likeliest.

    .. math::
        T = \arg\min_T -\frac1n \sum_i \sum_c t_{ic} \ln p_c(z_i / T)

    The targets ``t`` are labels of which a little is given to all classes, as if each class had one more node
    (Platt's correction): a few nodes, all decided rightly, do not prove a model infallible. The sum is convex
    in ``1/T``, so bisection of its slope finds the minimum. ``T`` stays within 0.05 and 20; it is 1 without nodes.

    Args:
        logits: ``[n, C]`` of nodes that did not train.
        y: ``[n]`` their class numbers.
        weights: ``[C]`` of the loss that the model was trained with.

    Example:
        >>> z = np.array([[4.0, 0.0]] * 75 + [[0.0, 4.0]] * 25)  # sure of everything by e^4
        >>> calibrate(z, [0] * 75 + [0] * 25).temperature > 2  # and wrong in a quarter
        True
    """
    z, truth = _as_numpy(logits), _as_numpy(y).astype(np.int64)
    class_weights = None if weights is None else _as_numpy(weights)
    shift = np.zeros(z.shape[1]) if class_weights is None else np.log(class_weights)
    even = class_weights is None or not shift.any()
    kept = None if even or class_weights is None else tuple(float(w) for w in class_weights)
    n, C = z.shape
    if not n:
        return Calibration(1.0, kept)
    given = C / (n + C)
    targets = (1 - given) * np.eye(C)[truth] + given / C

    def slope(inverse: float) -> float:
        return float((z * (_softmax(z * inverse - shift) - targets)).sum())

    low, high = 1 / _HOTTEST, 1 / _COLDEST
    for _ in range(100):
        middle = np.sqrt(low * high)
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    return Calibration(float(1 / np.sqrt(low * high)), kept)


@dataclass(frozen=True)
class Reliability:
    """Predicted against observed: of those who got 70 %, did 70 % turn out so?

    Attributes:
        predicted: the mean predicted probability in each bin; 0 where nobody is.
        observed: the share that came true.
        counts: how many there are.
        error: the mean distance of the two over all nodes, the expected calibration error.
    """

    predicted: tuple[float, ...]
    observed: tuple[float, ...]
    counts: tuple[int, ...]
    error: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def reliability(came_true: Sequence[bool] | ArrayLike, predicted: ArrayLike, bins: int = _BINS) -> Reliability:
    """Put predictions into bins of equal width and compare each with what happened.

    Example:
        >>> curve = reliability([True, False, True, True], [0.5, 0.5, 0.9, 0.9], bins=2)
        >>> curve.counts, curve.observed, round(curve.error, 3)
        ((0, 4), (0.0, 0.75), 0.05)
    """
    truth, p = np.asarray(came_true, np.float64), np.asarray(predicted, np.float64)
    place = np.minimum((p * bins).astype(np.int64), bins - 1)
    counts = np.bincount(place, minlength=bins)
    some = np.maximum(counts, 1)
    means = np.bincount(place, p, minlength=bins) / some
    shares = np.bincount(place, truth, minlength=bins) / some
    error = float((counts * np.abs(means - shares)).sum() / max(len(p), 1))
    return Reliability(tuple(means.tolist()), tuple(shares.tolist()), tuple(counts.tolist()), error)


def _softmax(z: NDArray[np.float64]) -> NDArray[np.float64]:
    e = np.exp(z - z.max(1, keepdims=True))
    result: NDArray[np.float64] = e / e.sum(1, keepdims=True)
    return result


def _as_numpy(values: ArrayLike | Tensor) -> NDArray[np.float64]:
    plain = values.detach().cpu().numpy() if isinstance(values, Tensor) else values
    return np.asarray(plain, np.float64)
