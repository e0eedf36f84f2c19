"""What every method of Tables 2 and 3 is told of a graph, so that none knows what another does not.

Settings: ``then`` names the method that gets it, with all other settings. ``topology`` appends to each edge the ln of
1 + the number of adjacent edges, the paper's feature for citation graphs. ``pool`` ("sum", "avg", "max") appends the
edge features to the nodes, in advance, as SP-GAT-sum, -avg and -max have them. ``degrees`` appends ln(1 + number of
edges) to each node, of those that leave and of those that enter it, or of all together if ``undirected``. Then all
features are brought to mean 0 and variance 1, unless ``unscaled``.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from edgegat.graph import EdgeGraph
from edgegat.graph.topology import count_adjacent_edges
from experiments.answer import Answer


def answer(graph: EdgeGraph, settings: dict[str, Any], seed: int, device: str) -> Answer:
    method = importlib.import_module(f"experiments.methods.{settings['then']}")
    answered: Answer = method.answer(inputs(graph, settings), settings, seed, device)
    return answered


def inputs(graph: EdgeGraph, settings: dict[str, Any]) -> EdgeGraph:
    """The graph with what the settings append."""
    edge_attr, x = graph.edge_attr, [graph.x]
    if settings.get("topology"):
        adjacent = count_adjacent_edges(graph.stars).unsqueeze(1)
        edge_attr = torch.cat([edge_attr, adjacent.to(edge_attr.dtype).log1p()], 1)
    if settings.get("degrees"):
        x.append(degrees(graph, bool(settings.get("undirected"))))
    if settings.get("pool"):
        x.append(pooled(graph, edge_attr, settings["pool"]))
    prepared = replace(graph, x=torch.cat(x, 1), edge_attr=edge_attr)
    if settings.get("unscaled"):
        return prepared
    return replace(prepared, x=scaled(prepared.x), edge_attr=scaled(prepared.edge_attr))


def pooled(graph: EdgeGraph, edge_attr: Tensor, how: str) -> Tensor:
    """``[N, D]``: the ln of the sum, mean or maximum of what the features are logarithms of, over each node's edges.

    Example:
        >>> path = EdgeGraph(
        ...     torch.ones(4, 1), torch.tensor([[0, 1], [1, 2]]), torch.tensor([[2.0], [6.0]]).log()
        ... )
        >>> [pooled(path, path.edge_attr, how).exp().squeeze().tolist() for how in ("sum", "avg", "max")]
        [[2.0, 8.0, 6.0, 1.0], [2.0, 4.0, 6.0, 1.0], [2.0, 6.0, 6.0, 1.0]]
    """
    source, target = graph.edge_index
    comes = source != target  # a self-loop counts once
    node = torch.cat([source, target[comes]])
    values = torch.cat([edge_attr, edge_attr[comes]]).double()
    place = node.unsqueeze(1).expand_as(values)
    zeros = values.new_zeros(graph.num_nodes, values.size(1))
    largest = zeros.scatter_reduce(0, place, values, "amax", include_self=False)
    if how == "max":
        return largest.to(edge_attr.dtype)
    total = zeros.scatter_add(0, place, (values - largest[node]).exp())
    count = torch.bincount(node, minlength=graph.num_nodes).unsqueeze(1)
    if how == "avg":
        total = total / count.clamp(min=1)
    return torch.where(count > 0, largest + total.log(), 0.0).to(edge_attr.dtype)


def degrees(graph: EdgeGraph, undirected: bool) -> Tensor:
    """``[N, 2]``: ln(1 + edges) out and in, or ``[N, 1]`` of both together.

    Example:
        >>> path = EdgeGraph(torch.ones(3, 1), torch.tensor([[0, 1], [1, 2]]), torch.ones(2, 1))
        >>> degrees(path, undirected=False).expm1().tolist()
        [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    """
    out_and_in = torch.stack([torch.bincount(end, minlength=graph.num_nodes) for end in graph.edge_index], 1)
    if undirected:
        out_and_in = out_and_in.sum(1, keepdim=True)
    return out_and_in.to(graph.x.dtype).log1p()


def scaled(features: Tensor) -> Tensor:
    """Mean 0 and variance 1, but for a column that is the same everywhere: a one stays a one."""
    deviation = features.std(0, correction=0)
    return torch.where(deviation > 1e-6, (features - features.mean(0)) / deviation.clamp(min=1e-6), features)
