"""The PyG transforms do to two columns per edge what EdgeGraph does to one."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.transforms import Compose

from edgegat.graph import AddTopologicalEdgeFeature, AddVirtualSelfLoops, EdgeGraph
from tests.graph.draw import columns, fast, graphs

TRANSFORMS = [AddTopologicalEdgeFeature(), AddVirtualSelfLoops()]


@st.composite
def data_objects(draw: st.DrawFn) -> Data:
    """Any columns, one way or both, with features that agree often."""
    num_nodes, pairs = draw(graphs(max_nodes=5, max_edges=10))
    rows = [[float(draw(st.integers(0, 2)))] for _ in pairs]
    return Data(
        x=torch.zeros(num_nodes, 1),
        edge_index=columns(pairs),
        edge_attr=torch.tensor(rows).reshape(len(pairs), 1),
    )


def assert_same(a: EdgeGraph, b: EdgeGraph) -> None:
    assert torch.equal(a.edge_index, b.edge_index)
    assert torch.equal(a.edge_attr, b.edge_attr)


@fast
@given(data_objects(), st.booleans())
def test_transforming_and_merging_are_one_thing_in_both_orders(data, directed):
    def merged(data: Data) -> EdgeGraph:
        return EdgeGraph.from_pyg(data, directed=directed)

    graph, count, loop = merged(data), AddTopologicalEdgeFeature(directed), AddVirtualSelfLoops(directed)
    assert_same(merged(count(data)), graph.with_topological_edge_feature())
    assert_same(merged(loop(data)), graph.with_virtual_self_loops())
    both = Compose([count, loop])(data)
    assert_same(merged(both), graph.with_topological_edge_feature().with_virtual_self_loops())


@fast
@given(data_objects())
def test_given_columns_stay_where_they_are(data):
    C = data.num_edges
    counted, looped = AddTopologicalEdgeFeature()(data), AddVirtualSelfLoops()(data)
    assert torch.equal(counted.edge_index, data.edge_index)
    assert torch.equal(counted.edge_attr[:, :1], data.edge_attr)
    assert torch.equal(looped.edge_index[:, :C], data.edge_index)
    assert torch.equal(looped.edge_attr[:C], data.edge_attr)
    again = AddVirtualSelfLoops()(looped)
    assert torch.equal(again.edge_index, looped.edge_index)


def test_the_given_object_is_left_alone():
    data = Data(edge_index=columns([(0, 1), (1, 0)]), edge_attr=torch.ones(2), y=torch.ones(3), num_nodes=3)
    for transform in TRANSFORMS:
        result = transform(data)
        assert isinstance(result, Data)
        assert torch.equal(result.y, data.y)
        assert result.num_nodes == 3
        assert data.edge_index.shape == (2, 2)
        assert data.edge_attr.shape == (2,)


def test_a_directed_triangle_and_its_tail_by_hand():
    # 0-1 has both columns, 1→2 and 2→0 one each, 2-3 two that differ and are two edges.
    pairs = [(0, 1), (1, 0), (1, 2), (2, 0), (2, 3), (3, 2)]
    data = Data(
        edge_index=columns(pairs),
        edge_attr=torch.tensor([[4.0], [4.0], [6.0], [8.0], [1.0], [3.0]]),
        num_nodes=5,
    )
    assert AddTopologicalEdgeFeature()(data).edge_attr[:, 1].tolist() == [2.0, 2.0, 4.0, 4.0, 3.0, 3.0]
    looped = AddVirtualSelfLoops()(data)
    assert looped.edge_index[:, 6:].tolist() == [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]
    assert looped.edge_attr[6:].flatten().tolist() == [6.0, 5.0, 4.5, 2.0, 0.0]


def test_edges_without_features():
    path = Data(edge_index=columns([(0, 1), (1, 0), (1, 2)]), num_nodes=4)
    counted = AddTopologicalEdgeFeature()(path)
    assert counted.edge_attr.dtype == torch.float32
    assert counted.edge_attr.tolist() == [[1.0], [1.0], [1.0]]
    looped = AddVirtualSelfLoops()(path)
    assert looped.edge_index.size(1) == 3 + 4
    assert looped.edge_attr.shape == (7, 0)


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int64])
def test_counts_fit_beside_whole_numbers(dtype):
    # 300 adjacent edges are more than uint8 counts, and no truth value.
    star = columns([(0, leaf) for leaf in range(1, 302)])
    data = Data(edge_index=star, edge_attr=torch.ones(301, 1, dtype=dtype), num_nodes=302)
    edge_attr = AddTopologicalEdgeFeature()(data).edge_attr
    assert edge_attr.dtype == torch.int64
    assert edge_attr.unique(dim=0).tolist() == [[1, 300]]


@pytest.mark.parametrize("transform", TRANSFORMS, ids=repr)
def test_what_is_wrong_is_said(transform):
    with pytest.raises(ValueError, match="the Data object has no edge_index"):
        transform(Data(x=torch.ones(2, 1)))
    with pytest.raises(ValueError, match="edge_attr has 3 rows, but edge_index has 1 columns"):
        transform(Data(edge_index=columns([(0, 1)]), edge_attr=torch.ones(3, 1), num_nodes=2))
    with pytest.raises(IndexError, match=r"edge_index\[1, 0\] is 7, but the graph has 2 nodes"):
        transform(Data(edge_index=columns([(0, 7)]), edge_attr=torch.ones(1, 1), num_nodes=2))


def test_the_mean_of_whole_numbers_is_refused():
    data = Data(edge_index=columns([(0, 1)]), edge_attr=torch.ones(1, 1).long(), num_nodes=2)
    with pytest.raises(TypeError, match=r"edge_attr is torch\.int64, .* edge_attr\.float\(\)"):
        AddVirtualSelfLoops()(data)


def test_transforms_say_what_they_are():
    assert [repr(transform) for transform in TRANSFORMS] == [
        "AddTopologicalEdgeFeature()",
        "AddVirtualSelfLoops()",
    ]
    assert repr(AddVirtualSelfLoops(directed=True)) == "AddVirtualSelfLoops(directed=True)"
