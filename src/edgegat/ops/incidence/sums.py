"""Rows of nodes and edges brought to the incidences, and added up over stars: gathers, forward and backward."""

from __future__ import annotations

from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops.incidence._torch import at_incidences, from_far_nodes, from_nodes
from edgegat.ops.incidence._torch import star_sums as star_sums


def edges_at(per_edge: Tensor, stars: Stars) -> Tensor:
    """``[M, ...]`` to ``[I, ...]``: at every incidence the row of its edge."""
    return at_incidences(per_edge.flatten(1), None, stars).view(-1, *per_edge.shape[1:])


def nodes_at(per_node: Tensor, stars: Stars) -> Tensor:
    """``[N, ...]`` to ``[I, ...]``: at every incidence the row of its node."""
    return from_nodes(per_node, stars)


def far_nodes_at(per_node: Tensor, stars: Stars) -> Tensor:
    """``[N, ...]`` to ``[I, ...]``: at every incidence the row of the node at the far end of its edge."""
    return from_far_nodes(per_node, stars)
