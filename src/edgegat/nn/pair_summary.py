"""The first of two levels: the parallel edges of each pair of nodes, summarised by attention."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from edgegat.graph import Stars
from edgegat.nn.checks import check_positive
from edgegat.nn.heads import head_matrix, init_glorot, scores
from edgegat.ops import Backend, node_attention


class PairSummary(nn.Module):
    r"""Ten thousand transfers between two accounts become one edge with a feature for what they have in common.

    .. math::
        \gamma_t = \mathrm{softmax}_{t \in P}\, \mathrm{LeakyReLU}(c \cdot V e_t), \qquad
        e_P = \mathrm{ELU}\Big(\sum_{t \in P} \gamma_t V e_t\Big) \;\Big\|\; \log |P|

    in each head, for the transfers ``t`` of a pair ``P``: linear in their number, by the node block's kernels. The
    LeakyReLU's slope is 0.2.

    Args:
        edge_dim: edge features.
        channels: per head.
        heads: ``K``.
        backend: of the attention.

    Example:
        >>> from edgegat.graph import Pairs
        >>> stars = Stars.build(torch.tensor([[0, 0, 1], [1, 1, 2]]), num_nodes=3)
        >>> PairSummary(edge_dim=4, channels=3, heads=2)(torch.randn(3, 4), Pairs.of(stars, True).members).shape
        torch.Size([2, 7])
    """

    def __init__(self, edge_dim: int, channels: int, heads: int, backend: Backend = "auto") -> None:
        super().__init__()
        check_positive(channels=channels, heads=heads)
        self.heads, self.channels = heads, channels
        self.backend: Backend = backend
        self.V = nn.Parameter(torch.empty(heads, edge_dim, channels))
        self.c = nn.Parameter(torch.empty(heads, channels))
        self.reset_parameters()

    @property
    def out_channels(self) -> int:
        """Features of a pair."""
        return self.heads * self.channels + 1

    def reset_parameters(self) -> None:
        """Glorot, per head."""
        init_glorot(self.V, fan_in=self.V.size(1), fan_out=self.V.size(2))
        init_glorot(self.c, fan_in=self.c.size(1), fan_out=1)

    def forward(self, edge_attr: Tensor, members: Stars) -> Tensor:
        """``[M, edge_dim]`` and the edges of each pair to ``[P, out_channels]``."""
        e = (edge_attr @ head_matrix(self.V, independent=False)).view(-1, self.heads, self.channels)
        zeros = e.new_zeros(members.num_nodes, self.heads)
        nothing = zeros.unsqueeze(2)  # a pair has no features of its own that it could read
        (logit,) = scores(e, self.c.unsqueeze(0)).unbind(1)
        _, summary = node_attention(zeros, zeros, logit, nothing, e, members, backend=self.backend)
        number = members.degree.to(e.dtype).log().unsqueeze(1)
        return torch.cat([F.elu(summary).flatten(1), number], 1).to(edge_attr.dtype)
