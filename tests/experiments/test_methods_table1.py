"""The methods of Table 1 on graphs whose answers are known."""

from __future__ import annotations

import importlib
from dataclasses import replace

import pytest
import torch
from torch import tensor

from edgegat import EGAT
from edgegat.graph import EdgeGraph
from edgegat.learn import ModelOptions
from experiments.methods import (
    ablated,
    contexts,
    convolution,
    deepwalk,
    egat,
    iterative,
    planetoid,
    propagation,
    smooth,
)
from experiments.table1 import TABLE
from tests.experiments.small import two_groups

ROWS = {row.name: row for row in TABLE.rows}


def ask(name: str, graph: EdgeGraph, epochs: int, **settings) -> torch.Tensor:
    row = ROWS[name].for_at_most(epochs)
    method = importlib.import_module(f"experiments.methods.{row.method}")
    chosen = (
        row.choices("Cora", 1)[0] | {"backend": "torch", "steps": 100, "walks": 32, "before": 20} | settings
    )
    return method.answer(graph, chosen, 0, "cpu").logits


@pytest.mark.parametrize("name", ROWS)
def test_no_method_looks_at_the_test_nodes_labels(name):
    graph = two_groups()
    others = replace(graph, y=torch.where(graph.test_mask, 1 - graph.y, graph.y))
    assert torch.equal(ask(name, graph, 3), ask(name, others, 3))


@pytest.mark.parametrize("name", ROWS)
def test_every_method_tells_two_groups_apart(name):
    graph = two_groups()
    graph = replace(graph, x=graph.x + torch.nn.functional.one_hot(graph.y, 6))
    right = ask(name, graph, 100, learning_rate=0.02).argmax(1) == graph.y
    assert right[graph.test_mask].float().mean() >= 0.9


def with_edges_across() -> EdgeGraph:
    graph = two_groups()
    source, target = graph.edge_index
    return replace(
        graph, edge_index=torch.stack([source, torch.where(source % 2 == 0, (target + 20) % 40, target)])
    )


@pytest.mark.parametrize("name", [name for name in ROWS if name != "MLP"])
def test_every_method_but_one_reads_the_edges(name):
    assert not torch.equal(ask(name, two_groups(), 3), ask(name, with_edges_across(), 3))


def test_one_method_reads_no_edges():
    assert torch.equal(ask("MLP", two_groups(), 3), ask("MLP", with_edges_across(), 3))


def path(num_nodes: int, known: dict[int, int], x: torch.Tensor | None = None) -> EdgeGraph:
    ends = torch.arange(num_nodes)
    mask = torch.zeros(num_nodes, dtype=torch.bool)
    mask[list(known)] = True
    y = torch.zeros(num_nodes, dtype=torch.long)
    for node, number in known.items():
        y[node] = number
    edge_index = torch.stack([ends[:-1], ends[1:]])
    x = torch.ones(num_nodes, 1) if x is None else x
    return EdgeGraph(x, edge_index, torch.ones(num_nodes - 1, 1), y, mask, ~mask, ~mask)


def test_labels_on_a_path_fall_off_linearly_from_one_end_to_the_other():
    logits = propagation.answer(path(5, {0: 0, 4: 1}), {"steps": 500}, 0, "cpu").logits
    torch.testing.assert_close(logits.exp()[:, 1], tensor([0.0, 0.25, 0.5, 0.75, 1.0]), atol=1e-5, rtol=0)


def test_who_is_reached_by_no_label_gets_the_shares_of_the_classes():
    graph = path(5, {0: 0, 1: 0, 2: 1})
    graph = replace(graph, edge_index=graph.edge_index[:, :2], edge_attr=graph.edge_attr[:2])
    logits = propagation.answer(graph, {"steps": 10}, 0, "cpu").logits
    torch.testing.assert_close(logits.exp()[4], tensor([2 / 3, 1 / 3]))


def test_shares_of_the_neighbours_labels():
    labels = tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    shares = iterative.shares_of_neighbours(path(4, {0: 0}), labels)
    assert shares.tolist() == [[0, 1], [0.5, 0.5], [0.5, 0.5], [0, 1]]


def test_iterative_classification_hands_labels_on():
    """Two triangles are known by their features; who has none is what his neighbours are."""
    x = torch.zeros(8, 2)
    x[:3, 0] = x[3:6, 1] = 1
    edges = tensor([[0, 1, 0, 3, 4, 3, 6, 6, 7, 7], [1, 2, 2, 4, 5, 5, 0, 1, 3, 4]])
    known = torch.arange(8) < 6
    graph = EdgeGraph(x, edges, torch.ones(10, 1), tensor([0, 0, 0, 1, 1, 1, 1, 0]), known, ~known, ~known)
    alone, together = (
        iterative.answer(graph, {"rounds": n}, 0, "cpu").logits.argmax(1).tolist() for n in (0, 5)
    )
    assert alone[6] == alone[7]
    assert together == [0, 0, 0, 1, 1, 1, 0, 1]


def test_embeddings_of_neighbours_are_pulled_together_and_strangers_pushed_apart(monkeypatch):
    z = tensor([[0.0, 0.0], [3.0, 4.0], [0.6, 0.0]])
    monkeypatch.setattr(torch, "randint", lambda *_, **__: tensor([[0, 0], [2, 1]]))
    # Neighbours 0-1: 25. Strangers at 0.6: (1 - 0.6)^2, at 5: nothing.
    assert smooth.embedding_loss(z, tensor([[0, 0], [1, 1]])).item() == pytest.approx(25 + 0.16 / 2, rel=1e-4)


def test_the_manifold_is_smoother_the_stronger_it_is_asked_for():
    graph = two_groups()

    def roughness(strength: float) -> float:
        answers = ask("ManiReg", graph, 60, strength=strength).softmax(1)
        return float(smooth.distances(answers, graph.edge_index).square().mean())

    assert roughness(30.0) < 0.5 * roughness(0.0)


def test_walks_go_along_edges_to_every_neighbour_alike():
    torch.manual_seed(0)
    star = tensor([[0, 0, 0, 1, 2, 3], [1, 2, 3, 0, 0, 0]])
    walker = contexts.Walker(star, 5)
    walk = walker.walk(tensor([0] * 3000 + [4] * 10), 2)
    assert torch.bincount(walk[:3000, 1], minlength=5)[1:4].sub(1000).abs().max() < 100
    assert (walk[:3000, 2] == 0).all()
    assert (walk[3000:] == 4).all()  # nobody to go to


def test_contexts_are_met_within_the_window_in_both_directions():
    ring = torch.arange(20)
    ahead = torch.stack([ring, (ring + 1) % 20])  # one way, so that distance is steps
    source, target = contexts.Walker(ahead, 20).contexts(walks=50, length=6, window=2)
    distance = (target - source) % 20
    assert sorted(distance.unique().tolist()) == [1, 2, 18, 19]
    assert source.numel() == 2 * 50 * (6 + 5)


def test_pairs_of_one_class_are_pairs_of_training_nodes():
    graph = two_groups()
    first, second = planetoid.same_class(graph, 200)
    assert graph.train_mask[first].all()
    assert graph.train_mask[second].all()
    assert (graph.y[first] == graph.y[second]).all()
    assert 50 < first.numel() < 150


def test_deepwalk_reads_no_features():
    graph = two_groups()
    one, other = (
        deepwalk.answer(g, {"steps": 5}, 0, "cpu").logits for g in (graph, replace(graph, x=graph.x * 0))
    )
    assert torch.equal(one, other)


def test_monets_coordinates_are_the_inverse_roots_of_the_degrees():
    both = tensor([[0, 0, 1, 2], [1, 2, 0, 0]])
    torch.testing.assert_close(
        convolution._ends(both, 3), tensor([[0.5, 1.0], [0.5, 1.0], [1.0, 0.5], [1.0, 0.5]]).sqrt()
    )


def test_edge_features_are_prepared_as_asked():
    values = tensor([[1.0], [3.0], [5.0]])
    assert egat.prepared(values, "plain") is values
    torch.testing.assert_close(egat.prepared(values, "scaled").flatten(), tensor([-1.0, 0.0, 1.0]) * 1.5**0.5)
    torch.testing.assert_close(egat.prepared(values, "faint"), 0.1 * egat.prepared(values, "scaled"))
    logarithms = egat.prepared(values, "log")
    torch.testing.assert_close(logarithms.mean(), tensor(0.0), atol=1e-6, rtol=0)
    assert logarithms[1] > 0  # ln 4 lies above the middle of ln 2 and ln 6


def test_without_the_edge_block_an_edge_sees_itself_alone():
    torch.manual_seed(0)
    model = EGAT(1, 2, 2, num_layers=3, heads=2)
    ablated.leave_out_edge_blocks(model)
    graph = path(4, {0: 0})
    edge_attr = torch.randn(3, 2)
    changed = torch.cat([edge_attr[:1], torch.randn(2, 2)])
    layer = model.layers[0]
    one, other = (layer(graph.x, graph.stars, attr)[1] for attr in (edge_attr, changed))
    assert torch.equal(one[0], other[0])
    assert not torch.equal(one[1], other[1])
    assert all(layer.b is None for layer in model.layers)


def test_the_last_layers_merge_reads_of_each_head_the_last_layer():
    merge = ablated.LastLayer(2, ModelOptions(heads=2, num_layers=3, hidden_channels=1, edge_hidden_channels=1))
    h_star = torch.arange(12.0).unsqueeze(0)  # heads outermost, then layers, then channels
    torch.testing.assert_close(merge(h_star), merge.out(tensor([[4.0, 5.0, 10.0, 11.0]])))


@pytest.mark.parametrize("without", ["edge block", "earlier layers", "self-loops"])
def test_ablated_models_learn(without):
    graph = two_groups()
    settings = {"without": without, "epochs": 60, "backend": "torch", "learning_rate": 0.02}
    logits = ablated.answer(graph, settings, 0, "cpu").logits
    assert (logits.argmax(1) == graph.y)[graph.test_mask].float().mean() > 0.9
