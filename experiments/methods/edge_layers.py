"""PyG's layers that are told of edge features, two of them with dropout before each and ELU between.

Settings: ``layer`` is one of

- "gatv2": attention, whose logits see the features; what is passed on is the neighbours' features alone;
- "gine": a sum over neighbours, to which the edge features are added;
- "rgcn": one weight matrix for each kind of edge. The kinds are bins of the features, ``bins`` of each, equally full;
- "gcn", "sage", "tagcn": those of the figures published for the Ethereum network. They read no edge features.

``hidden_channels`` (per head of "gatv2"), ``heads``, ``dropout``, ``attention_dropout``.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from edgegat.graph import EdgeGraph
from experiments.answer import Answer
from experiments.methods.network import Network, both_ways, learn


def answer(graph: EdgeGraph, settings: dict[str, Any], seed: int, device: str) -> Answer:
    def network(there: EdgeGraph) -> Network:
        module = TwoLayers(there, settings).to(there.x.device)
        edges, extra = both_ways(there), _of_edges(there, settings)
        return Network(module, lambda: module(there.x, edges, *extra))

    return learn(graph, network, settings, seed, device)


class TwoLayers(nn.Module):
    """Dropout, layer, ELU, dropout, layer."""

    def __init__(self, graph: EdgeGraph, settings: dict[str, Any]) -> None:
        super().__init__()
        hidden = settings.get("hidden_channels", 8) * settings.get("heads", 1)
        self.dropout = settings.get("dropout", 0.0)
        self.first = _layer(graph.x.size(1), hidden, graph, settings, last=False)
        self.second = _layer(hidden, graph.num_classes, graph, settings, last=True)

    def forward(self, x: Tensor, edges: Tensor, *extra: Tensor) -> Tensor:
        x = F.dropout(x, self.dropout, self.training)
        x = F.dropout(F.elu(self.first(x, edges, *extra)), self.dropout, self.training)
        logits: Tensor = self.second(x, edges, *extra)
        return logits


def _layer(i: int, o: int, graph: EdgeGraph, settings: dict[str, Any], last: bool) -> nn.Module:
    from torch_geometric import nn as pyg

    kind, D = settings["layer"], graph.edge_attr.size(1)
    if kind == "gatv2":
        heads = settings.get("heads", 1)
        channels = o if last else o // heads
        drop = settings.get("attention_dropout", 0.0)
        layer: nn.Module = pyg.GATv2Conv(i, channels, heads, concat=not last, edge_dim=D, dropout=drop)
        return layer
    if kind == "gine":
        return pyg.GINEConv(nn.Sequential(nn.Linear(i, o), nn.ELU(), nn.Linear(o, o)), edge_dim=D)
    if kind == "rgcn":
        return pyg.RGCNConv(i, o, settings["bins"] ** D, num_bases=4)
    return {"gcn": pyg.GCNConv, "sage": pyg.SAGEConv, "tagcn": pyg.TAGConv}[kind](i, o)


def _of_edges(graph: EdgeGraph, settings: dict[str, Any]) -> tuple[Tensor, ...]:
    """What a layer reads of the edges, in both directions."""
    if settings["layer"] in ("gatv2", "gine"):
        return (graph.edge_attr.repeat(2, 1),)
    if settings["layer"] == "rgcn":
        return (binned(graph.edge_attr, settings["bins"]).repeat(2),)
    return ()


def binned(edge_attr: Tensor, bins: int) -> Tensor:
    """``[M]``: one of ``bins ** D`` kinds, by quantiles of each feature.

    Example:
        >>> binned(torch.tensor([[1.0, 5.0], [2.0, 7.0], [3.0, 6.0], [4.0, 8.0]]), bins=2).tolist()
        [0, 1, 2, 3]
    """
    kind = torch.zeros(edge_attr.size(0), dtype=torch.long, device=edge_attr.device)
    for feature in edge_attr.T:
        ends = feature.sort().values[feature.numel() * torch.arange(1, bins) // bins]
        kind = kind * bins + torch.bucketize(feature.contiguous(), ends, right=True)
    return kind
