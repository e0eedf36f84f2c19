"""Graphs as lists of pairs: what hypothesis draws, and what the brute forces read."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from hypothesis import settings
from hypothesis import strategies as st
from torch import Tensor

Pair = tuple[int, int]

# Small machines pause at will: a slow example is no failure.
fast = settings(max_examples=80, deadline=None)


@st.composite
def graphs(draw: st.DrawFn, max_nodes: int = 7, max_edges: int = 14, parallel: bool = True):
    """``(num_nodes, pairs)``: self-loops, isolated nodes and, if wanted, parallel edges come along."""
    num_nodes = draw(st.integers(1, max_nodes))
    node = st.integers(0, num_nodes - 1)
    unique_by = None if parallel else frozenset
    return num_nodes, draw(st.lists(st.tuples(node, node), max_size=max_edges, unique_by=unique_by))


def columns(pairs: Sequence[Pair]) -> Tensor:
    """``[2, M]``, one column per pair."""
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).t()
