"""The habits that all data sets share."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from edgegat.data import DataError
from edgegat.data.datasets import EthereumPhishing, GraphDataset, Planetoid
from edgegat.graph import EdgeGraph


@pytest.fixture
def dataset():
    graph = EdgeGraph(
        x=torch.eye(3),
        edge_index=torch.tensor([[0, 1], [1, 2]]),
        edge_attr=torch.ones(2, 5),
        y=torch.tensor([0, -1, 2]),
    )
    return GraphDataset("Three", graph, np.array([5, 6, 7]))


def test_one_graph_as_in_pyg(dataset):
    assert len(dataset) == 1
    assert dataset[0] is dataset[-1] is dataset.graph
    assert list(dataset) == [dataset.graph]
    assert (dataset.num_node_features, dataset.num_edge_features, dataset.num_classes) == (3, 5, 3)
    assert repr(dataset).startswith("Three(EdgeGraph(num_nodes=3, num_edges=2,")


def test_there_is_no_second_graph(dataset):
    with pytest.raises(IndexError, match="Three has one graph, number 0, and no number 1"):
        dataset[1]


@pytest.mark.parametrize("kind", [Planetoid, EthereumPhishing])
def test_without_a_folder_the_message_says_where_to_put_it(monkeypatch, kind):
    monkeypatch.delenv("EDGEGAT_DATA", raising=False)
    with pytest.raises(DataError, match=r"no folder is given and .* EDGEGAT_DATA is not set\. Give .* root="):
        kind()


def test_the_folder_of_the_environment_is_used(monkeypatch, tmp_path):
    monkeypatch.setenv("EDGEGAT_DATA", str(tmp_path))
    with pytest.raises(DataError, match=f"there is no file {tmp_path}/ethereum-phishing/"):
        EthereumPhishing()
