"""SP-GAT: PyG's GAT of two layers, as in the GAT paper.

Settings: ``hidden_channels``, ``heads``, ``out_heads``, ``dropout``, ``attention_dropout``; ``reads_edges`` gives the
edge features, scaled, to the attention of both layers, which never changes them.
"""

from __future__ import annotations

from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

from edgegat.graph import EdgeGraph
from experiments.answer import Answer
from experiments.methods.egat import prepared
from experiments.methods.network import Network, both_ways, learn

_SIZES = ("hidden_channels", "heads", "out_heads", "dropout", "attention_dropout")


def answer(graph: EdgeGraph, settings: dict[str, Any], seed: int, device: str) -> Answer:
    def network(there: EdgeGraph) -> Network:
        edges, edge_attr, edge_dim = both_ways(there), None, None
        if settings.get("reads_edges"):
            edge_attr = prepared(there.edge_attr, "scaled").repeat(2, 1)
            edge_dim = edge_attr.size(1)
        sizes = {name: settings[name] for name in _SIZES if name in settings}
        module = GAT(there.x.size(1), there.num_classes, edge_dim, **sizes).to(there.x.device)
        return Network(module, lambda: module(there.x, edges, edge_attr))

    return learn(graph, network, settings, seed, device)


class GAT(nn.Module):
    """Two layers of attention; the heads of the first are concatenated, those of the second averaged."""

    def __init__(
        self,
        in_channels: int,
        classes: int,
        edge_dim: int | None = None,
        hidden_channels: int = 8,
        heads: int = 8,
        out_heads: int = 1,
        dropout: float = 0.6,
        attention_dropout: float = 0.6,
    ) -> None:
        from torch_geometric.nn import GATConv

        super().__init__()
        self.dropout = dropout
        also: dict[str, Any] = {"dropout": attention_dropout, "edge_dim": edge_dim}
        self.first = GATConv(in_channels, hidden_channels, heads, **also)
        self.second = GATConv(hidden_channels * heads, classes, out_heads, concat=False, **also)

    def forward(self, x: Tensor, edges: Tensor, edge_attr: Tensor | None = None) -> Tensor:
        x = F.dropout(x, self.dropout, self.training)
        x = F.elu(self.first(x, edges, edge_attr))
        out: Tensor = self.second(F.dropout(x, self.dropout, self.training), edges, edge_attr)
        return out
