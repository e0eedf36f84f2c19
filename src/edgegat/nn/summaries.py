"""What attention cannot say: how many edges a node has, and how their features lie."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from edgegat.graph import Stars
from edgegat.graph.roles import NUM_ROLES, STAYS
from edgegat.nn.heads import init_glorot
from edgegat.ops.incidence.sums import edges_at, far_nodes_at, nodes_at, star_sums

_EPSILON = 1e-5
"""Below a variance of this, the standard deviation goes to zero without its infinite slope."""


class Summaries(nn.Module):
    r"""Sums, means, maxima and standard deviations over the edges of each node, and how many there are.

    A softmax averages: ten equal edges look like one. These channels stand beside it, in each head:

    .. math::
        s_i = \big[\, \mathrm{asinh} \textstyle\sum_j h_j \;\|\; \mathrm{asinh} \sum_j e_{ij} \;\|\;
            \mathrm{mean}_j\, e_{ij} \;\|\; \max_j e_{ij} \;\|\; \mathrm{std}_j\, e_{ij} \;\|\;
            \log(1 + d_i) \;\|\; \log(1 + n_i) \,\big], \qquad
        h'_i = \sigma\Big(\sum_j \alpha_{ij} h_j + U s_i\Big)

    for the :math:`d_i` edges of node ``i`` that lead to :math:`n_i` different other nodes. Self-loops, the virtual
    ones among them, are not counted. In a directed layer what leaves and what enters is summarised apart. ``asinh``
    is a logarithm for large numbers, so that a hub does not drown the others; a node without edges has zeros.

    Args:
        out_channels: node features per head.
        edge_out_channels: edge features per head.
        heads: ``K``.
        directed: whether the two directions are kept apart.
    """

    def __init__(self, out_channels: int, edge_out_channels: int, heads: int, directed: bool) -> None:
        super().__init__()
        self.directions = 2 if directed else 1
        channels = self.directions * (out_channels + 4 * edge_out_channels + 2)
        self.U = nn.Parameter(torch.empty(heads, channels, out_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Glorot, per head."""
        init_glorot(self.U, fan_in=self.U.size(1), fan_out=self.U.size(2))

    def forward(self, h: Tensor, e: Tensor, stars: Stars, mask: Tensor | None = None) -> Tensor:
        """``U s``, ``[N, K, F_H']``, of ``h [N, K, F_H']`` and ``e [M, K, F_E']``.

        ``mask [M]``, if an explainer set one, says how much each edge counts.
        """
        N, K, _ = h.shape
        if self.directions == 2:
            of_parts = summarise(h.repeat(NUM_ROLES, 1, 1), e, stars.by_role, mask)
            both = of_parts[: STAYS * N].view(2, N, K, -1) if N else of_parts.view(2, 0, K, of_parts.size(2))
            s = torch.cat([both[0], both[1]], -1)
        else:
            s = summarise(h, e, stars, mask)
        return torch.einsum("nks,ksf->nkf", s, self.U)


def summarise(h: Tensor, e: Tensor, stars: Stars, mask: Tensor | None = None) -> Tensor:
    """The ``s`` of :class:`Summaries`: ``[N, K, F_H' + 4 F_E' + 2]``.

    Example:
        >>> stars = Stars.build(torch.tensor([[0, 0, 2], [1, 1, 2]]), num_nodes=3)  # two edges 0-1, a loop 2-2
        >>> s = summarise(torch.zeros(3, 1, 1), torch.tensor([1.0, 3.0, 9.0]).view(3, 1, 1), stars)
        >>> (s[0, 0, 1:].sinh()[0], *s[0, 0, 2:4], *s[0, 0, 5:].expm1())  # sum, mean, max; edges, neighbours
        (tensor(4.0000), tensor(2.), tensor(3.), tensor(2.), tensor(1.))
        >>> s[2].any().item()
        False
    """
    K = h.size(1)
    counts = (stars.other != stars.node).to(e.dtype)
    if mask is not None:
        counts = counts * mask.to(e.dtype)[stars.edge]
    degree = star_sums(counts.unsqueeze(1), stars)
    counts = counts.view(-1, 1, 1)
    edges = edges_at(e, stars)
    sums = star_sums(counts * edges, stars)
    mean = sums / degree.clamp(min=_EPSILON).unsqueeze(2)
    spread = star_sums(counts * (edges - nodes_at(mean, stars)).square(), stars)
    variance = spread / degree.clamp(min=_EPSILON).unsqueeze(2)
    numbers = torch.cat([degree, stars.num_neighbours.to(e.dtype).unsqueeze(1)], 1).log1p()
    return torch.cat(
        [
            star_sums(counts * far_nodes_at(h, stars), stars).asinh(),
            sums.asinh(),
            mean,
            _largest(edges, counts > 0, stars),
            (variance + _EPSILON).sqrt() - _EPSILON**0.5,
            numbers.unsqueeze(1).expand(-1, K, -1),
        ],
        2,
    )


def _largest(edges: Tensor, counted: Tensor, stars: Stars) -> Tensor:
    """The maximum over each star, zero where nothing is counted."""
    out = edges.new_full((stars.num_nodes, *edges.shape[1:]), -torch.inf)
    place = stars.node.view(-1, 1, 1).expand_as(edges)
    largest = out.scatter_reduce(0, place, edges.where(counted, -torch.inf), "amax")
    return largest.where(largest.isfinite(), 0.0)
