"""Logits of edges: from both ends and the edge itself, the same on a part of the graph and on the whole."""

from __future__ import annotations

import pytest
import torch

from edgegat import EGAT, EdgeGraph
from edgegat.graph import Pairs
from edgegat.learn.edge_field import EdgeField

N, M = 25, 60


def graph(seed: int = 0) -> EdgeGraph:
    g = torch.Generator().manual_seed(seed)
    return EdgeGraph(
        torch.randn(N, 3, generator=g, dtype=torch.float64),
        torch.randint(N, (2, M), generator=g),
        torch.randn(M, 2, generator=g, dtype=torch.float64),
    )


def model(**options) -> EGAT:
    torch.manual_seed(0)
    return EGAT(3, 2, 4, heads=2, readout="edges", **options).double()


@pytest.mark.parametrize("directed", [False, True])
def test_the_formula(directed):
    g, egat = graph(), model(directed=directed)
    logits = egat(g.x, g.edge_index, g.edge_attr)
    assert logits.shape == (M, 4)
    h_star, edges = egat.embed(g.x, g.edge_index, g.edge_attr)
    head = egat.merge
    second = (head.second if directed else head.first).weight
    u, v = g.edge_index
    expected = (
        h_star[u] @ head.first.weight.T + h_star[v] @ second.T + edges @ head.edge.weight.T + head.first.bias
    )
    torch.testing.assert_close(logits, expected)


def test_direction_decides_only_where_it_is_told():
    g = graph()
    turned = g.edge_index.clone()
    turned[:, 5] = turned[:, 5].flip(0)
    assert turned[0, 5] != turned[1, 5]
    for directed in (False, True):
        egat = model(directed=directed)
        one, other = (egat(g.x, i, g.edge_attr) for i in (g.edge_index, turned))
        assert torch.allclose(one, other) == (not directed)


@pytest.mark.parametrize(
    "options", [{}, {"directed": True, "summaries": True}, {"pairs": True}, {"num_layers": 1}]
)
def test_a_field_of_edges_says_the_same_with_the_same_gradients(options):
    egat, looped = model(**options), graph().with_virtual_self_loops()
    loop = int((looped.edge_index[0] == looped.edge_index[1])[:M].nonzero()[0])
    chosen = torch.tensor([7, 3, loop, 41, 3])
    pairs = Pairs.of(looped.stars, egat.directed) if egat.pairs else None
    field = EdgeField.of(looped, chosen, len(egat.layers), pairs)
    got, expected = field.logits(egat), egat(looped.x, looped.stars, looped.edge_attr)[chosen]
    torch.testing.assert_close(got, expected)
    upstream = torch.randn(got.shape, generator=torch.Generator().manual_seed(1)).double()
    ours, truth = (
        torch.autograd.grad(t, list(egat.parameters()), upstream, allow_unused=True) for t in (got, expected)
    )
    for mine, true in zip(ours, truth, strict=True):
        assert (mine is None) == (true is None)
        if mine is not None:
            torch.testing.assert_close(mine, true)


def test_a_field_is_smaller_than_the_graph():
    path = torch.stack([torch.arange(200), torch.arange(1, 201)])
    g = EdgeGraph(torch.ones(201, 1), path, torch.rand(200, 2)).with_virtual_self_loops()
    assert EdgeField.of(g, torch.tensor([100]), 2).field.x.size(0) == 6


def test_unknown_readouts_are_refused():
    with pytest.raises(ValueError, match="readout is 'graph', but it must be one of 'nodes', 'edges'"):
        EGAT(3, 2, 4, readout="graph")
