"""One layer of the paper: a node attention block and an edge attention block, side by side."""

from __future__ import annotations

from typing import Literal, NamedTuple, overload

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from edgegat.graph import Stars
from edgegat.nn.activations import ACTIVATIONS
from edgegat.nn.attention import Attention
from edgegat.nn.checks import (
    check_choice,
    check_direction,
    check_inputs,
    check_positive,
    check_probability,
    check_tensors,
    check_widths,
)
from edgegat.nn.directed import DirectedBlocks, PairLogits
from edgegat.nn.dropped_keys import drop_keys
from edgegat.nn.heads import head_matrix, init_glorot, scores
from edgegat.nn.message_gate import MessageGate
from edgegat.nn.summaries import Summaries
from edgegat.nn.tall_product import tall_product
from edgegat.ops import (
    Backend,
    at_incidences,
    edge_attention,
    node_attention,
    node_attention_weights,
    star_attention,
    transit_attention,
)

EdgeAttention = Literal["star", "transit"]
LayerOutput = tuple[Tensor, Tensor | None, Tensor]


class _Blocks(NamedTuple):
    """What both attention blocks make, and how they came to it."""

    h: Tensor  # [N, K, F_H'], before the non-linearity
    m_edge: Tensor  # [N, K, F_E'], likewise
    e: Tensor | None  # [M, K, F_E'], behind it
    alpha: Tensor | None  # [I, K], if it was asked for
    pair_logits: PairLogits | None  # likewise


class EGATConv(nn.Module):
    r"""Edge-featured graph attention: nodes attend over edges, and edges attend to adjacent edges.

    For each head, with :math:`h_i \leftarrow W_H h_i` and :math:`e_p \leftarrow W_E e_p` (section 4.1):

    .. math::
        \alpha_{ij} &= \mathrm{softmax}_j\,\mathrm{LeakyReLU}(a^T [h_i \| h_j \| e_{ij}])  && (1)\\
        h'_i &= \sigma\Big(\sum_j \alpha_{ij} h_j\Big)                                     && (2)\\
        m_i &= \sigma\Big(\sum_j \alpha_{ij} (h_j \| e_{ij})\Big)                          && (3)\\
        \beta_{pq} &= \mathrm{softmax}_q\,\mathrm{LeakyReLU}(b^T [e_p \| e_q \| h_{pq}])   && (4)\\
        e'_p &= \sigma\Big(\sum_q \beta_{pq} e_q\Big)                                      && (5)

    where :math:`h_{pq}` is the node that edges ``p`` and ``q`` share, and zero for an edge and itself.

    A node attends to itself through a self-loop. :class:`~edgegat.EGAT` adds the paper's virtual self-loops
    once, before its first layer; a layer used alone takes the graph as it is, so call
    :func:`edgegat.graph.add_virtual_self_loops` (or the PyG transform ``AddVirtualSelfLoops``, with its
    ``directed=True`` for a directed layer) before it.

    DGL's ``EGATConv`` is another method: there an edge sees its two end nodes, but no other edge.

    Args:
        in_channels: node features ``F_H``.
        out_channels: node features per head ``F_H'``.
        edge_dim: edge features ``F_E``.
        edge_out_channels: edge features per head ``F_E'``.
        heads: ``K``.
        negative_slope: of the LeakyReLU, between 0 and 1.
        independent_heads: the paper's heads are ``K`` independent stacks, joined only in the merge layer. If
            true, head ``k`` sees only its own ``1/K`` of the input channels, as every layer but the first must.
            If false, every head sees all of them.
        directed: an edge leaves its first node and enters its second, and both blocks tell these roles apart: see
            :class:`~edgegat.nn.directed.DirectedBlocks`, whose parameters the layer then has instead of
            ``a`` and ``b``. If false, nodes and edges do not know which end of an edge is the first.
        summaries: counting channels beside the attention, see :class:`~edgegat.nn.summaries.Summaries`: sums, means,
            maxima and standard deviations over a node's edges, and their number, which a softmax cannot tell.
        edge_attention: ``"star"`` is equation 4, exactly. ``"transit"`` is the paper's cheap variant, in which
            an edge attends to the edge parts of ``m`` at its two end nodes. ``None`` leaves the edge block out.
        activation: ``σ``: ``"elu"``, ``"relu"``, ``"leaky_relu"``, ``"tanh"`` or ``"none"``.
        attention_dropout: drops ``α`` after the softmax.
        key_dropout: drops edges as keys, at each end and in each head, before the softmax of the edge block.
            (Dropping single ``β`` would need all pairs.) An edge always keeps itself.
        backend: of the two attention blocks; ``"auto"`` takes the fastest that works.

    Shapes:
        - ``x``: ``[N, in_channels]``
        - ``edge_index``: ``[2, M]``, **one column per edge**, or the :class:`~edgegat.graph.Stars` built of it
        - ``edge_attr``: ``[M, edge_dim]``
        - returns ``x' [N, heads * out_channels]``, ``edge_attr' [M, heads * edge_out_channels]`` (``None``
          without an edge block) and ``merged [N, heads * (out_channels + edge_out_channels)]``, the ``m`` of
          equation 3; heads outermost in all of them

    Example:
        >>> conv = EGATConv(in_channels=3, out_channels=8, edge_dim=2, edge_out_channels=4, heads=2)
        >>> edge_index = torch.tensor([[0, 1, 2], [1, 2, 0]])
        >>> x, edge_attr, merged = conv(torch.randn(3, 3), edge_index, torch.randn(3, 2))
        >>> x.shape, edge_attr.shape, merged.shape
        (torch.Size([3, 16]), torch.Size([3, 8]), torch.Size([3, 24]))
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        edge_dim: int,
        edge_out_channels: int,
        heads: int = 1,
        *,
        negative_slope: float = 0.2,
        independent_heads: bool = False,
        directed: bool = False,
        summaries: bool = False,
        edge_attention: EdgeAttention | None = "star",
        activation: str = "elu",
        attention_dropout: float = 0.0,
        key_dropout: float = 0.0,
        backend: Backend = "auto",
    ) -> None:
        super().__init__()
        check_choice("edge_attention", edge_attention, ("star", "transit", None))
        check_choice("activation", activation, tuple(ACTIVATIONS))
        check_widths(in_channels=in_channels, edge_dim=edge_dim)
        check_positive(out_channels=out_channels, edge_out_channels=edge_out_channels, heads=heads)
        check_direction(directed, edge_attention)
        groups = heads if independent_heads else 1
        for name, channels in (("in_channels", in_channels), ("edge_dim", edge_dim)):
            if channels % groups:
                raise ValueError(
                    f"{name} is {channels}, which does not divide among {heads} independent heads."
                )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.edge_dim = edge_dim
        self.edge_out_channels = edge_out_channels
        self.heads = heads
        self.negative_slope = negative_slope
        self.independent_heads = independent_heads
        self.edge_attention = edge_attention
        self.activation = activation
        self.attention_dropout = check_probability("attention_dropout", attention_dropout)
        self.key_dropout = check_probability("key_dropout", key_dropout)
        self.backend: Backend = backend

        # The paper's letters, one of each per head.
        self.W_H = nn.Parameter(torch.empty(heads, in_channels // groups, out_channels))
        self.W_E = nn.Parameter(torch.empty(heads, edge_dim // groups, edge_out_channels))
        self.a: nn.Parameter | None = None
        self.b: nn.Parameter | None = None
        self.roles: DirectedBlocks | None = None
        if directed:
            self.roles = DirectedBlocks(out_channels, edge_out_channels, heads, edge_attention is not None)
        else:
            self.a = nn.Parameter(torch.empty(heads, 2 * out_channels + edge_out_channels))
        if edge_attention is not None and not directed:
            self.b = nn.Parameter(torch.empty(heads, 2 * edge_out_channels + out_channels))
        sizes = out_channels, edge_out_channels, heads
        self.summaries = Summaries(*sizes, directed, backend) if summaries else None
        self.gate = MessageGate()
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all weights anew (Glorot, per head) from torch's random generator."""
        for weight in (self.W_H, self.W_E):
            init_glorot(weight, fan_in=weight.size(1), fan_out=weight.size(2))
        for vector in (self.a, self.b):
            if vector is not None:
                init_glorot(vector, fan_in=vector.size(1), fan_out=1)
        for block in (self.roles, self.summaries):
            if block is not None:
                block.reset_parameters()

    @overload
    def forward(
        self,
        x: Tensor,
        edge_index: Tensor | Stars,
        edge_attr: Tensor,
        *,
        return_attention_weights: Literal[False] = ...,
    ) -> LayerOutput: ...

    @overload
    def forward(
        self,
        x: Tensor,
        edge_index: Tensor | Stars,
        edge_attr: Tensor,
        *,
        return_attention_weights: Literal[True],
    ) -> tuple[LayerOutput, Attention]: ...

    @overload
    def forward(
        self, x: Tensor, edge_index: Tensor | Stars, edge_attr: Tensor, *, return_attention_weights: bool
    ) -> LayerOutput | tuple[LayerOutput, Attention]: ...

    def forward(
        self,
        x: Tensor,
        edge_index: Tensor | Stars,
        edge_attr: Tensor,
        *,
        return_attention_weights: bool = False,
    ) -> LayerOutput | tuple[LayerOutput, Attention]:
        """See the class. With ``return_attention_weights`` the result is ``(the three, attention)``, where
        :class:`~edgegat.nn.Attention` holds ``α`` and computes ``β`` for chosen edges.
        """
        check_tensors(x, edge_attr)
        stars = edge_index if isinstance(edge_index, Stars) else Stars.build(edge_index, x.size(0))
        check_inputs(x, edge_attr, stars, self.in_channels, self.edge_dim, self.W_H.dtype)
        mask = self.gate(stars.num_edges)
        h, e = self.project(x, self.W_H), self.project(edge_attr, self.W_E)
        value = e if mask is None else e * mask.to(e.dtype).view(-1, 1, 1)
        if self.roles is None:
            found = self._undirected(h, e, value, stars, mask, return_attention_weights)
        else:
            found = self._directed(self.roles, h, e, value, stars, mask, return_attention_weights)

        activate = ACTIVATIONS[self.activation]
        h_sum = found.h if self.summaries is None else found.h + self.summaries(h, e, stars, mask)
        h_out, m_edge = activate(h_sum), activate(found.m_edge)
        e_out = None if found.e is None else found.e.flatten(1)
        merged = torch.cat([h_out, m_edge], -1)  # the node part of m is h' itself
        outputs = h_out.flatten(1), e_out, merged.flatten(1)
        if found.alpha is None:
            return outputs
        return outputs, Attention(stars, found.alpha, found.pair_logits, self.negative_slope)

    def _undirected(
        self, h: Tensor, e: Tensor, value: Tensor, stars: Stars, mask: Tensor | None, want_weights: bool
    ) -> _Blocks:
        """Equations 1 to 5, the nodes' without the non-linearity."""
        assert self.a is not None
        H, E, slope = self.out_channels, self.edge_out_channels, self.negative_slope
        a_i, a_j, a_ij = torch.split(self.a, [H, H, E], 1)
        if self.b is None:
            query, key = _scores(h, a_i, a_j)
            (edge_logit,) = _scores(e, a_ij)
        else:
            b_p, b_q, b_v = torch.split(self.b, [E, E, H], 1)
            query, key, from_node = _scores(h, a_i, a_j, b_v)
            edge_logit, from_reader, from_source = _scores(e, a_ij, b_p, b_q)

        keep = self._keep(h, stars, mask)
        h_sum, e_sum = node_attention(query, key, edge_logit, h, e, stars, slope, keep, self.backend)

        e_out, pair_logits = None, None
        activate = ACTIVATIONS[self.activation]
        if self.edge_attention == "transit":
            m_edge = activate(e_sum)
            node_key = _scores(m_edge, b_q)[0] + from_node
            own = from_reader + from_source
            e_out = activate(transit_attention(from_reader, node_key, value, m_edge, own, stars, slope))
        elif self.edge_attention == "star":
            drops_keys = self.training and self.key_dropout > 0
            if drops_keys or want_weights:
                pair_logits = self._pair_logits(from_reader, from_source, from_node, stars)
            if drops_keys and pair_logits is not None:
                x_pv, y_qv, own = pair_logits
                e_out = activate(star_attention(x_pv, y_qv, value, own, stars, slope, self.backend))
            else:
                elu = self.activation == "elu"  # the kernels have one for it
                read = from_reader, from_source, from_node, value
                e_out = edge_attention(*read, stars, slope, self.backend, elu=elu)
                e_out = e_out if elu else activate(e_out)
        alpha = node_attention_weights(query, key, edge_logit, stars, slope) if want_weights else None
        return _Blocks(h_sum, e_sum, e_out, alpha, pair_logits)

    def _directed(
        self,
        roles: DirectedBlocks,
        h: Tensor,
        e: Tensor,
        value: Tensor,
        stars: Stars,
        mask: Tensor | None,
        want_weights: bool,
    ) -> _Blocks:
        """The same where an edge has a role at each end."""
        slope, keep = self.negative_slope, self._keep(h, stars.by_role, mask)
        nodes = roles.node_block(h, e, stars, slope, keep, self.backend, want_weights)
        if self.edge_attention is None:
            return _Blocks(nodes.nodes, nodes.edges, None, nodes.alpha, None)
        readings = roles.pair_logits(h, e, stars, self.key_dropout if self.training else 0.0, self.backend)
        e_out = ACTIVATIONS[self.activation](roles.edge_block(readings, value, stars, slope, self.backend))
        if not want_weights:
            return _Blocks(nodes.nodes, nodes.edges, e_out, None, None)
        query, key, own = (torch.cat(both, 1) for both in zip(*readings, strict=True))
        return _Blocks(nodes.nodes, nodes.edges, e_out, nodes.alpha, (query, key, own))

    def project(self, features: Tensor, weight: Tensor) -> Tensor:
        """``W_H h`` or ``W_E e`` of every head: ``[rows, channels]`` to ``[rows, K, channels per head]``."""
        matrix = head_matrix(weight, self.independent_heads)
        return tall_product(features, matrix).view(features.size(0), self.heads, weight.size(2))

    def _keep(self, h: Tensor, stars: Stars, mask: Tensor | None) -> Tensor | None:
        """``[I, K]`` factors on ``α``: what dropout leaves, times an explainer's mask."""
        keep = None
        if self.training and self.attention_dropout > 0:
            keep = F.dropout(h.new_ones(stars.num_incidences, self.heads), self.attention_dropout)
        if mask is not None:
            on_edges = mask.to(h.dtype)[stars.edge].unsqueeze(1).expand(-1, self.heads)
            keep = on_edges if keep is None else keep * on_edges
        return keep

    def _pair_logits(
        self, from_reader: Tensor, from_source: Tensor, from_node: Tensor, stars: Stars
    ) -> PairLogits:
        """The logit of equation 4 as ``query[p at v] + key[q at v]``, and that of each edge with itself."""
        query = at_incidences(from_reader, None, stars, self.backend)
        key = at_incidences(from_source, from_node, stars, self.backend)
        key = drop_keys(key, self.key_dropout if self.training else 0.0)
        return query, key, from_reader + from_source  # the node between an edge and itself is zero

    def extra_repr(self) -> str:
        """The line in ``repr``."""
        parts = [
            f"{self.in_channels}, {self.out_channels}, edge_dim={self.edge_dim}",
            f"edge_out_channels={self.edge_out_channels}, heads={self.heads}",
        ]
        if self.independent_heads:
            parts.append("independent_heads=True")
        if self.roles is not None:
            parts.append("directed=True")
        if self.summaries is not None:
            parts.append("summaries=True")
        if self.edge_attention != "star":
            parts.append(f"edge_attention={self.edge_attention!r}")
        return ", ".join(parts)


def _scores(features: Tensor, *vectors: Tensor) -> tuple[Tensor, ...]:
    """Each head's features times its own part of each vector: ``[rows, K, F]``, ``[K, F]`` to ``[rows, K]``."""
    return scores(features, torch.stack(vectors)).unbind(1)
