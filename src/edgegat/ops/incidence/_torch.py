"""Per-edge and per-node rows brought to the incidences, with a backward pass that gathers, too.

Indexing's own backward scatters with an index_add: one thread on a CPU, atomics on a GPU. Here an edge knows
its two incidences (``slot``) and a node its range of them (``ptr``).
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
        until = F.pad(grad.cumsum(0, dtype=torch.float64), (0, 0, 1, 0))
        d_node = (until[stars.ptr[1:]] - until[stars.ptr[:-1]]).to(grad.dtype)
        return d_edge, d_node, None
