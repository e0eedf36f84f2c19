"""An edge feature for graphs that have none (paper, section 5.2)."""

from __future__ import annotations

import torch
from torch import Tensor

from edgegat.graph.stars import Stars


def count_adjacent_edges(stars: Stars) -> Tensor:
    """``[M]``: with how many other edges each edge shares a node.

    An edge between nodes of degree ``d_u`` and ``d_v`` has ``d_u + d_v - 2`` of them; a self-loop, which is
    at one node only, ``d_v - 1``. A parallel edge shares both nodes but is still one edge.

    Example:
        >>> path = Stars.build(torch.tensor([[0, 1, 2], [1, 2, 3]]), num_nodes=4)
        >>> count_adjacent_edges(path).tolist()
        [1, 2, 1]
    """
    at_both, exists = stars.slot.clamp(min=0), stars.slot >= 0
    others_at_end = (stars.degree[stars.node] - 1)[at_both]
    return (others_at_end * exists).sum(0) - _parallel_edges(stars)


def _parallel_edges(stars: Stars) -> Tensor:
    """``[M]``: how many other edges join the same two nodes. They were met at both ends, so counted twice."""
    first = stars.node[stars.slot[0]]
    second = stars.other[stars.slot[0]]
    pair = first.minimum(second) * stars.num_nodes + first.maximum(second)
    _, which, size = torch.unique(pair, return_inverse=True, return_counts=True)
    others: Tensor = (size[which] - 1) * (first != second)
    return others
