"""Node attention on NVIDIA GPUs: which Triton kernels run, in which order, on which memory.

Forward, the weights ``[I, K]`` are made once and two walks over the stars add up nodes and edges. Backward, every
edge reads the gradients at its two ends, and every node those of its readers, who are at the far ends of its own
star: gathers of whole rows, in a fixed order.
"""

from __future__ import annotations

import torch
from torch import Tensor

from edgegat.ops._launch import blocks, check_size, next_power, rows_of, work_type
from edgegat.ops._plan import plan_of
from edgegat.ops._trace import note
from edgegat.ops._triton_segments import sum_over_stars, sum_parts
from edgegat.ops.node import _triton_sums as sum_kernels
from edgegat.ops.node import _triton_weights as weight_kernels
from edgegat.ops.node._operator import NodeCall, NodeGrads, NodeOut

_BLOCK = 128
_TILE = 1024
"""Numbers a program reads at once: eight a thread."""


class _Inputs:
    """A call as the kernels take it: one type, dense rows, and what they are told of its sizes."""

    def __init__(self, call: NodeCall) -> None:
        self.dtype = dtype = work_type(call.node_value.dtype)
        self.query, self.QS = rows_of(call.query, dtype)
        self.key, self.KS = rows_of(call.key, dtype)
        self.edge_logit, self.ES = rows_of(call.edge_logit, dtype)
        self.keep: Tensor | None = None
        self.PS = 0
        if call.keep is not None:
            self.keep, self.PS = rows_of(call.keep, dtype)
        self.plan = plan_of(call.ptr, call.edge, call.node, call.slot)
        self.slope = call.slope
        self.N, self.K = call.query.shape
        self.M, self.I = call.slot.size(1), call.edge.numel()
        self.by_incidence = call.by_incidence
        self.logit_row = self.plan.edge
        if call.by_incidence:
            self.logit_row = torch.arange(self.I, dtype=self.plan.edge.dtype, device=call.edge.device)
        self.F, self.E = call.node_value.size(2), call.edge_value.size(2)

    def empty(self, *shape: int, dtype: torch.dtype | None = None) -> Tensor:
        return self.query.new_empty(shape, dtype=dtype or self.dtype)

    def check(self, *strides: int) -> None:
        """Every table that the kernels index must be within their reach."""
        widest = max(self.QS, self.KS, self.ES, self.PS, self.K * max(self.F, self.E, 1), *strides)
        by_incidence = max(self.K, self.PS, self.ES if self.by_incidence else 0)
        check_size(max(self.I * by_incidence, max(self.N, self.M) * widest), "a table")

    def tile(self, F: int) -> dict[str, int]:
        """How a walk over a star cuts heads and channels; rows fill what is left."""
        FP = next_power(F)
        KB = min(next_power(self.K), max(1, _TILE // FP))
        return {"K": self.K, "F": F, "KB": KB, "FP": FP, "ROWS": min(16, max(1, _TILE // (KB * FP)))}


def forward(call: NodeCall) -> NodeOut:
    """Both sums, and the log of every softmax's denominator."""
    inputs = _Inputs(call)
    node_value, NS = rows_of(call.node_value, inputs.dtype)
    edge_value, ES = rows_of(call.edge_value, inputs.dtype)
    inputs.check(NS, ES)
    lse = _normalise(inputs)
    weight = _weigh(inputs, lse, inputs.keep, signed=False)
    plan = inputs.plan
    nodes = _sum_rows(inputs, plan.other, weight, node_value, NS, inputs.F)
    edges = _sum_rows(inputs, plan.edge, weight, edge_value, ES, inputs.E)
    return NodeOut(nodes.to(call.node_value.dtype), edges.to(call.node_value.dtype), lse)


def backward(call: NodeCall, upstream: NodeOut, out: NodeOut, of_keep: bool) -> NodeGrads:
    """The gradients of all inputs. The weights are made anew: keeping them would cost more memory than time."""
    inputs = _Inputs(call)
    plan, dtype, M, I, K = inputs.plan, inputs.dtype, inputs.M, inputs.I, inputs.K
    node_value, NS = rows_of(call.node_value, dtype)
    edge_value, ES = rows_of(call.edge_value, dtype)
    g, GN = rows_of(upstream.nodes, dtype)
    gamma, GE = rows_of(upstream.edges, dtype)
    inputs.check(NS, ES, GN, GE)
    weight = _weigh(inputs, out.lse, None, signed=True)

    d_edge_value, through = inputs.empty(M, K, inputs.E), inputs.empty(I, K)
    d_keep = inputs.empty(I, K) if of_keep else None
    if M:
        note("node/triton/edges_backward")
        lanes = max(32, min(128, 512 // next_power(inputs.E)))
        sum_kernels.to_edges[blocks(M * K, lanes)](
            M, plan.slot, plan.node, weight, inputs.keep, edge_value, gamma, d_edge_value, through, ES, GE,
            inputs.PS, K=K, F=inputs.E, FP=next_power(inputs.E), BLOCK=lanes,
        )  # fmt: skip
    d_node_value = _to_far_nodes(inputs, weight, node_value, NS, g, GN, through)
    if M:
        delta = _sum_through(inputs, weight, through) - upstream.lse
        sum_kernels.to_logits[blocks(I * K, _BLOCK)](
            I, plan.node, weight, inputs.keep, through, delta, d_keep, inputs.PS,
            K=K, SLOPE=inputs.slope, BLOCK=_BLOCK,
        )  # fmt: skip
    d_edge_logit = through
    if not call.by_incidence:
        d_edge_logit = inputs.empty(M, K)
        if M:
            sum_kernels.sum_ends[blocks(M * K, _BLOCK)](M, plan.slot, through, d_edge_logit, K=K, BLOCK=_BLOCK)
    d_query, d_key = sum_over_stars(through, plan), sum_over_stars(through, plan, plan.partner)
    given = call.node_value.dtype
    return NodeGrads(
        d_query.to(given),
        d_key.to(given),
        d_edge_logit.to(given),
        d_node_value.to(given),
        d_edge_value.to(given),
        None if d_keep is None else d_keep.to(given),
    )


def _normalise(inputs: _Inputs) -> Tensor:
    """The log of every softmax's denominator, ``[N, K]`` in float64; minus infinity for an empty star."""
    plan, K, N = inputs.plan, inputs.K, inputs.N
    seg = plan.segments
    lse = inputs.empty(N, K, dtype=torch.float64)
    if N == 0:
        return lse
    parts = _parts(inputs, K)
    weight_kernels.sum_segments[blocks(seg.node.numel() * K, _BLOCK)](
        seg.node, seg.start, seg.end, seg.part, seg.node.numel(), plan.other, inputs.logit_row,
        inputs.query, inputs.key, inputs.edge_logit, lse, parts,
        inputs.QS, inputs.KS, inputs.ES, K=K, SLOPE=inputs.slope, BLOCK=_BLOCK,
    )  # fmt: skip
    if seg.num_parts:
        note("node/triton/cut_stars")
        weight_kernels.join_segments[blocks(seg.cut.numel() * K, _BLOCK)](
            seg.cut, seg.part_ptr, seg.cut.numel(), parts, lse, K=K, BLOCK=_BLOCK
        )
    return lse


def _weigh(inputs: _Inputs, lse: Tensor, keep: Tensor | None, signed: bool) -> Tensor:
    """``α`` or ``k α``, ``[I, K]``."""
    plan, K, I = inputs.plan, inputs.K, inputs.I
    weight = inputs.empty(I, K)
    if I:
        weight_kernels.weigh[blocks(I * K, _BLOCK)](
            I, plan.node, plan.other, inputs.logit_row, inputs.query, inputs.key, inputs.edge_logit, lse,
            keep, weight, inputs.QS, inputs.KS, inputs.ES, inputs.PS,
            K=K, SLOPE=inputs.slope, SIGNED=signed, BLOCK=_BLOCK,
        )  # fmt: skip
    return weight


def _sum_rows(inputs: _Inputs, index: Tensor, weight: Tensor, rows: Tensor, RS: int, F: int) -> Tensor:
    """``Σ weight[r] rows[index[r]]`` over every star: ``[N, K, F]``."""
    seg, K = inputs.plan.segments, inputs.K
    out = inputs.empty(inputs.N, K, F)
    if inputs.N:
        note("node/triton/walks")
        tile, parts = inputs.tile(F), _parts(inputs, K * F)
        sum_kernels.sum_rows[seg.node.numel(), -(-K // tile["KB"])](
            seg.node, seg.start, seg.end, seg.part, index, weight, rows, out, parts, RS, **tile
        )
        _join_parts(inputs, parts, out, K * F)
    return out


def _to_far_nodes(
    inputs: _Inputs, weight: Tensor, node_value: Tensor, NS: int, g: Tensor, GN: int, through: Tensor
) -> Tensor:
    """The gradient of ``node_value``; and ``through`` is completed."""
    plan, K, F = inputs.plan, inputs.K, inputs.F
    seg = plan.segments
    out = inputs.empty(inputs.N, K, F)
    if inputs.N:
        note("node/triton/walks_backward")
        tile, parts = inputs.tile(F), _parts(inputs, K * F)
        sum_kernels.to_far_nodes[seg.node.numel(), -(-K // tile["KB"])](
            seg.node, seg.start, seg.end, seg.part, plan.other, plan.partner, weight, inputs.keep, node_value, g,
            through, out, parts, NS, GN, inputs.PS, **tile,
        )  # fmt: skip
        _join_parts(inputs, parts, out, K * F)
    return out


def _sum_through(inputs: _Inputs, weight: Tensor, through: Tensor) -> Tensor:
    seg, K = inputs.plan.segments, inputs.K
    out, parts = inputs.empty(inputs.N, K, dtype=torch.float64), _parts(inputs, K)
    sum_kernels.sum_through[blocks(seg.node.numel() * K, _BLOCK)](
        seg.node, seg.start, seg.end, seg.part, seg.node.numel(), weight, inputs.keep, through, out, parts,
        inputs.PS, K=K, BLOCK=_BLOCK,
    )  # fmt: skip
    _join_parts(inputs, parts, out, K)
    return out


def _parts(inputs: _Inputs, width: int) -> Tensor:
    return inputs.empty(max(inputs.plan.segments.num_parts, 1), width, dtype=torch.float64)


def _join_parts(inputs: _Inputs, parts: Tensor, out: Tensor, width: int) -> None:
    seg = inputs.plan.segments
    if seg.num_parts:
        sum_parts[blocks(seg.cut.numel() * width, _BLOCK)](
            seg.cut, seg.part_ptr, seg.cut.numel(), parts, out, WIDTH=width, BLOCK=_BLOCK
        )
