"""The model of the paper: layers, and a merge layer that gathers what all of them saw (section 4.4)."""

from __future__ import annotations

from typing import Literal, NamedTuple, cast, overload

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from edgegat.graph import Pairs, Stars, add_virtual_self_loops
from edgegat.graph.edge_graph import LabelsOn
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
from edgegat.nn.edge_head import EdgeHead
from edgegat.nn.egat_conv import EdgeAttention, EGATConv
from edgegat.nn.pair_summary import PairSummary
from edgegat.ops import Backend
from edgegat.ops.incidence.sums import rows_of


class Embeddings(NamedTuple):
    """What the model makes of every node and every edge before it decides."""

    nodes: Tensor
    """``h* [N, K * L * (F_H' + F_E')]`` of equation 6, what the merge layer reads."""
    edges: Tensor
    """``[M, K * F_E']``: the edges as the last layer reads them, ``W_E e``."""


class EGAT(nn.Module):
    r"""Edge-featured graph attention network: ``L`` layers in ``K`` independent stacks, and a merge layer.

    .. math::
        h^*_i = \big\Vert_{k=1}^K \big\Vert_{l=1}^L m_i^{l,k}                    && (6)\\
        \mathrm{logits}_i = W h^*_i + c

    where :math:`m^{l,k}` are the edge-integrated node features of layer ``l`` in stack ``k`` (equation 3). The
    paper's one-dimensional convolution over the nodes has kernel size one: the same linear map at every node.
    Its softmax belongs to the loss (``torch.nn.functional.cross_entropy`` takes the logits).

    The last layer has no edge block, because nothing would read what it computes.

    Args:
        in_channels: node features.
        edge_dim: edge features; 0 for a graph whose edges have none.
        out_channels: classes ``C``.
        hidden_channels: ``F_H'``, per head.
        edge_hidden_channels: ``F_E'``, per head. The paper recommends a small or balanced ``F_H' : F_E'`` where
            edges decide.
        num_layers: ``L``.
        heads: ``K``.
        dropout: of the node and edge features that enter each layer, and of ``h*``.
        attention_dropout, key_dropout, negative_slope, activation, backend: see :class:`~edgegat.EGATConv`.
        directed: edges leave their first node and enter their second, and the model sees the difference.
        summaries: counting channels beside the attention in every layer: see :class:`~edgegat.EGATConv`.
        pairs: two levels: the parallel edges of each pair of nodes (of each direction, if directed) are first
            summarised by attention, see :class:`~edgegat.nn.pair_summary.PairSummary`, then the layers work on
            the pairs: whatever is said of an edge, its logits and embedding, is that of its pair. If false,
            parallel edges are edges like any other, each with its own answer.
        readout: ``"nodes"``, or ``"edges"``: logits of edges, see :class:`~edgegat.nn.edge_head.EdgeHead`.
        edge_attention: ``"star"``, the exact edge block, or ``"transit"``, the paper's cheap variant.

    Shapes:
        - ``x``: ``[N, in_channels]``
        - ``edge_index``: ``[2, M]``, **one column per edge**: virtual self-loops are added as in the paper. Or
          :class:`~edgegat.graph.Stars`, used as they are: build them once, after
          ``graph = graph.with_virtual_self_loops()``, when the same graph is used again and again.
        - ``edge_attr``: ``[M, edge_dim]``
        - returns the logits ``[N, out_channels]``, or ``[M, out_channels]`` of edges

    Example:
        >>> from edgegat import EdgeGraph
        >>> graph = EdgeGraph(torch.randn(4, 3), torch.tensor([[0, 1, 2], [1, 2, 3]]), torch.randn(3, 2))
        >>> model = EGAT(in_channels=3, edge_dim=2, out_channels=2)
        >>> model(graph.x, graph.edge_index, graph.edge_attr).shape
        torch.Size([4, 2])

        The same, with the sorting done once and not in every step:

        >>> graph = graph.with_virtual_self_loops()
        >>> model(graph.x, graph.stars, graph.edge_attr).shape
        torch.Size([4, 2])
    """

    def __init__(
        self,
        in_channels: int,
        edge_dim: int,
        out_channels: int,
        hidden_channels: int = 8,
        edge_hidden_channels: int = 4,
        num_layers: int = 2,
        heads: int = 8,
        *,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        key_dropout: float = 0.0,
        negative_slope: float = 0.2,
        directed: bool = False,
        summaries: bool = False,
        pairs: bool = False,
        readout: LabelsOn = "nodes",
        edge_attention: EdgeAttention = "star",
        activation: str = "elu",
        backend: Backend = "auto",
    ) -> None:
        super().__init__()
        check_choice("readout", readout, ("nodes", "edges"))
        check_choice("edge_attention", edge_attention, ("star", "transit"))
        check_direction(directed, edge_attention)
        check_widths(in_channels=in_channels, edge_dim=edge_dim)
        check_positive(
            out_channels=out_channels,
            hidden_channels=hidden_channels,
            edge_hidden_channels=edge_hidden_channels,
            num_layers=num_layers,
            heads=heads,
        )
        self.in_channels = in_channels
        self.edge_dim = edge_dim
        self.out_channels = out_channels
        self.heads = heads
        self.directed = directed
        self.dropout = check_probability("dropout", dropout)
        self.pairs = PairSummary(edge_dim, edge_hidden_channels, heads, backend) if pairs else None
        edge_channels = edge_dim if self.pairs is None else self.pairs.out_channels
        self.layers = nn.ModuleList(
            EGATConv(
                in_channels if first else heads * hidden_channels,
                hidden_channels,
                edge_channels if first else heads * edge_hidden_channels,
                edge_hidden_channels,
                heads,
                negative_slope=negative_slope,
                independent_heads=not first,
                directed=directed,
                summaries=summaries,
                edge_attention=None if last else edge_attention,
                activation=activation,
                attention_dropout=attention_dropout,
                key_dropout=key_dropout,
                backend=backend,
            )
            for first, last in ((layer == 0, layer == num_layers - 1) for layer in range(num_layers))
        )
        channels = heads * num_layers * (hidden_channels + edge_hidden_channels)
        self.readout = readout
        self.merge: nn.Linear | EdgeHead
        if readout == "nodes":
            self.merge = nn.Linear(channels, out_channels)
        else:
            self.merge = EdgeHead(channels, heads * edge_hidden_channels, out_channels, directed)

    def reset_parameters(self) -> None:
        """Draw all weights anew from torch's random generator."""
        if self.pairs is not None:
            self.pairs.reset_parameters()
        for layer in self._convs():
            layer.reset_parameters()
        self.merge.reset_parameters()

    @overload
    def forward(
        self,
        x: Tensor,
        edge_index: Tensor | Stars,
        edge_attr: Tensor,
        *,
        return_attention_weights: Literal[False] = ...,
    ) -> Tensor: ...

    @overload
    def forward(
        self,
        x: Tensor,
        edge_index: Tensor | Stars,
        edge_attr: Tensor,
        *,
        return_attention_weights: Literal[True],
    ) -> tuple[Tensor, list[Attention]]: ...

    def forward(
        self,
        x: Tensor,
        edge_index: Tensor | Stars,
        edge_attr: Tensor,
        *,
        return_attention_weights: bool = False,
    ) -> Tensor | tuple[Tensor, list[Attention]]:
        """See the class. With ``return_attention_weights``: ``(logits, one Attention per layer)``; with ``pairs``
        it is the attention between pairs of nodes, in the order of :class:`~edgegat.graph.Pairs`.
        """
        attentions: list[Attention] | None = [] if return_attention_weights else None
        stars, all_edges = self._prepare(x, edge_index, edge_attr)
        h_star, e = self._run(x, stars, all_edges, attentions)
        if self.readout == "edges":
            if self.pairs is not None:
                e = rows_of(e, self._pairs_of(stars).members)
            logits = self.decide(h_star, e, stars)[: edge_attr.size(0)]
        else:
            logits = self.decide(h_star, e, stars)
        return logits if attentions is None else (logits, attentions)

    def decide(self, h_star: Tensor, e: Tensor, stars: Stars) -> Tensor:
        """The merge layer: logits of ``h* [N, ...]``, and for edges of ``e [M, ...]`` as the last layer reads it."""
        h_star = F.dropout(h_star, self.dropout, self.training)
        if isinstance(self.merge, EdgeHead):
            last = self._convs()[-1]
            e = last.project(e, last.W_E).flatten(1)
            return cast(Tensor, self.merge(h_star, F.dropout(e, self.dropout, self.training), stars))
        return cast(Tensor, self.merge(h_star))

    def embed(self, x: Tensor, edge_index: Tensor | Stars, edge_attr: Tensor) -> Embeddings:
        """The learned features of all nodes and of all given edges (not of the virtual self-loops).

        Example:
            >>> model = EGAT(in_channels=3, edge_dim=2, out_channels=2)
            >>> edge_index = torch.tensor([[0, 1], [1, 2]])
            >>> nodes, edges = model.embed(torch.randn(3, 3), edge_index, torch.randn(2, 2))
            >>> nodes.shape, edges.shape
            (torch.Size([3, 192]), torch.Size([2, 32]))
        """
        stars, all_edges = self._prepare(x, edge_index, edge_attr)
        h_star, e = self._run(x, stars, all_edges, None)
        if self.pairs is not None:
            e = e[self._pairs_of(stars).pair]
        last = self._convs()[-1]
        return Embeddings(h_star, last.project(e[: edge_attr.size(0)], last.W_E).flatten(1))

    def _prepare(self, x: Tensor, edge_index: Tensor | Stars, edge_attr: Tensor) -> tuple[Stars, Tensor]:
        """The graph as the layers take it, with the paper's virtual self-loops."""
        check_tensors(x, edge_attr)
        given = edge_index if isinstance(edge_index, Stars) else Stars.build(edge_index, x.size(0))
        check_inputs(x, edge_attr, given, self.in_channels, self.edge_dim, self._convs()[0].W_H.dtype)
        if isinstance(edge_index, Stars):
            return edge_index, edge_attr
        edge_index, edge_attr = add_virtual_self_loops(edge_index, edge_attr, x.size(0))
        return Stars.build(edge_index, x.size(0)), edge_attr

    def _pairs_of(self, stars: Stars) -> Pairs:
        return stars.directed_pairs if self.directed else stars.pairs

    def _refuse_masks(self) -> None:
        gates = [layer.gate for layer in self._convs() if layer.gate.is_set]
        for gate in gates:
            gate.clear()  # the explainer, which ends here, will not
        if gates:
            raise ValueError(
                "an explainer masks edges, but with pairs=True the layers see pairs of nodes. Explain nodes alone "
                "(edge_mask_type=None), or a model with pairs=False."
            )

    def _convs(self) -> list[EGATConv]:
        return cast("list[EGATConv]", list(self.layers))

    def _run(
        self, x: Tensor, stars: Stars, edge_attr: Tensor, attentions: list[Attention] | None
    ) -> tuple[Tensor, Tensor]:
        """All layers: ``h* [N, K * L * (F_H' + F_E')]`` and the edges ``e`` that the last layer read."""
        if self.pairs is not None:
            self._refuse_masks()
            pairs = self._pairs_of(stars)
            stars, edge_attr = pairs.stars, self.pairs(edge_attr, pairs.members)
        h, e, merged = x, edge_attr, []
        for layer in self._convs():
            h, e = (F.dropout(t, self.dropout, self.training) for t in (h, e))
            outputs = layer(h, stars, e, return_attention_weights=attentions is not None)
            if attentions is not None:
                outputs, attention = outputs
                attentions.append(attention)
            read, (h, e, m) = e, outputs
            merged.append(m.unflatten(1, (self.heads, -1)))
        return torch.cat(merged, 2).flatten(1), read
