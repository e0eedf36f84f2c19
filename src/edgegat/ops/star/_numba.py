"""Exact edge attention on CPUs: which compiled kernels run, in which order, on which memory.

Stars of up to :data:`edgegat.ops._numba_plan.HUB` edges go pair by pair (``_numba_pairs.py``), larger ones are sorted
(``_numba_hubs.py``); both leave the same partial results at every incidence, which ``_numba_edges.py`` puts together
edge by edge. Every thread writes to places of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from edgegat.ops._numba_arrays import Array, Number, Rows, empty, rows, tensor, work_type
from edgegat.ops._numba_plan import Hubs, heads_and_channels, plan_of
from edgegat.ops._numba_threads import Scratch, each
from edgegat.ops._trace import note
from edgegat.ops.star import _numba_edges as edges
from edgegat.ops.star import _numba_hub_parts as hub_parts
from edgegat.ops.star import _numba_hubs as hubs
from edgegat.ops.star import _numba_hubs_backward as hubs_backward
from edgegat.ops.star import _numba_pairs as pairs
from edgegat.ops.star._operator import StarCall, StarGrads

_LANES = 64  # heads times channels that a kernel takes at once


def forward(call: StarCall) -> tuple[Tensor, Tensor]:
    """``out [M, K, F]`` and the log of every softmax's denominator ``[M, K]``, in float64."""
    M, K, F = call.value.shape
    blocks = heads_and_channels(K, F, _LANES)
    done = [_forward(_Block(call, *block)) for block in blocks]
    if len(blocks) == 1:
        out, lse = done[0]
        return out.to(call.value.dtype), lse
    out, lse = torch.empty_like(call.value), torch.empty(M, K, dtype=torch.float64)
    for (heads, channels), (some, log) in zip(blocks, done, strict=True):
        out[:, heads, channels] = some
        lse[:, heads] = log
    return out, lse


def backward(call: StarCall, grad: Tensor, out: Tensor, lse: Tensor) -> StarGrads:
    """The gradients of all inputs; only ``out`` and ``lse`` were kept from the forward pass."""
    _, K, F = call.value.shape
    given = call.query, call.key, call.at_node, call.value, call.own
    blocks = heads_and_channels(K, F, _LANES)
    done = [_backward(_Block(call, h, c), grad[:, h, c], out[:, h, c], lse[:, h]) for h, c in blocks]
    if len(blocks) == 1:
        return _rounded(done[0], call.value.dtype)
    zeros: Any = (t if t is None else torch.zeros(t.shape, dtype=done[0].value.dtype) for t in given)
    total = StarGrads(*zeros)
    for (heads, channels), grads in zip(blocks, done, strict=True):
        total.value[:, heads, channels] = grads.value
        # The channels of a head speak to the same logits.
        for name in ("query", "key", "at_node", "own"):
            if (sum_of := getattr(total, name)) is not None:
                sum_of[:, heads] += getattr(grads, name)
    return _rounded(total, call.value.dtype)


def _rounded(grads: StarGrads, dtype: torch.dtype) -> StarGrads:
    rounded: Any = (d if d is None else d.to(dtype) for d in grads)
    return StarGrads(*rounded)


class _Block:
    """Some heads and channels of a call, as the kernels take them."""

    def __init__(self, call: StarCall, heads: slice, channels: slice) -> None:
        value = call.value[:, heads, channels]
        self.M, self.K, self.F = value.shape
        self.dtype: Number = work_type(value.dtype)
        self.plan = plan_of(call.ptr, call.edge, call.node, call.slot)
        self.by_edge, self.slope = call.by_edge, call.slope
        self.query, self.key, self.at_node, self.own = (
            rows(None if t is None else t[:, heads], self.dtype)
            for t in (call.query, call.key, call.at_node, call.own)
        )
        self.value = rows(value, self.dtype)

    def for_pairs(self) -> tuple[Any, ...]:
        plan = self.plan
        inputs = (*self.query, *self.key, *self.at_node, *self.value)
        reference = pairs.REFERENCE[self.dtype]
        return plan.most, plan.ptr, plan.edge, self.by_edge, *inputs, self.slope, *reference

    def for_edges(self) -> tuple[Any, ...]:
        inputs = (*self.query, *self.key, *self.own, *self.value)
        return self.plan.slot, self.by_edge, *inputs, self.slope

    def for_hubs(self, some: Hubs) -> tuple[Any, ...]:
        """The incidences of some hubs, head by head: queries and keys ``[K, J]``, values ``[K, J, F]``."""
        row = some.edge if self.by_edge else some.row
        gathered = (
            self.gather(some, row, self.query, 1),
            self.gather(some, row, self.key, 1),
            self.gather(some, some.edge, self.value, self.F),
        )
        return some.ptr, some.node, *gathered, *self.at_node, self.slope

    def gather(self, some: Hubs, row: Array, given: Rows, width: int) -> Array:
        gathered = empty(self.K * row.size * width, given.flat.dtype.type)
        each(some.rows(), hub_parts.gather(width), self.K, row, *given, gathered)
        return gathered


def _forward(block: _Block) -> tuple[Tensor, Tensor]:
    M, K, F, plan, dtype = block.M, block.K, block.F, block.plan, block.dtype
    sums = empty(plan.edge.size * (2 * K + K * F), dtype)
    if plan.most:
        note("star/numba/pairs")
        exact, scratch = Scratch(plan.most * 2 * K, np.float64), Scratch(plan.most * (3 * K + K * F), dtype)
        if any(each(plan.stars(), pairs.forward(K, F), *block.for_pairs(), exact, scratch, sums)):
            note("star/numba/apart")
    for some in plan.hubs:
        note("star/numba/hubs")
        results = empty(K * some.row.size * (F + 2), dtype)
        scratch_of = _hub_scratch(some, hubs.scratch(F), dtype)
        each(some.units(K), hubs.forward(F), K, *block.for_hubs(some), *scratch_of, results)
        each(some.rows(), hub_parts.scatter(F), K, some.row, results, sums)
    out, lse = empty(M * K * F, dtype), empty(M * K, np.float64)
    each(plan.edges(), edges.forward(K, F), *block.for_edges(), sums, out, lse)
    return tensor(out, M, K, F), tensor(lse, M, K)


def _backward(block: _Block, grad: Tensor, out: Tensor, lse: Tensor) -> StarGrads:
    M, K, F, plan, dtype = block.M, block.K, block.F, block.plan, block.dtype
    I, N = plan.edge.size, plan.ptr.size - 1
    at_query, at_key, at_value = (empty(I * width, dtype) for width in (K, K, K * F))
    d_node = empty(N * K if block.at_node.flat.size else 0, dtype)
    said = rows(grad, dtype), rows(out, dtype), rows(lse, np.float64)
    answers = [part for some in said for part in some]
    if plan.most:
        note("star/numba/pairs_backward")
        exact, scratch = Scratch(plan.most * 2 * K, np.float64), Scratch(plan.most * (6 * K + 3 * K * F), dtype)
        gradients = at_query, at_key, at_value, d_node
        arguments = *block.for_pairs(), *answers, exact, scratch, *gradients
        if any(each(plan.stars(), pairs.backward(K, F), *arguments)):
            note("star/numba/apart_backward")
    for some in plan.hubs:
        note("star/numba/hubs_backward")
        gathered = [block.gather(some, some.edge, t, width) for t, width in zip(said, (F, F, 1), strict=True)]
        results = empty(K * some.row.size * (F + 2), dtype)
        scratch_of = _hub_scratch(some, hubs_backward.scratch(F), dtype)
        each(
            some.units(K),
            hubs_backward.backward(F),
            K,
            *block.for_hubs(some),
            *gathered,
            *scratch_of,
            results,
            d_node,
        )
        each(some.rows(), hub_parts.scatter_backward(F), K, some.row, results, at_query, at_key, at_value)
    d_first, d_second = empty(M * K, dtype), empty(M * K if block.by_edge else 0, dtype)
    d_value = empty(M * K * F, dtype)
    each(
        plan.edges(), edges.backward(K, F), *block.for_edges(), *answers, at_query, at_key, at_value,
        d_first, d_second, d_value,
    )  # fmt: skip
    values = tensor(d_value, M, K, F)
    if block.by_edge:
        nodes = tensor(d_node, N, K) if d_node.size else None
        return StarGrads(tensor(d_first, M, K), tensor(d_second, M, K), nodes, values, None)
    return StarGrads(tensor(at_query, I, K), tensor(at_key, I, K), None, values, tensor(d_first, M, K))


def _hub_scratch(some: Hubs, numbers: tuple[int, int], dtype: Number) -> tuple[Scratch, ...]:
    """Packed words, spare ones and two orders; numbers in float64 and in the values' type."""
    room, (exact, weights) = some.largest + hub_parts.STEP, numbers
    return (
        Scratch(room, np.uint64),
        Scratch(room, np.uint64),
        Scratch(2 * room, np.int32),
        Scratch(room * exact, np.float64),
        Scratch(room * weights, dtype),
    )
