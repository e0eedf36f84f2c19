"""EGAT and what it is compared with, on one split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from edgegat.data.cells import FALSE_WORDS, TRUE_WORDS
from edgegat.graph import EdgeGraph
from edgegat.learn.answers import Answers, ClassAnswers, NumberAnswers
from edgegat.learn.baselines import Baseline, boosting, plain_gat
from edgegat.learn.fitting import Fitted, fit
from edgegat.learn.metrics import Metrics
from edgegat.learn.number_baselines import boosting_numbers, training_mean
from edgegat.learn.number_metrics import NumberMetrics
from edgegat.learn.options import ModelOptions, TrainingOptions
from edgegat.learn.progress import Progress
from edgegat.learn.report import parts_of

EGAT_NAME = "EGAT"


@dataclass(frozen=True, eq=False)
class Contestant:
    """A method, and how it did.

    Attributes:
        name: of the method.
        outputs: what it says of every node (or edge).
        answers: what that means.
        seconds: how long it took.
        parts: its metrics, by part.
    """

    name: str
    outputs: Tensor
    answers: Answers
    seconds: float
    parts: Mapping[str, Metrics | NumberMetrics]


def compete(
    graph: EdgeGraph,
    classes: Sequence[str],
    sizes: ModelOptions,
    options: TrainingOptions,
    baselines: bool,
    checkpoints: Path | None,
    resume: bool,
    tell: Progress,
) -> tuple[Fitted, list[Contestant]]:
    """Train EGAT, and the baselines on the same rows; EGAT comes first."""
    assert graph.y is not None
    C = len(classes)
    fitted = fit(graph, sizes, options, num_classes=C, checkpoints=checkpoints, resume=resume, progress=tell)
    others: list[Baseline] = []
    if baselines and fitted.scale is not None:
        others += [training_mean(graph), boosting_numbers(graph, options, progress=tell)]
    elif baselines:
        others.append(boosting(graph, options, num_classes=C, progress=tell))
        if graph.labels_on == "nodes":  # without edge features a GAT has nothing to say of an edge
            where = None if checkpoints is None else checkpoints / "gat"
            given = {"num_classes": C, "checkpoints": where, "resume": resume, "progress": tell}
            others.append(plain_gat(graph, sizes, options, **given))  # type: ignore[arg-type]  # each is of its type
    wanted = (
        -1 if fitted.scale else wanted_class(classes, torch.bincount(graph.y[fitted.task.train], minlength=C))
    )
    results: list[tuple[str, Fitted | Baseline]] = [(EGAT_NAME, fitted), *((o.name, o) for o in others)]
    contestants = []
    for name, result in results:
        answers: Answers = (
            NumberAnswers(fitted.scale) if fitted.scale else ClassAnswers(result.calibration, classes, wanted)
        )
        parts = {
            part: answers.measure(graph.y[mask], result.logits[mask]) for part, mask in parts_of(graph).items()
        }
        contestants.append(Contestant(name, result.logits, answers, result.seconds, parts))
    return fitted, contestants


def wanted_class(classes: Sequence[str], counts: Tensor) -> int:
    """The number of the class that is looked for: of a yes and a no the yes, else the rarest in training.

    Example:
        >>> wanted_class(["0", "1"], torch.tensor([40, 60]))
        1
        >>> wanted_class(["honest", "a swindler", "unclear"], torch.tensor([70, 5, 25]))
        1
    """
    words = [name.strip().lower() for name in classes]
    if len(words) == 2:
        for number, word in enumerate(words):
            if word in TRUE_WORDS and words[1 - number] in FALSE_WORDS:
                return number
    # Of equally rare ones the last; a class that training lacks is not looked for.
    last_first = torch.where(counts > 0, counts, counts.sum() + 1).flip(0)
    return len(words) - 1 - int(last_first.argmin())
