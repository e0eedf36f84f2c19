"""The cheap edge block of the paper's closing remark: through the nodes, not from edge to edge."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat.graph import Stars


def transit_attention(
    query: Tensor,
    node_key: Tensor,
    value: Tensor,
    node_value: Tensor,
    self_logit: Tensor,
    stars: Stars,
    negative_slope: float = 0.2,
) -> Tensor:
    r"""Every edge attends to the edge parts of its two end nodes, as if they were edges, and to itself.

    .. math::
        e'_p = \sum_{v \in p} \beta_{pv} m^E_v + \beta_{pp} e_p, \qquad
        \beta_p = \mathrm{softmax}\, \mathrm{LeakyReLU}(x_p + y_v,\ x_p + y_{v'},\ s_p)

    Three terms an edge, whatever the degrees: ``O(M)``. It is not the paper's equation 4 but an approximation
    that the paper proposes for speed.

    Args:
        query: ``x``, ``[M, K]``.
        node_key: ``y``, ``[N, K]``.
        value: ``e``, ``[M, K, F]``.
        node_value: ``m^E``, ``[N, K, F]``, the edge part of ``H_m``.
        self_logit: ``s``, ``[M, K]``.
        stars: the incidences of the graph; a self-loop has one end.
        negative_slope: of the LeakyReLU.

    Returns:
        ``[M, K, F]``, before any non-linearity.

    Example:
        >>> stars = Stars.build(torch.tensor([[0], [1]]), num_nodes=2)
        >>> m = torch.tensor([[[3.0]], [[6.0]]])
        >>> zeros = torch.zeros(1, 1)
        >>> transit_attention(zeros, torch.zeros(2, 1), torch.zeros(1, 1, 1), m, zeros, stars).item()
        3.0
    """
    if stars.num_edges == 0:
        return value
    missing = (stars.slot < 0).unsqueeze(-1)
    ends = stars.node[stars.slot.clamp(min=0)]
    logits = F.leaky_relu(
        torch.stack([query + node_key[ends[0]], query + node_key[ends[1]], self_logit]), negative_slope
    )
    never = torch.cat([missing, torch.zeros_like(missing[:1])])
    first, second, own = logits.masked_fill(never, -torch.inf).softmax(0).unsqueeze(-1).unbind()
    return first * node_value[ends[0]] + second * node_value[ends[1]] + own * value
