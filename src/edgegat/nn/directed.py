"""Both attention blocks of a layer that knows where an edge comes from and where it goes."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from edgegat.graph import Stars
from edgegat.graph.roles import ENTERS, LEAVES, NUM_ROLES, STAYS
from edgegat.nn.dropped_keys import drop_keys
from edgegat.nn.heads import init_glorot, mix, scores
from edgegat.ops import (
    Backend,
    at_roles,
    join_shares,
    node_attention_parts,
    node_attention_weights,
    star_attention,
)

UPSTREAM, DOWNSTREAM = range(2)
NUM_READINGS = 2
_FAR_ROLE = [ENTERS, LEAVES, STAYS]

PairLogits = tuple[Tensor, Tensor, Tensor]
"""Query and key ``[I, K]``, and the logit ``[M, K]`` of each edge with itself."""


class NodeSums(NamedTuple):
    """What every node reads, before the non-linearity."""

    nodes: Tensor  # [N, K, F_H']
    edges: Tensor  # [N, K, F_E']
    alpha: Tensor | None  # [I, K], if it was asked for


class DirectedBlocks(nn.Module):
    r"""The two attentions when each edge :math:`p` has a role :math:`\rho` at each end: it *leaves* its first node,
    *enters* its second, or *stays* (a self-loop).

    **Nodes.** One softmax over the whole star, with a logit of its own for each role, and sums kept apart by role:

    .. math::
        \alpha_{ij} &= \mathrm{softmax}_j\,
            \mathrm{LeakyReLU}(a^{\rho T} [h_i \| h_j \| e_{ij}] + a_0^\rho) \\
        h'_i &= \sigma\Big(\sum_\rho C_H^\rho \sum_{j \in \rho} \alpha_{ij} h_j\Big), \qquad
        m^E_i = \sigma\Big(\sum_\rho C_E^\rho \sum_{j \in \rho} \alpha_{ij} e_{ij}\Big)

    **Edges.** Two readings :math:`g`, which start out leaning upstream (to edges that enter where this one
    leaves) and downstream. Reader ``p`` has role :math:`\rho` at the shared node ``v``, source ``q`` has
    :math:`\tau`:

    .. math::
        \beta^g_{pq} = \mathrm{softmax}_q\, \mathrm{LeakyReLU}\big(
            (b_p^{g\rho} \cdot e_p + b_0^{g\rho}) + (b_q^{g\tau} \cdot e_q + b_v^{g\tau} \cdot h_v + b_1^{g\tau})
        \big), \qquad
        e'_p = \sigma\Big(\sum_g D^g \sum_q \beta^g_{pq} e_q\Big)

    over both ends of ``p`` at once, so the reader's part does not cancel: together with the source's it prefers
    any of the four relations. An edge reads itself with :math:`b_{own}^g \cdot e_p` in place of the sum. With equal
    weights for all roles, :math:`b_{own} = b_p + b_q`, :math:`C = I`, :math:`D = I/2` and no :math:`a_0, b_0, b_1`
    these are the undirected blocks. See decision 4.
    """

    def __init__(self, out_channels: int, edge_out_channels: int, heads: int, has_edge_block: bool) -> None:
        super().__init__()
        R, G, K, H, E = NUM_ROLES, NUM_READINGS, heads, out_channels, edge_out_channels
        self.sizes = (H, E)
        self.a = nn.Parameter(torch.empty(R, K, 2 * H + E))
        self.a_0 = nn.Parameter(torch.empty(R, K))
        self.C_H = nn.Parameter(torch.empty(R, K, H, H))
        self.C_E = nn.Parameter(torch.empty(R, K, E, E))
        self.b: nn.Parameter | None = None
        if has_edge_block:
            self.b = nn.Parameter(torch.empty(G, R, K, 2 * E + H))
            self.b_own = nn.Parameter(torch.empty(G, K, E))
            self.b_0 = nn.Parameter(torch.empty(G, R, K))
            self.b_1 = nn.Parameter(torch.empty(G, R, K))
            self.D = nn.Parameter(torch.empty(G, K, E, E))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Glorot; the two readings of the edge block lean upstream and downstream."""
        H, E = self.sizes
        init_glorot(self.a, fan_in=2 * H + E, fan_out=1)
        nn.init.zeros_(self.a_0)
        init_glorot(self.C_H, fan_in=H, fan_out=H)
        init_glorot(self.C_E, fan_in=E, fan_out=E)
        if self.b is None:
            return
        init_glorot(self.b, fan_in=2 * E + H, fan_out=1)
        init_glorot(self.b_own, fan_in=E, fan_out=1)
        init_glorot(self.D, fan_in=E, fan_out=E)
        for bias, liked in ((self.b_0, (LEAVES, ENTERS)), (self.b_1, (ENTERS, LEAVES))):
            nn.init.zeros_(bias)
            for reading in (UPSTREAM, DOWNSTREAM):
                nn.init.ones_(bias[reading, liked[reading]])
                nn.init.constant_(bias[reading, liked[1 - reading]], -1.0)

    def node_block(
        self,
        h: Tensor,
        e: Tensor,
        stars: Stars,
        slope: float,
        keep: Tensor | None,
        backend: Backend,
        want_alpha: bool,
    ) -> NodeSums:
        """``h [N, K, F_H']``, ``e [M, K, F_E']``, ``keep [I, K]`` in the order of ``stars.by_role``."""
        N, K, H = h.shape
        R, parts = NUM_ROLES, stars.by_role
        a_i, a_j, a_ij = torch.split(self.a, [H, H, e.size(2)], -1)
        from_nodes = scores(h, torch.cat([a_i, a_j]), torch.cat([self.a_0, torch.zeros_like(self.a_0)]))
        # Part (i, role) of a node reads; to its readers at the other ends, the role is the opposite one.
        query = from_nodes[:, :R].transpose(0, 1).reshape(R * N, K)
        key = from_nodes[:, R:][:, _FAR_ROLE].transpose(0, 1).reshape(R * N, K)
        role = parts.node.div(max(N, 1), rounding_mode="floor")
        logit = at_roles(scores(e, a_ij), None, role, parts, backend)

        found = node_attention_parts(query, key, logit, h.repeat(R, 1, 1), e, parts, slope, keep, backend)
        share = join_shares(found.lse.view(R, N, K)).to(h.dtype)
        nodes, edges = _joined(share, found.nodes, self.C_H), _joined(share, found.edges, self.C_E)
        if not want_alpha:
            return NodeSums(nodes, edges, None)
        alpha = node_attention_weights(query, key, logit, parts, slope, by_incidence=True)
        alpha = alpha * share.reshape(R * N, K)[parts.node]
        return NodeSums(nodes, edges, alpha[parts.slot[(stars.role == ENTERS).long(), stars.edge]])

    def pair_logits(
        self, h: Tensor, e: Tensor, stars: Stars, key_dropout: float, backend: Backend
    ) -> list[PairLogits]:
        """What each reading compares; ``key_dropout`` is 0 outside training."""
        assert self.b is not None
        H, E = self.sizes
        readings = []
        for g in range(NUM_READINGS):
            b_p, b_q, b_v = torch.split(self.b[g], [E, E, H], -1)
            query = at_roles(scores(e, b_p, self.b_0[g]), None, stars.role, stars, backend)
            key = at_roles(scores(e, b_q), scores(h, b_v, self.b_1[g]), stars.role, stars, backend)
            key = drop_keys(key, key_dropout)
            readings.append((query, key, scores(e, self.b_own[g : g + 1]).squeeze(1)))
        return readings

    def edge_block(
        self, readings: list[PairLogits], value: Tensor, stars: Stars, slope: float, backend: Backend
    ) -> Tensor:
        """``[M, K, F_E']`` from :meth:`pair_logits` and ``value [M, K, F_E']``."""
        upstream, downstream = (
            mix(star_attention(query, key, value, own, stars, slope, backend), D)
            for (query, key, own), D in zip(readings, self.D, strict=True)
        )
        return upstream + downstream


def _joined(share: Tensor, sums: Tensor, mixes: Tensor) -> Tensor:
    """``[N, K, F]``: each role's sums ``[R * N, K, F]`` times its share ``[R, N, K]`` and its ``C [R, K, F, F]``."""
    leaving, entering, staying = (
        mix(rows, C)
        for rows, C in zip(share.unsqueeze(3) * sums.view(*share.shape, sums.size(2)), mixes, strict=True)
    )
    return leaving + entering + staying
