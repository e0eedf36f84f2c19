"""Exact edge attention on NVIDIA GPUs: which Triton kernels run, in which order, on which memory.

Stars of up to :data:`edgegat.ops.star._triton_schedule.HUB` edges go pair by pair (``_triton_pairs.py``), larger ones
are sorted (``_triton_hub_order.py``, ``_triton_hubs.py``). An edge's two ends are worked on apart and meet afterwards
(``_triton_edges.py``): no two programs ever write to the same place.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat.ops._launch import blocks, check_size, next_power, rows_of, work_type
from edgegat.ops._plan import plan_of
from edgegat.ops._trace import note
from edgegat.ops._triton_segments import sum_over_stars
from edgegat.ops.star import _triton_edges as edge_kernels
from edgegat.ops.star import _triton_hub_order as order_kernels
from edgegat.ops.star import _triton_hubs as hub_kernels
from edgegat.ops.star import _triton_pairs as pair_kernels
from edgegat.ops.star import _triton_schedule as schedule
from edgegat.ops.star._operator import StarCall, StarGrads
from edgegat.ops.star._triton_schedule import Hubs, schedule_of

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
        self.ways = schedule_of(call.ptr)
        check_size(
            max(call.edge.numel() * self.K, M * max(self.QS, self.KS, self.VS, 2 * self.K * self.F)),
            "a table",
        )
        self.form = {"K": self.K, "BY_EDGE": call.by_edge}
        self.with_node = {"HAS_NODE": call.at_node is not None}
        self.width = {"F": self.F, "FP": next_power(self.F), "SLOPE": call.slope}
        self.channels = {"F": self.F, "FP": self.width["FP"]}
        self.block = max(32, min(128, _REGISTERS // next_power(self.F)))

    def empty(self, *shape: int, dtype: torch.dtype | None = None) -> Tensor:
        return self.value.new_empty(shape, dtype=dtype or self.dtype)


class _Tops(NamedTuple):
    """The two largest keys of every star, and the incidence of the largest: ``[N, K]``."""

    first: Tensor
    second: Tensor
    at: Tensor


class _Order(NamedTuple):
    """Hub incidences ranked inside their stars, with weights and channels: see ``_triton_hubs.py``."""

    place: Tensor
    ranked: Tensor
    weights: Tensor
    rows: Tensor
    tails: Tensor | None
    until: Tensor

    @property
    def known(self) -> tuple[Tensor, ...]:
        """All but the tails."""
        return self.place, self.ranked, self.weights, self.rows, self.until


def forward(call: StarCall) -> tuple[Tensor, Tensor]:
    """``out [M, K, F]``, and for the backward pass ``[I + M, K]``: ``shift`` of every incidence, and below it the
    weight of every edge on itself.
    """
    inputs = _Inputs(call)
    plan, ways, (M, K, F) = inputs.plan, inputs.ways, call.value.shape
    tops, sources = _rank_keys(inputs)
    # Each edge's first end and its second.
    num, den = [inputs.empty(M, K, F) for _ in range(2)], [inputs.empty(M, K) for _ in range(2)]
    if ways.small.numel():
        note("star/triton/pairs")
        groups = ways.group_star.numel()
        pair_kernels.forward[blocks(groups * K, inputs.block)](
            ways.group_star, ways.group_row, groups, plan.ptr, plan.edge, plan.home, inputs.query, inputs.key,
            inputs.at_node, inputs.value, *tops, M, *num, *den, inputs.QS, inputs.KS, inputs.VS,
            **inputs.form, **inputs.with_node, **inputs.width, BLOCK=inputs.block,
        )  # fmt: skip
    if ways.hubs is not None and sources is not None:
        note("star/triton/hubs")
        hub_kernels.forward[blocks(ways.hubs.num_rows * K, inputs.block)](
            *_places(ways.hubs), *sources.known, plan.node, plan.edge, plan.home,
            inputs.query, inputs.value, *tops, M, *num, *den, inputs.QS, inputs.VS,
            **inputs.form, **inputs.width, CHUNK=schedule.CHUNK, BLOCK=inputs.block,
        )  # fmt: skip
    I = call.edge.numel()
    kept = inputs.empty(I + M, K)
    edge_kernels.join[blocks(M * K, inputs.block)](
        M, plan.slot, plan.ends, inputs.query, inputs.key, inputs.own, inputs.value, *tops, *num, *den,
        kept[:I], kept[I:], inputs.QS, inputs.KS, inputs.OS, inputs.VS,
        **inputs.form, **inputs.width, ELU=call.elu, BLOCK=inputs.block,
    )  # fmt: skip
    return num[0].to(call.value.dtype), kept


def backward(call: StarCall, grad: Tensor, out: Tensor, kept: Tensor) -> StarGrads:
    """The gradients of all inputs."""
    inputs = _Inputs(call)
    plan, ways, (M, K, F), I = inputs.plan, inputs.ways, call.value.shape, call.edge.numel()
    g, GS = rows_of(grad, inputs.dtype)
    out = out.to(inputs.dtype).contiguous()
    tops, sources = _rank_keys(inputs)
    shift, alone, delta = kept[:I], kept[I:], inputs.empty(M, K)
    before = inputs.empty(M, K, F) if call.elu else None
    edge_kernels.receive[blocks(M * K, inputs.block)](
        M, g, out, before, delta, GS, K=K, **inputs.channels, ELU=call.elu, BLOCK=inputs.block
    )
    if before is not None:
        g, GS = before, K * F
    # The gradients at each edge's first end and at its second: of values, queries and keys.
    dV, dx, dy = ([inputs.empty(*shape) for _ in range(2)] for shape in ((M, K, F), (M, K), (M, K)))
    d_at_incidence = None if call.at_node is None else inputs.empty(I, K)
    known = inputs.query, inputs.key, inputs.at_node, inputs.value, *tops, g, delta, shift
    ends = M, *dV, *dx, *dy, d_at_incidence
    strides = inputs.QS, inputs.KS, inputs.VS, GS
    options = inputs.form | inputs.with_node | inputs.width
    if ways.small.numel():
        note("star/triton/pairs_backward")
        groups = ways.group_star.numel()
        pair_kernels.backward[blocks(groups * K, inputs.block)](
            ways.group_star, ways.group_row, groups, plan.ptr, plan.edge, plan.home, *known, *ends, *strides,
            **options, BLOCK=inputs.block,
        )  # fmt: skip
    if ways.hubs is not None and sources is not None:
        note("star/triton/hubs_backward")
        listeners, until_top = _rank_queries(inputs, ways.hubs, tops, g, GS, delta, shift)
        hub_kernels.backward[blocks(ways.hubs.num_rows * K, inputs.block)](
            *_places(ways.hubs), *sources.known, *listeners, until_top,
            plan.node, plan.edge, plan.home, *known, *ends, *strides,
            **options, CHUNK=schedule.CHUNK, BLOCK=inputs.block,
        )  # fmt: skip
    d_node = None if d_at_incidence is None else sum_over_stars(d_at_incidence, plan)
    d_query, d_key, d_own = dx[0], dy[0], None
    if not call.by_edge:
        d_query, d_key, d_own = inputs.empty(I, K), inputs.empty(I, K), inputs.empty(M, K)
    edge_kernels.join_backward[blocks(M * K, inputs.block)](
        M, plan.slot, inputs.query, inputs.key, inputs.own, inputs.value, g, delta, alone, *dV, *dx, *dy,
        d_query, d_key, d_own, inputs.QS, inputs.KS, inputs.OS, inputs.VS, GS,
        **inputs.form, **inputs.width, BLOCK=inputs.block,
    )  # fmt: skip
    return StarGrads(
        d_query.to(call.query.dtype),
        d_key.to(call.key.dtype),
        None if d_node is None else d_node.to(call.query.dtype),
        dV[0].to(call.value.dtype),
        None if d_own is None else d_own.to(call.query.dtype),
    )


def _places(hubs: Hubs) -> tuple[Tensor | int, ...]:
    """What the kernels want to know of the hubs."""
    return (
        hubs.row, hubs.num_rows, hubs.hub, hubs.ptr, hubs.chunk_ptr, hubs.num_chunks, hubs.search_steps,
    )  # fmt: skip


def _rank_keys(inputs: _Inputs) -> tuple[_Tops, _Order | None]:
    """The two largest keys of every star; and the sources of the hubs by key, with their running sums."""
    plan, K = inputs.plan, inputs.K
    N = plan.ptr.numel() - 1
    tops = _Tops(inputs.empty(N, K), inputs.empty(N, K), inputs.empty(N, K, dtype=torch.int32))
    small, hubs = inputs.ways.small, inputs.ways.hubs
    if small.numel():
        pair_kernels.find_tops[blocks(small.numel() * K, 128)](
            small, small.numel(), plan.ptr, plan.edge, inputs.key, inputs.at_node, *tops, inputs.KS,
            **inputs.form, **inputs.with_node, BLOCK=128,
        )  # fmt: skip
    if hubs is None:
        return tops, None
    order, place, ranked = _rank(inputs, hubs, inputs.key, inputs.KS, inputs.at_node)
    order_kernels.find_tops[blocks(hubs.node.numel() * K, 128)](
        hubs.node, hubs.ptr, hubs.node.numel(), order, ranked, hubs.num_rows, *tops, K=K, BLOCK=128
    )
    weights = inputs.empty(2, K, hubs.num_rows)
    order_kernels.weigh_sources[blocks(K * hubs.num_rows, 128)](
        hubs.ptr, hubs.hub, ranked, hubs.num_rows, weights, K=K, SLOPE=inputs.width["SLOPE"], BLOCK=128
    )
    rows, tails = _gather_channels(inputs, hubs, order, inputs.value, inputs.VS, None)
    until = _sum_chunks(inputs, hubs, weights, rows, tails)
    return tops, _Order(place, ranked, weights, rows, tails, until)


def _rank_queries(
    inputs: _Inputs, hubs: Hubs, tops: _Tops, g: Tensor, GS: int, delta: Tensor, shift: Tensor
) -> tuple[_Order, Tensor]:
    """The readers of the hubs by query, with the running sums of what they say in the backward pass: to all,
    and to the star's largest key.
    """
    K, P = inputs.K, hubs.num_chunks
    order, place, ranked = _rank(inputs, hubs, inputs.query, inputs.QS, None)
    weights = inputs.empty(2, K, hubs.num_rows)
    order_kernels.weigh_readers[blocks(K * hubs.num_rows, 128)](
        hubs.node, hubs.hub, order, ranked, hubs.num_rows, *tops, shift, weights,
        K=K, SLOPE=inputs.width["SLOPE"], BLOCK=128,
    )  # fmt: skip
    rows, tails = _gather_channels(inputs, hubs, order, g, GS, delta)
    to_top = inputs.empty(1, K, inputs.F + 1, P, dtype=torch.float64)
    order_kernels.sum_top_chunks[blocks(P * K, inputs.block)](
        hubs.chunk_hub, hubs.chunk_start, P, hubs.node, hubs.ptr, inputs.plan.edge, order, ranked, hubs.num_rows,
        tops.first, tops.at, inputs.value, rows, tails, shift, to_top, inputs.VS,
        K=K, **inputs.width, CHUNK=schedule.CHUNK, BLOCK=inputs.block,
    )  # fmt: skip
    until = _sum_chunks(inputs, hubs, weights, rows, tails)
    return _Order(place, ranked, weights, rows, tails, until), _running(to_top)


def _rank(
    inputs: _Inputs, hubs: Hubs, per_row: Tensor, stride: int, at_node: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Sort queries or keys inside each hub: the incidence at each place, the place of each, and the values."""
    K, J = inputs.K, hubs.num_rows
    values = inputs.empty(K, J)
    sortable = inputs.empty(K, J, dtype=torch.int64) if values.dtype == torch.float32 else None
    order_kernels.gather_rows[blocks(K * J, 128)](
        hubs.row, J, hubs.hub, hubs.node.numel(), inputs.plan.edge, inputs.plan.node, per_row, at_node, values,
        sortable, stride, **inputs.form, HAS_NODE=at_node is not None, BLOCK=128,
    )  # fmt: skip
    if sortable is not None:
        by_value = sortable.flatten().argsort(stable=True)
    else:
        by_value = values.argsort(dim=1, stable=True)
        by_value = by_value.gather(1, hubs.hub[by_value].argsort(dim=1, stable=True))
        by_value = by_value + J * torch.arange(K, device=values.device).unsqueeze(1)
    order, place, ranked = (inputs.empty(K, J, dtype=t) for t in (torch.int32, torch.int32, values.dtype))
    order_kernels.settle[blocks(K * J, 128)](
        by_value, J, hubs.row, values, order, place, ranked, K=K, BLOCK=128
    )
    return order, place, ranked


def _gather_channels(
    inputs: _Inputs, hubs: Hubs, order: Tensor, value: Tensor, VS: int, tail: Tensor | None
) -> tuple[Tensor, Tensor | None]:
    """The channels of the hub incidences in order, ``[K, J, F]``, and one more behind them, ``[K, J]``."""
    K, J = order.shape
    rows, tails = inputs.empty(K, J, inputs.F), None if tail is None else inputs.empty(K, J)
    order_kernels.gather_channels[blocks(K * J, inputs.block)](
        order, J, inputs.plan.edge, value, tail, rows, tails, VS, K=K, **inputs.channels, BLOCK=inputs.block
    )
    return rows, tails


def _sum_chunks(inputs: _Inputs, hubs: Hubs, weights: Tensor, rows: Tensor, tails: Tensor | None) -> Tensor:
    """Running sums before each chunk, ``[2, K, P + 1, F + 1]``: across stars, which float64 can afford."""
    sums = inputs.empty(2, inputs.K, inputs.F + 1, hubs.num_chunks, dtype=torch.float64)
    order_kernels.sum_chunks[blocks(hubs.num_chunks * inputs.K, inputs.block)](
        hubs.chunk_hub, hubs.chunk_start, hubs.num_chunks, hubs.ptr, hubs.num_rows, weights, rows, tails, sums,
        K=inputs.K, **inputs.channels, CHUNK=schedule.CHUNK, BLOCK=inputs.block,
    )  # fmt: skip
    return _running(sums)


def _running(sums: Tensor) -> Tensor:
    """``[..., C, P]`` to the sums before each of ``P`` and behind them all, ``[..., P + 1, C]``."""
    return F.pad(sums.cumsum(-1), (1, 0)).transpose(-1, -2).contiguous()
