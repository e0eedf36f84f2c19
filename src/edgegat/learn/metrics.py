"""How good scores are: the numbers that people ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgegat.learn.errors import LearningError
from edgegat.learn.options import Metric

Labels = NDArray[np.int64]
Probabilities = NDArray[np.float64]

SHARES = (0.01, 0.02, 0.05, 0.1, 0.2)
_SMALLEST = 1e-15


@dataclass(frozen=True)
class TopK:
    """How good the ``k`` highest scores are.

    Attributes:
        k: how many are looked at.
        precision: the share of them that is wanted.
        recall: the share of all wanted ones that is among them.
        lift: how many times more wanted ones than among ``k`` drawn at random.
    """

    k: int
    precision: float
    recall: float
    lift: float


@dataclass(frozen=True)
class Metrics:
    """What :func:`measure` finds. ``None`` stands where a number has no meaning, like a ROC-AUC of one class.

    Attributes:
        count: how many nodes were looked at.
        accuracy: the share of right decisions.
        balanced_accuracy: the mean of the classes' recalls, over the classes that occur.
        macro_f1: the mean of the classes' F1, over the classes that occur or were decided for.
        roc_auc: area under the ROC curve; with more than two classes the mean of one-against-the-rest.
        pr_auc: average precision, of the wanted class; with more than two the mean, likewise.
        log_loss: mean of ``-ln p(true class)``.
        brier: mean squared distance from the truth: of the wanted class's probability with two classes (0 to
            1), summed over the classes with more (0 to 2).
        wanted: the number of the class that ``top`` is about, and ``pr_auc`` and ``brier`` with two classes.
        top: precision, recall and lift of the highest scores.
        precision, recall, f1: ``[C]``, by class; ``None`` for a class that does not occur (or, precision, was
            never decided for).
        confusion: ``[C][C]`` counts, rows true, columns decided.
    """

    count: int
    accuracy: float
    balanced_accuracy: float
    macro_f1: float
    roc_auc: float | None
    pr_auc: float | None
    log_loss: float
    brier: float
    wanted: int
    top: tuple[TopK, ...]
    precision: tuple[float | None, ...]
    recall: tuple[float | None, ...]
    f1: tuple[float | None, ...]
    confusion: tuple[tuple[int, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The same metrics again."""
        lists = {name: tuple(values[name]) for name in ("precision", "recall", "f1")}
        top = tuple(TopK(**entry) for entry in values["top"])
        confusion = tuple(tuple(row) for row in values["confusion"])
        return cls(**{**values, **lists, "top": top, "confusion": confusion})


def measure(
    y: ArrayLike, probabilities: ArrayLike, *, decided: ArrayLike | None = None, wanted: int | None = None
) -> Metrics:
    """Compare probabilities with the truth.

    Args:
        y: ``[n]`` class numbers, one node at least.
        probabilities: ``[n, C]``, rows sum to one. Classes may be missing from ``y``.
        decided: ``[n]`` class numbers, if the decisions are others than the likeliest classes.
        wanted: the class that is looked for; by default the last one.

    Example:
        >>> metrics = measure([0, 0, 1, 1], [[0.9, 0.1], [0.4, 0.6], [0.3, 0.7], [0.2, 0.8]])
        >>> metrics.accuracy, metrics.roc_auc, metrics.confusion, metrics.top[-1]
        (0.75, 1.0, ((1, 1), (0, 2)), TopK(k=1, precision=1.0, recall=0.5, lift=2.0))
    """
    truth, p = _check(y, probabilities)
    C = p.shape[1]
    decisions = p.argmax(1) if decided is None else np.asarray(decided, np.int64)
    wanted = C - 1 if wanted is None else wanted
    confusion = np.bincount(truth * C + decisions, minlength=C * C).reshape(C, C)
    right, occurs, named = np.diag(confusion), confusion.sum(1), confusion.sum(0)
    f1 = [_ratio(2 * r, o + m) for r, o, m in zip(right, occurs, named, strict=True)]
    recall = [_ratio(r, o) for r, o in zip(right, occurs, strict=True)]
    return Metrics(
        count=len(truth),
        accuracy=float(right.sum() / len(truth)),
        balanced_accuracy=_mean(recall),
        macro_f1=_mean(f1),
        roc_auc=_roc_auc(truth, p, wanted),
        pr_auc=_pr_auc(truth, p, wanted),
        log_loss=_log_loss(truth, p),
        brier=_brier(truth, p, wanted),
        wanted=wanted,
        top=tuple(top_k(truth == wanted, p[:, wanted], k) for k in _sizes(len(truth))),
        precision=tuple(_ratio(r, m) for r, m in zip(right, named, strict=True)),
        recall=tuple(recall),
        f1=tuple(f1),
        confusion=tuple(tuple(row) for row in confusion.tolist()),
    )


def score(metric: Metric, y: ArrayLike, probabilities: ArrayLike) -> float:
    """One of the metrics alone, the last class being the wanted one; NaN where it has no meaning.

    Example:
        >>> score("accuracy", [0, 1], [[0.9, 0.1], [0.6, 0.4]])
        0.5
    """
    truth, p = _check(y, probabilities)
    if metric == "accuracy":
        return float((p.argmax(1) == truth).mean())
    if metric == "log_loss":
        return _log_loss(truth, p)
    if metric in ("roc_auc", "pr_auc"):
        area = (_roc_auc if metric == "roc_auc" else _pr_auc)(truth, p, p.shape[1] - 1)
        return float("nan") if area is None else area
    return float(getattr(measure(truth, p), metric))


def top_k(wanted: NDArray[np.bool_], scores: ArrayLike, k: int) -> TopK:
    """Precision, recall and lift of the ``k`` highest scores.

    Where the ``k``-th score is shared by several, the places left among the ``k`` are shared by them evenly: the
    result is the mean over all orders of equal scores, and does not depend on the order of the rows.

    Example:
        >>> top_k(np.array([True, False, False, False]), [0.5, 0.5, 0.5, 0.1], k=2)
        TopK(k=2, precision=0.333..., recall=0.666..., lift=1.333...)
    """
    values = np.asarray(scores, np.float64)
    last = np.partition(values, -k)[-k]
    above, level = values > last, values == last
    found = wanted[above].sum() + wanted[level].mean() * (k - above.sum())
    total = wanted.sum()
    precision = float(found / k)
    return TopK(
        k=k,
        precision=precision,
        recall=float(found / total) if total else 0.0,
        lift=float(precision / (total / len(wanted))) if total else 0.0,
    )


def _check(y: ArrayLike, probabilities: ArrayLike) -> tuple[Labels, Probabilities]:
    truth, p = np.asarray(y, np.int64), np.asarray(probabilities, np.float64)
    if p.ndim != 2 or p.shape[1] < 2 or truth.shape != p.shape[:1] or not len(truth):
        raise LearningError(
            f"y has shape {truth.shape} and the probabilities {p.shape}: they must be [n] and [n, C], for one "
            "node and two classes at least."
        )
    if truth.min() < 0 or truth.max() >= p.shape[1]:
        wrong = int(truth.min() if truth.min() < 0 else truth.max())
        raise LearningError(f"y has class {wrong}, but the probabilities are those of 0 to {p.shape[1] - 1}.")
    return truth, p


def _roc_auc(y: Labels, p: Probabilities, wanted: int) -> float | None:
    from sklearn.metrics import roc_auc_score

    return _over_classes(y, p, wanted, lambda hit, column: float(roc_auc_score(hit, column)))


def _pr_auc(y: Labels, p: Probabilities, wanted: int) -> float | None:
    from sklearn.metrics import average_precision_score

    return _over_classes(y, p, wanted, lambda hit, column: float(average_precision_score(hit, column)))


def _over_classes(y: Labels, p: Probabilities, wanted: int, area: Any) -> float | None:
    """The area of the wanted one of two classes, or the mean of all that tell somebody from somebody else."""
    chosen = (wanted,) if p.shape[1] == 2 else range(p.shape[1])
    areas = [area(y == c, p[:, c]) for c in chosen if 0 < (y == c).sum() < len(y)]
    return float(np.mean(areas)) if areas else None


def _log_loss(y: Labels, p: Probabilities) -> float:
    return float(-np.log(p[np.arange(len(y)), y].clip(_SMALLEST, 1.0)).mean())


def _brier(y: Labels, p: Probabilities, wanted: int) -> float:
    if p.shape[1] == 2:
        return float(np.square(p[:, wanted] - (y == wanted)).mean())
    return float(np.square(p - np.eye(p.shape[1])[y]).sum(1).mean())


def _sizes(n: int) -> list[int]:
    """The ``k`` that are looked at: some shares of all, rounded up."""
    return sorted({max(1, int(np.ceil(share * n))) for share in SHARES})


def _ratio(part: np.integer[Any], whole: np.integer[Any]) -> float | None:
    return float(part / whole) if whole else None


def _mean(values: list[float | None]) -> float:
    return float(np.mean([value for value in values if value is not None]))
