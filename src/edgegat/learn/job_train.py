"""From two tables to a saved model, its metrics and those of the baselines."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from edgegat.data import DataError, EncodedGraph, GraphEncoder, Schema
from edgegat.data.checks import Finding, check_tables
from edgegat.data.reading import TableSource
from edgegat.graph import EdgeGraph
from edgegat.learn.contest import Contestant, compete
from edgegat.learn.errors import OptionError
from edgegat.learn.fingerprint import fingerprint
from edgegat.learn.fitting import Fitted
from edgegat.learn.options import ModelOptions, TrainingOptions
from edgegat.learn.progress import Progress, ignore_progress
from edgegat.learn.repeats import gather
from edgegat.learn.report import MethodReport, TrainReport, parts_of, reliability_of
from edgegat.learn.saved_model import SavedModel, save_model

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
        baselines: whether to train gradient boosting and a GAT without edge features on the same split; for numbers,
            gradient boosting, beside the training part's mean.
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
class _Run:
    encoded: EncodedGraph
    fitted: Fitted
    methods: list[Contestant]
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
    """One split, one seed."""
    encoder, encoded = GraphEncoder.fit(nodes, edges, schema, split_seed=split_seed, progress=tell)
    graph, classes = encoded.graph, encoded.classes
    fitted, methods = compete(graph, classes, sizes, options, baselines, checkpoints, resume, tell)
    parts, answers = parts_of(graph), methods[0].answers
    saved = SavedModel(
        model=fitted.model,
        model_options=sizes,
        training_options=options,
        calibration=fitted.calibration,
        history=fitted.history,
        classes=tuple(classes),
        wanted=answers.wanted,
        scale=fitted.scale,
        encoder=encoder.to_dict(),
        split={part: encoded.labelled_ids.filter(mask.numpy()).to_list() for part, mask in parts.items()},
        data={**_sizes(graph), "fingerprint": fingerprint(graph)},
    )
    return _Run(encoded, fitted, methods, list(parts)[-1], saved)


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
    egat = first.methods[0]
    methods = {}
    for place, method in enumerate(first.methods):
        results = [
            {name: getattr(run.methods[place].parts[run.judge], name) for name in egat.answers.scalars}
            for run in runs
        ]
        methods[method.name] = MethodReport(method.name, method.parts, gather(results), method.seconds)
    return TrainReport(
        methods=methods,
        judge=first.judge,
        answers=egat.answers,
        reliability=reliability_of(egat.answers, graph.y[judges], egat.outputs[judges]),
        findings=findings,
        notes=first.encoded.notes,
        graph=_sizes(graph),
        split=first.encoded.split_kind,
        device=first.fitted.device,
        backend=first.fitted.backend,
        seconds=0.0,
        folder=folder,
        model=first.saved,
        truth=graph.y[judges].numpy(),
        probabilities={m.name: m.answers.values(m.outputs[judges]) for m in first.methods},
        everybody=egat.answers.scores(egat.outputs),
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


def _sizes(graph: EdgeGraph) -> dict[str, int]:
    return {
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "labelled": int(graph.labelled.sum()),
        "node_features": graph.x.size(1),
        "edge_features": graph.edge_attr.size(1),
    }


def _numbered(tell: Progress, number: int, total: int) -> Progress:
    """Say of which run each step is."""
    return lambda step, now, steps: tell(f"Run {number + 1} of {total}: {step}", now, steps)
