"""Figures 1 and 2 of the paper: its four matrices by hand, and both attention blocks computed with them."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given

from edgegat.graph import (
    Stars,
    add_virtual_self_loops,
    edge_adjacency,
    edge_mapping,
    node_adjacency,
    node_mapping,
)
from edgegat.ops import available_backends, node_attention, star_attention
from tests.graph.draw import columns, fast, graphs

# Figure 2, with more edges than nodes, so that no dimension can stand for another:
#
#       0 --p0-- 1
#       |      / |
#      p1   p2   p4
#       | /      |
#       2 --p3-- 3
FIGURE = [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3)]
N, M = 4, 5

A_H = [
    [0, 1, 1, 0],
    [1, 0, 1, 1],
    [1, 1, 0, 1],
    [0, 1, 1, 0],
]
# As the figure draws the mappings: the number of the edge (or node) from 1, 0 where there is none.
M_E = [
    [0, 1, 2, 0],
    [1, 0, 3, 5],
    [2, 3, 0, 4],
    [0, 5, 4, 0],
]
A_E = [
    [1, 1, 1, 0, 1],
    [1, 1, 1, 1, 0],
    [1, 1, 1, 1, 1],
    [0, 1, 1, 1, 1],
    [1, 0, 1, 1, 1],
]
M_H = [
    [0, 1, 2, 0, 2],
    [1, 0, 3, 3, 0],
    [2, 3, 0, 3, 2],
    [0, 3, 3, 0, 4],
    [2, 0, 2, 4, 0],
]


def one_hot(drawn: list[list[int]], size: int) -> torch.Tensor:
    """The third dimension that the figure leaves out."""
    return F.one_hot(torch.tensor(drawn), size + 1)[..., 1:].float()


def test_figure_2_by_hand():
    edge_index = columns(FIGURE)
    for sparse, expected in (
        (node_adjacency(edge_index, N), torch.tensor(A_H).float()),
        (edge_mapping(edge_index, N), one_hot(M_E, M)),
        (edge_adjacency(edge_index, N), torch.tensor(A_E).float()),
        (node_mapping(edge_index, N), one_hot(M_H, N)),
    ):
        assert sparse.is_sparse
        assert torch.equal(sparse.to_dense(), expected)


def test_the_mappings_put_features_into_adjacency_form():
    E = torch.arange(1.0, 2 * M + 1).reshape(M, 2)
    H = torch.arange(1.0, 3 * N + 1).reshape(N, 3)
    E_star = (edge_mapping(columns(FIGURE), N).to_dense().reshape(N * N, M) @ E).reshape(N, N, 2)
    H_star = (node_mapping(columns(FIGURE), N).to_dense().reshape(M * M, N) @ H).reshape(M, M, 3)
    for i in range(N):
        for j in range(N):
            assert E_star[i, j].tolist() == (E[M_E[i][j] - 1].tolist() if M_E[i][j] else [0.0, 0.0])
    for p in range(M):
        for q in range(M):
            assert H_star[p, q].tolist() == (H[M_H[p][q] - 1].tolist() if M_H[p][q] else [0.0, 0.0, 0.0])


def test_adjacency_times_features_sums_over_neighbours():
    H, E = torch.tensor([[1.0], [10.0], [100.0], [1000.0]]), 10.0 ** torch.arange(M).unsqueeze(1)
    assert (node_adjacency(columns(FIGURE), N) @ H).flatten().tolist() == [110, 1101, 1011, 110]
    # Edge p0 = 0-1 reads itself, p1 (at node 0), p2 and p4 (at node 1), and so on.
    assert (edge_adjacency(columns(FIGURE), N) @ E).flatten().tolist() == [10111, 1111, 11111, 11110, 11101]


def test_a_self_loop_is_its_own_node_and_meets_the_edges_there():
    edge_index = columns([(0, 1), (1, 1)])
    assert node_adjacency(edge_index, 2).to_dense().tolist() == [[0, 1], [1, 1]]
    assert torch.equal(edge_mapping(edge_index, 2).to_dense(), one_hot([[0, 1], [1, 2]], 2))
    assert edge_adjacency(edge_index, 2).to_dense().tolist() == [[1, 1], [1, 1]]
    assert torch.equal(node_mapping(edge_index, 2).to_dense(), one_hot([[0, 2], [2, 0]], 2))


@fast
@given(graphs(parallel=False))
def test_every_entry_by_its_definition(graph):
    N, pairs = graph
    M = len(pairs)
    ends = [set(pair) for pair in pairs]
    a_h, m_e = torch.zeros(N, N), torch.zeros(N, N, M)
    for p, (i, j) in enumerate(pairs):
        a_h[i, j] = a_h[j, i] = m_e[i, j, p] = m_e[j, i, p] = 1
    a_e, m_h = torch.eye(M), torch.zeros(M, M, N)
    for p in range(M):
        for q in range(M):
            for v in ends[p] & ends[q] if p != q else ():
                a_e[p, q] = m_h[p, q, v] = 1

    edge_index = columns(pairs)
    assert torch.equal(node_adjacency(edge_index, N).to_dense(), a_h)
    assert torch.equal(edge_mapping(edge_index, N).to_dense(), m_e)
    assert torch.equal(edge_adjacency(edge_index, N).to_dense(), a_e)
    assert torch.equal(node_mapping(edge_index, N).to_dense(), m_h)


@pytest.mark.parametrize("matrix", [node_adjacency, edge_mapping, edge_adjacency, node_mapping])
def test_what_they_cannot_hold_is_refused(matrix):
    with pytest.raises(ValueError, match=r"3 edges join nodes 1 and 2, .* Merge them first, or use Stars"):
        matrix(columns([(0, 1), (1, 2), (2, 1), (1, 2)]), 3)
    with pytest.raises(IndexError, match=r"edge_index\[1, 0\] is 5, but the graph has 3 nodes"):
        matrix(columns([(0, 5)]), 3)


HEADS = 2


def attention_graph() -> tuple[torch.Tensor, int]:
    """The figure's graph with a real self-loop, a tail, an isolated node and virtual self-loops."""
    edge_index = columns([*FIGURE, (3, 3), (3, 4)])
    return add_virtual_self_loops(edge_index, torch.zeros(7, 1), 6)[0], 6


def normal(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def by_matrices(adjacency, mapping, own, between, weight):
    """Equations 1 and 4: one dense block for both, for the roles of nodes and edges are switched.

    ``own [A, F]`` are the features of those who attend and are attended to, ``between [B, F']`` of what stands
    between two of them. Returns the weights ``[A, A]`` and the mapped features ``[A, A, F']``.
    """
    A, B = own.size(0), between.size(0)
    mapped = (mapping.to_dense().double().reshape(A * A, B) @ between).reshape(A, A, -1)
    reader, read = own.unsqueeze(1).expand(A, A, -1), own.unsqueeze(0).expand(A, A, -1)
    logit = F.leaky_relu(torch.cat([reader, read, mapped], 2) @ weight, 0.2)
    return logit.masked_fill(adjacency.to_dense() == 0, -torch.inf).softmax(1), mapped


@pytest.mark.parametrize("backend", available_backends())
def test_node_attention_is_the_matrices_multiplied(backend):
    edge_index, N = attention_graph()
    M = edge_index.size(1)
    H, E, a = normal(0, N, HEADS, 3), normal(1, M, HEADS, 2), 3 * normal(2, HEADS, 3 + 3 + 2)

    nodes, edges = node_attention(
        query=(H * a[:, :3]).sum(2),
        key=(H * a[:, 3:6]).sum(2),
        edge_logit=(E * a[:, 6:]).sum(2),
        node_value=H,
        edge_value=E,
        stars=Stars.build(edge_index, N),
        backend=backend,
    )

    for k in range(HEADS):
        alpha, e = by_matrices(
            node_adjacency(edge_index, N), edge_mapping(edge_index, N), H[:, k], E[:, k], a[k]
        )
        torch.testing.assert_close(nodes[:, k], alpha @ H[:, k], rtol=1e-10, atol=1e-10)
        torch.testing.assert_close(edges[:, k], (alpha.unsqueeze(2) * e).sum(1), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("backend", available_backends())
def test_star_attention_is_the_matrices_multiplied(backend):
    edge_index, N = attention_graph()
    M = edge_index.size(1)
    H, E, b = normal(3, N, HEADS, 3), normal(4, M, HEADS, 2), 3 * normal(5, HEADS, 2 + 2 + 3)
    stars = Stars.build(edge_index, N)
    reader, read, node = (E * b[:, :2]).sum(2), (E * b[:, 2:4]).sum(2), (H * b[:, 4:]).sum(2)

    out = star_attention(
        query=reader[stars.edge],
        key=read[stars.edge] + node[stars.node],
        value=E,
        self_logit=reader + read,
        stars=stars,
        backend=backend,
    )

    for k in range(HEADS):
        beta, _ = by_matrices(
            edge_adjacency(edge_index, N), node_mapping(edge_index, N), E[:, k], H[:, k], b[k]
        )
        torch.testing.assert_close(out[:, k], beta @ E[:, k], rtol=1e-10, atol=1e-10)
