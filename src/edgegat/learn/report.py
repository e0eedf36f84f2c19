"""What came out of a job: plain numbers, ready to be printed, saved or drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from edgegat.graph import EdgeGraph
from edgegat.graph.edge_graph import LabelsOn
from edgegat.learn.answers import Answers, ClassAnswers
from edgegat.learn.calibration import Reliability, reliability
from edgegat.learn.metrics import Metrics
from edgegat.learn.number_metrics import NumberMetrics
from edgegat.learn.repeats import Repeats

if TYPE_CHECKING:
    import polars as pl

    from edgegat.data.checks import Finding
    from edgegat.learn.saved_model import SavedModel

PARTS = ("train", "val", "test")


@dataclass(frozen=True)
class MethodReport:
    """One method's results.

    Attributes:
        name: ``"EGAT"``, or of a baseline.
        parts: its metrics on each part that has nodes, ``"train"``, ``"val"``, ``"test"``; of the first run.
        runs: mean, standard deviation and interval of each metric on the part that judges, over all runs.
        seconds: of the first run.
    """

    name: str
    parts: Mapping[str, Metrics | NumberMetrics]
    runs: Mapping[str, Repeats]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "parts": {part: metrics.to_dict() for part, metrics in self.parts.items()},
            "runs": {name: repeats.to_dict() for name, repeats in self.runs.items()},
            "seconds": self.seconds,
        }


@dataclass(frozen=True, eq=False)
class TrainReport:
    """What :func:`edgegat.learn.train_job` did.

    Attributes:
        methods: EGAT first, then the baselines, by name.
        judge: the part that judges: ``"test"``, or the last one there is.
        answers: what EGAT's outputs mean: classes, or numbers.
        reliability: of EGAT's probabilities of the wanted class on the part that judges; ``None`` of numbers.
        findings: what the checks of the tables warned of.
        notes: what was guessed or left out in reading, in words.
        graph: how many nodes, edges, labels and features.
        split: where the parts come from: ``"column"``, ``"flags"``, ``"time"`` or ``"random"``.
        device, backend: where EGAT was trained, and with which kernels.
        seconds: of the whole job.
        folder: with the saved model; ``None`` if it was not to be saved.
        model: the saved model, of the first run.
        truth: ``[n]`` classes or numbers of the nodes that judge, of the first run.
        probabilities: ``[n, C]`` what each method says of them, by name; of numbers ``[n]``, what it predicts.
        everybody: ``[N]`` EGAT's probability of the wanted class, or its prediction, of all nodes (or edges, see
            ``labels_on``).
        labels: ``[N]`` their classes, -1 where unknown, or their numbers, NaN where unknown.
        labels_on: ``"nodes"`` or ``"edges"``: what was learned about.
    """

    methods: Mapping[str, MethodReport]
    judge: str
    answers: Answers
    reliability: Reliability | None
    findings: Sequence[Finding]
    notes: Sequence[str]
    graph: Mapping[str, int]
    split: str
    device: str
    backend: str
    seconds: float
    folder: Path | None
    model: SavedModel
    truth: NDArray[np.int64] | NDArray[np.float64]
    probabilities: Mapping[str, NDArray[np.float64]]
    everybody: NDArray[np.float64]
    labels: NDArray[np.int64] | NDArray[np.float64]
    labels_on: LabelsOn = "nodes"

    @property
    def classes(self) -> Sequence[str]:
        """What the class numbers mean; empty of numbers."""
        return self.answers.classes

    @property
    def wanted(self) -> int:
        """The number of the class that is looked for: of a yes and a no the yes, else the rarest one."""
        return self.answers.wanted

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; without the arrays and the model."""
        return {
            "methods": {name: method.to_dict() for name, method in self.methods.items()},
            "judge": self.judge,
            **self.answers.about(),
            **_known_reliability(self.reliability),
            "findings": [str(finding) for finding in self.findings],
            "notes": list(self.notes),
            "graph": dict(self.graph),
            "split": self.split,
            "labels_on": self.labels_on,
            "history": self.model.history.to_dict(),
            "temperature": self.model.calibration.temperature,
            "device": self.device,
            "backend": self.backend,
            "seconds": self.seconds,
            "folder": None if self.folder is None else str(self.folder),
        }


@dataclass(frozen=True, eq=False)
class EvaluationReport:
    """What :func:`edgegat.learn.evaluate_job` found.

    Attributes:
        parts: metrics by what the labelled nodes were to the model: ``"train"``, ``"val"``, ``"test"``, or
            ``"new"`` for those it never had to do with.
        unseen: of all that neither trained it nor chose its weights, ``"test"`` and ``"new"`` together; ``None``
            if there are none.
        answers: what the model's outputs mean: classes, or numbers.
        reliability: of the probabilities of the wanted class for them, or else for all; ``None`` of numbers.
        notes: what was left out, filled in or never seen before, in words.
        labels_on: ``"nodes"`` or ``"edges"``: what the metrics are of.
    """

    parts: Mapping[str, Metrics | NumberMetrics]
    unseen: Metrics | NumberMetrics | None
    answers: Answers
    reliability: Reliability | None
    notes: Sequence[str] = ()
    labels_on: LabelsOn = "nodes"

    @property
    def classes(self) -> Sequence[str]:
        """What the class numbers mean; empty of numbers."""
        return self.answers.classes

    @property
    def wanted(self) -> int:
        """The number of the class that is looked for: of a yes and a no the yes, else the rarest one."""
        return self.answers.wanted

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "parts": {part: metrics.to_dict() for part, metrics in self.parts.items()},
            "unseen": None if self.unseen is None else self.unseen.to_dict(),
            **self.answers.about(),
            **_known_reliability(self.reliability),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, eq=False)
class Predictions:
    """What :func:`edgegat.learn.predict_job` says of two tables.

    Attributes:
        nodes: one row per node, those of the node table first and in its order, then those that only edges name:
            ``id``; ``class``, the model's decision; ``probability`` of that class; ``score``, the probability of
            the wanted class. With more than two classes also ``probability of <class>`` for each. From a model of
            numbers: ``id`` and ``prediction``. ``None`` from a model of edges.
        edges: from a model of edges, one row per edge: ``source``, ``target``, ``row`` of the edge table (from 0),
            and the same.
        node_embeddings: ``id`` and one column per channel, if asked for.
        edge_embeddings: ``source``, ``target``, ``row`` of the edge table (from 0) and one column per channel.
        in_table: how many of the nodes the node table has; 0 without one.
        answers: what the model's outputs mean: classes, or numbers.
        notes: what was left out, filled in or never seen in training, in words.
        files: what was written.
    """

    nodes: pl.DataFrame | None
    edges: pl.DataFrame | None
    node_embeddings: pl.DataFrame | None
    edge_embeddings: pl.DataFrame | None
    in_table: int
    answers: Answers
    notes: Sequence[str] = ()
    files: Sequence[Path] = field(default_factory=list)

    @property
    def classes(self) -> Sequence[str]:
        """What the model knows; empty of numbers."""
        return self.answers.classes

    @property
    def wanted(self) -> str:
        """The class whose probability is the score; nothing of numbers."""
        return self.classes[self.answers.wanted] if self.classes else ""

    @property
    def scores(self) -> pl.DataFrame:
        """``nodes`` or ``edges``, whichever the model decides about."""
        frame = self.edges if self.nodes is None else self.nodes
        assert frame is not None
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; the tables by their sizes only."""
        decided = {}
        if "class" in self.scores.columns:
            decided["decided"] = dict(sorted(self.scores["class"].value_counts().rows()))
        return {
            "edges" if self.nodes is None else "nodes": self.scores.height,
            **self.answers.about(),
            **decided,
            "notes": list(self.notes),
            "files": [str(path) for path in self.files],
        }


def parts_of(graph: EdgeGraph) -> dict[str, Tensor]:
    """The labelled nodes (or edges) of each part that has some, as masks."""
    masks = {part: getattr(graph, f"{part}_mask") for part in PARTS}
    found = {part: mask & graph.labelled for part, mask in masks.items() if mask is not None}
    return {part: mask for part, mask in found.items() if bool(mask.any())}


def reliability_of(answers: Answers, y: Tensor, outputs: Tensor) -> Reliability | None:
    """Of the wanted class's probability; numbers have none."""
    if not isinstance(answers, ClassAnswers):
        return None
    return reliability((y == answers.wanted).numpy(), answers.scores(outputs))


def _known_reliability(found: Reliability | None) -> dict[str, Any]:
    return {} if found is None else {"reliability": found.to_dict()}
