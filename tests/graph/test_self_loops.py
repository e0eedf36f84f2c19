"""The paper's virtual self-loops (section 4.2), against its words in plain Python."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from edgegat.graph import add_virtual_self_loops
from tests.graph.draw import columns, fast, graphs


@fast
@given(graphs(), st.integers(0, 3))
def test_the_mean_over_all_adjacent_edges(graph, width):
    num_nodes, pairs = graph
    # Whole numbers: their sums are exact, so that means can be compared bit for bit.
    edge_attr = (torch.arange(len(pairs) * width).double() ** 2).reshape(len(pairs), width)
    expected_pairs, expected_rows = list(pairs), edge_attr.tolist()
    for v in range(num_nodes):
        if (v, v) in pairs:
            continue
        at_v = [edge_attr[e].tolist() for e, pair in enumerate(pairs) if v in pair]
        expected_pairs.append((v, v))
        expected_rows.append([sum(row[c] for row in at_v) / max(len(at_v), 1) for c in range(width)])

    looped, features = add_virtual_self_loops(columns(pairs), edge_attr, num_nodes)

    assert looped.t().tolist() == [list(pair) for pair in expected_pairs]
    assert features.tolist() == expected_rows
    again = add_virtual_self_loops(looped, features, num_nodes)
    assert torch.equal(again[0], looped)
    assert torch.equal(again[1], features)


def test_a_real_self_loop_keeps_its_own_features():
    # Node 1 has one and gets no other, though its features are no mean; its edge 0-1 counts for node 0 alone.
    edge_index, edge_attr = columns([(0, 1), (1, 1)]), torch.tensor([[2.0], [100.0]])
    looped, features = add_virtual_self_loops(edge_index, edge_attr, 2)
    assert looped.tolist() == [[0, 1, 0], [1, 1, 0]]
    assert features.flatten().tolist() == [2.0, 100.0, 2.0]


def test_an_isolated_node_gets_zeros():
    looped, features = add_virtual_self_loops(columns([(0, 2)]), torch.ones(1, 3), 3)
    assert looped.t().tolist() == [[0, 2], [0, 0], [1, 1], [2, 2]]
    assert features[2].tolist() == [0.0, 0.0, 0.0]


def test_no_edges_and_no_nodes():
    looped, features = add_virtual_self_loops(columns([]), torch.zeros(0, 2), 3)
    assert looped.tolist() == [[0, 1, 2], [0, 1, 2]]
    assert torch.equal(features, torch.zeros(3, 2))
    looped, features = add_virtual_self_loops(columns([]), torch.zeros(0, 2), 0)
    assert (looped.shape, features.shape) == ((2, 0), (0, 2))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_the_mean_of_a_hub_in_half_precision(dtype):
    # The sum is beyond float16's range, and bfloat16 stops counting at 256.
    leaves = torch.arange(1, 70_001)
    edge_index = torch.stack([torch.zeros_like(leaves), leaves])
    edge_attr = torch.tensor([1000.0, 3000.0], dtype=dtype).repeat(35_000).unsqueeze(1)
    _, features = add_virtual_self_loops(edge_index, edge_attr, 70_001)
    assert features.dtype == dtype
    assert float(features[70_000]) == float(torch.tensor(2000.0, dtype=dtype))


def test_gradients_reach_the_edges_through_the_means():
    edge_attr = torch.tensor([[1.0], [2.0]], requires_grad=True)
    _, features = add_virtual_self_loops(columns([(0, 1), (1, 2)]), edge_attr, 3)
    features[3].backward(torch.ones(1))  # node 1, between both
    assert edge_attr.grad.flatten().tolist() == [0.5, 0.5]


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool])
def test_whole_numbers_have_no_mean(dtype):
    with pytest.raises(TypeError, match=rf"edge_attr is {dtype}, .* call edge_attr\.float\(\)"):
        add_virtual_self_loops(columns([(0, 1)]), torch.ones(1, 1, dtype=dtype), 2)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="edge_attr has 3 rows, but edge_index has 1 columns"):
        add_virtual_self_loops(columns([(0, 1)]), torch.ones(3, 1), 2)
    with pytest.raises(ValueError, match=r"edge_attr has shape \(1,\), but it must have two dimensions"):
        add_virtual_self_loops(columns([(0, 1)]), torch.ones(1), 2)
    with pytest.raises(IndexError, match=r"edge_index\[1, 0\] is 2, but the graph has 2 nodes"):
        add_virtual_self_loops(columns([(0, 2)]), torch.ones(1, 1), 2)
