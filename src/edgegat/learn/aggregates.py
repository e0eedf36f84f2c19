"""What a table has to be made of edges for those who have no graph: summaries of each node's edges."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from edgegat.graph import EdgeGraph

STATISTICS = ("sum", "mean", "min", "max", "std")
DIRECTIONS = ("out", "in", "both")


def incident_aggregates(
    graph: EdgeGraph, names: list[str] | None = None
) -> tuple[NDArray[np.float64], list[str]]:
    """Sum, mean, smallest, largest and standard deviation of each edge feature, and the number of edges.

    Of the edges that leave a node, of those that enter it, and of both together (a self-loop counts once).
    Where there is no edge, the number is zero and the rest is missing (NaN).

    Args:
        graph: without virtual self-loops.
        names: ``[D]`` of the edge features.

    Returns:
        ``[N, 3 * (1 + 5 D)]`` and the names of the columns.

    Example:
        >>> graph = EdgeGraph(torch.ones(3, 1), torch.tensor([[0, 0], [1, 2]]), torch.tensor([[2.0], [4.0]]))
        >>> columns, names = incident_aggregates(graph, ["amount"])
        >>> dict(zip(names[:6], columns[0, :6].tolist()))
        {'edges out': 2.0, 'amount out sum': 6.0, 'amount out mean': 3.0, ... 'amount out std': 1.0}
        >>> columns[1, :6].tolist()
        [0.0, nan, nan, nan, nan, nan]
    """
    names = names or [f"feature {number}" for number in range(graph.edge_attr.size(1))]
    source, target = graph.edge_index
    rows = torch.arange(graph.num_edges, device=source.device)
    comes = target != source
    ends = {
        "out": (source, rows),
        "in": (target, rows),
        "both": (torch.cat([source, target[comes]]), torch.cat([rows, rows[comes]])),
    }
    values = graph.edge_attr.double()
    columns, titles = [], []
    for direction in DIRECTIONS:
        node, row = ends[direction]
        count, statistics = _summaries(node, values[row], graph.num_nodes)
        columns += [count.unsqueeze(1), statistics.flatten(1)]
        titles.append(f"edges {direction}")
        titles += [f"{name} {direction} {statistic}" for name in names for statistic in STATISTICS]
    return torch.cat(columns, 1).cpu().numpy(), titles


def _summaries(node: Tensor, values: Tensor, N: int) -> tuple[Tensor, Tensor]:
    """``[N]`` counts and ``[N, D, 5]`` statistics of the values ``[I, D]`` at each node."""
    D = values.size(1)
    count = torch.bincount(node, minlength=N).double()
    index = node.unsqueeze(1).expand(-1, D)
    zeros = values.new_zeros(N, D)
    total = zeros.scatter_add(0, index, values)
    mean = total / count.clamp(min=1).unsqueeze(1)
    squares = zeros.scatter_add(0, index, (values - mean[node]).square())
    std = (squares / count.clamp(min=1).unsqueeze(1)).sqrt()
    low, high = (
        zeros.scatter_reduce(0, index, values, reduce, include_self=False) for reduce in ("amin", "amax")
    )
    statistics = torch.stack([total, mean, low, high, std], 2)
    return count, torch.where((count > 0).view(N, 1, 1), statistics, torch.nan)
