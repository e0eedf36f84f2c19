"""Metrics as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from edgegat.cli.say import Say

if TYPE_CHECKING:
    from edgegat.learn.metrics import Metrics
    from edgegat.learn.report import TrainReport

Rows = Sequence[Sequence[str]]

SHOWN = {
    "accuracy": "accuracy",
    "macro_f1": "macro F1",
    "roc_auc": "ROC-AUC",
    "pr_auc": "PR-AUC",
    "brier": "Brier",
}
PARTS = {"train": "training", "val": "validation", "test": "test", "new": "never met"}


def say_report(say: Say, report: TrainReport) -> None:
    """What a training brought."""
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
    runs = len(egat.runs["accuracy"].values)
    say(
        f"Measured on {judges.count:,} {report.labels_on} of the {PARTS[report.judge]} part"
        + (
            f", mean and deviation of {runs} runs."
            if runs > 1
            else "; --repeat 10 tells how much of it is luck."
        )
    )
    say(say_best(judges, report.classes[report.wanted], "In the first run, of" if runs > 1 else "Of"))


def methods_table(report: TrainReport) -> tuple[list[str], Rows]:
    """One row for each method: its metrics on the part that judges; of several runs, mean and deviation."""
    rows = []
    for name, method in report.methods.items():
        runs = [method.runs[metric] for metric in SHOWN]
        cells = [
            number(run.mean) if run.std is None else f"{number(run.mean)} ± {number(run.std)}" for run in runs
        ]
        rows.append([name, *cells, f"{method.seconds:.1f}"])
    return ["", *SHOWN.values(), "seconds"], rows


def parts_table(parts: Mapping[str, Metrics], labels_on: str) -> tuple[list[str], Rows]:
    """One row for each part of the labelled nodes or edges."""
    rows = [
        [PARTS[part], f"{metrics.count:,}", *(number(getattr(metrics, name)) for name in SHOWN)]
        for part, metrics in parts.items()
    ]
    return ["", labels_on, *SHOWN.values()], rows


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


def number(value: float | None) -> str:
    """Three digits, or a dash for what has no value.

    Example:
        >>> number(0.91349), number(None)
        ('0.913', '-')
    """
    return "-" if value is None else f"{value:.3f}"
