"""SP-GAT: PyG's GAT of two layers, as in the GAT paper. Edge features are not read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

from edgegat.graph import EdgeGraph
from experiments.answer import Answer
from experiments.methods.network import both_ways, learn


def answer(graph: EdgeGraph, settings: dict[str, Any], seed: int, device: str) -> Answer:
    def network(there: EdgeGraph) -> tuple[nn.Module, Callable[[], Tensor]]:
        edges = both_ways(there)
        module = GAT(there.x.size(1), there.num_classes, **sizes)
        return module, lambda: module(there.x, edges)

    names = ("hidden_channels", "heads", "out_heads", "dropout", "attention_dropout")
    sizes = {name: settings[name] for name in names if name in settings}
    return learn(graph, network, settings, seed, device)


class GAT(nn.Module):
    """Two layers of attention; the heads of the first are concatenated, those of the second averaged."""

    def __init__(
        self,
        in_channels: int,
        classes: int,
        hidden_channels: int = 8,
        heads: int = 8,
        out_heads: int = 1,
        dropout: float = 0.6,
        attention_dropout: float = 0.6,
    ) -> None:
        from torch_geometric.nn import GATConv

        super().__init__()
        self.dropout = dropout
        self.first = GATConv(in_channels, hidden_channels, heads, dropout=attention_dropout)
        self.second = GATConv(
            hidden_channels * heads, classes, out_heads, concat=False, dropout=attention_dropout
        )

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        x = F.dropout(x, self.dropout, self.training)
        x = F.elu(self.first(x, edges))
        out: Tensor = self.second(F.dropout(x, self.dropout, self.training), edges)
        return out
