"""What some nodes' logits depend on: nothing else has to be computed to train on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat.graph import EdgeGraph, Pairs, Stars
from edgegat.nn import EGAT, EGATConv


@dataclass(frozen=True, eq=False)
class _Hop:
    """What one layer reads, and which of its outputs are read after it, as rows of its own numbering."""

    stars: Stars
    nodes: Tensor  # what the next layer reads
    edges: Tensor  # likewise
    seeds: Tensor  # what the merge layer reads


@dataclass(frozen=True, eq=False)
class ReceptiveField:
    r"""The part of a graph that ``L`` layers see from the seeds, smaller with every layer.

    The last layer is needed at the seeds only, so it reads the edges that touch them and the nodes at these
    edges' ends. Those nodes need the layer before it, and so on:

    .. math::
        R_L = \mathrm{seeds}, \qquad E_l = \{\,\text{edges at } R_l\,\}, \qquad
        R_{l-1} = R_l \cup \{\,\text{ends of } E_l\,\}

    An edge of :math:`E_{l+1}` has both ends in :math:`R_l`, whose stars are whole in layer ``l``, so the logits are
    those of the whole graph. A few hundred labelled accounts in a graph of millions of transfers see little of it.

    Attributes:
        x: ``[n, F]`` of the nodes that the first layer reads.
        edge_attr: ``[m, D]`` of its edges; in two levels, of all edges of its pairs.
        num_seeds: how many logits there are, in the order of the seeds.

    Example:
        >>> path = EdgeGraph(
        ...     torch.ones(9, 1), torch.stack([torch.arange(8), torch.arange(1, 9)]), torch.rand(8, 2)
        ... )
        >>> model = EGAT(in_channels=1, edge_dim=2, out_channels=2, num_layers=2)
        >>> path = path.with_virtual_self_loops()
        >>> field = ReceptiveField.of(path, torch.tensor([0]), num_layers=2)
        >>> field.x.size(0), field.edge_attr.size(0)  # nodes 0, 1 and 2; edges 0-1 and 1-2, loops of 0 and 1
        (3, 4)
        >>> torch.allclose(field.logits(model), model(path.x, path.stars, path.edge_attr)[:1])
        True
    """

    x: Tensor
    edge_attr: Tensor
    num_seeds: int
    _hops: tuple[_Hop, ...]
    _members: Stars | None = None

    @classmethod
    def of(cls, graph: EdgeGraph, seeds: Tensor, num_layers: int, pairs: Pairs | None = None) -> ReceptiveField:
        """Look from the seeds (node numbers) into a graph that has its virtual self-loops.

        ``pairs`` are those of the graph, for a model with ``pairs=True``, whose layers work on them.
        """
        if pairs is not None:
            return cls._of_pairs(graph, seeds, num_layers, pairs)
        layers = _look_back(graph, seeds, num_layers)
        hops = []
        later = torch.zeros_like(layers[0][2])  # nobody reads edges after the last layer
        for outputs, inputs, edges in layers:
            place = inputs.cumsum(0) - 1
            among = edges.cumsum(0) - 1
            hops.append(
                _Hop(
                    Stars.build(place[graph.edge_index[:, edges]], int(inputs.sum())),
                    place[outputs],
                    among[later],
                    place[seeds],
                )
            )
            later = edges
        _, seen, edges = layers[-1]
        return cls(graph.x[seen], graph.edge_attr[edges], seeds.numel(), tuple(reversed(hops)))

    @classmethod
    def _of_pairs(cls, graph: EdgeGraph, seeds: Tensor, num_layers: int, pairs: Pairs) -> ReceptiveField:
        none = graph.edge_attr.new_zeros(pairs.edge_index.size(1), 0)
        of_pairs = replace(graph, edge_index=pairs.edge_index, edge_attr=none)
        above, (*_, seen) = cls.of(of_pairs, seeds, num_layers), _look_back(of_pairs, seeds, num_layers)[-1]
        inside = seen[pairs.pair]
        pair = (seen.cumsum(0) - 1)[pairs.pair[inside]]
        members = Stars.build(torch.stack([pair, pair]), int(seen.sum()))
        return replace(above, edge_attr=graph.edge_attr[inside], _members=members)

    def logits(self, model: EGAT) -> Tensor:
        """``[num_seeds, C]``: those of ``model`` on the whole graph."""
        h_star, e = self.run(model)
        return model.decide(h_star, e, self._hops[-1].stars)

    def run(self, model: EGAT) -> tuple[Tensor, Tensor]:
        """``h*`` of the seeds, and the edges that the last layer reads."""
        h, e, merged = self.x, self.edge_attr, []
        if model.pairs is not None and self._members is not None:
            e = model.pairs(e, self._members)
        for layer, hop in zip(cast("Iterable[EGATConv]", model.layers), self._hops, strict=True):
            h, e = (F.dropout(t, model.dropout, model.training) for t in (h, e))
            read = e
            next_h, next_e, m = layer(h, hop.stars, e)
            merged.append(m[hop.seeds].unflatten(1, (model.heads, -1)))
            if next_e is not None:
                h, e = next_h[hop.nodes], next_e[hop.edges]
        return torch.cat(merged, 2).flatten(1), read


def cut_out(graph: EdgeGraph, seeds: Tensor, num_layers: int) -> tuple[Tensor, Tensor, Tensor]:
    """The part that ``num_layers`` layers of any network of messages see, as one small graph.

    Returns:
        ``x`` and ``edge_index`` of that graph, and the seeds' numbers in it.

    Example:
        >>> path = EdgeGraph(
        ...     torch.rand(9, 1), torch.stack([torch.arange(8), torch.arange(1, 9)]), torch.rand(8, 2)
        ... )
        >>> x, edge_index, seeds = cut_out(path, torch.tensor([5]), num_layers=1)
        >>> torch.equal(x, path.x[4:7]), edge_index.tolist(), seeds.tolist()
        (True, [[0, 1], [1, 2]], [1])
    """
    _, seen, edges = _look_back(graph, seeds, num_layers)[-1]
    place = seen.cumsum(0) - 1
    return graph.x[seen], place[graph.edge_index[:, edges]], place[seeds]


def last_edges(graph: EdgeGraph, seeds: Tensor) -> Tensor:
    """``[M]``: which edges the last layer reads, in their order."""
    return _look_back(graph, seeds, 1)[0][2]


def _look_back(graph: EdgeGraph, seeds: Tensor, num_layers: int) -> list[tuple[Tensor, Tensor, Tensor]]:
    """From the last layer to the first, as masks: where it is needed, the nodes and the edges it reads."""
    reached = torch.zeros(graph.num_nodes, dtype=torch.bool, device=graph.x.device)
    reached[seeds] = True
    layers = []
    for _ in range(num_layers):
        outputs = reached
        touched = outputs[graph.edge_index].any(0)
        reached = outputs.clone()
        reached[graph.edge_index[:, touched].flatten()] = True
        layers.append((outputs, reached, touched))
    return layers
