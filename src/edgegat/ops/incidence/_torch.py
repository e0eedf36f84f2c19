"""Per-edge and per-node rows brought to the incidences and added up there, forward and backward by gathering.

Indexing's own backward scatters: in the order of threads or atomics, and in the type of the values. Here an
edge knows its two incidences (``slot``) and a node its range of them (``ptr``): the same sums bit for bit, in
float64.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from edgegat.graph import Stars


def at_incidences(per_edge: Tensor, per_node: Tensor | None, stars: Stars) -> Tensor:
    """Same contract as :func:`edgegat.ops.at_incidences`."""
    out: Tensor = _AtIncidences.apply(per_edge, per_node, stars)  # type: ignore[no-untyped-call]
    return out


class _AtIncidences(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, per_edge: Tensor, per_node: Tensor | None, stars: Stars) -> Tensor:
        ctx.stars, ctx.has_nodes = stars, per_node is not None
        edges = per_edge[stars.edge]
        return edges if per_node is None else edges + per_node[stars.node]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        stars = ctx.stars
        # A row of zeros behind the others stands for the second end that a self-loop does not have.
        d_edge = F.pad(grad, (0, 0, 0, 1))[stars.slot].sum(0)
        if not ctx.has_nodes:
            return d_edge, None, None
        return d_edge, sum_stars(grad, stars), None


def at_roles(per_edge: Tensor, per_node: Tensor | None, role: Tensor, stars: Stars) -> Tensor:
    """Same contract as :func:`edgegat.ops.at_roles`."""
    out: Tensor = _AtRoles.apply(per_edge, per_node, role, stars)  # type: ignore[no-untyped-call]
    return out


class _AtRoles(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, per_edge: Tensor, per_node: Tensor | None, role: Tensor, stars: Stars) -> Tensor:
        ctx.role, ctx.stars, ctx.R, ctx.has_nodes = role, stars, per_edge.size(1), per_node is not None
        edges = per_edge.flatten(0, 1)[stars.edge * ctx.R + role]
        return edges if per_node is None else edges + per_node.flatten(0, 1)[stars.node * ctx.R + role]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        stars, R = ctx.stars, ctx.R
        # An edge has another role at each end: every row is written once.
        d_edge = grad.new_zeros(stars.num_edges * R, grad.size(1))
        d_edge[stars.edge * R + ctx.role] = grad
        d_edge = d_edge.view(stars.num_edges, R, grad.size(1))
        if not ctx.has_nodes:
            return d_edge, None, None, None
        in_role = [torch.where((ctx.role == rho).unsqueeze(1), grad, 0.0) for rho in range(R)]
        return d_edge, torch.stack([sum_stars(some, stars) for some in in_role], 1), None, None


def star_sums(per_incidence: Tensor, stars: Stars) -> Tensor:
    """Add up ``[I, ...]`` over each star: ``[N, ...]``."""
    sums: Tensor = _StarSums.apply(per_incidence, stars)  # type: ignore[no-untyped-call]
    return sums


class _StarSums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, per_incidence: Tensor, stars: Stars) -> Tensor:
        ctx.stars = stars
        return sum_stars(per_incidence, stars)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        return grad[ctx.stars.node], None


def from_nodes(per_node: Tensor, stars: Stars) -> Tensor:
    """``per_node[stars.node]``: at every incidence the row of its node."""
    rows: Tensor = _FromNodes.apply(per_node, stars, False)  # type: ignore[no-untyped-call]
    return rows


def from_far_nodes(per_node: Tensor, stars: Stars) -> Tensor:
    """``per_node[stars.other]``: at every incidence the row of the node at the far end of its edge."""
    rows: Tensor = _FromNodes.apply(per_node, stars, True)  # type: ignore[no-untyped-call]
    return rows


class _FromNodes(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, per_node: Tensor, stars: Stars, far: bool) -> Tensor:
        ctx.stars, ctx.far = stars, far
        return per_node[stars.other if far else stars.node]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        stars = ctx.stars
        if ctx.far:
            # The edge's two incidences change places; that of a self-loop, whose second slot is -1, stays.
            here = torch.arange(stars.num_incidences, device=grad.device)
            grad = grad[torch.where(stars.other == stars.node, here, stars.slot.sum(0)[stars.edge] - here)]
        return sum_stars(grad, stars), None, None


def sum_stars(per_incidence: Tensor, stars: Stars) -> Tensor:
    """:func:`star_sums` without a gradient. One star's NaN stays its own, unlike with prefix sums."""
    sums = torch.segment_reduce(per_incidence.double(), "sum", offsets=stars.ptr, axis=0, unsafe=True)
    return sums.to(per_incidence.dtype)
