"""The topological edge feature, against comparing every edge with every other."""

from __future__ import annotations

import torch
from hypothesis import given

from edgegat.graph import Stars, count_adjacent_edges
from tests.graph.draw import columns, fast, graphs


@fast
@given(graphs())
def test_edges_that_share_a_node(graph):
    num_nodes, pairs = graph
    count = count_adjacent_edges(Stars.build(columns(pairs), num_nodes))
    assert count.tolist() == [
        sum(p != q and bool(set(pairs[p]) & set(pairs[q])) for q in range(len(pairs)))
        for p in range(len(pairs))
    ]
    assert count.dtype == torch.int64


def test_parallel_edges_and_self_loops_by_hand():
    pairs = [(0, 1), (1, 0), (1, 1), (1, 2), (3, 3), (3, 3), (4, 5)]
    assert count_adjacent_edges(Stars.build(columns(pairs), 7)).tolist() == [3, 3, 3, 3, 1, 1, 0]


def test_no_edges():
    count = count_adjacent_edges(Stars.build(columns([]), 3))
    assert count.tolist() == []
    assert count.dtype == torch.int64
