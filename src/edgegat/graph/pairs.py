"""Parallel edges in two levels: the pairs of nodes as a graph, and each pair's edges as its star."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from edgegat.graph.stars import Stars


@dataclass(frozen=True, eq=False)
class Pairs:
    """The different pairs of nodes that the edges of a graph join.

    Attributes:
        edge_index: ``[2, P]``, one column per pair; of an undirected one the smaller node first.
        pair: ``[M]``, the pair of each edge.
        stars: the graph whose edges are the pairs.
        members: a graph whose nodes are the pairs and whose edges, each a self-loop, are the given edges: the star
            of a pair is its parallel edges.

    Example:
        >>> from edgegat.graph import Stars
        >>> stars = Stars.build(torch.tensor([[0, 0, 1, 2], [1, 1, 0, 2]]), num_nodes=3)
        >>> Pairs.of(stars, directed=True).edge_index.tolist(), Pairs.of(stars, directed=True).pair.tolist()
        ([[0, 1, 2], [1, 0, 2]], [0, 0, 1, 2])
        >>> Pairs.of(stars, directed=False).pair.tolist()
        [0, 0, 0, 1]
    """

    edge_index: Tensor
    pair: Tensor
    stars: Stars
    members: Stars

    @classmethod
    def of(cls, stars: Stars, directed: bool) -> Pairs:
        """``O(M log M)``; the pairs are in the order of their nodes' numbers."""
        N = max(stars.num_nodes, 1)
        first, second = stars.node[stars.slot[0]], stars.other[stars.slot[0]]
        if not directed:
            first, second = first.minimum(second), first.maximum(second)
        found, pair = torch.unique(first * N + second, return_inverse=True)
        if torch.compiler.is_compiling():
            # What is traced needs to know that the number it cannot know is not zero: nodes have self-loops.
            torch._check(found.numel() > 0)  # type: ignore[no-untyped-call]
        edge_index = torch.stack([found.div(N, rounding_mode="floor"), found % N])
        build = type(stars).build
        members = build(torch.stack([pair, pair]), found.numel())
        return cls(edge_index, pair, build(edge_index, stars.num_nodes), members)
