"""What the node block adds up: rows over stars, and the gradients that flow back along them.

A program walks a segment of one star, ``ROWS`` rows at a time, in tiles ``[ROWS, KB, FP]`` of heads and channels:
a row's numbers stand side by side in memory, so whole lines are read, many at once. A segment's few rows are added
up as they come, the segments of a star in float64.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def sum_rows(
    node, start, end, part, index, weight, rows, out, parts, RS,
    K: tl.constexpr, F: tl.constexpr, KB: tl.constexpr, FP: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """``out[v] = Σ weight[r] rows[index[r]]`` over the rows ``r`` of each star."""
    s = tl.program_id(0)
    k = tl.program_id(1) * KB + tl.arange(0, KB)
    f = tl.arange(0, FP)
    channel = k[:, None] * F + f[None, :]
    exists = (k < K)[:, None] & (f < F)[None, :]
    last = tl.load(end + s)
    total = tl.zeros([ROWS, KB, FP], rows.dtype.element_ty)
    for begin in range(tl.load(start + s), last, ROWS):
        r = begin + tl.arange(0, ROWS)
        here = r < last
        at = tl.load(index + r, mask=here, other=0)
        w = tl.load(weight + r[:, None] * K + k[None, :], mask=here[:, None] & (k < K)[None, :], other=0.0)
        V = tl.load(
            rows + (at * RS)[:, None, None] + channel[None, :, :],
            mask=here[:, None, None] & exists[None, :, :],
            other=0.0,
        )
        total += w[:, :, None] * V
    store_segment(tl.sum(total, 0), tl.load(part + s), tl.load(node + s), channel, exists, out, parts, K * F)


@triton.jit
def store_segment(total, part, v, at, exists, out, parts, WIDTH: tl.constexpr):
    """The result of a whole star, or one part of it."""
    if part < 0:
        tl.store(out + v * WIDTH + at, total.to(out.dtype.element_ty), mask=exists)
    else:
        tl.store(parts + part * WIDTH + at, total.to(tl.float64), mask=exists)


@triton.jit
def to_edges(
    M, slot, node, weight, keep, value, grad, d_value, through, VS, GS, PS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """``de = Σ k α γ`` over both ends of every edge, and ``through = γ·e`` at each end."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < M * K
    p = i // K
    k = i % K
    f = tl.arange(0, FP)
    channels = (f < F)[None, :]
    V = tl.load(value + (p * VS + k * F)[:, None] + f[None, :], mask=mask[:, None] & channels, other=0.0)
    total = tl.zeros([BLOCK, FP], value.dtype.element_ty)
    for end in tl.static_range(2):
        r = tl.load(slot + end * M + p, mask=mask, other=-1)
        here = mask & (r >= 0)
        v = tl.load(node + r, mask=here, other=0)
        w = tl.abs(tl.load(weight + r * K + k, mask=here, other=0.0))
        if keep is not None:
            w *= tl.load(keep + r * PS + k, mask=here, other=0.0)
        g = tl.load(grad + (v * GS + k * F)[:, None] + f[None, :], mask=here[:, None] & channels, other=0.0)
        tl.store(through + r * K + k, tl.sum(g * V, 1), mask=here)
        total += w[:, None] * g
    tl.store(d_value + i[:, None] * F + f[None, :], total, mask=mask[:, None] & channels)


@triton.jit
def to_far_nodes(
    node, start, end, part, other, partner, weight, keep, value, grad, through, d_value, parts, VS, GS, PS,
    K: tl.constexpr, F: tl.constexpr, KB: tl.constexpr, FP: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """``dh = Σ k α g``: what node ``j`` hears from its readers, who are at the far ends of its own star's edges.

    ``through`` holds ``γ·e`` of each row and becomes ``t = g·h + γ·e``: a reader's row belongs to one program
    alone, the one that walks over its partner.
    """
    s = tl.program_id(0)
    j = tl.load(node + s)
    k = tl.program_id(1) * KB + tl.arange(0, KB)
    f = tl.arange(0, FP)
    channel = k[:, None] * F + f[None, :]
    exists = (k < K)[:, None] & (f < F)[None, :]
    V = tl.load(value + j * VS + channel, mask=exists, other=0.0)
    last = tl.load(end + s)
    total = tl.zeros([ROWS, KB, FP], value.dtype.element_ty)
    for begin in range(tl.load(start + s), last, ROWS):
        r = begin + tl.arange(0, ROWS)
        here = r < last
        whole = here[:, None] & (k < K)[None, :]
        i = tl.load(other + r, mask=here, other=0)
        at = tl.load(partner + r, mask=here, other=0)
        g = tl.load(
            grad + (i * GS)[:, None, None] + channel[None, :, :],
            mask=here[:, None, None] & exists[None, :, :],
            other=0.0,
        )
        place = at[:, None] * K + k[None, :]
        t = tl.sum(g * V[None, :, :], 2) + tl.load(through + place, mask=whole, other=0.0)
        tl.store(through + place, t, mask=whole)
        w = tl.abs(tl.load(weight + place, mask=whole, other=0.0))
        if keep is not None:
            w *= tl.load(keep + at[:, None] * PS + k[None, :], mask=whole, other=0.0)
        total += w[:, :, None] * g
    store_segment(tl.sum(total, 0), tl.load(part + s), j, channel, exists, d_value, parts, K * F)


@triton.jit
def sum_through(
    node, start, end, part, n, weight, keep, through, out, parts, PS, K: tl.constexpr, BLOCK: tl.constexpr
):
    """``δ = Σ k α t`` over each star, ``[N, K]`` in float64: what every logit's gradient falls short of."""
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
        w = tl.abs(tl.load(weight + r * K + k, mask=here, other=0.0)).to(tl.float64)
        if keep is not None:
            w *= tl.load(keep + r * PS + k, mask=here, other=0.0).to(tl.float64)
        total += w * tl.load(through + r * K + k, mask=here, other=0.0).to(tl.float64)
    place = tl.load(part + g, mask=mask, other=-1)
    tl.store(out + tl.load(node + g, mask=mask, other=0) * K + k, total, mask=mask & (place < 0))
    tl.store(parts + place * K + k, total, mask=mask & (place >= 0))


@triton.jit
def to_logits(
    n, node, weight, keep, through, delta, d_keep, PS, K: tl.constexpr, SLOPE: tl.constexpr, BLOCK: tl.constexpr
):
    """``dz = φ' α (k t - δ)``, in place of ``t``; and ``dk = α t`` where it was asked for."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    r = i // K
    k = i % K
    signed = tl.load(weight + i, mask=mask, other=0.0)
    a = tl.abs(signed)
    t = tl.load(through + i, mask=mask, other=0.0)
    if d_keep is not None:
        tl.store(d_keep + i, a * t, mask=mask)
    kept = t.to(tl.float64)
    if keep is not None:
        kept *= tl.load(keep + r * PS + k, mask=mask, other=0.0).to(tl.float64)
    v = tl.load(node + r, mask=mask, other=0)
    d = a * (kept - tl.load(delta + v * K + k, mask=mask, other=0.0)).to(a.dtype)
    tl.store(through + i, tl.where(signed > 0, d, d * SLOPE), mask=mask)


@triton.jit
def sum_ends(M, slot, rows, out, K: tl.constexpr, BLOCK: tl.constexpr):
    """``[I, K]`` at incidences to ``[M, K]`` at their edges."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < M * K
    p = i // K
    k = i % K
    total = tl.zeros([BLOCK], rows.dtype.element_ty)
    for end in tl.static_range(2):
        r = tl.load(slot + end * M + p, mask=mask, other=-1)
        total += tl.load(rows + r * K + k, mask=mask & (r >= 0), other=0.0)
    tl.store(out + i, total, mask=mask)
