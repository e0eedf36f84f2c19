"""What attention cannot say: how many edges a node has, and how their features lie."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from edgegat.graph import Stars
from edgegat.graph.roles import NUM_ROLES
from edgegat.nn.heads import init_glorot, mix
from edgegat.ops import Backend, node_attention
from edgegat.ops.incidence.sums import star_sums

_COLD = 2.0**20
"""An inverse temperature at which a softmax is a maximum; a power of two scales without rounding."""

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
        backend: of the sums.
    """

    def __init__(
        self,
        out_channels: int,
        edge_out_channels: int,
        heads: int,
        directed: bool,
        backend: Backend = "auto",
    ) -> None:
        super().__init__()
        self.backend: Backend = backend
        self.directions = 2 if directed else 1
        channels = self.directions * (out_channels + 4 * edge_out_channels + 2)
        self.U = nn.Parameter(torch.empty(heads, channels, out_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Glorot, per head."""
        init_glorot(self.U, fan_in=self.U.size(1), fan_out=self.U.size(2))

    def forward(self, h: Tensor, e: Tensor, stars: Stars, mask: Tensor | None = None) -> Tensor:
        """``U s``, ``[N, K, F_H']``, of ``h [N, K, F_H']`` and ``e [M, K, F_E']``.

        ``mask [M]``, if an explainer set one, says how much each edge counts; the number ``n_i`` of neighbours
        stays.
        """
        N = h.size(0)
        if self.directions == 2:
            of_parts = summarise(h.repeat(NUM_ROLES, 1, 1), e, stars.by_role, mask, self.backend)
            s = torch.cat([of_parts[:N], of_parts[N : 2 * N]], -1)  # what leaves, what enters; not what stays
        else:
            s = summarise(h, e, stars, mask, self.backend)
        return mix(s.to(self.U.dtype), self.U)


def summarise(
    h: Tensor, e: Tensor, stars: Stars, mask: Tensor | None = None, backend: Backend = "auto"
) -> Tensor:
    """The ``s`` of :class:`Summaries`: ``[N, K, F_H' + 4 F_E' + 2]``.

    Example:
        >>> stars = Stars.build(torch.tensor([[0, 0, 2], [1, 1, 2]]), num_nodes=3)  # two edges 0-1, a loop 2-2
        >>> s = summarise(torch.zeros(3, 1, 1), torch.tensor([1.0, 3.0, 9.0]).view(3, 1, 1), stars)
        >>> (s[0, 0, 1:].sinh()[0], *s[0, 0, 2:4], *s[0, 0, 5:].expm1())  # sum, mean, max; edges, neighbours
        (tensor(4.0000), tensor(2.), tensor(3.), tensor(2.), tensor(1.))
        >>> s[2].any().item()
        False
    """
    h, e = (t.to(torch.promote_types(t.dtype, torch.float32)) for t in (h, e))  # 16 bits count to 256
    N, K, H = h.shape
    E = e.size(2)
    counts = (stars.other != stars.node).to(e.dtype)
    if mask is not None:
        counts = counts * mask.to(e.dtype)[stars.edge]
    degree = star_sums(counts.unsqueeze(1), stars)
    d = degree.clamp(min=_EPSILON).unsqueeze(2)

    # A softmax of equal logits divides by the number of edges: multiplied with it again, this is a sum.
    # Squares are of distances from the mean of all edges: those of large numbers leave no digits for a variance.
    centre = e.detach().sum(0) / max(e.size(0), 1)
    edges = torch.cat([e.flatten(1), (e - centre).flatten(1).square()], 1).unsqueeze(1)
    zeros = e.new_zeros(N, 1)
    means = node_attention(
        zeros,
        zeros,
        e.new_zeros(e.size(0), 1),
        h.flatten(1).unsqueeze(1),
        edges,
        stars,
        1.0,
        counts.unsqueeze(1),
        backend,
    )
    near, far = ((stars.degree.view(-1, 1) * mean.squeeze(1)) for mean in means)
    of_nodes = near.view(N, K, H)
    of_edges, of_squares = (part.view(N, K, E) for part in (far[:, : K * E], far[:, K * E :]))
    mean = of_edges / d
    from_centre = (of_edges - degree.unsqueeze(2) * centre) / d
    variance = (of_squares / d - from_centre.square()).clamp(min=0)
    numbers = torch.cat([degree, stars.num_neighbours.to(e.dtype).unsqueeze(1)], 1).log1p()
    return torch.cat(
        [
            of_nodes.asinh(),
            of_edges.asinh(),
            mean,
            _largest(e, counts, stars, backend).where(degree.unsqueeze(2) > 0, 0.0),
            (variance + _EPSILON).sqrt() - _EPSILON**0.5,
            numbers.unsqueeze(1).expand(-1, K, -1),
        ],
        2,
    )


def _largest(e: Tensor, counts: Tensor, stars: Stars, backend: Backend) -> Tensor:
    """The maximum of each channel over each star: what a softmax says that is all but cold.

    Its gradient goes to the largest, in equal parts to equal ones.
    """
    (M, K, E), N = e.shape, stars.num_nodes
    # Every end of an edge counts, or none does: an explainer's mask and being a self-loop belong to the edge.
    counted = (counts[stars.slot[0]] > 0).unsqueeze(1)
    logit = (e.detach().flatten(1) * _COLD).where(counted, torch.finfo(e.dtype).min / 4)
    zeros = e.new_zeros(N, K * E)
    _, largest = node_attention(
        zeros, zeros, logit, zeros.unsqueeze(2), e.reshape(M, K * E, 1), stars, 1.0, None, backend
    )
    return largest.view(N, K, E)
