"""The node block over parts of the stars, to be joined: each part's sums, and how much it weighs."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops._backends import Backend
from edgegat.ops.node._attend import attend


class NodeParts(NamedTuple):
    """What the star of every (part of a) node comes to."""

    nodes: Tensor
    """``h' [N, K, F]``, with the weights of a softmax over this star alone."""
    edges: Tensor
    """``m^E [N, K, F']``, likewise."""
    lse: Tensor
    """``[N, K]`` in float64, the log of the softmax's denominator; minus infinity for an empty star."""


def node_attention_parts(
    query: Tensor,
    key: Tensor,
    incidence_logit: Tensor,
    node_value: Tensor,
    edge_value: Tensor,
    stars: Stars,
    negative_slope: float = 0.2,
    keep: Tensor | None = None,
    backend: Backend = "auto",
) -> NodeParts:
    r""":func:`edgegat.ops.node_attention` whose third logit belongs to an incidence, not to an edge, and which
    returns the logs of the denominators, with their gradients.

    .. math::
        \alpha_r = \mathrm{softmax}_r\, \mathrm{LeakyReLU}(x_i + y_j + z_r), \qquad
        \mathrm{lse}_i = \log \sum_r \exp \mathrm{LeakyReLU}(x_i + y_j + z_r)

    A star that was cut into parts (what enters a node, what leaves it) is joined exactly by
    :func:`join_shares`, because a softmax over all is the softmaxes of the parts, each times its share.

    Args:
        query: ``x``, ``[N, K]``, one row per (part of a) node.
        key: ``y``, ``[N, K]``.
        incidence_logit: ``z``, ``[I, K]``, one row per incidence of ``stars``.
        node_value: ``h``, ``[N, K, F]``.
        edge_value: ``e``, ``[M, K, F']``.
        stars: the incidences of the graph whose nodes are the parts.
        negative_slope: of the LeakyReLU.
        keep: ``[I, K]``, as there.
        backend: ``"auto"`` takes the fastest that works here.

    Example:
        Node 1 of a path hears its two neighbours in two parts, and their shares are equal:

        >>> import torch
        >>> path = Stars.build(torch.tensor([[0, 1], [2, 3]]), num_nodes=4)  # node 1 stands there as 2 and as 1
        >>> zeros, h = torch.zeros(4, 1), torch.tensor([7.0, 0.0, 0.0, 5.0]).view(4, 1, 1)
        >>> parts = node_attention_parts(zeros, zeros, zeros, h, torch.zeros(2, 1, 1), path)
        >>> two_parts = parts.nodes[[2, 1]]
        >>> (two_parts * join_shares(parts.lse[[2, 1]]).view(2, 1, 1)).sum(0).item()
        6.0
    """
    arguments = (query, key, incidence_logit, node_value, edge_value, stars, negative_slope, keep, backend)
    return NodeParts(*attend(*arguments, by_incidence=True))


def join_shares(lse: Tensor) -> Tensor:
    """How much each of ``P`` parts weighs in the whole: ``[P, ...]`` to ``[P, ...]``, a softmax over the parts in
    which empty ones (minus infinity) have no share, and nobody has any where all are empty.

    Example:
        >>> import torch
        >>> join_shares(torch.tensor([[0.0, -torch.inf], [-torch.inf, -torch.inf]])).tolist()
        [[1.0, 0.0], [0.0, 0.0]]
    """
    top = lse.detach().amax(0)
    weight = (lse - top.where(top.isfinite(), 0.0)).exp()
    return weight / weight.sum(0).clamp(min=1.0)
