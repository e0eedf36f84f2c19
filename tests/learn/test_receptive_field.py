"""What the seeds see is enough, and no more than enough."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from edgegat import EGAT, EdgeGraph
from edgegat.learn.receptive_field import ReceptiveField, cut_out
from tests.learn.graphs import edges_decide


def drawn(nodes=60, edges=70, seed=0) -> EdgeGraph:
    """Sparse, with isolated nodes, real self-loops and parallel edges, in double precision."""
    draws = torch.Generator().manual_seed(seed)
    edge_index = torch.randint(nodes - 5, (2, edges), generator=draws)
    edge_index = torch.cat([edge_index, edge_index[:, :5], torch.tensor([[1, 2], [1, 2]])], 1)
    return EdgeGraph(
        x=torch.randn(nodes, 3, generator=draws, dtype=torch.float64),
        edge_index=edge_index,
        edge_attr=torch.randn(edge_index.size(1), 2, generator=draws, dtype=torch.float64),
    ).with_virtual_self_loops()


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("edge_attention", ["star", "transit"])
@pytest.mark.parametrize("seeds", [[7], [59], [3, 40, 1], list(range(60))])
def test_logits_and_gradients_are_those_of_the_whole_graph(layers, edge_attention, seeds):
    graph, chosen = drawn(), torch.tensor(seeds)
    torch.manual_seed(0)
    model = EGAT(3, 2, 4, num_layers=layers, edge_attention=edge_attention, backend="torch").double()
    weights = torch.randn(len(seeds), 4, dtype=torch.float64)
    gradients = []
    for logits in (
        model(graph.x, graph.stars, graph.edge_attr)[chosen],
        ReceptiveField.of(graph, chosen, layers).logits(model),
    ):
        grads = torch.autograd.grad((logits * weights).sum(), list(model.parameters()))
        gradients.append((logits, *grads))
    for whole, seen in zip(*gradients, strict=True):
        torch.testing.assert_close(seen, whole, rtol=1e-9, atol=1e-10)


def test_no_seeds_no_logits():
    model = EGAT(3, 2, 4, backend="torch").double()
    field = ReceptiveField.of(drawn(), torch.tensor([], dtype=torch.long), 2)
    assert field.num_seeds == 0
    assert field.logits(model).shape == (0, 4)


def test_far_away_is_left_out():
    chain = torch.arange(1000)
    graph = EdgeGraph(torch.ones(1001, 1), torch.stack([chain, chain + 1]), torch.ones(1000, 1))
    field = ReceptiveField.of(graph.with_virtual_self_loops(), torch.tensor([500]), 2)
    assert field.x.size(0) == 5
    assert field.edge_attr.size(0) == 4 + 3
    assert [hop.stars.num_edges for hop in field._hops] == [7, 3]


def test_dropout_drops():
    graph = edges_decide().with_virtual_self_loops()
    model = EGAT(1, 2, 2, dropout=0.5, backend="torch")
    field = ReceptiveField.of(graph, torch.arange(10), 2)
    model.train()
    assert not torch.equal(field.logits(model), field.logits(model))
    model.eval()
    assert torch.equal(field.logits(model), field.logits(model))


def test_far_changes_change_nothing_near_ones_do():
    chain = torch.arange(20)
    graph = EdgeGraph(torch.ones(21, 1), torch.stack([chain, chain + 1]), torch.rand(20, 1))
    model = EGAT(1, 1, 2, num_layers=2, backend="torch").eval()

    def logits(g):
        return ReceptiveField.of(g.with_virtual_self_loops(), torch.tensor([0]), 2).logits(model)

    far, near = (graph.edge_attr.index_fill(0, torch.tensor([edge]), 9.0) for edge in (4, 1))
    assert torch.equal(logits(replace(graph, edge_attr=far)), logits(graph))
    assert not torch.allclose(logits(replace(graph, edge_attr=near)), logits(graph))


@pytest.mark.parametrize("layers", [1, 2])
def test_a_gat_on_the_part_that_is_cut_out_says_the_same(layers):
    from torch_geometric.nn import GAT

    graph, seeds = drawn(), torch.tensor([3, 59, 40])
    model = GAT(3, 8, num_layers=layers, out_channels=4, heads=2).double().eval()
    both_ways = torch.cat([graph.edge_index, graph.edge_index.flip(0)], 1)
    x, edge_index, places = cut_out(graph, seeds, layers)
    assert x.size(0) < graph.num_nodes
    seen = model(x, torch.cat([edge_index, edge_index.flip(0)], 1))[places]
    torch.testing.assert_close(seen, model(graph.x, both_ways)[seeds], rtol=1e-9, atol=1e-10)
