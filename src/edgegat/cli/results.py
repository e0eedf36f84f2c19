"""Metrics as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from edgegat.cli.say import Say

if TYPE_CHECKING:
    from edgegat.learn.metrics import Metrics
    from edgegat.learn.report import EvaluationReport, TrainReport

Rows = Sequence[Sequence[str]]

METRIC_NAMES = {
    "accuracy": "accuracy",
    "macro_f1": "macro F1",
    "roc_auc": "ROC-AUC",
    "pr_auc": "PR-AUC",
    "brier": "Brier",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
}
_SHOWN = {"class": ("accuracy", "macro_f1", "roc_auc", "pr_auc", "brier"), "number": ("rmse", "mae", "r2")}
_IN_UNITS = ("rmse", "mae")
PARTS = {"train": "training", "val": "validation", "test": "test", "new": "never met"}


def say_report(say: Say, report: TrainReport) -> None:
    """What a training brought."""
    from edgegat.learn.metrics import Metrics

    sizes = report.graph
    say(
        f"{sizes['nodes']:,} nodes, {sizes['edges']:,} edges, {sizes['labelled']:,} labelled {report.labels_on}"
    )
    for finding in report.findings:
        say(str(finding).split("\n")[0])
    say.notes(report.notes)
    say()
    say.table(*methods_table(report))
    say()
    egat = report.methods["EGAT"]
    judges = egat.parts[report.judge]
    runs = max(len(run.values) for run in egat.runs.values())
    say(
        f"Measured on {judges.count:,} {report.labels_on} of the {PARTS[report.judge]} part"
        + (
            f", mean and deviation of {runs} runs."
            if runs > 1
            else "; --repeat 10 tells how much of it is luck."
        )
    )
    if isinstance(judges, Metrics):
        say(say_best(judges, report.classes[report.wanted], "In the first run, of" if runs > 1 else "Of"))


def methods_table(report: TrainReport) -> tuple[list[str], Rows]:
    """One row for each method: its metrics on the part that judges; of several runs, mean and deviation."""
    rows, columns = [], _SHOWN[report.answers.kind]
    for name, method in report.methods.items():
        cells = [
            " ± ".join(write_metric(metric, value) for value in (run.mean, run.std) if value is not None) or "-"
            for metric, run in ((metric, method.runs[metric]) for metric in columns)
        ]
        rows.append([name, *cells, f"{method.seconds:.1f}"])
    return ["", *(METRIC_NAMES[name] for name in columns), "seconds"], rows


def parts_table(report: EvaluationReport) -> tuple[list[str], Rows]:
    """One row for each part of the labelled nodes or edges."""
    columns = _SHOWN[report.answers.kind]
    rows = [
        [PARTS[part], f"{metrics.count:,}", *(write_metric(name, getattr(metrics, name)) for name in columns)]
        for part, metrics in report.parts.items()
    ]
    return ["", report.labels_on, *(METRIC_NAMES[name] for name in columns)], rows


def confusion_table(metrics: Metrics, classes: Sequence[str]) -> tuple[list[str], Rows]:
    """Rows true, columns decided."""
    rows = [
        [f"is {name}", *(f"{cell:,}" for cell in row)]
        for name, row in zip(classes, metrics.confusion, strict=True)
    ]
    return ["", *(f"said {name}" for name in classes)], rows


def say_best(metrics: Metrics, wanted: str, start: str = "Of") -> str:
    """What somebody finds who looks at the highest scores only."""
    top = metrics.top[-1]
    return (
        f"{start} the {top.k:,} highest scores {top.precision:.0%} are {wanted!r}, {top.lift:.1f} times as many as "
        f"chance would find: {top.recall:.0%} of all there are."
    )


def write_metric(name: str, value: float | None) -> str:
    """Three digits after the point, or what the user's units need.

    Example:
        >>> write_metric("r2", 0.91349), write_metric("rmse", 0.001234567), write_metric("rmse", 1234567.8)
        ('0.913', '0.001235', '1,234,568')
    """
    if name not in _IN_UNITS or value is None:
        return number(value)
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"


def number(value: float | None) -> str:
    """Three digits, or a dash for what has no value.

    Example:
        >>> number(0.91349), number(None)
        ('0.913', '-')
    """
    return "-" if value is None else f"{value:.3f}"
