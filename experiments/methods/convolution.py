"""GCN, Chebyshev and MoNet, and an MLP that does without edges: two of PyG's layers with dropout before each.

Settings: ``layer`` ("mlp", "gcn", "chebyshev", "monet"), ``hidden_channels``, ``dropout``, ``order`` (of Chebyshev's
polynomials), ``kernels`` (of MoNet's Gaussian mixture over the two ends' degrees).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from edgegat.graph import EdgeGraph
from experiments.answer import Answer
from experiments.methods.network import Network, both_ways, learn


def answer(graph: EdgeGraph, settings: dict[str, Any], seed: int, device: str) -> Answer:
    def network(there: EdgeGraph) -> Network:
        edges = both_ways(there)
        new_layer, extra = _layers(settings, edges, there.num_nodes)
        hidden = settings.get("hidden_channels", 16)
        module = TwoLayers(
            new_layer(there.x.size(1), hidden),
            new_layer(hidden, there.num_classes),
            settings.get("dropout", 0.5),
        ).to(there.x.device)
        return Network(module, lambda: module(there.x, *extra))

    return learn(graph, network, settings, seed, device)


class TwoLayers(nn.Module):
    """Dropout, layer, ReLU, dropout, layer."""

    def __init__(self, first: nn.Module, second: nn.Module, dropout: float) -> None:
        super().__init__()
        self.first, self.second, self.dropout = first, second, dropout

    def hidden(self, x: Tensor, *extra: Tensor) -> Tensor:
        return F.relu(self.first(F.dropout(x, self.dropout, self.training), *extra))

    def out(self, hidden: Tensor, *extra: Tensor) -> Tensor:
        logits: Tensor = self.second(F.dropout(hidden, self.dropout, self.training), *extra)
        return logits

    def forward(self, x: Tensor, *extra: Tensor) -> Tensor:
        return self.out(self.hidden(x, *extra), *extra)


def _layers(
    settings: dict[str, Any], edges: Tensor, N: int
) -> tuple[Callable[[int, int], nn.Module], tuple[Tensor, ...]]:
    """How a layer is made, and what it reads beside the features."""
    kind = settings["layer"]
    if kind == "mlp":
        return nn.Linear, ()
    from torch_geometric import nn as pyg

    if kind == "gcn":
        return pyg.GCNConv, (edges,)
    if kind == "chebyshev":
        return lambda i, o: pyg.ChebConv(i, o, settings.get("order", 3)), (edges,)
    return lambda i, o: pyg.GMMConv(i, o, dim=2, kernel_size=settings.get("kernels", 2)), (
        edges,
        _ends(edges, N),
    )


def _ends(edges: Tensor, N: int) -> Tensor:
    """``[2 M, 2]``: MoNet's pseudo-coordinates of an edge, the inverse roots of its ends' degrees."""
    degree = torch.bincount(edges[0], minlength=N).clamp(min=1)
    return degree.rsqrt()[edges].T.contiguous()
