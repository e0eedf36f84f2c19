"""What some edges' logits depend on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from edgegat.graph import EdgeGraph, Pairs, Stars
from edgegat.learn.receptive_field import ReceptiveField, last_edges
from edgegat.nn import EGAT
from edgegat.ops.incidence.sums import rows_of


@dataclass(frozen=True, eq=False)
class EdgeField:
    """The :class:`ReceptiveField` of the ends of some edges, and how their logits are read off it.

    Example:
        >>> path = EdgeGraph(
        ...     torch.ones(9, 1), torch.stack([torch.arange(8), torch.arange(1, 9)]), torch.rand(8, 2)
        ... ).with_virtual_self_loops()
        >>> model = EGAT(in_channels=1, edge_dim=2, out_channels=2, readout="edges")
        >>> field = EdgeField.of(path, torch.tensor([6, 0]), num_layers=2)
        >>> expected = model(path.x, path.stars, path.edge_attr)[[6, 0]]
        >>> torch.allclose(field.logits(model), expected, atol=1e-6)
        True
    """

    ends: Stars  # the chosen edges between their ends
    rows: Stars  # where each of them stands among the edges that the last layer reads
    field: ReceptiveField

    @classmethod
    def of(cls, graph: EdgeGraph, edges: Tensor, num_layers: int, pairs: Pairs | None = None) -> EdgeField:
        """Look from the edges (their numbers) into a graph that has its virtual self-loops."""
        nodes, ends = torch.unique(graph.edge_index[:, edges], return_inverse=True)
        read, place = graph, edges
        if pairs is not None:
            place = pairs.pair[edges]
            none = graph.edge_attr.new_zeros(pairs.edge_index.size(1), 0)
            read = replace(_unlabelled(graph), edge_index=pairs.edge_index, edge_attr=none)
        place = (last_edges(read, nodes).cumsum(0) - 1)[place]
        return cls(
            Stars.build(ends, nodes.numel()),
            Stars.build(torch.stack([place, place]), int(last_edges(read, nodes).sum())),
            ReceptiveField.of(_unlabelled(graph), nodes, num_layers, pairs),
        )

    def logits(self, model: EGAT) -> Tensor:
        """Those of ``model`` on the whole graph, one row for each of the edges."""
        h_star, e = self.field.run(model)
        return model.decide(h_star, rows_of(e, self.rows), self.ends)


def _unlabelled(graph: EdgeGraph) -> EdgeGraph:
    return replace(graph, y=None, train_mask=None, val_mask=None, test_mask=None)
