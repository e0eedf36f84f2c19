"""EdgeGraph from PyG's two columns per undirected edge, and back."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from edgegat.graph import EdgeGraph
from tests.graph.draw import columns, fast, graphs

# Both columns of 0-1 agree, those of 1-2 do not; 2 → 2 is a loop, and 0 → 1 comes a second time.
PAIRS = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 2), (0, 1)]
FEATURES = torch.tensor([[1.0], [1.0], [2.0], [4.0], [5.0], [6.0]])


def data(**changes) -> Data:
    return Data(**({"x": torch.eye(3), "edge_index": columns(PAIRS), "edge_attr": FEATURES} | changes))


@pytest.mark.parametrize(
    ("policies", "pairs", "features", "note"),
    [
        (
            {},
            [[0, 1], [1, 2], [2, 1], [2, 2], [0, 1]],
            [1, 2, 4, 5, 6],
            "1 pair with different features kept as two edges each",
        ),
        ({"conflict": "mean"}, [[0, 1], [1, 2], [2, 2], [0, 1]], [1, 3, 5, 6], "combined by 'mean'"),
        ({"conflict": "sum"}, [[0, 1], [1, 2], [2, 2], [0, 1]], [1, 6, 5, 6], "combined by 'sum'"),
        ({"conflict": "first"}, [[0, 1], [1, 2], [2, 2], [0, 1]], [1, 2, 5, 6], "combined by 'first'"),
        ({"self_loops": "drop"}, [[0, 1], [1, 2], [2, 1], [0, 1]], [1, 2, 4, 6], "1 self-loop dropped"),
        ({"parallel": "drop"}, [[0, 1], [1, 2], [2, 1], [2, 2]], [1, 2, 4, 5], "1 repeated column dropped"),
        (
            {"conflict": "first", "self_loops": "drop", "parallel": "drop"},
            [[0, 1], [1, 2]],
            [1, 2],
            "6 columns became 2 edges: 1 pair of equal opposite columns merged",
        ),
    ],
)
def test_policies(policies, pairs, features, note):
    graph = EdgeGraph.from_pyg(data(), **policies)
    assert graph.edge_index.t().tolist() == pairs
    assert graph.edge_attr.flatten().tolist() == features
    assert note in graph.note


def test_a_directed_graph_keeps_its_columns_there_and_back():
    graph = EdgeGraph.from_pyg(data(), directed=True)
    assert graph.edge_index.t().tolist() == [list(pair) for pair in PAIRS]
    assert graph.note == "6 columns became 6 directed edges"
    back = graph.to_pyg(directed=True)
    assert torch.equal(back.edge_index, columns(PAIRS))
    assert torch.equal(back.edge_attr, FEATURES)
    fewer = EdgeGraph.from_pyg(data(), directed=True, self_loops="drop", parallel="drop")
    assert fewer.edge_index.t().tolist() == [[0, 1], [1, 0], [1, 2], [2, 1]]


def test_a_conflict_can_be_an_error():
    with pytest.raises(ValueError, match="columns 2 and 3 join nodes 1 and 2 in opposite directions"):
        EdgeGraph.from_pyg(data(), conflict="error")
    agreeing = FEATURES.clone()
    agreeing[3] = agreeing[2]
    assert EdgeGraph.from_pyg(data(edge_attr=agreeing), conflict="error").num_edges == 4


def test_everything_else_is_taken_over():
    mask = torch.tensor([True, False, False])
    graph = EdgeGraph.from_pyg(data(y=torch.tensor([0, 1, -1]), train_mask=mask, val_mask=~mask))
    assert torch.equal(graph.x, torch.eye(3))
    assert graph.y.tolist() == [0, 1, -1]
    assert torch.equal(graph.train_mask, mask)
    assert torch.equal(graph.val_mask, ~mask)
    assert graph.test_mask is None


def test_one_column_per_edge_already_stays_as_it_is():
    pairs = [(4, 0), (1, 2), (0, 3), (2, 0)]
    graph = EdgeGraph.from_pyg(Data(x=torch.ones(5, 1), edge_index=columns(pairs), edge_attr=FEATURES[:4]))
    assert torch.equal(graph.edge_index, columns(pairs))
    assert torch.equal(graph.edge_attr, FEATURES[:4])
    assert graph.note == "4 columns became 4 edges: 0 pairs of equal opposite columns merged"


def test_missing_features_and_features_of_other_types():
    bare = EdgeGraph.from_pyg(Data(edge_index=columns(PAIRS), num_nodes=4))
    assert (bare.x.shape, bare.edge_attr.shape) == ((4, 0), (4, 0))
    flat = EdgeGraph.from_pyg(data(edge_attr=torch.tensor([1, 1, 2, 5, 5, 6])), conflict="mean")
    assert flat.edge_attr.dtype == torch.float32
    assert flat.edge_attr.flatten().tolist() == [1.0, 3.5, 5.0, 6.0]
    wide = EdgeGraph.from_pyg(data(x=torch.eye(3, dtype=torch.float64)))
    assert wide.edge_attr.dtype == torch.float64


def test_refusals_speak_of_the_rows_of_the_caller():
    # Merged, the wrong value would stand in row 3.
    missing = FEATURES.clone()
    missing[4] = float("nan")
    with pytest.raises(ValueError, match=r"edge_attr\[4, 0\] is nan"):
        EdgeGraph.from_pyg(data(edge_attr=missing))
    with pytest.raises(IndexError, match=r"edge_index\[0, 3\] is 2, but the graph has 2 nodes"):
        EdgeGraph.from_pyg(data(x=torch.eye(2)))
    with pytest.raises(ValueError, match="edge_attr has 5 rows, but edge_index has 6 columns"):
        EdgeGraph.from_pyg(data(edge_attr=FEATURES[:5]))
    with pytest.raises(TypeError, match=r"x is torch\.int64, .* call x\.float\(\)"):
        EdgeGraph.from_pyg(data(x=torch.eye(3).long()))
    with pytest.raises(ValueError, match="the Data object has no edge_index"):
        EdgeGraph.from_pyg(Data(x=torch.eye(3)))
    with pytest.raises(ValueError, match="conflict is 'avg', but it must be one of 'keep', 'mean', 'sum', "):
        EdgeGraph.from_pyg(data(), conflict="avg")


def some_graph(num_nodes: int, pairs: list) -> EdgeGraph:
    """No two edges have the same features, so that each finds its own way back."""
    number = torch.arange(float(len(pairs))).unsqueeze(1)
    labels = torch.arange(num_nodes) - 1
    return EdgeGraph(labels.float().unsqueeze(1), columns(pairs), number, labels, test_mask=labels > 1)


@fast
@given(graphs())
def test_there_and_back(drawn):
    graph = some_graph(*drawn)
    back = EdgeGraph.from_pyg(graph.to_pyg(), conflict="error")
    for name in ("x", "edge_index", "edge_attr", "y", "test_mask"):
        assert torch.equal(getattr(back, name), getattr(graph, name)), name
    assert back.train_mask is None


@fast
@given(graphs(parallel=False))
def test_pyg_reads_the_same_undirected_graph(drawn):
    graph = some_graph(*drawn)
    two_columns = graph.to_pyg()
    M, loops = graph.num_edges, int((graph.edge_index[0] == graph.edge_index[1]).sum())
    assert two_columns.num_edges == 2 * M - loops
    assert torch.equal(two_columns.edge_index[:, :M], graph.edge_index)
    # PyG's own function sorts the columns, and averages the loop that it counts twice.
    expected = to_undirected(graph.edge_index, graph.edge_attr, graph.num_nodes, reduce="mean")
    sorted_columns = two_columns.sort(sort_by_row=True)
    order = (sorted_columns.edge_index[0] * graph.num_nodes + sorted_columns.edge_index[1]).argsort()
    assert torch.equal(sorted_columns.edge_index[:, order], expected[0])
    assert torch.equal(sorted_columns.edge_attr[order], expected[1])
