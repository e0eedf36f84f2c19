"""Node attention as the paper writes it (equations 1 to 3), node by node. Never optimised."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat.graph import Stars


def node_attention(
    query: Tensor,
    key: Tensor,
    edge_logit: Tensor,
    node_value: Tensor,
    edge_value: Tensor,
    stars: Stars,
    negative_slope: float,
    keep: Tensor | None,
    by_incidence: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Same contract as :func:`edgegat.ops.node_attention`, and the log of each softmax's denominator."""
    nodes, edges, lse = [], [], []
    for i, (start, end) in enumerate(zip(stars.ptr[:-1].tolist(), stars.ptr[1:].tolist(), strict=True)):
        j, ij = stars.other[start:end], stars.edge[start:end]
        z = edge_logit[start:end] if by_incidence else edge_logit[ij]
        logit = F.leaky_relu(query[i] + key[j] + z, negative_slope)
        alpha = logit.softmax(0)
        if keep is not None:
            alpha = alpha * keep[start:end]
        nodes.append((alpha.unsqueeze(-1) * node_value[j]).sum(0))
        edges.append((alpha.unsqueeze(-1) * edge_value[ij]).sum(0))
        lse.append(logit.double().logsumexp(0))
    if not nodes:
        return node_value, edge_value.new_zeros(0, *edge_value.shape[1:]), query.double()
    return torch.stack(nodes), torch.stack(edges), torch.stack(lse)
