"""What happens once an edge: its two ends and the pair with itself come together.

``slot [2, M]`` and ``ends [2, M]`` are the incidences and the nodes of an edge's ends; a self-loop has one end, and
``-1`` instead of the other.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import triton
import triton.language as tl

from edgegat.ops.star._triton_parts import largest_logit, leaky, load_channels, load_own


@triton.jit
def find_ends(
    M, slot, ends, query, top1, top2, arg, p, k, mask, QS,
    K: tl.constexpr, SLOPE: tl.constexpr, BY_EDGE: tl.constexpr,
):  # fmt: skip
    """The incidence at each end and its largest logit; whether there is a second end."""
    r1 = tl.load(slot + p, mask=mask, other=0)
    r2 = tl.load(slot + M + p, mask=mask, other=-1)
    v1 = tl.load(ends + p, mask=mask, other=0)
    v2 = tl.load(ends + M + p, mask=mask, other=0)
    two = mask & (r2 >= 0)
    u1 = largest_logit(query, top1, top2, arg, r1, v1, p, k, mask, QS, K, SLOPE, BY_EDGE)
    u2 = largest_logit(query, top1, top2, arg, r2, v2, p, k, two, QS, K, SLOPE, BY_EDGE)
    return r1, r2, u1, u2, two


@triton.jit
def join(
    M, slot, ends, query, key, own, value, top1, top2, arg, half, half_den, out, shift, alone,
    QS, KS, OS, VS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The answer of every edge; its weight on itself, ``alone [M, K]``; and ``shift [I, K]``: at each end the largest
    logit less the log of the denominator.

    All is relative to the edge's largest logit, in float64 and not rounded, so that an answer that is all but one
    value is that value.
    """
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < M * K
    p = i // K
    k = i % K
    f = tl.arange(0, FP)
    whole = mask[:, None] & (f < F)[None, :]
    itself = load_own(query, key, own, p, k, mask, QS, KS, OS, BY_EDGE)
    own_logit = leaky(itself.to(tl.float64), SLOPE)
    r1, r2, u1, u2, two = find_ends(M, slot, ends, query, top1, top2, arg, p, k, mask, QS, K, SLOPE, BY_EDGE)
    m = tl.maximum(own_logit, tl.maximum(u1, u2))
    w = tl.exp((own_logit - m).to(itself.dtype))
    w1 = tl.exp((u1 - m).to(itself.dtype))
    w2 = tl.where(two, tl.exp((u2 - m).to(itself.dtype)), 0.0)
    first = half + i * F
    second = first + M * K * F
    num = w[:, None] * load_channels(value, p, k, mask, VS, F, FP)
    num += w1[:, None] * tl.load(first[:, None] + f[None, :], mask=whole, other=0.0)
    num += w2[:, None] * tl.load(second[:, None] + f[None, :], mask=whole & two[:, None], other=0.0)
    den = w + w1 * tl.load(half_den + i, mask=mask, other=0.0)
    den += w2 * tl.load(half_den + M * K + i, mask=two, other=0.0)
    tl.store(out + i[:, None] * F + f[None, :], num / den[:, None], mask=whole)
    tl.store(alone + i, w / den, mask=mask)
    log = tl.log(den.to(tl.float64))
    tl.store(shift + r1 * K + k, (u1 - m - log).to(den.dtype), mask=mask)
    tl.store(shift + r2 * K + k, (u2 - m - log).to(den.dtype), mask=two)


@triton.jit
def multiply(
    M, grad, out, delta, GS, K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """``delta = g · out``, ``[M, K]``."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < M * K
    g = load_channels(grad, i // K, i % K, mask, GS, F, FP)
    tl.store(delta + i, tl.sum(g * load_channels(out, i // K, i % K, mask, K * F, F, FP), 1), mask=mask)


@triton.jit
def join_backward(
    M, slot, query, key, own, value, grad, out, alone, half, half_logits, d_query, d_key, d_own, d_value,
    QS, KS, OS, VS, GS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The gradients of every edge: those of its ends, and of its pair with itself."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < M * K
    p = i // K
    k = i % K
    f = tl.arange(0, FP)
    whole = mask[:, None] & (f < F)[None, :]
    r2 = tl.load(slot + M + p, mask=mask, other=-1)
    two = mask & (r2 >= 0)
    first = half + i * F
    second = first + M * K * F
    g = load_channels(grad, p, k, mask, GS, F, FP)
    V = load_channels(value, p, k, mask, VS, F, FP)
    o = load_channels(out, p, k, mask, K * F, F, FP)
    itself = load_own(query, key, own, p, k, mask, QS, KS, OS, BY_EDGE)
    beta = tl.load(alone + i, mask=mask, other=0.0)
    through = tl.where(itself > 0, beta, beta * SLOPE) * tl.sum(g * (V - o), 1)

    dV = beta[:, None] * g + tl.load(first[:, None] + f[None, :], mask=whole, other=0.0)
    dV += tl.load(second[:, None] + f[None, :], mask=whole & two[:, None], other=0.0)
    tl.store(d_value + i[:, None] * F + f[None, :], dV, mask=whole)
    first = half_logits + 2 * i
    second = first + 2 * M * K
    dx1 = tl.load(first, mask=mask, other=0.0)
    dy1 = tl.load(first + 1, mask=mask, other=0.0)
    dx2 = tl.load(second, mask=two, other=0.0)
    dy2 = tl.load(second + 1, mask=two, other=0.0)
    if BY_EDGE:
        tl.store(d_query + i, through + dx1 + dx2, mask=mask)
        tl.store(d_key + i, through + dy1 + dy2, mask=mask)
    else:
        r1 = tl.load(slot + p, mask=mask, other=0)
        tl.store(d_own + i, through, mask=mask)
        tl.store(d_query + r1 * K + k, dx1, mask=mask)
        tl.store(d_key + r1 * K + k, dy1, mask=mask)
        tl.store(d_query + r2 * K + k, dx2, mask=two)
        tl.store(d_key + r2 * K + k, dy2, mask=two)
