"""Node attention over all stars at once, in plain PyTorch: any device, any float type."""

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
) -> tuple[Tensor, Tensor]:
    """Same contract as :func:`edgegat.ops.node_attention`."""
    work = torch.promote_types(node_value.dtype, torch.float32)
    alpha = node_attention_weights(query, key, edge_logit, stars, negative_slope).to(work)
    if keep is not None:
        alpha = alpha * keep
    nodes = _star_sums(alpha.unsqueeze(-1) * node_value[stars.other], stars)
    edges = _star_sums(alpha.unsqueeze(-1) * edge_value[stars.edge], stars)
    return nodes.to(node_value.dtype), edges.to(edge_value.dtype)


def node_attention_weights(
    query: Tensor, key: Tensor, edge_logit: Tensor, stars: Stars, negative_slope: float = 0.2
) -> Tensor:
    r"""The :math:`\alpha` of equation 1, ``[I, K]``: a softmax over each star, in float32 at least.

    Arguments as in :func:`edgegat.ops.node_attention`. Row ``r`` is how much node ``stars.node[r]`` listens to
    node ``stars.other[r]`` over edge ``stars.edge[r]``.

    Example:
        >>> stars = Stars.build(torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
        >>> per_node, per_edge = torch.zeros(3, 1), torch.zeros(2, 1)
        >>> node_attention_weights(per_node, per_node, per_edge, stars).flatten()
        tensor([1.0000, 0.5000, 0.5000, 1.0000])
    """
    # Logits of ±100 lose five digits of their differences in float32; adding them up in float64 costs little.
    logit = query.double()[stars.node] + key.double()[stars.other] + edge_logit.double()[stars.edge]
    logit = F.leaky_relu(logit, negative_slope)
    node = stars.node.unsqueeze(1).expand_as(logit)
    largest = logit.new_full((stars.num_nodes, logit.size(1)), -torch.inf)
    largest = largest.scatter_reduce(0, node, logit.detach(), "amax")
    difference = logit - largest[stars.node]
    weight = difference.to(torch.promote_types(query.dtype, torch.float32)).exp()
    return weight / _star_sums(weight, stars)[stars.node]


def _star_sums(t: Tensor, stars: Stars) -> Tensor:
    """Sum ``[I, ...]`` over each star: ``[N, ...]``."""
    return t.new_zeros(stars.num_nodes, *t.shape[1:]).index_add(0, stars.node, t)
