"""The citation graphs: a small one in the same layout, PyG's reading of the real ones, a read-only folder."""

from __future__ import annotations

import os
import pickle
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import torch
import torch_geometric.datasets
from scipy.sparse import csr_matrix

from edgegat.data import DataError
from edgegat.data.datasets import Planetoid

needs_data = pytest.mark.skipif(
    "EDGEGAT_DATA" not in os.environ, reason="EDGEGAT_DATA, the folder of the real data sets, is not set"
)
# The public split has 500 validation papers behind the training ones, so a graph needs more than these.
KNOWN, TEST, TRAIN = 510, 10, 4


def write_ring(folder: Path) -> None:
    """Papers in a ring, each citing the next; paper 0 cites paper 2, too, and itself."""
    folder.mkdir(parents=True)
    papers = KNOWN + TEST
    x = np.zeros((papers, 3), np.float32)
    x[:, 0] = 1
    x[::2, 1] = 3
    y = np.eye(2, dtype=np.int32)[np.arange(papers) % 2]
    graph = defaultdict(list, {i: [(i + 1) % papers] for i in range(papers)})
    graph[0] += [2, 0, 1]
    parts = {
        "x": csr_matrix(x[:TRAIN]),
        "allx": csr_matrix(x[:KNOWN]),
        "tx": csr_matrix(x[KNOWN:]),
        "y": y[:TRAIN],
        "ally": y[:KNOWN],
        "ty": y[KNOWN:],
        "graph": graph,
    }
    for part, content in parts.items():
        (folder / f"ind.cora.{part}").write_bytes(pickle.dumps(content))
    (folder / "ind.cora.test.index").write_text("".join(f"{i}\n" for i in range(KNOWN, papers)))


@pytest.fixture
def root(tmp_path) -> Path:
    write_ring(tmp_path / "Cora" / "raw")
    return tmp_path


def test_a_ring_by_hand(root):
    graph = Planetoid(root)[0]
    assert (graph.num_nodes, graph.num_edges) == (520, 521)
    ends = {frozenset(edge) for edge in graph.edge_index.T.tolist()}
    assert ends == {frozenset((i, (i + 1) % 520)) for i in range(520)} | {frozenset((0, 2))}
    # Every edge of a ring touches two others; nodes 0 and 2 have one edge more.
    count = {
        frozenset(edge): int(n) for edge, n in zip(graph.edge_index.T.tolist(), graph.edge_attr, strict=True)
    }
    special = {(0, 2): 4, (0, 1): 3, (1, 2): 3, (2, 3): 3, (519, 0): 3, (5, 6): 2}
    assert {edge: count[frozenset(edge)] for edge in special} == special
    assert graph.x[:2].tolist() == [[0.25, 0.75, 0], [1, 0, 0]]
    assert graph.y[:4].tolist() == [0, 1, 0, 1]
    assert [int(mask.sum()) for mask in (graph.train_mask, graph.val_mask, graph.test_mask)] == [4, 500, 10]


def test_scaling_is_a_choice(root):
    raw, scaled = Planetoid(root, normalize_features=False)[0], Planetoid(root, standardize_edges=True)[0]
    assert raw.x[0].tolist() == [1, 3, 0]
    assert abs(scaled.edge_attr.mean()) < 1e-6
    assert abs(scaled.edge_attr.std(correction=0) - 1) < 1e-5
    count = raw.edge_attr
    assert torch.allclose(scaled.edge_attr, (count - count.mean()) / count.std(correction=0))


def test_nothing_is_written_to_the_folder(root, monkeypatch):
    def forbidden(*_args, **_kwargs):
        raise AssertionError("the folder may be read-only")

    before = sorted(root.rglob("*"))
    monkeypatch.setattr(torch, "save", forbidden)
    monkeypatch.setattr(os, "makedirs", forbidden)
    monkeypatch.setattr(torch_geometric.datasets, "Planetoid", forbidden)
    Planetoid(root)
    assert sorted(root.rglob("*")) == before


def test_what_is_missing_is_downloaded_by_pyg(tmp_path, monkeypatch):
    monkeypatch.setattr(
        torch_geometric.datasets, "Planetoid", lambda root, name: write_ring(Path(root) / name / "raw")
    )
    assert Planetoid(tmp_path)[0].num_edges == 521


def test_without_a_network_the_message_says_where_to_copy_the_files(tmp_path, monkeypatch):
    def unreachable(root: str, name: str) -> None:
        raise OSError("Network is unreachable")

    monkeypatch.setattr(torch_geometric.datasets, "Planetoid", unreachable)
    with pytest.raises(DataError, match=r"has no ind\.cora\.\* files, and .*unreachable.*kimiyoung/planetoid"):
        Planetoid(tmp_path)


@pytest.mark.parametrize("part", ["x", "ally", "graph", "test.index"])
def test_a_broken_file_is_one_message(root, part):
    (root / "Cora" / "raw" / f"ind.cora.{part}").write_bytes(b"garbage")
    with pytest.raises(DataError, match=r"Cora.raw cannot be read as the citation graph Cora: "):
        Planetoid(root)


def test_another_name_is_refused(tmp_path):
    with pytest.raises(DataError, match="no citation graph 'cora'; there are 'Cora', 'CiteSeer', 'PubMed'"):
        Planetoid(tmp_path, "cora")


@needs_data
@pytest.mark.parametrize(
    ("name", "nodes", "edges", "features", "classes", "largest", "train"),
    [
        ("Cora", 2_708, 5_278, 1_433, 7, 196, 140),
        ("CiteSeer", 3_327, 4_552, 3_703, 6, 124, 120),
        ("PubMed", 19_717, 44_324, 500, 3, 300, 60),
    ],
)
def test_the_real_numbers(name, nodes, edges, features, classes, largest, train):
    dataset = Planetoid(name=name)
    graph = dataset.graph
    assert (graph.num_nodes, graph.num_edges) == (nodes, edges)
    assert (dataset.num_node_features, dataset.num_classes, dataset.num_edge_features) == (features, classes, 1)
    assert [int(mask.sum()) for mask in (graph.train_mask, graph.val_mask, graph.test_mask)] == [
        train,
        500,
        1_000,
    ]
    degree = torch.bincount(graph.edge_index.flatten(), minlength=nodes)
    one, other = graph.edge_index
    assert torch.equal(graph.edge_attr.squeeze(1), (degree[one] + degree[other] - 2).float())
    assert graph.edge_attr.max() == largest
    has_words = graph.x.sum(1) > 0
    assert torch.allclose(graph.x[has_words].sum(1), torch.ones(int(has_words.sum())), atol=1e-5)
    assert (~has_words).sum() == (15 if name == "CiteSeer" else 0)


@needs_data
def test_it_is_the_graph_that_pyg_reads(tmp_path):
    raw = tmp_path / "Cora" / "raw"
    raw.parent.mkdir()
    raw.symlink_to(Path(os.environ["EDGEGAT_DATA"]) / "planetoid" / "Cora" / "raw")
    theirs = torch_geometric.datasets.Planetoid(str(tmp_path), "Cora")[0]
    ours = Planetoid(tmp_path, normalize_features=False)[0].to_pyg()
    assert torch.equal(ours.x, theirs.x)
    assert torch.equal(ours.y, theirs.y)
    assert torch.equal(ours.test_mask, theirs.test_mask)
    assert set(map(tuple, ours.edge_index.T.tolist())) == set(map(tuple, theirs.edge_index.T.tolist()))
    assert ours.edge_index.size(1) == theirs.edge_index.size(1)
