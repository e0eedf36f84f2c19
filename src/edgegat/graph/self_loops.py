"""The paper's virtual self-loops (section 4.2)."""

from __future__ import annotations

import torch
from torch import Tensor

from edgegat.graph.checks import check_edge_rows
from edgegat.graph.stars import Stars


def add_virtual_self_loops(edge_index: Tensor, edge_attr: Tensor, num_nodes: int) -> tuple[Tensor, Tensor]:
    """Give every node without a self-loop one whose features are the mean over all its edges.

    The new edges stand behind the given ones, in the order of their nodes, so edge ``e`` stays edge ``e``. A
    node's own self-loop keeps its features; a node without any edge gets zeros. Doing it twice changes nothing.

    Args:
        edge_index: ``[2, M]``, one column per edge.
        edge_attr: ``[M, D]``.
        num_nodes: ``N``.

    Returns:
        ``edge_index [2, M + L]`` and ``edge_attr [M + L, D]`` for ``L`` nodes without a self-loop.

    Example:
        >>> edge_index, edge_attr = torch.tensor([[0, 1], [1, 2]]), torch.tensor([[2.0], [4.0]])
        >>> edge_index, edge_attr = add_virtual_self_loops(edge_index, edge_attr, num_nodes=4)
        >>> edge_index.tolist()
        [[0, 1, 0, 1, 2, 3], [1, 2, 0, 1, 2, 3]]
        >>> edge_attr.flatten().tolist()
        [2.0, 4.0, 2.0, 3.0, 4.0, 0.0]
    """
    stars = Stars.build(edge_index, num_nodes)
    check_edge_rows(edge_attr, stars.num_edges)
    if not edge_attr.is_floating_point():
        raise TypeError(
            f"edge_attr is {edge_attr.dtype}, but a virtual self-loop carries the mean of features: call "
            "edge_attr.float(), or encode categories as columns first."
        )
    has_loop = torch.zeros(num_nodes, dtype=torch.long, device=edge_index.device)
    is_loop = (edge_index[0] == edge_index[1]).long()
    without = (has_loop.scatter_add_(0, edge_index[0], is_loop) == 0).nonzero().squeeze(1)

    # A hub's sum leaves the range and the precision of 16 bits long before its mean does.
    work = torch.promote_types(edge_attr.dtype, torch.float32)
    sums = edge_attr.new_zeros(num_nodes, edge_attr.size(1), dtype=work)
    sums.index_add_(0, stars.node, edge_attr[stars.edge].to(work))
    means = (sums / stars.degree.clamp(min=1).unsqueeze(1)).to(edge_attr.dtype)
    loops = torch.stack([without, without])
    return torch.cat([edge_index, loops], 1), torch.cat([edge_attr, means[without]])
