"""Rows of nodes and edges brought to the incidences, and added up over stars: gathers, forward and backward."""

from __future__ import annotations

import torch
from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops.incidence._torch import at_incidences, from_far_nodes, from_nodes
from edgegat.ops.incidence._torch import star_sums as star_sums


def edges_at(per_edge: Tensor, stars: Stars) -> Tensor:
    """``[M, ...]`` to ``[I, ...]``: at every incidence the row of its edge."""
    return at_incidences(per_edge.flatten(1), None, stars).view(-1, *per_edge.shape[1:])


def rows_of(per_row: Tensor, chosen: Stars) -> Tensor:
    """``[R, ...]`` to ``[M, ...]``: the row of each edge of a graph of self-loops, whose nodes are the rows.

    Indexing, whose backward adds up what many edges say to one row in a fixed order.
    """
    return from_nodes(per_row, chosen)[chosen.slot[0]]


def ends_of(per_node: Tensor, stars: Stars) -> tuple[Tensor, Tensor]:
    """``[N, ...]`` to twice ``[M, ...]``: what each edge's first and second node say, likewise."""
    rows = from_nodes(per_node, stars)
    first, second = stars.slot
    return rows[first], rows[torch.where(second < 0, first, second)]


def nodes_at(per_node: Tensor, stars: Stars) -> Tensor:
    """``[N, ...]`` to ``[I, ...]``: at every incidence the row of its node."""
    return from_nodes(per_node, stars)


def far_nodes_at(per_node: Tensor, stars: Stars) -> Tensor:
    """``[N, ...]`` to ``[I, ...]``: at every incidence the row of the node at the far end of its edge."""
    return from_far_nodes(per_node, stars)
