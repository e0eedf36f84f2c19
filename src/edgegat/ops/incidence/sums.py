"""Rows of nodes and edges brought to the incidences, and added up over stars: gathers, forward and backward."""

from __future__ import annotations

import torch
from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops.incidence._torch import from_nodes
from edgegat.ops.incidence._torch import star_sums as star_sums


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
