"""Stars: the incidences of a graph, against a plain-Python list of them."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest
import torch
from hypothesis import given

from edgegat.graph import Stars
from tests.graph.draw import columns, fast, graphs


def incidences(num_nodes: int, pairs: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """``(node, edge, other)`` by node, then by edge; a self-loop once."""
    rows = [
        (node, edge, other)
        for edge, (i, j) in enumerate(pairs)
        for node, other in ([(i, j)] if i == j else [(i, j), (j, i)])
    ]
    return [row for node in range(num_nodes) for row in rows if row[0] == node]


@fast
@given(graphs())
def test_every_incidence_of_every_node(graph):
    num_nodes, pairs = graph
    stars = Stars.build(columns(pairs), num_nodes)
    expected = incidences(num_nodes, pairs)

    assert list(zip(*(t.tolist() for t in (stars.node, stars.edge, stars.other)), strict=True)) == expected
    for v in range(num_nodes):
        rows = stars.node[stars.ptr[v] : stars.ptr[v + 1]].tolist()
        assert rows == [v] * sum(row[0] == v for row in expected)
        assert int(stars.degree[v]) == len(rows)
    assert stars.num_nodes == num_nodes
    assert stars.num_edges == len(pairs)
    assert stars.num_incidences == 2 * len(pairs) - sum(i == j for i, j in pairs)


@fast
@given(graphs())
def test_slots_lead_back_to_both_ends_of_an_edge(graph):
    num_nodes, pairs = graph
    stars = Stars.build(columns(pairs), num_nodes)
    for e, (i, j) in enumerate(pairs):
        first, second = stars.slot[:, e].tolist()
        assert (int(stars.edge[first]), int(stars.node[first]), int(stars.other[first])) == (e, i, j)
        if i == j:
            assert second == -1
        else:
            assert (int(stars.edge[second]), int(stars.node[second]), int(stars.other[second])) == (e, j, i)
    taken = stars.slot[stars.slot >= 0]
    assert taken.sort().values.tolist() == list(range(stars.num_incidences))


@pytest.mark.parametrize("pairs", [[], [(0, 1), (1, 1)]], ids=["no edges", "two edges"])
def test_everything_is_int64(pairs):
    stars = Stars.build(columns(pairs), 3)
    for field in fields(stars):
        assert getattr(stars, field.name).dtype == torch.int64, field.name
    assert stars.degree.dtype == torch.int64


@pytest.mark.parametrize("num_nodes", [0, 4])
def test_no_edges(num_nodes):
    stars = Stars.build(torch.zeros(2, 0, dtype=torch.long), num_nodes)
    assert stars.ptr.tolist() == [0] * (num_nodes + 1)
    assert stars.degree.tolist() == [0] * num_nodes
    assert stars.slot.shape == (2, 0)
    assert (stars.num_nodes, stars.num_edges, stars.num_incidences) == (num_nodes, 0, 0)


def test_a_hub_with_parallel_edges_and_loops_stays_in_edge_order():
    pairs = [(0, i % 3) for i in range(5000)]
    stars = Stars.build(columns(pairs), 3)
    hub = stars.edge[stars.ptr[0] : stars.ptr[1]]
    assert torch.equal(hub, torch.arange(5000))


def test_stars_are_immutable_and_share_no_memory_with_the_columns():
    edge_index = columns([(0, 1), (1, 2), (2, 2)])
    before = edge_index.clone()
    stars = Stars.build(edge_index, 3)
    other = stars.other.clone()
    with pytest.raises(FrozenInstanceError):
        stars.ptr = stars.ptr + 1
    assert torch.equal(edge_index, before)
    edge_index.zero_()
    assert torch.equal(stars.other, other)
    assert stars.node.tolist() == [0, 1, 1, 2, 2]


def test_stars_move_with_all_their_tensors():
    stars = Stars.build(columns([(0, 1), (1, 1)]), 3)
    moved = stars.to("meta")
    for field in fields(stars):
        assert getattr(moved, field.name).device.type == "meta", field.name
        assert getattr(moved, field.name).shape == getattr(stars, field.name).shape, field.name
    assert moved.device.type == "meta"
    assert stars.device.type == "cpu"
    assert repr(moved) == "Stars(num_nodes=3, num_edges=2, num_incidences=3, device='meta')"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_stars_built_on_a_gpu_are_the_same():
    g = torch.Generator().manual_seed(0)
    edge_index = torch.randint(500, (2, 20_000), generator=g)
    here, there = Stars.build(edge_index, 500), Stars.build(edge_index.cuda(), 500)
    assert there.device.type == "cuda"
    for field in fields(here):
        assert torch.equal(getattr(here, field.name), getattr(there, field.name).cpu()), field.name


@pytest.mark.parametrize("dtype", [torch.int32, torch.float32, torch.bool])
def test_other_types_are_refused(dtype):
    with pytest.raises(TypeError, match=rf"holds {dtype}, .* torch\.int64: call edge_index\.long\(\)"):
        Stars.build(torch.tensor([[0], [1]], dtype=dtype), 2)


@pytest.mark.parametrize("shape", [(4,), (3, 2), (2, 2, 2)])
def test_other_shapes_are_refused(shape):
    shown = str(tuple(shape)).replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(ValueError, match=rf"shape {shown}, but it must be \[2, M\]"):
        Stars.build(torch.zeros(shape, dtype=torch.long), 5)


@pytest.mark.parametrize(
    ("pairs", "num_nodes", "message"),
    [
        ([(0, 1), (1, 7)], 3, r"edge_index\[1, 1\] is 7, but the graph has 3 nodes, numbered 0 to 2\."),
        ([(0, 1), (3, 1)], 3, r"edge_index\[0, 1\] is 3, but the graph has 3 nodes"),
        ([(0, 1), (-1, 9)], 3, r"edge_index\[0, 1\] is -1, but"),
        ([(0, 2**40)], 3, r"edge_index\[1, 0\] is 1099511627776, but"),
        ([(0, 0)], 0, r"edge_index\[0, 0\] is 0, but the graph has no nodes\. Add the missing rows to x"),
    ],
)
def test_node_numbers_out_of_range_are_refused_where_they_stand(pairs, num_nodes, message):
    with pytest.raises(IndexError, match=message):
        Stars.build(columns(pairs), num_nodes)
