"""Node attention on CPUs: which compiled kernels run, in which order, on which memory.

Every thread writes to places of its own, and what many incidences say to one node or edge is gathered there, in the
order of its star.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from edgegat.ops._numba_arrays import Array, Number, Rows, empty, rows, tensor, work_type
from edgegat.ops._numba_plan import Plan, heads_and_channels, plan_of
from edgegat.ops._numba_threads import Scratch, each
from edgegat.ops._trace import note
from edgegat.ops.node import _numba_kernels as kernels
from edgegat.ops.node._operator import NodeCall, NodeGrads, NodeOut

_LANES = 128  # heads times channels that a kernel takes at once
_NOBODY = np.empty(0, np.int64)


def forward(call: NodeCall) -> NodeOut:
    """Both weighted sums, and the log of every softmax's denominator, in float64."""
    N, K = call.query.shape
    plan, dtype = plan_of(call.ptr, call.edge, call.node, call.slot), work_type(call.query.dtype)
    note("node/numba/forward")
    w, lse = empty(plan.edge.size * K, dtype), empty(N * K, np.float64)
    each(plan.nodes(), kernels.softmax(K), *_logits(call, plan, dtype), w, lse)
    nodes, edges = (
        _weighted_sum(plan, _NOBODY, row_of, w, value, N, dtype).to(value.dtype)
        for row_of, value in ((plan.far, call.node_value), (plan.edge, call.edge_value))
    )
    return NodeOut(nodes, edges, tensor(lse, N, K))


def backward(call: NodeCall, upstream: NodeOut, out: NodeOut, of_keep: bool) -> NodeGrads:
    """The gradients of all inputs; of ``keep`` if it is asked for."""
    grad_nodes, grad_edges, grad_lse = upstream
    N, K = call.query.shape
    plan, dtype = plan_of(call.ptr, call.edge, call.node, call.slot), work_type(call.query.dtype)
    note("node/numba/backward")
    I, M = plan.edge.size, plan.slot.size // 2
    t, w = empty(I * K, dtype), empty(I * K, dtype)
    _products(plan, plan.far, grad_nodes, call.node_value, dtype, t, adds=False)
    _products(plan, plan.edge, grad_edges, call.edge_value, dtype, t, adds=True)
    d_keep, d_query, d_key = (empty(size * K, dtype) for size in (I if of_keep else 0, N, N))
    log, d_log = rows(out.lse, np.float64), rows(grad_lse, np.float64)
    each(
        plan.nodes(),
        kernels.softmax_backward(K),
        *_logits(call, plan, dtype),
        *log,
        *d_log,
        w,
        t,
        d_keep,
        d_query,
    )
    each(plan.nodes(), kernels.sum_far_ends(K), plan.ptr, plan.partner, t, d_key)
    d_logit = t
    if not call.by_incidence:
        d_logit = empty(M * K, dtype)
        each(plan.edges(), kernels.sum_ends(K), plan.slot, t, d_logit)
    d_nodes = _weighted_sum(plan, plan.partner, plan.far, w, grad_nodes, N, dtype)
    d_edges = _weighted_ends(plan, w, grad_edges, dtype)
    return NodeGrads(
        tensor(d_query, N, K).to(call.query.dtype),
        tensor(d_key, N, K).to(call.key.dtype),
        tensor(d_logit, -1, K).to(call.edge_logit.dtype),
        d_nodes.to(call.node_value.dtype),
        d_edges.to(call.edge_value.dtype),
        tensor(d_keep, I, K).to(call.query.dtype) if of_keep else None,
    )


def _logits(call: NodeCall, plan: Plan, dtype: Number) -> tuple[Any, ...]:
    """The graph, the logits and ``keep``, as the kernels take them."""
    tensors = (call.query, call.key, call.edge_logit, call.keep)
    arrays = [part for t in tensors for part in rows(t, dtype)]
    logit_row = np.arange(plan.edge.size, dtype=plan.edge.dtype) if call.by_incidence else plan.edge
    return plan.ptr, plan.far, logit_row, *arrays, call.slope


def _weighted_sum(
    plan: Plan, weight_of: Array, row_of: Array, w: Array, values: Tensor, N: int, dtype: Number
) -> Tensor:
    """``[N, K, F]``: see the kernel."""

    def run(values: Rows, w: Array, K: int, F: int) -> Array:
        out, kernel = empty(N * K * F, dtype), kernels.weighted_sum(K, F)
        exact = Scratch(K * F, np.float64)
        each(plan.nodes(), kernel, plan.ptr, weight_of, row_of, w, *values, exact, out)
        return out

    return _in_blocks(run, N, values, w, dtype)


def _weighted_ends(plan: Plan, w: Array, values: Tensor, dtype: Number) -> Tensor:
    """``[M, K, F]``: see the kernel."""
    M = plan.slot.size // 2

    def run(values: Rows, w: Array, K: int, F: int) -> Array:
        out = empty(M * K * F, dtype)
        each(plan.edges(), kernels.weighted_ends(K, F), plan.slot, plan.node, w, *values, out)
        return out

    return _in_blocks(run, M, values, w, dtype)


def _in_blocks(
    run: Callable[[Rows, Array, int, int], Array], size: int, values: Tensor, w: Array, dtype: Number
) -> Tensor:
    """``[size, K, F]``, some heads and channels at a time."""
    _, K, F = values.shape
    blocks = heads_and_channels(K, F, _LANES)
    if len(blocks) == 1:
        return tensor(run(rows(values, dtype), w, K, F), size, K, F)
    out = tensor(empty(size * K * F, dtype), size, K, F)
    weights = torch.from_numpy(w).view(-1, K)
    for heads, channels in blocks:
        some = values[:, heads, channels]
        k, f = some.shape[1:]
        part = run(rows(some, dtype), weights[:, heads].contiguous().view(-1).numpy(), k, f)
        out[:, heads, channels] = tensor(part, size, k, f)
    return out


def _products(
    plan: Plan, row_of: Array, g: Tensor, values: Tensor, dtype: Number, t: Array, adds: bool
) -> None:
    """See the kernel: ``t [I, K]``, some heads and channels at a time."""
    _, K, F = values.shape
    blocks = heads_and_channels(K, F, _LANES)
    all_heads = torch.from_numpy(t).view(-1, K)
    for heads, channels in blocks:
        some, k = (rows(v[:, heads, channels], dtype) for v in (g, values)), heads.stop - heads.start
        gradient, value = some
        f = channels.stop - channels.start
        part = t if len(blocks) == 1 else empty(all_heads.size(0) * k, dtype)
        keeps = adds and len(blocks) == 1
        each(plan.nodes(), kernels.products(k, f), plan.ptr, row_of, *gradient, *value, keeps, part)
        if len(blocks) > 1:
            product = tensor(part, -1, k)
            if adds or channels.start:
                all_heads[:, heads] += product
            else:
                all_heads[:, heads] = product
