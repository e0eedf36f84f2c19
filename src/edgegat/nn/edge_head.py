"""The decision about an edge: from its two ends and itself."""

from __future__ import annotations

from torch import Tensor, nn

from edgegat.graph import Stars
from edgegat.ops.incidence.sums import ends_of


class EdgeHead(nn.Module):
    r"""Logits of edges, where the paper's merge layer gives those of nodes.

    .. math:: \mathrm{logits}_p = W_1 h^*_u + W_2 h^*_v + W_3 W_E e_p + c

    for edge ``p`` from ``u`` to ``v``; undirected, both ends have the same weights (:math:`W_1 = W_2`). What is
    gathered at the edges are logits, not features: ``O(M C)`` memory.

    Args:
        node_channels: of ``h*``.
        edge_channels: of all heads.
        out_channels: classes ``C``.
        directed: whether the ends differ.
    """

    def __init__(self, node_channels: int, edge_channels: int, out_channels: int, directed: bool) -> None:
        super().__init__()
        self.first = nn.Linear(node_channels, out_channels)
        self.second = nn.Linear(node_channels, out_channels, bias=False) if directed else None
        self.edge = nn.Linear(edge_channels, out_channels, bias=False)

    def reset_parameters(self) -> None:
        """As ``torch.nn.Linear`` does."""
        for part in (self.first, self.second, self.edge):
            if part is not None:
                part.reset_parameters()

    def forward(self, h_star: Tensor, e: Tensor, stars: Stars) -> Tensor:
        """``[M, C]`` of ``h_star [N, node_channels]`` and ``e [M, edge_channels]``."""
        at_first = h_star @ self.first.weight.t()
        source, target = ends_of(at_first, stars)
        if self.second is not None:
            _, target = ends_of(self.second(h_star), stars)
        logits: Tensor = source + target + self.edge(e) + self.first.bias
        return logits
