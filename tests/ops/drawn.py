"""Graphs that hypothesis draws, and the same graph under other names."""

from __future__ import annotations

from typing import NamedTuple

import torch
from hypothesis import strategies as st
from torch import Tensor

from edgegat.graph import Stars


@st.composite
def drawn_graphs(draw: st.DrawFn) -> tuple[Tensor, int]:
    """``edge_index`` and number of nodes of any small graph."""
    num_nodes = draw(st.integers(1, 8))
    node = st.integers(0, num_nodes - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=24))
    return torch.tensor(edges, dtype=torch.long).view(-1, 2).t(), num_nodes


class Relabelled(NamedTuple):
    """A graph, and the same with its nodes renamed, its edges reordered and (if ``turned``) some turned around.

    ``node``, ``edge`` and ``incidence`` lead back: the old number of each new one.
    """

    old: Stars
    new: Stars
    node: Tensor
    edge: Tensor
    incidence: Tensor


@st.composite
def relabelled_graphs(draw: st.DrawFn, turned: bool = True) -> Relabelled:
    edge_index, N = draw(drawn_graphs())
    M = edge_index.size(1)
    edge = torch.tensor(draw(st.permutations(range(M))), dtype=torch.long)
    node = torch.tensor(draw(st.permutations(range(N))), dtype=torch.long)
    turns = st.booleans() if turned else st.just(False)
    flipped = torch.tensor(draw(st.lists(turns, min_size=M, max_size=M)), dtype=torch.bool)

    old = Stars.build(edge_index, N)
    renamed = node.argsort()[edge_index[:, edge]]
    new = Stars.build(torch.where(flipped, renamed.flip(0), renamed), N)
    rows = {where: row for row, where in enumerate(zip(old.edge.tolist(), old.node.tolist(), strict=True))}
    meetings = zip(edge[new.edge].tolist(), node[new.node].tolist(), strict=True)
    return Relabelled(old, new, node, edge, torch.tensor([rows[m] for m in meetings], dtype=torch.long))
