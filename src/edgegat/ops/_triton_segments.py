"""Sums over stars in a fixed order: long stars in segments, then the segments of each."""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from edgegat.ops._launch import blocks
from edgegat.ops._plan import Plan

_BLOCK = 128


def sum_over_stars(rows: Tensor, plan: Plan, index: Tensor | None = None) -> Tensor:
    """``[I, K]`` at incidences to ``[N, K]`` at their nodes; with ``index`` the sums of ``rows[index]``."""
    K = rows.size(1)
    seg = plan.segments
    out = rows.new_empty(plan.ptr.numel() - 1, K)
    if seg.node.numel() == 0:
        return out
    parts = rows.new_empty(max(seg.num_parts, 1), K, dtype=torch.float64)
    _sum_segments[blocks(seg.node.numel() * K, _BLOCK)](
        seg.node, seg.start, seg.end, seg.part, seg.node.numel(), index, rows, out, parts, K=K, BLOCK=_BLOCK
    )
    if seg.num_parts:
        sum_parts[blocks(seg.cut.numel() * K, _BLOCK)](
            seg.cut, seg.part_ptr, seg.cut.numel(), parts, out, WIDTH=K, BLOCK=_BLOCK
        )
    return out


@triton.jit
def _sum_segments(node, start, end, part, n, index, rows, out, parts, K: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    g = i // K
    k = i % K
    first = tl.load(start + g, mask=mask, other=0)
    length = tl.where(mask, tl.load(end + g, mask=mask, other=0) - first, 0)
    total = tl.zeros([BLOCK], tl.float64)
    for j in range(tl.max(length, 0)):
        here = j < length
        r = first + j
        if index is not None:
            r = tl.load(index + r, mask=here, other=0)
        total += tl.load(rows + r * K + k, mask=here, other=0.0).to(tl.float64)
    place = tl.load(part + g, mask=mask, other=-1)
    v = tl.load(node + g, mask=mask, other=0)
    tl.store(out + v * K + k, total.to(out.dtype.element_ty), mask=mask & (place < 0))
    tl.store(parts + place * K + k, total, mask=mask & (place >= 0))


@triton.jit
def sum_parts(cut, part_ptr, n, parts, out, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """``out[v] = Σ parts`` for every star ``v`` that was cut; ``WIDTH`` numbers a row, parts in float64."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * WIDTH
    c = i // WIDTH
    w = i % WIDTH
    first = tl.load(part_ptr + c, mask=mask, other=0)
    length = tl.where(mask, tl.load(part_ptr + c + 1, mask=mask, other=0) - first, 0)
    total = tl.zeros([BLOCK], tl.float64)
    for j in range(tl.max(length, 0)):
        total += tl.load(parts + (first + j) * WIDTH + w, mask=j < length, other=0.0)
    v = tl.load(cut + c, mask=mask, other=0)
    tl.store(out + v * WIDTH + w, total.to(out.dtype.element_ty), mask=mask)
