"""The compiled backends as ``torch.library`` operators: one node for ``torch.compile`` and ``torch.export``.

A backend brings two functions on plain tensors, ``forward`` and ``backward``; here they meet autograd.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any, NamedTuple

import torch
from torch import Tensor

from edgegat.graph import Stars


class NodeCall(NamedTuple):
    """The inputs of one call; see :func:`edgegat.ops.node_attention`."""

    query: Tensor  # [N, K]
    key: Tensor  # [N, K]
    edge_logit: Tensor  # [M, K], or [I, K] if by_incidence
    node_value: Tensor  # [N, K, F]
    edge_value: Tensor  # [M, K, F']
    keep: Tensor | None  # [I, K]
    ptr: Tensor
    edge: Tensor
    node: Tensor
    other: Tensor
    slot: Tensor
    slope: float
    by_incidence: bool


class NodeOut(NamedTuple):
    """What the forward pass returns."""

    nodes: Tensor  # [N, K, F]
    edges: Tensor  # [N, K, F']
    lse: Tensor  # [N, K], log of each softmax's denominator, -inf for a node without edges; float64


class NodeGrads(NamedTuple):
    """The gradients of the first six fields of :class:`NodeCall`."""

    query: Tensor
    key: Tensor
    edge_logit: Tensor
    node_value: Tensor
    edge_value: Tensor
    keep: Tensor | None  # None unless it was asked for


def node_attention(
    backend: str,
    query: Tensor,
    key: Tensor,
    edge_logit: Tensor,
    node_value: Tensor,
    edge_value: Tensor,
    stars: Stars,
    slope: float,
    keep: Tensor | None,
    by_incidence: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Same contract as :func:`edgegat.ops.node_attention`, and the log of each softmax's denominator."""
    graph = (stars.ptr, stars.edge, stars.node, stars.other, stars.slot)
    call = NodeCall(query, key, edge_logit, node_value, edge_value, keep, *graph, slope, by_incidence)
    nodes, edges, lse = _OPERATORS[backend](*call)
    return nodes, edges, lse


_CALL = (
    "Tensor query, Tensor key, Tensor edge_logit, Tensor node_value, Tensor edge_value, Tensor? keep, "
    "Tensor ptr, Tensor edge, Tensor node, Tensor other, Tensor slot, float slope, bool by_incidence"
)


def _define(backend: str) -> Any:
    """The operator of a backend. Its kernels are imported when they first run."""

    def forward(*call: Any) -> tuple[Tensor, Tensor, Tensor]:
        nodes, edges, lse = _kernels(backend).forward(NodeCall(*call))
        return nodes, edges, lse

    def backward(
        grad_nodes: Tensor,
        grad_edges: Tensor,
        grad_lse: Tensor,
        nodes: Tensor,
        edges: Tensor,
        lse: Tensor,
        of_keep: bool,
        *call: Any,
    ) -> tuple[Tensor, ...]:
        upstream = NodeOut(grad_nodes, grad_edges, grad_lse)
        out = NodeOut(nodes, edges, lse)
        grads: NodeGrads = _kernels(backend).backward(NodeCall(*call), upstream, out, of_keep)
        return tuple(grad_nodes.new_empty(0) if d is None else d for d in grads)

    forward_op = torch.library.custom_op(
        f"edgegat::node_{backend}", forward, mutates_args=(), schema=f"({_CALL}) -> (Tensor, Tensor, Tensor)"
    )
    backward_op = torch.library.custom_op(
        f"edgegat::node_{backend}_backward",
        backward,
        mutates_args=(),
        schema=(
            "(Tensor grad_nodes, Tensor grad_edges, Tensor grad_lse, Tensor nodes, Tensor edges, Tensor lse, "
            f"bool of_keep, {_CALL}) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)"
        ),
    )

    @forward_op.register_fake
    def _(*call: Any) -> tuple[Tensor, Tensor, Tensor]:
        inputs = NodeCall(*call)
        N, K = inputs.query.shape
        values = inputs.node_value, inputs.edge_value
        nodes, edges = (t.new_empty(N, K, t.size(2)) for t in values)
        lse = nodes.new_empty(N, K, dtype=torch.float64)
        return nodes, edges, lse

    @backward_op.register_fake
    def _(
        grad_nodes: Tensor,
        grad_edges: Tensor,
        grad_lse: Tensor,
        nodes: Tensor,
        edges: Tensor,
        lse: Tensor,
        of_keep: bool,
        *call: Any,
    ) -> tuple[Tensor, ...]:
        inputs = NodeCall(*call)
        keep = inputs.keep if of_keep and inputs.keep is not None else grad_nodes.new_empty(0)
        return tuple(torch.empty_like(t, memory_format=torch.contiguous_format) for t in (*inputs[:5], keep))

    def remember(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]) -> None:
        call = NodeCall(*inputs)
        ctx.settings = call.slope, call.by_incidence
        ctx.save_for_backward(*output, *call[:-2])

    def differentiate(ctx: Any, *upstream: Tensor) -> tuple[Tensor | None, ...]:
        nodes, edges, lse, *call = ctx.saved_tensors
        of_keep = ctx.needs_input_grad[5]
        *grads, keep = backward_op(*upstream, nodes, edges, lse, of_keep, *call, *ctx.settings)
        return (*grads, keep if of_keep else None, None, None, None, None, None, None, None)

    forward_op.register_autograd(differentiate, setup_context=remember)
    return forward_op


@functools.cache
def _kernels(backend: str) -> Any:
    return importlib.import_module(f"edgegat.ops.node._{backend}")


_OPERATORS = {backend: _define(backend) for backend in ("numba", "triton")}
