"""All pictures of one training."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from edgegat.learn.errors import LearningError
from edgegat.learn.metrics import Metrics
from edgegat.learn.pictures._style import save_figure
from edgegat.learn.pictures.comparison import draw_comparison
from edgegat.learn.pictures.confusion import draw_confusion
from edgegat.learn.pictures.history import draw_history
from edgegat.learn.pictures.predictions import draw_predictions
from edgegat.learn.pictures.ranking import Ranking, draw_ranking
from edgegat.learn.pictures.reliability import draw_reliability
from edgegat.learn.pictures.residuals import draw_residuals
from edgegat.learn.pictures.scores import draw_scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from edgegat.learn.report import TrainReport

METRIC_NAMES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "macro_f1": "macro F1",
    "roc_auc": "ROC-AUC",
    "pr_auc": "PR-AUC",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
}
_PARTS = {"train": "training part", "val": "validation part", "test": "test part"}


def draw_report(report: TrainReport, folder: str | PathLike[str], suffix: str = ".svg") -> list[Path]:
    """Learning curves and methods compared; of classes confusion matrix, ROC and precision-recall, reliability and
    scores; of numbers predictions against the truth, and their errors.

    Args:
        report: of the training.
        folder: where the pictures go; made if it does not exist. Those of an earlier report are replaced.
        suffix: ``".svg"`` or ``".png"``.

    Returns:
        The files.
    """
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        return [save_figure(figure, place / f"{name}{suffix}") for name, figure in _draw(report)]
    except OSError as error:
        raise LearningError(f"pictures cannot be written to {place}: {error.strerror or error}.") from error


def _draw(report: TrainReport) -> Iterator[tuple[str, Figure]]:
    return _draw_classes(report) if report.classes else _draw_numbers(report)


def _draw_numbers(report: TrainReport) -> Iterator[tuple[str, Figure]]:
    history, part = report.model.history, _PARTS[report.judge]
    curves = (history.train_loss, _known(history.val_loss), _known(history.val_metric))
    metric = METRIC_NAMES[history.metric]
    yield "learning_curves", draw_history(*curves, metric, history.best_epoch, "squared error")
    predicted, r2 = report.probabilities["EGAT"], report.methods["EGAT"].runs["r2"].values[0]
    yield "predictions", draw_predictions(report.truth, predicted, r2, part)
    yield "residuals", draw_residuals(report.truth, predicted, part)
    yield "comparison", _compare(report, "r2", float("-inf"))


def _draw_classes(report: TrainReport) -> Iterator[tuple[str, Figure]]:
    history, wanted, part = report.model.history, report.classes[report.wanted], _PARTS[report.judge]
    # A loss is drawn above anyway; below it, what people understand.
    metric, values = (
        ("accuracy", history.val_accuracy)
        if history.metric == "log_loss"
        else (METRIC_NAMES[history.metric], history.val_metric)
    )
    curves = (history.train_loss, _known(history.val_loss), _known(values))
    yield "learning_curves", draw_history(*curves, metric, history.best_epoch)
    egat = report.methods["EGAT"]
    judged = egat.parts[report.judge]
    assert isinstance(judged, Metrics)
    yield "confusion", draw_confusion(judged.confusion, list(report.classes), part)
    hit = report.truth == report.wanted
    rankings = {name: Ranking(hit, p[:, report.wanted]) for name, p in report.probabilities.items()}
    yield "ranking", draw_ranking(rankings, repr(wanted), part)
    r = report.reliability
    assert r is not None
    yield "reliability", draw_reliability(r.predicted, r.observed, r.counts, repr(wanted), r.error, part)
    labelled = {name: report.everybody[report.labels == c] for c, name in enumerate(report.classes)}
    yield "scores", draw_scores(report.everybody, labelled, repr(wanted), report.labels_on)
    yield "comparison", _compare(report, "accuracy", 0.0)


def _compare(report: TrainReport, metric: str, lowest: float) -> Figure:
    runs = {name: method.runs[metric] for name, method in report.methods.items()}
    return draw_comparison(
        {name: run.known for name, run in runs.items()},
        {name: run.interval for name, run in runs.items() if run.interval is not None},
        METRIC_NAMES[metric],
        lowest,
    )


def _known(values: list[float | None]) -> list[float]:
    return [nan if value is None else value for value in values]
