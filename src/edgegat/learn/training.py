"""The training loop: all training nodes in every step, for any model that gives logits for nodes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from edgegat.learn.checkpoint import CheckpointFile, Snapshot
from edgegat.learn.errors import LearningError, TrainingInterrupted
from edgegat.learn.history import History, Validation
from edgegat.learn.number_task import NumberTask
from edgegat.learn.options import TrainingOptions
from edgegat.learn.progress import Progress, ignore_progress
from edgegat.learn.schedule import LearningRate
from edgegat.learn.task import Task

Logits = Callable[[], Tensor]


def train(
    model: nn.Module,
    train_logits: Logits,
    val_logits: Logits,
    task: Task | NumberTask,
    options: TrainingOptions,
    *,
    checkpoint: CheckpointFile | None = None,
    resume: bool = False,
    progress: Progress = ignore_progress,
    name: str = "Training",
) -> History:
    """Train ``model``; afterwards it has the weights of its best epoch, and is in evaluation mode.

    Args:
        model: whose parameters are trained, where they are.
        train_logits: runs it: ``[n, C]`` for the task's training nodes.
        val_logits: likewise, for its validation nodes.
        task: which nodes train, which choose the best epoch.
        options: see :class:`TrainingOptions`.
        checkpoint: where to keep what is needed to go on after an interruption.
        resume: go on from there, if there is a checkpoint.
        progress: told of every epoch.
        name: what it is told.

    Example:
        >>> from edgegat import EGAT, EdgeGraph
        >>> graph = EdgeGraph(
        ...     x=torch.tensor([[1.0], [-1.0], [2.0], [-2.0]]),
        ...     edge_index=torch.tensor([[0, 1], [2, 3]]),
        ...     edge_attr=torch.ones(2, 1),
        ...     y=torch.tensor([1, 0, 1, 0]),
        ... ).with_virtual_self_loops()
        >>> model = EGAT(in_channels=1, edge_dim=1, out_channels=2, heads=2)
        >>> history = train(
        ...     model,
        ...     lambda: model(graph.x, graph.stars, graph.edge_attr),
        ...     lambda: torch.zeros(0, 2),
        ...     Task.of(graph),
        ...     TrainingOptions(epochs=20),
        ... )
        >>> history.epochs, history.ended, history.train_loss[-1] < history.train_loss[0]
        (20, 'epochs', True)
    """
    run = _Run(model, options, task)
    if resume and checkpoint and (saved := checkpoint.load()):
        run.restore(saved)
    with _interruptible(run, checkpoint):
        saved_at = time.monotonic()
        while not run.history.ended:
            loss = _step(run, train_logits, task, options)
            validation = task.validate(evaluate(model, val_logits, options)) if task.val.numel() else None
            run.finish_epoch(loss, validation)
            if checkpoint:
                run.latest = run.snapshot()
                if run.history.ended or time.monotonic() - saved_at >= options.checkpoint_seconds:
                    checkpoint.save(run.latest)
                    saved_at = time.monotonic()
            progress(f"{name}: {_say(run.history)}", run.history.epochs, options.epochs)
    model.load_state_dict(run.best)
    model.eval()
    return run.history


def evaluate(model: nn.Module, logits: Logits, options: TrainingOptions) -> Tensor:
    """The logits without dropout and without gradients."""
    model.eval()
    with torch.no_grad(), _precision(model, options):
        return logits()


def _step(run: _Run, train_logits: Logits, task: Task | NumberTask, options: TrainingOptions) -> float:
    """One step of Adam on all training nodes; returns the loss before it."""
    for group in run.optimizer.param_groups:
        group["lr"] = run.learning_rate.now
    run.model.train()
    with _precision(run.model, options):
        logits = train_logits()
    loss = task.loss(logits)
    if not math.isfinite(loss.item()):
        raise LearningError(
            f"the loss became {loss.item()} in epoch {run.history.epochs + 1}. A smaller learning_rate (now "
            f"{options.learning_rate}) or clip=1.0 helps; so does looking for enormous values in the features."
        )
    run.optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]  # of torch
    if options.clip:
        nn.utils.clip_grad_norm_(run.model.parameters(), options.clip)
    run.optimizer.step()
    return loss.item()


class _Run:
    """What changes from epoch to epoch."""

    def __init__(self, model: nn.Module, options: TrainingOptions, task: Task | NumberTask) -> None:
        self.model = model
        self.options = options
        self.optimizer = torch.optim.Adam(
            model.parameters(), options.learning_rate, weight_decay=options.weight_decay
        )
        self.learning_rate = LearningRate(options)
        self.history = History(task.metric)
        self.best: dict[str, Tensor] = {}
        self.latest: Snapshot | None = None
        self._gpu = task.y.device if task.y.device.type == "cuda" else None

    def finish_epoch(self, loss: float, validation: Validation | None) -> None:
        """Enter the epoch into the history; keep its weights if it is the best."""
        history = self.history
        better = history.add(loss, validation, self.learning_rate.now)
        self.learning_rate.see(validation.loss if validation else None)
        if better:
            self.best = {name: t.detach().clone() for name, t in self.model.state_dict().items()}
        elif history.epochs - history.best_epoch >= self.options.patience:
            history.ended = "patience"
        if history.epochs >= self.options.epochs and not history.ended:
            history.ended = "epochs"

    def snapshot(self) -> Snapshot:
        """All of it, copied, on the CPU."""
        tensors = {f"model.{name}": t for name, t in self.model.state_dict().items()}
        tensors |= {f"best.{name}": t for name, t in self.best.items()}
        for number, averages in self.optimizer.state_dict()["state"].items():
            tensors |= {f"adam.{number}.{name}": t for name, t in averages.items()}
        tensors["random.cpu"] = torch.get_rng_state()
        if self._gpu:
            tensors["random.gpu"] = torch.cuda.get_rng_state(self._gpu)
        copies = {name: t.detach().to("cpu", copy=True) for name, t in tensors.items()}
        return Snapshot(
            copies, {"history": self.history.to_dict(), "learning_rate": self.learning_rate.state()}
        )

    def restore(self, saved: Snapshot) -> None:
        """Stand where the snapshot was taken."""
        device = next(self.model.parameters()).device
        self.model.load_state_dict(_below("model.", saved.tensors))
        self.best = {name: t.to(device) for name, t in _below("best.", saved.tensors).items()}
        averages: dict[int, dict[str, Tensor]] = {}
        for key, t in _below("adam.", saved.tensors).items():
            number, name = key.split(".")
            averages.setdefault(int(number), {})[name] = t
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": averages, "param_groups": groups})
        self.learning_rate.restore(saved.plain["learning_rate"])
        self.history = History.from_dict(saved.plain["history"])
        torch.set_rng_state(saved.tensors["random.cpu"])
        if self._gpu:
            torch.cuda.set_rng_state(saved.tensors["random.gpu"], self._gpu)
        self.latest = saved


@contextmanager
def _interruptible(run: _Run, checkpoint: CheckpointFile | None) -> Iterator[None]:
    """On Ctrl-C, keep the last whole epoch and say how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        after = f"Stopped after epoch {run.history.epochs} of {run.options.epochs}"
        if checkpoint is None:
            raise TrainingInterrupted(
                f"{after}; nothing is kept, because there is no checkpoint folder."
            ) from None
        if run.latest is None:
            raise TrainingInterrupted(f"{after}, before there was anything to keep.") from None
        checkpoint.save(run.latest)
        raise TrainingInterrupted(f"{after}. It is kept in {checkpoint.path}; resume goes on there.") from None


def _precision(model: nn.Module, options: TrainingOptions) -> Any:
    device = next(model.parameters()).device.type
    if options.mixed_precision and device == "cuda":
        return torch.autocast(device, torch.bfloat16)
    return nullcontext()


def _below(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}


def _say(history: History) -> str:
    accuracy, loss, best = history.val_accuracy[-1], history.val_loss[-1], history.best
    if loss is None or best is None:
        return f"loss {history.train_loss[-1]:.3f}"
    name = history.metric.replace("_", " ")
    if accuracy is None:
        return f"validation loss {loss:.3f}, best {name} {best:.4g} in epoch {history.best_epoch}"
    return f"validation accuracy {accuracy:.3f}, best {name} {best:.3f} in epoch {history.best_epoch}"
