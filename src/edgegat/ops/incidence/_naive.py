"""Per-edge and per-node rows brought to the incidences by indexing. Never optimised."""

from __future__ import annotations

from torch import Tensor

from edgegat.graph import Stars


def at_incidences(per_edge: Tensor, per_node: Tensor | None, stars: Stars) -> Tensor:
    """Same contract as :func:`edgegat.ops.at_incidences`."""
    edges = per_edge[stars.edge]
    return edges if per_node is None else edges + per_node[stars.node]


def at_roles(per_edge: Tensor, per_node: Tensor | None, role: Tensor, stars: Stars) -> Tensor:
    """Same contract as :func:`edgegat.ops.at_roles`."""
    edges = per_edge[stars.edge, role]
    return edges if per_node is None else edges + per_node[stars.node, role]
