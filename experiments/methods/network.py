"""Any network that gives logits for nodes, trained by the library's own loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from edgegat.graph import EdgeGraph
from edgegat.learn import TrainingOptions
from edgegat.learn.device import choose_device, seeded, threads_for
from edgegat.learn.task import Task
from edgegat.learn.training import evaluate, train
from experiments.answer import Answer


def learn(
    graph: EdgeGraph,
    network: Callable[[EdgeGraph], tuple[nn.Module, Callable[[], Tensor]]],
    settings: dict[str, Any],
    seed: int,
    device: str,
) -> Answer:
    """Train what ``network`` makes of the graph on its device: a module, and how it gives ``[N, C]``.

    Settings that are training options are passed on, the others are the network's business. Weights and dropout are
    drawn from the seed.
    """
    options = training_options(settings, seed, device)
    place = choose_device(device)
    there = graph.to(place)
    task = Task.of(there, options.metric, options.class_weights)
    with seeded(seed, place), threads_for(graph.num_edges):
        module, logits = network(there)
        module = module.to(place)
        history = train(module, lambda: logits()[task.train], lambda: logits()[task.val], task, options)
        return Answer(evaluate(module, logits, options).cpu(), history.epochs)


def training_options(settings: dict[str, Any], seed: int, device: str) -> TrainingOptions:
    names = TrainingOptions.names()
    return TrainingOptions(**{k: v for k, v in settings.items() if k in names}, seed=seed, device=device)


def both_ways(graph: EdgeGraph) -> Tensor:
    """``[2, 2 M]``: every edge in both directions, as PyG's layers want an undirected one."""
    from torch_geometric.utils import to_undirected

    both: Tensor = to_undirected(graph.edge_index, num_nodes=graph.num_nodes)
    return both
