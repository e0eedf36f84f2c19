"""Any network that gives logits for nodes, trained by the library's own loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from edgegat.graph import EdgeGraph
from edgegat.learn import TrainingOptions
from edgegat.learn.device import choose_device, seeded, threads_for
from edgegat.learn.task import Task
from edgegat.learn.training import evaluate, train
from experiments.answer import Answer


class Network(NamedTuple):
    """A module and how it is used.

    Attributes:
        module: whose parameters are trained.
        logits: runs it: ``[N, C]``.
        penalty: what training makes small, too; asked for after each set of logits.
        seen_from: given nodes, how to run it for them alone, where that is cheaper.
    """

    module: nn.Module
    logits: Callable[[], Tensor]
    penalty: Callable[[], Tensor] | None = None
    seen_from: Callable[[Tensor], Callable[[], Tensor]] | None = None

    def of(self, nodes: Tensor) -> Callable[[], Tensor]:
        """How to get the logits of these nodes."""
        return self.seen_from(nodes) if self.seen_from else lambda: self.logits()[nodes]


def learn(
    graph: EdgeGraph,
    network: Callable[[EdgeGraph], Network],
    settings: dict[str, Any],
    seed: int,
    device: str,
) -> Answer:
    """Train what ``network`` makes, on the device of the graph that it is given.

    Settings that are training options are passed on, the others are the network's business. Weights and dropout are
    drawn from the seed.
    """
    options = training_options(settings, seed, device)
    place = choose_device(device)
    there = graph.to(place)
    plain = Task.of(there, options.metric, options.class_weights)
    with seeded(seed, place), threads_for(graph.num_edges):
        made = network(there)
        task = Penalised(**{f.name: getattr(plain, f.name) for f in fields(plain)}, penalty=made.penalty)
        history = train(made.module, made.of(task.train), made.of(task.val), task, options)
        return Answer(evaluate(made.module, made.logits, options).cpu(), history.epochs)


@dataclass(frozen=True, eq=False)
class Penalised(Task):
    """A task whose training loss has one more term."""

    penalty: Callable[[], Tensor] | None = None

    def loss(self, logits: Tensor) -> Tensor:
        loss = super().loss(logits)
        return loss + self.penalty() if self.penalty else loss


def training_options(settings: dict[str, Any], seed: int, device: str) -> TrainingOptions:
    names = TrainingOptions.names()
    return TrainingOptions(**{k: v for k, v in settings.items() if k in names}, seed=seed, device=device)


def both_ways(graph: EdgeGraph) -> Tensor:
    """``[2, 2 M]``: every edge in both directions, as layers want an undirected one that pass along arrows."""
    return torch.cat([graph.edge_index, graph.edge_index.flip(0)], 1)
