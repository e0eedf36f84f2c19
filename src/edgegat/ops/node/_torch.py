"""Node attention over all stars at once, in plain PyTorch: any device, any float type."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops.incidence._torch import at_incidences, from_far_nodes, from_nodes, star_sums


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
    work = torch.promote_types(node_value.dtype, torch.float32)
    alpha, lse = _softmax(query, key, edge_logit, stars, negative_slope, by_incidence)
    alpha = alpha.to(work)
    if keep is not None:
        alpha = alpha * keep
    far_nodes = from_far_nodes(node_value.to(work), stars)
    its_edges = at_incidences(edge_value.to(work).flatten(1), None, stars)
    nodes = star_sums(alpha.unsqueeze(-1) * far_nodes, stars)
    edges = star_sums(alpha.unsqueeze(-1) * its_edges.view(-1, *edge_value.shape[1:]), stars)
    return nodes.to(node_value.dtype), edges.to(edge_value.dtype), lse


def node_attention_weights(
    query: Tensor,
    key: Tensor,
    edge_logit: Tensor,
    stars: Stars,
    negative_slope: float = 0.2,
    by_incidence: bool = False,
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
    return _softmax(query, key, edge_logit, stars, negative_slope, by_incidence)[0]


def _softmax(
    query: Tensor, key: Tensor, edge_logit: Tensor, stars: Stars, negative_slope: float, by_incidence: bool
) -> tuple[Tensor, Tensor]:
    """``α [I, K]``, and the logs of the denominators, ``[N, K]`` in float64."""
    # Logits of ±100 lose five digits of their differences in float32; adding them up in float64 costs little.
    if by_incidence:
        near = edge_logit.double() + from_nodes(query.double(), stars)
    else:
        near = at_incidences(edge_logit.double(), query.double(), stars)
    logit = near + from_far_nodes(key.double(), stars)
    logit = F.leaky_relu(logit, negative_slope)
    node = stars.node.unsqueeze(1).expand_as(logit)
    largest = logit.new_full((stars.num_nodes, logit.size(1)), -torch.inf)
    largest = largest.scatter_reduce(0, node, logit.detach(), "amax")
    difference = logit - largest[stars.node]
    weight = difference.to(torch.promote_types(query.dtype, torch.float32)).exp()
    total = star_sums(weight, stars)
    return weight / from_nodes(total, stars), largest + total.double().log()
