"""From a graph with labels to a trained model."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor

from edgegat.graph import EdgeGraph, Pairs
from edgegat.graph.edge_graph import LabelsOn
from edgegat.learn.calibration import Calibration
from edgegat.learn.checkpoint import CheckpointFile
from edgegat.learn.device import choose_device, seeded, threads_for
from edgegat.learn.edge_field import EdgeField
from edgegat.learn.errors import LearningError
from edgegat.learn.fingerprint import fingerprint
from edgegat.learn.history import History
from edgegat.learn.number_task import NumberTask
from edgegat.learn.options import ModelOptions, TrainingOptions
from edgegat.learn.progress import Progress, ignore_progress
from edgegat.learn.receptive_field import ReceptiveField
from edgegat.learn.scale import Scale
from edgegat.learn.task import Task
from edgegat.learn.training import evaluate, train
from edgegat.nn import EGAT
from edgegat.ops._backends import choose_backend


@dataclass(frozen=True, eq=False)
class Fitted:
    """A trained model, and how it came about.

    Attributes:
        model: with the weights of its best epoch, in evaluation mode, on the CPU.
        logits: ``[N, C]`` what it says of every node of the graph it was trained on, on the CPU; ``[M, C]`` of
            every edge, if those are labelled; of numbers, ``[N, 1]`` or ``[M, 1]`` on the scale of ``task``.
        calibration: makes probabilities of logits; fitted on the validation part.
        history: of every epoch.
        task: which nodes trained and which chose; on the CPU.
        device, backend: where and with which kernels it was trained.
        seconds: how long this call took.
    """

    model: EGAT
    logits: Tensor
    calibration: Calibration
    history: History
    task: Task | NumberTask
    device: str
    backend: str
    seconds: float

    @property
    def scale(self) -> Scale | None:
        """From outputs to numbers, if those were learned."""
        return self.task.scale if isinstance(self.task, NumberTask) else None


def fit(
    graph: EdgeGraph,
    model_options: ModelOptions | None = None,
    training_options: TrainingOptions | None = None,
    *,
    num_classes: int | None = None,
    checkpoints: str | PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> Fitted:
    """Train an :class:`~edgegat.EGAT` on the training nodes of ``graph``, or on its training edges if ``labels_on``
    says so.

    Every step sees all training nodes and everything that their logits depend on, see
    :class:`~edgegat.learn.receptive_field.ReceptiveField`: nothing is sampled. Virtual self-loops are added and
    stars are built here, once. The validation nodes choose the epoch whose weights are kept; without any, all
    epochs run and the last one's are.
    The same graph, options and machine give the same bits, whatever was drawn from torch's generators before.

    Args:
        graph: as it comes from the data, with ``y`` (classes, or numbers to predict) and masks.
        model_options: sizes and dropouts.
        training_options: everything else.
        num_classes: ``C``, if not all classes have a labelled node here.
        checkpoints: a folder for what is needed to go on after an interruption.
        resume: go on from the checkpoint in that folder to the same result; without one, start.
        progress: called after every epoch, see :data:`edgegat.learn.progress.Progress`.

    Raises:
        LearningError: there is nothing to learn from, or it does not work here; the message says why.
        TrainingInterrupted: Ctrl-C was pressed; the checkpoint is written.

    Example:
        >>> graph = EdgeGraph(
        ...     x=torch.ones(6, 1),
        ...     edge_index=torch.tensor([[0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3]]),
        ...     edge_attr=torch.tensor([[1.0], [1.0], [1.0], [-1.0], [-1.0], [-1.0]]),
        ...     y=torch.tensor([0, 0, 0, 1, 1, 1]),
        ...     train_mask=torch.tensor([True, True, False, True, True, False]),
        ...     val_mask=torch.tensor([False, False, True, False, False, True]),
        ... )
        >>> fitted = fit(graph, training_options=TrainingOptions(epochs=30))
        >>> fitted.logits.argmax(1).tolist()
        [0, 0, 0, 1, 1, 1]
    """
    started = time.perf_counter()
    sizes, options = model_options or ModelOptions(), training_options or TrainingOptions()
    device = choose_device(options.device)
    try:
        backend = choose_backend(options.backend, device)
    except (ValueError, RuntimeError) as error:
        raise LearningError(str(error)) from None
    task: Task | NumberTask
    if graph.y is not None and graph.y.is_floating_point():
        task = NumberTask.of(graph, options.metric)
    else:
        task = Task.of(graph, options.metric, options.class_weights, num_classes)
    checkpoint = checkpoint_of(checkpoints, graph, sizes, options, device.type, backend)

    with seeded(options.seed, device), threads_for(graph.num_edges), _readable_memory_errors(device):
        sides = graph.x.size(1), graph.edge_attr.size(1), task.outputs
        model = new_model(*sides, sizes, options.backend, graph.labels_on)
        model = model.to(device=device, dtype=graph.x.dtype)
        # Means are taken on the CPU: a GPU adds in another order every time, which would be other bits.
        looped = graph.with_virtual_self_loops().to(device)
        there = task.to(device)
        field: type[ReceptiveField | EdgeField] = ReceptiveField if graph.labels_on == "nodes" else EdgeField
        pairs = Pairs.of(looped.stars, sizes.directed) if sizes.pairs else None
        seen_in_training, seen_in_validation = (
            field.of(looped, chosen, sizes.num_layers, pairs) for chosen in (there.train, there.val)
        )
        history = train(
            model,
            lambda: seen_in_training.logits(model),
            lambda: seen_in_validation.logits(model),
            there,
            options,
            checkpoint=checkpoint,
            resume=resume,
            progress=progress or ignore_progress,
            name="EGAT",
        )
        logits = evaluate(model, lambda: cast(Tensor, model(looped.x, looped.stars, looped.edge_attr)), options)
    logits = logits.to("cpu", graph.x.dtype)[: task.y.numel()]
    return Fitted(
        model=model.cpu(),
        logits=logits,
        calibration=task.calibrate(logits),
        history=history,
        task=task,
        device=str(device),
        backend=backend,
        seconds=time.perf_counter() - started,
    )


def new_model(
    in_channels: int,
    edge_dim: int,
    classes: int,
    options: ModelOptions,
    backend: str,
    readout: LabelsOn = "nodes",
) -> EGAT:
    """The model these options describe, with weights drawn from torch's generator."""
    sizes = options.to_dict()
    return EGAT(in_channels, edge_dim, classes, backend=cast(Any, backend), readout=readout, **sizes)


def checkpoint_of(
    folder: str | PathLike[str] | None,
    graph: EdgeGraph,
    sizes: ModelOptions,
    options: TrainingOptions,
    device: str,
    backend: str,
) -> CheckpointFile | None:
    """The checkpoint in a folder, of a run that is told by all that its result depends on."""
    if folder is None:
        return None
    run = {
        **sizes.to_dict(),
        **options.to_dict(),
        "device": device,
        "backend": backend,
        "data": fingerprint(graph),
    }
    del run["checkpoint_seconds"]
    return CheckpointFile(Path(folder), run)


@contextmanager
def _readable_memory_errors(device: torch.device) -> Iterator[None]:
    try:
        yield
    except torch.OutOfMemoryError as error:
        raise LearningError(
            f"the memory of {device} is too small for this graph and model. Train with device='cpu', with fewer "
            "heads or smaller hidden channels, or, on this GPU, with mixed_precision=True."
        ) from error
