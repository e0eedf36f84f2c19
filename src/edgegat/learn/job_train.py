"""From two tables to a saved model, its metrics and those of the baselines."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from edgegat.data import DataError, EncodedGraph, GraphEncoder, Schema
from edgegat.data.cells import FALSE_WORDS, TRUE_WORDS
from edgegat.data.checks import Finding, check_tables
from edgegat.data.reading import TableSource
from edgegat.learn.baselines import Baseline, boosting, plain_gat
from edgegat.learn.calibration import Calibration
from edgegat.learn.errors import OptionError
from edgegat.learn.fingerprint import fingerprint
from edgegat.learn.fitting import Fitted, fit
from edgegat.learn.metrics import Metrics
from edgegat.learn.options import ModelOptions, TrainingOptions
from edgegat.learn.progress import Progress, ignore_progress
from edgegat.learn.repeats import gather
from edgegat.learn.report import (
    SCALARS,
    MethodReport,
    TrainReport,
    measure_nodes,
    parts_of,
    reliability_of,
)
from edgegat.learn.saved_model import SavedModel, save_model

EGAT_NAME = "EGAT"
CHECKPOINTS = "checkpoints"


def train_job(
    nodes: TableSource | None,
    edges: TableSource,
    schema: Schema | str | PathLike[str] | dict[str, Any],
    model_options: ModelOptions | None = None,
    training_options: TrainingOptions | None = None,
    *,
    output: str | PathLike[str] | None = None,
    baselines: bool = True,
    repeats: int = 1,
    resume: bool = False,
    check: bool = True,
    progress: Progress | None = None,
) -> TrainReport:
    """Check two tables, encode them, train on them, compare with the baselines, and save the model.

    Args:
        nodes: the node table, see :func:`edgegat.data.open_table`.
        edges: the edge table.
        schema: what the columns mean; a path is that of a TOML file.
        model_options: sizes and dropouts.
        training_options: everything else.
        output: a folder for the saved model and, below it, ``checkpoints``; nothing is written without it.
        baselines: whether to train gradient boosting and a GAT without edge features on the same split.
        repeats: how many runs, with the seeds ``seed``, ``seed + 1``, ... of the model and of the split (as far as
            the schema leaves it to be drawn). The model that is saved is that of the first run.
        resume: go on where an earlier call with this ``output`` was stopped.
        check: refuse tables in which :func:`edgegat.data.checks.check_tables` finds errors.
        progress: told of every step.

    Raises:
        DataError: something is wrong with the tables or the schema.
        LearningError: there is nothing to learn from, or the folder cannot be written.
        TrainingInterrupted: Ctrl-C was pressed.

    Example:
        >>> import polars as pl
        >>> names = [f"c{number}" for number in range(40)]
        >>> people = pl.DataFrame({"id": names, "fraud": ["yes" if n % 2 else "no" for n in range(40)]})
        >>> partners = [names[(n + 2) % 40] for n in range(40)]
        >>> amounts = [900.0 if n % 2 else 10.0 for n in range(40)]
        >>> transfers = pl.DataFrame({"from": names, "to": partners, "amount": amounts})
        >>> schema = {"nodes": {"id": "id", "label": "fraud"}, "edges": {"source": "from", "target": "to"}}
        >>> report = train_job(people, transfers, schema, training_options=TrainingOptions(epochs=40))
        >>> list(report.methods), report.judge, report.methods["EGAT"].parts["test"].accuracy
        (['EGAT', 'gradient boosting', 'GAT without edge features'], 'test', 1.0)
    """
    started = time.perf_counter()
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise OptionError(f"repeats is {repeats!r}, but it must be a whole number, 1 or more.")
    tell = progress or ignore_progress
    sizes, options = model_options or ModelOptions(), training_options or TrainingOptions()
    folder = None if output is None else Path(output)
    declared = Schema.of(schema)
    if not declared.labels_on:
        raise DataError(
            "the schema names no label in [nodes] or [edges]: without labels there is nothing to learn."
        )
    if sizes.directed and not declared.edges.directed:
        raise OptionError(
            "the model is told that edges are directed (directed=true), but the schema says directed = false in "
            "[edges]: which end comes first means nothing then. Change one of the two."
        )
    findings = _check(nodes, edges, declared, tell) if check else []

    runs = []
    for number in range(repeats):
        where = None if folder is None else folder / CHECKPOINTS / str(number)
        seeded = replace(options, seed=options.seed + number)
        split_seed = declared.split.seed + number
        named = tell if repeats == 1 else _numbered(tell, number, repeats)
        runs.append(_run(nodes, edges, declared, split_seed, sizes, seeded, baselines, where, resume, named))
    first = runs[0]
    report = _report(runs, sizes, options, findings, folder)
    if folder is not None:
        tell("Saving the model", 0, 1)
        save_model(folder, replace(first.saved, metrics=report.to_dict()))
    return replace(report, seconds=time.perf_counter() - started)


@dataclass(frozen=True, eq=False)
class _Method:
    name: str
    logits: Tensor
    calibration: Calibration
    seconds: float
    parts: Mapping[str, Metrics]


@dataclass(frozen=True, eq=False)
class _Run:
    encoder: GraphEncoder
    encoded: EncodedGraph
    fitted: Fitted
    methods: list[_Method]
    wanted: int
    judge: str
    saved: SavedModel


def _run(
    nodes: TableSource | None,
    edges: TableSource,
    schema: Schema,
    split_seed: int,
    sizes: ModelOptions,
    options: TrainingOptions,
    baselines: bool,
    checkpoints: Path | None,
    resume: bool,
    tell: Progress,
) -> _Run:
    """One split, one seed: EGAT, and the baselines on the same nodes."""
    encoder, encoded = GraphEncoder.fit(nodes, edges, schema, split_seed=split_seed, progress=tell)
    graph, C = encoded.graph, len(encoded.classes)
    fitted = fit(
        graph,
        sizes,
        options,
        num_classes=C,
        checkpoints=checkpoints,
        resume=resume,
        progress=tell,
    )
    others: list[Baseline] = []
    if baselines:
        others.append(boosting(graph, options, num_classes=C, progress=tell))
    if baselines and graph.labels_on == "nodes":  # without edge features a GAT has nothing to say of an edge
        others.append(
            plain_gat(
                graph,
                sizes,
                options,
                num_classes=C,
                checkpoints=None if checkpoints is None else checkpoints / "gat",
                resume=resume,
                progress=tell,
            )
        )
    assert graph.y is not None
    wanted = wanted_class(encoded.classes, torch.bincount(graph.y[fitted.task.train], minlength=C))
    parts = parts_of(graph)
    methods = []
    results: list[tuple[str, Fitted | Baseline]] = [(EGAT_NAME, fitted), *((o.name, o) for o in others)]
    for name, result in results:
        measured = {
            part: measure_nodes(result.logits, result.calibration, graph.y, mask, wanted)
            for part, mask in parts.items()
        }
        known = {part: metrics for part, metrics in measured.items() if metrics is not None}
        methods.append(_Method(name, result.logits, result.calibration, result.seconds, known))
    saved = SavedModel(
        model=fitted.model,
        model_options=sizes,
        training_options=options,
        calibration=fitted.calibration,
        history=fitted.history,
        classes=tuple(encoded.classes),
        wanted=wanted,
        encoder=encoder.to_dict(),
        split={part: encoded.labelled_ids.filter(mask.numpy()).to_list() for part, mask in parts.items()},
        data={**_sizes(graph), "fingerprint": fingerprint(graph)},
    )
    return _Run(encoder, encoded, fitted, methods, wanted, list(parts)[-1], saved)


def _report(
    runs: list[_Run],
    sizes: ModelOptions,
    options: TrainingOptions,
    findings: list[Finding],
    folder: Path | None,
) -> TrainReport:
    first = runs[0]
    graph = first.encoded.graph
    assert graph.y is not None
    judges = parts_of(graph)[first.judge]
    truth: NDArray[np.int64] = graph.y[judges].numpy()
    probabilities = {
        method.name: method.calibration.probabilities(method.logits[judges]) for method in first.methods
    }
    methods = {}
    for place, method in enumerate(first.methods):
        results = [
            {name: getattr(run.methods[place].parts[run.judge], name) for name in SCALARS} for run in runs
        ]
        methods[method.name] = MethodReport(method.name, method.parts, gather(results), method.seconds)
    return TrainReport(
        methods=methods,
        judge=first.judge,
        classes=first.encoded.classes,
        wanted=first.wanted,
        reliability=reliability_of(truth, probabilities[EGAT_NAME], first.wanted),
        findings=findings,
        notes=first.encoded.notes,
        graph=_sizes(graph),
        split=first.encoded.split_kind,
        device=first.fitted.device,
        backend=first.fitted.backend,
        seconds=0.0,
        folder=folder,
        model=first.saved,
        truth=truth,
        probabilities=probabilities,
        everybody=first.fitted.calibration.probabilities(first.fitted.logits)[:, first.wanted],
        labels=graph.y.numpy(),
        labels_on=graph.labels_on,
    )


def _check(nodes: TableSource | None, edges: TableSource, schema: Schema, tell: Progress) -> list[Finding]:
    """The warnings; errors are refused, all at once."""
    findings = check_tables(nodes, edges, schema, progress=tell)
    errors = [finding for finding in findings if finding.level == "error"]
    if errors:
        raise DataError("\n".join(map(str, errors)))
    return findings


def _sizes(graph: Any) -> dict[str, int]:
    return {
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "labelled": int((graph.y >= 0).sum()),
        "node_features": graph.x.size(1),
        "edge_features": graph.edge_attr.size(1),
    }


def _numbered(tell: Progress, number: int, total: int) -> Progress:
    """Say of which run each step is."""
    return lambda step, now, steps: tell(f"Run {number + 1} of {total}: {step}", now, steps)


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
