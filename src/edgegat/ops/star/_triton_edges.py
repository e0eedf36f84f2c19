"""What happens once an edge: its two ends and the pair with itself come together.

``slot [2, M]`` and ``ends [2, M]`` are the incidences and the nodes of an edge's ends; a self-loop has one end, and
instead of the other the slot ``-1`` and any node.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import triton
import triton.language as tl

from edgegat.ops.star._triton_parts import largest_logit, leaky, load_channels, load_gradient, load_own


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
    M, slot, ends, query, key, own, value, top1, top2, arg, num1, num2, den1, den2, shift, alone,
    QS, KS, OS, VS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr, ELU: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The answer of every edge, in the place of ``num1``; its weight on itself, ``alone [M, K]``; and ``shift
    [I, K]``: at each end the largest logit less the log of the denominator.

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
    places = i[:, None] * F + f[None, :]
    num = w[:, None] * load_channels(value, p, k, mask, VS, F, FP)
    num += w1[:, None] * tl.load(num1 + places, mask=whole, other=0.0)
    num += w2[:, None] * tl.load(num2 + places, mask=whole & two[:, None], other=0.0)
    den = w + w1 * tl.load(den1 + i, mask=mask, other=0.0) + w2 * tl.load(den2 + i, mask=two, other=0.0)
    answer = num / den[:, None]
    if ELU:
        answer = tl.where(answer > 0, answer, expm1(answer))
    tl.store(num1 + places, answer, mask=whole)
    tl.store(alone + i, w / den, mask=mask)
    log = tl.log(den.to(tl.float64))
    tl.store(shift + r1 * K + k, (u1 - m - log).to(den.dtype), mask=mask)
    tl.store(shift + r2 * K + k, (u2 - m - log).to(den.dtype), mask=two)


@triton.jit
def expm1(z):
    """``exp(z) - 1`` for ``z <= 0``; a series where the difference would cancel."""
    series = 1 / 120 + z * (1 / 720 + z * (1 / 5040 + z / 40320))
    series = z * (1 + z * (0.5 + z * (1 / 6 + z * (1 / 24 + z * series))))
    return tl.where(z > -0.1, series, tl.exp(tl.minimum(z, 0.0)) - 1)


@triton.jit
def receive(
    M, grad, out, before, delta, GS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, ELU: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """``delta = g · out``, ``[M, K]``; with an ELU behind the answer, both are those before it.

    The answer before an ELU that gave ``o`` is ``log(1 + o)`` where ``o < 0``. What rounding has taken from it is
    multiplied by the ELU's slope there, ``1 + o``, and is as small as what it takes elsewhere.
    """
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < M * K
    f = tl.arange(0, FP)
    g = load_channels(grad, i // K, i % K, mask, GS, F, FP)
    o = load_channels(out, i // K, i % K, mask, K * F, F, FP)
    if ELU:
        slope = tl.where(o > 0, 1.0, 1 + o)
        g *= slope
        o = tl.where(o > 0, o, tl.where(slope > 0, tl.log(tl.where(slope > 0, slope, 1.0)), 0.0))
        tl.store(before + i[:, None] * F + f[None, :], g, mask=mask[:, None] & (f < F)[None, :])
    tl.store(delta + i, tl.sum(g * o, 1), mask=mask)


@triton.jit
def join_backward(
    M, slot, query, key, own, value, grad, delta, alone, dV1, dV2, dx1, dx2, dy1, dy2, d_query, d_key, d_own,
    QS, KS, OS, VS, GS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The gradients of every edge, those of its ends and of its pair with itself, in the place of the first ends'.

    Queries and keys that belong to incidences get theirs in ``d_query`` and ``d_key``.
    """
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < M * K
    p = i // K
    k = i % K
    f = tl.arange(0, FP)
    whole = mask[:, None] & (f < F)[None, :]
    r2 = tl.load(slot + M + p, mask=mask, other=-1)
    two = mask & (r2 >= 0)
    g, V, gone = load_gradient(grad, value, delta, p, k, mask, GS, VS, K, F, FP)
    itself = load_own(query, key, own, p, k, mask, QS, KS, OS, BY_EDGE)
    beta = tl.load(alone + i, mask=mask, other=0.0)
    through = tl.where(itself > 0, beta, beta * SLOPE) * (tl.sum(g * V, 1) - gone)

    places = i[:, None] * F + f[None, :]
    dV = beta[:, None] * g + tl.load(dV1 + places, mask=whole, other=0.0)
    dV += tl.load(dV2 + places, mask=whole & two[:, None], other=0.0)
    tl.store(dV1 + places, dV, mask=whole)
    x1 = tl.load(dx1 + i, mask=mask, other=0.0)
    y1 = tl.load(dy1 + i, mask=mask, other=0.0)
    x2 = tl.load(dx2 + i, mask=two, other=0.0)
    y2 = tl.load(dy2 + i, mask=two, other=0.0)
    if BY_EDGE:
        tl.store(dx1 + i, through + x1 + x2, mask=mask)
        tl.store(dy1 + i, through + y1 + y2, mask=mask)
    else:
        r1 = tl.load(slot + p, mask=mask, other=0)
        tl.store(d_own + i, through, mask=mask)
        tl.store(d_query + r1 * K + k, x1, mask=mask)
        tl.store(d_key + r1 * K + k, y1, mask=mask)
        tl.store(d_query + r2 * K + k, x2, mask=two)
        tl.store(d_key + r2 * K + k, y2, mask=two)
