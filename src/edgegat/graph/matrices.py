"""The paper's four matrices (figures 1 and 2), as sparse tensors.

Nothing in the models uses them: they are ``N × N × M`` and ``M × M × N``. They are here for readers of the
paper, and the tests use them to hold the two attention blocks to its words.

They know one edge between two nodes at most; a graph with parallel edges is refused.
"""

from __future__ import annotations

import torch
from torch import Tensor

from edgegat.graph.stars import check_edge_index


def node_adjacency(edge_index: Tensor, num_nodes: int) -> Tensor:
    """``A_H [N, N]``: one where an edge joins ``i`` and ``j``, in both directions.

    Example:
        >>> node_adjacency(torch.tensor([[0, 1], [1, 2]]), 3).to_dense().int().tolist()
        [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    """
    i, j, _ = _both_ways(edge_index, num_nodes)
    return _ones(torch.stack([i, j]), (num_nodes, num_nodes))


def edge_mapping(edge_index: Tensor, num_nodes: int) -> Tensor:
    """``M_E [N, N, M]``: one where ``p`` is the edge between ``i`` and ``j``.

    Reshaped to ``[N², M]`` and multiplied with the edge features ``E [M, F]`` it puts each edge's features at
    its place ``(i, j)``: the paper's ``E*``.

    Example:
        >>> M_E = edge_mapping(torch.tensor([[0, 1], [1, 2]]), 3).to_dense().reshape(9, 2)
        >>> (M_E @ torch.tensor([[5.0], [7.0]])).reshape(3, 3).int().tolist()
        [[0, 5, 0], [5, 0, 7], [0, 7, 0]]
    """
    i, j, p = _both_ways(edge_index, num_nodes)
    return _ones(torch.stack([i, j, p]), (num_nodes, num_nodes, edge_index.size(1)))


def edge_adjacency(edge_index: Tensor, num_nodes: int) -> Tensor:
    """``A_E [M, M]``: one where edges ``p`` and ``q`` share a node, and on the diagonal.

    Example:
        >>> edge_adjacency(torch.tensor([[0, 1, 2], [1, 2, 3]]), 4).to_dense().int().tolist()
        [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    """
    p, q, _ = _shared_nodes(edge_index, num_nodes)
    M = edge_index.size(1)
    itself = torch.arange(M, device=edge_index.device)
    return _ones(torch.stack([torch.cat([p, itself]), torch.cat([q, itself])]), (M, M))


def node_mapping(edge_index: Tensor, num_nodes: int) -> Tensor:
    """``M_H [M, M, N]``: one where ``v`` is the node that edges ``p ≠ q`` share.

    The diagonal stays empty: between an edge and itself stands a virtual node of zeros.

    Example:
        >>> M_H = node_mapping(torch.tensor([[0, 1], [1, 2]]), 3)
        >>> M_H.indices().t().tolist()
        [[0, 1, 1], [1, 0, 1]]
    """
    M = edge_index.size(1)
    return _ones(torch.stack(_shared_nodes(edge_index, num_nodes)), (M, M, num_nodes))


def _both_ways(edge_index: Tensor, num_nodes: int) -> tuple[Tensor, Tensor, Tensor]:
    """Every edge as ``(i, j, p)`` and ``(j, i, p)``; a self-loop once."""
    check_edge_index(edge_index, num_nodes)
    _refuse_parallel_edges(edge_index, num_nodes)
    i, j = edge_index
    p = torch.arange(i.numel(), device=i.device)
    two_ended = i != j
    return (
        torch.cat([i, j[two_ended]]),
        torch.cat([j, i[two_ended]]),
        torch.cat([p, p[two_ended]]),
    )


def _shared_nodes(edge_index: Tensor, num_nodes: int) -> tuple[Tensor, Tensor, Tensor]:
    """All ``(p, q, v)`` where different edges ``p`` and ``q`` share node ``v``."""
    v, _, p = _both_ways(edge_index, num_nodes)
    meets = (v.unsqueeze(1) == v) & (p.unsqueeze(1) != p)
    row, column = meets.nonzero(as_tuple=True)
    return p[row], p[column], v[row]


def _refuse_parallel_edges(edge_index: Tensor, num_nodes: int) -> None:
    low, high = edge_index.amin(0), edge_index.amax(0)
    pair, count = torch.unique(low * num_nodes + high, return_counts=True)
    if (count > 1).any():
        u, v = divmod(int(pair[count > 1][0]), num_nodes)
        raise ValueError(
            f"{int(count[count > 1][0])} edges join nodes {u} and {v}, but the paper's matrices hold one edge "
            "per pair of nodes. Merge them first, or use Stars, which keeps parallel edges apart."
        )


def _ones(index: Tensor, size: tuple[int, ...]) -> Tensor:
    values = torch.ones(index.size(1), device=index.device)
    # Not the argument check_invariants: with it torch 2.11 warns that they are not checked.
    with torch.sparse.check_sparse_tensor_invariants():  # type: ignore[no-untyped-call]
        return torch.sparse_coo_tensor(index, values, size).coalesce()
