"""Ethereum phishing: a folder of three accounts by hand, and the real files where they are."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest
import torch

from edgegat.data import DataError
from edgegat.data.datasets import EthereumPhishing

EDGES = """\
,from,to,amount,n_transactions,timestamp
0,30,10,2.5,1,1000
1,10,20,1.0,3,31558600
2,10,30,0.5,4,2000
3,20,20,8.0,2,3000
"""
NODES = """\
,id,label,has_label,is_train,is_test
0,30,1.0,True,True,False
1,10,0.0,True,False,True
2,20,,False,False,False
"""
YEARS = 31557600.0

needs_data = pytest.mark.skipif(
    "EDGEGAT_DATA" not in os.environ, reason="EDGEGAT_DATA, the folder of the real data sets, is not set"
)


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "edges.csv").write_text(EDGES)
    (tmp_path / "nodes_train_test_split.csv").write_text(NODES)
    return tmp_path


def test_a_small_one_by_hand(folder):
    dataset = EthereumPhishing(folder)
    graph = dataset[0]
    assert dataset.ids.tolist() == [10, 20, 30]
    assert graph.edge_index.tolist() == [[2, 0, 0, 1], [0, 1, 2, 1]]
    expected = [
        [math.log(2.5), 0.0],
        [0.0, math.log(3)],
        [math.log(0.5), math.log(4)],
        [math.log(8), math.log(2)],
    ]
    assert torch.allclose(graph.edge_attr, torch.tensor(expected))
    assert graph.x.tolist() == [[1], [1], [1]]
    assert graph.y.tolist() == [0, -1, 1]
    assert graph.test_mask.tolist() == [True, False, False]
    assert (graph.train_mask | graph.val_mask).tolist() == [False, False, True]


def test_time_is_in_years_since_the_first_transfer(folder):
    graph = EthereumPhishing(folder, time=True)[0]
    assert torch.allclose(graph.edge_attr[:, 2], torch.tensor([0.0, 1.0, 1000 / YEARS, 2000 / YEARS]))
    assert torch.equal(graph.edge_attr[:, :2], EthereumPhishing(folder)[0].edge_attr)


def test_undirected_adds_up_the_two_directions(folder):
    graph = EthereumPhishing(folder, time=True, undirected=True)[0]
    assert graph.edge_index.tolist() == [[2, 0, 1], [0, 1, 1]]
    first = [math.log(3.0), math.log(5), 1000 / YEARS]
    assert torch.allclose(graph.edge_attr[0], torch.tensor(first))
    assert graph.note == "undirected: 4 directed edges became 3, amounts and transactions summed"


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("edges.csv", "10,20,1.0", "11,20,1.0", r"edges.csv, line 3: 'from' is an account that nodes_train"),
        ("edges.csv", "10,30,0.5", "10,31,0.5", r"line 4: 'to' is an account .* does not have \(1 in all\)"),
        ("edges.csv", "2.5", "0", r"edges.csv, line 2: 'amount' is not above 0 \(1 in all\)"),
        ("edges.csv", "8.0,2,", "8.0,-2,", "line 5: 'n_transactions' is not above 0"),
        ("edges.csv", "2.5", "", "line 2: 'amount' is empty"),
        ("edges.csv", "2.5", "many", r"is not as it should be, with the columns from, to, amount.*many"),
        ("edges.csv", "amount", "sum", r"is not as it should be, with the columns .*amount"),
        ("edges.csv", EDGES[EDGES.index("\n") + 1 :], "", "has a header and nothing below it"),
        ("edges.csv", EDGES, "", "is not as it should be"),
        (
            "nodes_train_test_split.csv",
            "2,20,",
            "2,10,",
            r"csv, line 3: 'id' is not the only one .* \(2 in all\)",
        ),
        ("nodes_train_test_split.csv", "True,False,True", "True,,True", "line 3: 'is_train' is empty"),
    ],
)
def test_files_that_are_not_the_published_ones(folder, file, old, new, message):
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    with pytest.raises(DataError, match=message):
        EthereumPhishing(folder, undirected=True)


@pytest.mark.parametrize("file", ["edges.csv", "nodes_train_test_split.csv"])
def test_missing_files_are_named_with_their_source(folder, file):
    (folder / file).unlink()
    with pytest.raises(DataError, match=rf"there is no file .*{file}\. .* arXiv 1905\.08038"):
        EthereumPhishing(folder)


@needs_data
def test_the_real_numbers():
    dataset = EthereumPhishing()
    graph = dataset.graph
    assert (graph.num_nodes, graph.num_edges, dataset.num_classes) == (86_622, 106_083, 2)
    assert graph.y.unique(return_counts=True)[1].tolist() == [86_622 - 890, 445, 445]
    assert [int(mask.sum()) for mask in (graph.train_mask, graph.val_mask, graph.test_mask)] == [468, 155, 267]
    assert dataset.ids[[0, -1]].tolist() == [1, 86_622]
    assert dataset.num_edge_features == 2
    # The first rows of the files, by hand.
    assert graph.edge_index[:, :2].tolist() == [[0, 0], [1, 1083]]
    assert torch.allclose(graph.edge_attr[1], torch.tensor([math.log(20.80098167), math.log(4)]))
    assert graph.y[1469] == 0
    assert graph.y[1083] in (-1, 0, 1)


@needs_data
def test_the_parts_are_of_labelled_accounts_and_do_not_overlap():
    graph = EthereumPhishing()[0]
    masks = torch.stack([graph.train_mask, graph.val_mask, graph.test_mask])
    assert masks.sum(0).max() == 1
    assert torch.equal(masks.any(0), graph.y >= 0)
    for mask in masks:
        assert abs(graph.y[mask].double().mean() - 0.5) < 0.06
    other = EthereumPhishing(seed=1)[0]
    assert torch.equal(graph.test_mask, other.test_mask)
    assert not torch.equal(graph.val_mask, other.val_mask)
    assert torch.equal(graph.val_mask, EthereumPhishing()[0].val_mask)


@needs_data
def test_undirected_keeps_all_the_money():
    directed, undirected = EthereumPhishing()[0], EthereumPhishing(undirected=True, time=True)[0]
    assert undirected.num_edges == 104_322
    totals = [graph.edge_attr[:, :2].double().exp().sum(0) for graph in (directed, undirected)]
    assert torch.allclose(*totals, rtol=1e-6)
    lower, higher = undirected.edge_index.min(0).values, undirected.edge_index.max(0).values
    assert (lower * undirected.num_nodes + higher).unique().numel() == undirected.num_edges
    assert undirected.edge_attr[:, 2].min() >= 0


@needs_data
def test_the_first_transfer_s_time_nearly_gives_phishing_away():
    graph = EthereumPhishing(time=True)[0]
    first = torch.full((graph.num_nodes,), torch.inf)
    for end in graph.edge_index:
        first.scatter_reduce_(0, end, graph.edge_attr[:, 2], "amin")
    later = first[graph.y == 1].unsqueeze(1) > first[graph.y == 0]
    assert later.double().mean() == pytest.approx(0.976, abs=0.001)
