"""Exact edge attention on NVIDIA GPUs: which Triton kernels run, in which order, on which memory.

Stars of up to :data:`edgegat.ops._plan.HUB` edges go pair by pair (``_triton_pairs.py``), larger ones are sorted
(``_triton_hubs.py``). Every edge is read at its first end and then at its second, in two launches: the second
continues where the first left off, so nothing of size ``[I, K, F]`` exists, and no two programs ever write to
the same place.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat.ops import _plan
from edgegat.ops._launch import blocks, check_size, next_power, rows_of, work_type
from edgegat.ops._plan import Hubs, plan_of
from edgegat.ops._trace import note
from edgegat.ops._triton_segments import sum_over_stars
from edgegat.ops.star import _triton_hubs as hub_kernels
from edgegat.ops.star import _triton_pairs as pair_kernels
from edgegat.ops.star._operator import StarCall, StarGrads

_REGISTERS = 512
"""Accumulators of a program; with four channels that is an element a thread."""


class _Inputs:
    """A call as the kernels take it: one type, dense rows, and what they are told of its sizes."""

    def __init__(self, call: StarCall) -> None:
        M, self.K, self.F = call.value.shape
        self.dtype = dtype = work_type(call.value.dtype)
        self.query, self.QS = rows_of(call.query, dtype)
        self.key, self.KS = rows_of(call.key, dtype)
        self.value, self.VS = rows_of(call.value, dtype)
        self.own: Tensor | None = None
        self.OS = 0
        if call.own is not None:
            self.own, self.OS = rows_of(call.own, dtype)
        self.at_node = None if call.at_node is None else call.at_node.to(dtype).contiguous()
        self.plan = plan_of(call.ptr, call.edge, call.node, call.slot)
        check_size(
            max(call.edge.numel() * self.K, M * max(self.QS, self.KS, self.VS, self.K * self.F)), "a table"
        )
        self.form = {"K": self.K, "BY_EDGE": call.by_edge}
        self.with_node = {"HAS_NODE": call.at_node is not None}
        self.width = {"F": self.F, "FP": next_power(self.F), "SLOPE": call.slope}
        self.hub_width = {"F": self.F, "CP": next_power(self.F + 1)}
        self.block = max(32, min(128, _REGISTERS // next_power(self.F)))

    def empty(self, *shape: int, dtype: torch.dtype | None = None) -> Tensor:
        return self.value.new_empty(shape, dtype=dtype or self.dtype)


class _Tops(NamedTuple):
    """The two largest keys of every star, and the incidence of the largest: ``[N, K]``."""

    first: Tensor
    second: Tensor
    at: Tensor


class _Order(NamedTuple):
    """Hub incidences ranked inside their stars, with weights: see ``_triton_hubs.py``."""

    edges: Tensor
    place: Tensor
    ranked: Tensor
    weights: Tensor
    until: Tensor


def forward(call: StarCall) -> tuple[Tensor, Tensor]:
    """``out [M, K, F]`` and the log of every softmax's denominator ``[M, K]``, in float64."""
    inputs = _Inputs(call)
    plan, (M, K, F) = inputs.plan, call.value.shape
    out, lse = inputs.empty(M, K, F), inputs.empty(M, K, dtype=torch.float64)
    tops, sources = _rank_keys(inputs)
    strides = inputs.QS, inputs.KS, inputs.OS, inputs.VS
    for second in (False, True):
        readers = plan.readers[second]
        if readers.numel():
            note("star/triton/pairs")
            couples = plan.couples[second]
            pair_kernels.forward[blocks(couples.numel() * K, inputs.block)](
                readers, readers.numel(), couples, couples.numel(), plan.ptr, plan.edge, plan.node, plan.partner,
                inputs.query, inputs.key, inputs.at_node, inputs.own, inputs.value, *tops, out, lse, *strides,
                **inputs.form, **inputs.with_node, **inputs.width, SECOND=second, BLOCK=inputs.block,
            )  # fmt: skip
        if plan.hubs is not None and sources is not None and plan.hubs.readers[second].numel():
            note("star/triton/hubs")
            hubs, readers = plan.hubs, plan.hubs.readers[second]
            hub_kernels.forward[blocks(readers.numel() * K, inputs.block)](
                readers, readers.numel(), hubs.hub, hubs.ptr, hubs.chunk_ptr, hubs.row,
                sources.edges, sources.place, sources.ranked, hubs.num_rows, sources.weights, sources.until,
                hubs.num_chunks, hubs.search_steps, plan.edge, plan.node, plan.partner,
                inputs.query, inputs.key, inputs.own, inputs.value, *tops, out, lse, *strides,
                **inputs.form, **inputs.width, SECOND=second,
                CHUNK=_plan.CHUNK, BLOCK=inputs.block,
            )  # fmt: skip
    return out.to(call.value.dtype), lse


def backward(call: StarCall, grad: Tensor, out: Tensor, lse: Tensor) -> StarGrads:
    """The gradients of all inputs; only ``out`` and ``lse`` were kept from the forward pass."""
    inputs = _Inputs(call)
    plan, (M, K, F), I = inputs.plan, call.value.shape, call.edge.numel()
    g, GS = rows_of(grad, inputs.dtype)
    out = out.to(inputs.dtype).contiguous()
    tops, sources = _rank_keys(inputs)
    shift, delta = inputs.empty(I, K), inputs.empty(M, K)
    d_query, d_key, d_value = (inputs.empty(*shape) for shape in (call.query.shape, call.key.shape, (M, K, F)))
    d_own = None if call.own is None else inputs.empty(M, K)
    d_at_incidence = None if call.at_node is None else inputs.empty(I, K)
    pair_kernels.prepare_backward[blocks(M * K, inputs.block)](
        M, plan.node, plan.slot, inputs.query, inputs.key, inputs.own, inputs.value, *tops, g, out, lse,
        shift, delta, d_query, d_key, d_own, d_value, inputs.QS, inputs.KS, inputs.OS, inputs.VS, GS,
        **inputs.form, **inputs.width, BLOCK=inputs.block,
    )  # fmt: skip
    gradients = d_query, d_key, d_at_incidence, d_value
    strides = inputs.QS, inputs.KS, inputs.VS, GS
    hubs = plan.hubs
    if hubs is not None and sources is not None:
        listeners, until_top = _rank_queries(inputs, hubs, tops, g, GS, out, delta, shift)
    for second in (False, True):
        readers = plan.readers[second]
        if readers.numel():
            note("star/triton/pairs_backward")
            couples = plan.couples[second]
            pair_kernels.backward[blocks(couples.numel() * K, inputs.block)](
                readers, readers.numel(), couples, couples.numel(), plan.ptr, plan.edge, plan.node,
                inputs.query, inputs.key, inputs.at_node, inputs.value, *tops, g, out, shift, *gradients, *strides,
                **inputs.form, **inputs.with_node, **inputs.width, BLOCK=inputs.block,
            )  # fmt: skip
        if hubs is not None and sources is not None and hubs.readers[second].numel():
            note("star/triton/hubs_backward")
            readers = hubs.readers[second]
            hub_kernels.backward[blocks(readers.numel() * K, inputs.block)](
                readers, readers.numel(), hubs.hub, hubs.ptr, hubs.chunk_ptr, hubs.row, hubs.num_rows,
                hubs.num_chunks, hubs.search_steps, *sources, *listeners, until_top, plan.edge, plan.node,
                inputs.query, inputs.key, inputs.at_node, inputs.value, *tops, g, delta, out, shift,
                *gradients, *strides,
                **inputs.form, **inputs.with_node, **inputs.width,
                CHUNK=_plan.CHUNK, BLOCK=inputs.block,
            )  # fmt: skip
    d_node = None if d_at_incidence is None else sum_over_stars(d_at_incidence, plan)
    return StarGrads(
        d_query.to(call.query.dtype),
        d_key.to(call.key.dtype),
        None if d_node is None else d_node.to(call.query.dtype),
        d_value.to(call.value.dtype),
        None if d_own is None else d_own.to(call.query.dtype),
    )


def _rank_keys(inputs: _Inputs) -> tuple[_Tops, _Order | None]:
    """The two largest keys of every star; and the sources of the hubs by key, with their running sums."""
    plan, K = inputs.plan, inputs.K
    N = plan.ptr.numel() - 1
    tops = _Tops(inputs.empty(N, K), inputs.empty(N, K), inputs.empty(N, K, dtype=torch.int32))
    if plan.small.numel():
        pair_kernels.find_tops[blocks(plan.small.numel() * K, 128)](
            plan.small, plan.small.numel(), plan.ptr, plan.edge, inputs.key, inputs.at_node, *tops, inputs.KS,
            **inputs.form, **inputs.with_node, BLOCK=128,
        )  # fmt: skip
    hubs = plan.hubs
    if hubs is None:
        return tops, None
    order, edges, place, ranked = _rank(inputs, hubs, inputs.key, inputs.KS, inputs.at_node)
    hub_kernels.find_tops[blocks(hubs.node.numel() * K, 128)](
        hubs.node, hubs.ptr, hubs.node.numel(), order, ranked, hubs.num_rows, *tops, K=K, BLOCK=128
    )
    weights = inputs.empty(2, K, hubs.num_rows)
    hub_kernels.weigh_sources[blocks(K * hubs.num_rows, 128)](
        hubs.ptr, hubs.hub, ranked, hubs.num_rows, weights, K=K, SLOPE=inputs.width["SLOPE"], BLOCK=128
    )
    until = _sum_chunks(inputs, hubs, edges, weights, inputs.value, inputs.VS, None)
    return tops, _Order(edges, place, ranked, weights, until)


def _rank_queries(
    inputs: _Inputs, hubs: Hubs, tops: _Tops, g: Tensor, GS: int, out: Tensor, delta: Tensor, shift: Tensor
) -> tuple[_Order, Tensor]:
    """The readers of the hubs by query, with the running sums of what they say in the backward pass: to all,
    and to the star's largest key.
    """
    K, P = inputs.K, hubs.num_chunks
    order, edges, place, ranked = _rank(inputs, hubs, inputs.query, inputs.QS, None)
    weights = inputs.empty(2, K, hubs.num_rows)
    hub_kernels.weigh_readers[blocks(K * hubs.num_rows, 128)](
        hubs.node, hubs.hub, order, ranked, hubs.num_rows, *tops, shift, weights,
        K=K, SLOPE=inputs.width["SLOPE"], BLOCK=128,
    )  # fmt: skip
    to_top = inputs.empty(1, K, inputs.F + 1, P, dtype=torch.float64)
    hub_kernels.sum_top_chunks[P, K](
        hubs.chunk_hub, hubs.chunk_start, P, hubs.node, hubs.ptr, inputs.plan.edge, order, edges, ranked,
        hubs.num_rows, tops.first, tops.at, inputs.value, g, out, shift, to_top, inputs.VS, GS,
        K=K, **inputs.hub_width, SLOPE=inputs.width["SLOPE"], CHUNK=_plan.CHUNK,
    )  # fmt: skip
    until = _sum_chunks(inputs, hubs, edges, weights, g, GS, delta)
    return _Order(edges, place, ranked, weights, until), _running(to_top)


def _gather(inputs: _Inputs, hubs: Hubs, per_row: Tensor, stride: int, at_node: Tensor | None) -> Tensor:
    """Queries or keys at the hub incidences: ``[K, J]``."""
    gathered = inputs.empty(inputs.K, hubs.num_rows)
    hub_kernels.gather_rows[blocks(inputs.K * hubs.num_rows, 128)](
        hubs.row, hubs.num_rows, inputs.plan.edge, inputs.plan.node, per_row, at_node, gathered, stride,
        **inputs.form, HAS_NODE=at_node is not None, BLOCK=128,
    )  # fmt: skip
    return gathered


def _rank(
    inputs: _Inputs, hubs: Hubs, per_row: Tensor, stride: int, at_node: Tensor | None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Sort queries or keys inside each hub: incidence and edge at each place, the place of each, the values."""
    values = _gather(inputs, hubs, per_row, stride, at_node)
    if values.dtype == torch.float32:
        # One sort of integers: the hub in the high half, and in the low half bits that rank as the floats do.
        bits = values.view(torch.int32)
        bits = bits ^ ((bits >> 31) & 0x7FFFFFFF)
        by_value = ((hubs.hub.long() << 32) + bits).argsort(dim=1, stable=True)
    else:
        by_value = values.argsort(dim=1, stable=True)
        by_value = by_value.gather(1, hubs.hub[by_value].argsort(dim=1, stable=True))
    place = torch.empty_like(by_value, dtype=torch.int32)
    everyone = torch.arange(values.size(1), dtype=torch.int32, device=values.device).expand_as(by_value)
    place.scatter_(1, by_value, everyone)
    order = hubs.row[by_value]
    return order, inputs.plan.edge[order], place, values.gather(1, by_value)


def _sum_chunks(
    inputs: _Inputs, hubs: Hubs, edges: Tensor, weights: Tensor, value: Tensor, VS: int, tail: Tensor | None
) -> Tensor:
    """Running sums before each chunk, ``[2, K, P + 1, F + 1]``: across stars, which float64 can afford."""
    sums = inputs.empty(2, inputs.K, inputs.F + 1, hubs.num_chunks, dtype=torch.float64)
    hub_kernels.sum_chunks[hubs.num_chunks, inputs.K](
        hubs.chunk_hub, hubs.chunk_start, hubs.num_chunks, hubs.ptr, edges, hubs.num_rows, weights, value, tail,
        sums, VS, K=inputs.K, **inputs.hub_width, CHUNK=_plan.CHUNK,
    )  # fmt: skip
    return _running(sums)


def _running(sums: Tensor) -> Tensor:
    """``[..., C, P]`` to the sums before each of ``P`` and behind them all, ``[..., P + 1, C]``."""
    return F.pad(sums.cumsum(-1), (1, 0)).transpose(-1, -2).contiguous()
