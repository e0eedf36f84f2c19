"""Counting channels: what a softmax cannot say, said exactly."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from tests.ops.drawn import drawn_graphs
from torch import Tensor

from edgegat import EGAT, EdgeGraph, EGATConv
from edgegat.graph import Stars
from edgegat.learn.receptive_field import ReceptiveField
from edgegat.nn.summaries import Summaries, summarise


def features(N: int, M: int, K: int = 2, H: int = 2, E: int = 3) -> tuple[Tensor, Tensor]:
    g = torch.Generator().manual_seed(0)
    return torch.randn(N, K, H, generator=g).double(), torch.randn(M, K, E, generator=g).double()


def by_hand(v: int, ends: list[tuple[int, int]], h: Tensor, e: Tensor) -> Tensor:
    """``ends``: for every edge at ``v``, its number and the node at its far end."""
    ends = [(p, j) for p, j in ends if j != v]
    K, H, E = *h.shape[1:], e.size(2)
    numbers = torch.tensor([math.log1p(len(ends)), math.log1p(len({j for _, j in ends}))], dtype=torch.float64)
    numbers = numbers.expand(K, 2)
    if not ends:
        return torch.cat([torch.zeros(K, H + 4 * E).double(), numbers], 1)
    edges, nodes = torch.stack([e[p] for p, _ in ends]), torch.stack([h[j] for _, j in ends])
    deviation = (edges.var(0, correction=0) + 1e-5).sqrt() - 1e-5**0.5
    parts = [nodes.sum(0).asinh(), edges.sum(0).asinh(), edges.mean(0), edges.amax(0), deviation, numbers]
    return torch.cat(parts, 1)


@settings(max_examples=60, deadline=None)
@given(graph=drawn_graphs())
def test_every_channel_by_hand(graph):
    edge_index, N = graph
    h, e = features(N, edge_index.size(1))
    pairs = list(enumerate(edge_index.t().tolist()))
    out = [[(p, w) for p, (u, w) in pairs if u == v] for v in range(N)]
    into = [[(p, u) for p, (u, w) in pairs if w == v] for v in range(N)]
    stars = Stars.build(edge_index, N)
    together = torch.stack([by_hand(v, out[v] + into[v], h, e) for v in range(N)])
    torch.testing.assert_close(summarise(h, e, stars), together, rtol=1e-9, atol=1e-9)

    apart = torch.stack([torch.cat([by_hand(v, out[v], h, e), by_hand(v, into[v], h, e)], 1) for v in range(N)])
    module = Summaries(2, 3, 2, directed=True).double()
    expected = torch.einsum("nks,ksf->nkf", apart, module.U)
    torch.testing.assert_close(module(h, e, stars), expected, rtol=1e-9, atol=1e-9)


def test_deviations_of_large_numbers_keep_their_digits():
    g = torch.Generator().manual_seed(0)
    times = 1e6 + torch.randn(40, 1, 1, generator=g)
    stars = Stars.build(torch.stack([torch.zeros(40, dtype=torch.long), torch.arange(1, 41)]), 41)
    found, exact = (summarise(torch.zeros(41, 1, 1, dtype=e.dtype), e, stars) for e in (times, times.double()))
    deviation = times.double().std(correction=0)
    for s in (found, exact):
        torch.testing.assert_close(s[0, 0, 4].double(), deviation, rtol=0.02, atol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_model_of_16_bits(dtype):
    torch.manual_seed(0)
    x, edge_index, edge_attr = torch.randn(6, 3), torch.randint(6, (2, 9)), torch.randn(9, 2)
    model = EGAT(3, 2, 2, directed=True, summaries=True)
    exact = model(x, edge_index, edge_attr)
    rounded = model.to(dtype)(x.to(dtype), edge_index, edge_attr.to(dtype))
    assert rounded.dtype == dtype
    torch.testing.assert_close(rounded.float(), exact, rtol=0.05, atol=0.05)


@pytest.mark.parametrize("directed", [False, True])
def test_gradcheck(directed):
    stars = Stars.build(torch.tensor([[0, 0, 1, 2, 2, 3], [1, 1, 2, 0, 2, 1]]), 5)
    module = Summaries(2, 3, 2, directed).double()
    h, e = (t.requires_grad_() for t in features(5, 6))
    mask = torch.tensor([1.0, 0.5, 0.3, 0.9, 1.0, 0.2]).double().requires_grad_()
    assert torch.autograd.gradcheck(lambda h, e, m: module(h, e, stars, m), (h, e, mask))


def test_equal_edges_are_counted_where_a_softmax_sees_one():
    """Nodes 0 and 1 have two and five neighbours, all equal."""
    edge_index = torch.tensor([[0] * 2 + [1] * 5, list(range(2, 9))])
    x, edge_attr = torch.ones(9, 3), torch.ones(7, 2)
    torch.manual_seed(0)
    blind, counting = EGATConv(3, 4, 2, 3), EGATConv(3, 4, 2, 3, summaries=True)
    h = blind(x, edge_index, edge_attr)[0]
    torch.testing.assert_close(h[0], h[1])
    h = counting(x, edge_index, edge_attr)[0]
    assert not torch.allclose(h[0], h[1], atol=1e-2)


def test_directions_are_counted_apart():
    x, edge_attr = torch.ones(3, 3), torch.ones(2, 2)
    torch.manual_seed(0)
    conv = EGATConv(3, 4, 2, 3, summaries=True, directed=True)
    with torch.no_grad():
        conv.roles.C_H.zero_()  # leaves nothing of attention
    through, out = (
        conv(x, torch.tensor(columns), edge_attr)[0][1] for columns in ([[0, 1], [1, 2]], [[1, 1], [0, 2]])
    )
    assert not torch.allclose(through, out, atol=1e-2)


def test_an_edge_of_equal_features_has_a_finite_gradient():
    conv = EGATConv(3, 4, 2, 3, summaries=True)
    edge_attr = torch.ones(4, 2, requires_grad=True)
    conv(torch.ones(5, 3), torch.tensor([[0, 0, 0, 0], [1, 2, 3, 3]]), edge_attr)[0].sum().backward()
    assert edge_attr.grad.isfinite().all()


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("nodes", [0, 3])
def test_nothing_to_count(nodes, directed):
    stars = Stars.build(torch.zeros(2, 0, dtype=torch.long), nodes)
    module = Summaries(2, 3, 2, directed)
    found = module(torch.ones(nodes, 2, 2), torch.ones(0, 2, 3), stars)
    assert found.shape == (nodes, 2, 2)
    assert not found.any()


def test_off_by_default_and_the_same_numbers_without():
    torch.manual_seed(0)
    plain = EGATConv(3, 4, 2, 3)
    assert not [name for name in plain.state_dict() if "summaries" in name]
    counting = EGATConv(3, 4, 2, 3, summaries=True)
    counting.load_state_dict(plain.state_dict(), strict=False)
    with torch.no_grad():
        counting.summaries.U.zero_()
    graph = torch.randn(5, 3), torch.tensor([[0, 1, 2], [1, 2, 2]]), torch.randn(3, 2)
    for ours, expected in zip(counting(*graph), plain(*graph), strict=True):
        torch.testing.assert_close(ours, expected)
    assert "summaries=True" in repr(counting)


@pytest.mark.parametrize("directed", [False, True])
def test_the_model_exports_and_a_receptive_field_says_the_same(directed):
    torch.manual_seed(0)
    g = torch.Generator().manual_seed(0)
    graph = EdgeGraph(
        torch.randn(30, 3, generator=g), torch.randint(30, (2, 70), generator=g), torch.randn(70, 2)
    )
    model = EGAT(3, 2, 2, directed=directed, summaries=True).eval()
    looped = graph.with_virtual_self_loops()
    logits = model(looped.x, looped.stars, looped.edge_attr)
    seeds = torch.tensor([4, 9])
    field = ReceptiveField.of(looped, seeds, num_layers=2)
    torch.testing.assert_close(field.logits(model), logits[seeds], rtol=1e-4, atol=1e-5)

    nodes, edges = torch.export.Dim("nodes"), torch.export.Dim("edges")
    shapes = {"x": {0: nodes}, "edge_index": {1: edges}, "edge_attr": {0: edges}}
    given = graph.x, graph.edge_index, graph.edge_attr
    exported = torch.export.export(model, given, dynamic_shapes=shapes).module()
    inside = (graph.edge_index < 20).all(0)
    smaller = graph.x[:20], graph.edge_index[:, inside], graph.edge_attr[inside]
    torch.testing.assert_close(exported(*smaller), model(*smaller), rtol=1e-4, atol=1e-5)
