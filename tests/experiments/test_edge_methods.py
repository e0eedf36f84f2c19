"""The methods of Tables 2 and 3, on graphs whose answers are known."""

from __future__ import annotations

import math

import pytest
import torch

from edgegat.graph import EdgeGraph
from experiments.answer import judge
from experiments.methods import edge_inputs
from experiments.methods.edge_egnn import (
    EGNN,
    channels,
    normalised,
    on_pairs,
    triangles,
    weighted_sums,
)
from experiments.methods.edge_layers import binned
from experiments.methods.edge_trees import table

TRAINING = {
    "epochs": 60,
    "patience": 60,
    "class_weights": "none",
    "learning_rate": 0.03,
    "undirected": True,
    "backend": "torch",
}
READERS = {
    "EGAT": {"then": "egat"},
    "GINE": {"then": "edge_layers", "layer": "gine", "hidden_channels": 16},
    "R-GCN": {"then": "edge_layers", "layer": "rgcn", "bins": 2, "hidden_channels": 16},
    "boosting": {"then": "edge_trees", "trees": "boosting", "min_samples_leaf": 5},
    "forest": {"then": "edge_trees", "trees": "forest"},
    "SP-GAT-sum": {"then": "gat", "pool": "sum", "dropout": 0.0, "attention_dropout": 0.0},
}
BLIND = {
    "SP-GAT": {"then": "gat", "dropout": 0.0, "attention_dropout": 0.0},
    "GATv2": {"then": "edge_layers", "layer": "gatv2", "heads": 2},
    "EGNN": {"then": "edge_egnn", "hidden_channels": 4},
}


def only_edges_decide() -> EdgeGraph:
    """Sixty rings of three equal customers; in every second one the amounts are large."""
    first = 3 * torch.arange(60).repeat_interleave(3)
    corner = torch.arange(3).repeat(60)
    y = torch.arange(180) // 3 % 2
    part = torch.arange(180) // 6 % 3
    torch.manual_seed(0)
    return EdgeGraph(
        x=torch.ones(180, 1),
        edge_index=torch.stack([first + corner, first + (corner + 1) % 3]),
        edge_attr=(2.0 * y + 0.2 * torch.randn(180)).unsqueeze(1),
        y=y,
        train_mask=part == 0,
        val_mask=part == 1,
        test_mask=part == 2,
    )


def accuracy(settings):
    graph = only_edges_decide()
    answer = edge_inputs.answer(graph, TRAINING | settings, 0, "cpu")
    return judge(answer.logits, graph, graph.test_mask)["accuracy"]


@pytest.mark.parametrize("name", READERS)
def test_who_reads_edges_learns_what_only_edges_tell(name):
    assert accuracy(READERS[name]) == 1.0


@pytest.mark.parametrize("name", BLIND)
def test_who_sees_edges_as_weights_at_most_cannot_tell_equal_nodes_apart(name):
    """The example in the paper's motivation, also of GATv2: attention that sums to one moves no equal things."""
    assert accuracy(BLIND[name]) == 0.5


def drawn_graph(N: int = 12, M: int = 30) -> EdgeGraph:
    torch.manual_seed(0)
    edge_index = torch.randint(N, (2, M))  # with parallel edges, triangles and self-loops
    return EdgeGraph(torch.randn(N, 2).double(), edge_index, torch.randn(M, 2).double())


@pytest.mark.parametrize("undirected", [True, False])
def test_egnn_normalises_rows_and_columns_to_one(undirected):
    graph = drawn_graph()
    pairs, e = channels(graph, undirected)
    rows, columns = normalised(e, pairs)
    ones = torch.ones(graph.num_nodes, 1).double()
    assert torch.allclose(weighted_sums(ones, rows, columns, pairs), torch.ones(()).double())
    every = [
        weighted_sums(unit.unsqueeze(1), rows, columns, pairs) for unit in torch.eye(graph.num_nodes).double()
    ]
    DS = torch.stack(every, 1).squeeze(3)  # [N, N, P]
    assert torch.allclose(DS.sum(0), torch.ones(()).double())
    for p in range(e.size(1)):  # the formula of their section 3.2, written down with matrices
        A = torch.zeros(graph.num_nodes, graph.num_nodes).double().index_put((pairs.i, pairs.j), e[:, p])
        tilde = A / A.sum(1, keepdim=True)
        expected = tilde @ (tilde / tilde.sum(0)).T
        assert torch.allclose(DS[:, :, p], expected)
        assert torch.allclose(on_pairs(rows, columns, pairs)[:, p], expected[pairs.i, pairs.j])


def test_egnn_has_channels_for_both_directions_where_there_are_two():
    pairs, e = channels(star_of_three(), undirected=False)
    weights = {(i, j): row for i, j, row in zip(pairs.i.tolist(), pairs.j.tolist(), e.tolist(), strict=True)}
    assert weights[0, 2][1] == weights[2, 0][0] == 0
    assert weights[0, 2][0] == weights[2, 0][1] == pytest.approx(0.05 + 0.95 * math.log(2) / math.log(6))
    assert weights[1, 1] == [1, 1]
    _, undirected = channels(star_of_three(), undirected=True)
    assert undirected.size(1) == 1


def test_egnn_finds_every_triangle_once():
    pairs, _ = channels(drawn_graph(), undirected=True)
    exists = set(zip(pairs.i.tolist(), pairs.j.tolist(), strict=True))
    expected = {(i, j, k) for i, j in exists for k in range(12) if (i, k) in exists and (j, k) in exists}
    keys = pairs.i * 12 + pairs.j
    ij, ik, jk = triangles(pairs.i, pairs.j, keys, 12)
    found = list(zip(pairs.i[ij].tolist(), pairs.j[ij].tolist(), pairs.j[ik].tolist(), strict=True))
    assert sorted(found) == sorted(expected)
    assert torch.equal(pairs.i[ik], pairs.i[ij])
    assert torch.equal(pairs.i[jk], pairs.j[ij])
    assert torch.equal(pairs.j[jk], pairs.j[ik])


def test_egnn_leaves_equal_nodes_equal_whatever_its_weights():
    graph = drawn_graph()
    pairs, e = channels(graph, undirected=False)
    torch.manual_seed(1)
    out = EGNN(2, 4, 3, e.size(1), 0.0).double()(torch.ones(12, 2).double(), e, pairs)
    assert out.std(0).max() < 1e-12
    moved = EGNN(2, 4, 3, e.size(1), 0.0).double()(graph.x, e, pairs)
    assert moved.std(0).min() > 1e-3


def star_of_three() -> EdgeGraph:
    """Node 0 pays 1, 2 and 6 to three others, of whom node 3 pays 4 to itself."""
    edge_index = torch.tensor([[0, 0, 0, 3], [1, 2, 3, 3]])
    return EdgeGraph(torch.ones(4, 1), edge_index, torch.tensor([[1.0], [2.0], [6.0], [4.0]]).log())


@pytest.mark.parametrize(
    ("how", "expected"), [("sum", [9, 1, 2, 10]), ("avg", [3, 1, 2, 5]), ("max", [6, 1, 2, 6])]
)
def test_pools_are_of_amounts_and_not_of_their_logarithms(how, expected):
    found = edge_inputs.inputs(star_of_three(), {"pool": how, "unscaled": True})
    assert found.x[:, 1].exp().tolist() == pytest.approx(expected)


def test_settings_append_what_they_say():
    graph = star_of_three()
    plain = edge_inputs.inputs(graph, {"unscaled": True})
    assert torch.equal(plain.x, graph.x)
    assert torch.equal(plain.edge_attr, graph.edge_attr)
    told = edge_inputs.inputs(graph, {"unscaled": True, "topology": True, "degrees": True})
    assert told.edge_attr[:, 1].expm1().tolist() == pytest.approx([2, 2, 3, 1])
    assert told.x[:, 1:].expm1().round().tolist() == [[3, 0], [0, 1], [0, 1], [1, 2]]
    scaled = edge_inputs.inputs(graph, {"topology": True, "degrees": True, "undirected": True})
    assert scaled.x[:, 0].tolist() == [1, 1, 1, 1]
    assert scaled.x[:, 1].mean().item() == pytest.approx(0, abs=1e-6)
    assert scaled.edge_attr.std(0, correction=0).tolist() == pytest.approx([1, 1])


def test_trees_see_sums_of_amounts_and_directions_only_where_there_are_any():
    one_way, both = table(star_of_three(), undirected=False), table(star_of_three(), undirected=True)
    assert one_way.shape == (4, 1 + 3 * 11)
    assert both.shape == (4, 1 + 11)
    assert 9.0 in both[0].round(5)
    assert math.log(9) not in both[0]
    assert not (both == -1e9).any()
    assert (one_way[1] == -1e9).any()  # node 1 pays nobody


def test_bins_are_equally_full():
    torch.manual_seed(0)
    kinds = binned(torch.randn(900, 2).exp(), bins=3)
    assert torch.bincount(kinds, minlength=9).min() > 60
    first = torch.bincount(kinds // 3)
    assert first.tolist() == [300, 300, 300]
