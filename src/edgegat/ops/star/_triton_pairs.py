"""Stars of few edges: every pair, in registers, nothing stored.

Two elements of a star a lane, so that what is loaded serves both; the lanes of a program belong to stars of nearly
equal degree and walk through them side by side. A weight is computed relative to ``t``, the largest key its reader
reads: with ``u = x + t``,

    LeakyReLU(x + y) - LeakyReLU(u)  =  y - t                       where x + y > 0
                                     =  s (y - t) - (1 - s) max(u, 0)     elsewhere

which loses no digits where the weight matters, however large the logits are.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import triton
import triton.language as tl

from edgegat.ops.star._triton_parts import (
    edge_reference,
    exp,
    finish,
    largest_other,
    leaky,
    load_node_key,
    load_own,
    load_query,
)


@triton.jit
def find_tops(
    small, n, ptr, edge, key, at_node, top1, top2, arg, KS,
    K: tl.constexpr, BY_EDGE: tl.constexpr, HAS_NODE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The two largest keys of each small star and where the largest is."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    v = tl.load(small + i // K, mask=mask, other=0)
    k = i % K
    start = tl.load(ptr + v, mask=mask, other=0)
    degree = tl.where(mask, tl.load(ptr + v + 1, mask=mask, other=0) - start, 0)
    at = tl.zeros([BLOCK], tl.int32) - 1
    none = tl.full([BLOCK], float("-inf"), key.dtype.element_ty)
    from_node = load_node_key(at_node, v, k, mask, K, HAS_NODE)
    first, second = none, none
    for j in range(tl.max(degree, 0)):
        here = j < degree
        s = start + j
        e = tl.load(edge + s, mask=here, other=0)
        y = load_query(key, e, s, k, here, KS, BY_EDGE) + from_node
        y = tl.where(here, y, float("-inf"))
        larger = here & ((at < 0) | (y > first))
        second = tl.where(larger, first, tl.maximum(second, y))
        first = tl.where(larger, y, first)
        at = tl.where(larger, s, at)
    out = v * K + k
    tl.store(top1 + out, first, mask=mask)
    tl.store(top2 + out, second, mask=mask)
    tl.store(arg + out, at, mask=mask)


@triton.jit
def find_couple(rows, n_rows, couples, g, node, mask):
    """Two readers of one star, ``r1`` and ``r2``; the second may not exist."""
    at = tl.load(couples + g, mask=mask, other=0)
    r1 = tl.load(rows + at, mask=mask, other=0)
    both = mask & (at + 1 < n_rows)
    r2 = tl.load(rows + at + 1, mask=both, other=0)
    v = tl.load(node + r1, mask=mask, other=0)
    return r1, r2, v, both & (tl.load(node + r2, mask=both, other=-1) == v)


@triton.jit
def forward(
    rows, n_rows, couples, n, ptr, edge, node, partner, query, key, at_node, own, value, top1, top2, arg, out, lse,
    QS, KS, OS, VS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr, HAS_NODE: tl.constexpr, SECOND: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """What the readers ``rows`` gather in their stars."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    k = i % K
    r1, r2, v, both = find_couple(rows, n_rows, couples, i // K, node, mask)
    start = tl.load(ptr + v, mask=mask, other=0)
    degree = tl.where(mask, tl.load(ptr + v + 1, mask=mask, other=0) - start, 0)
    p1, x1, t1, u1, below1 = begin_reading(edge, query, top1, top2, arg, r1, v, k, mask, QS, K, SLOPE, BY_EDGE)
    p2, x2, t2, u2, below2 = begin_reading(edge, query, top1, top2, arg, r2, v, k, both, QS, K, SLOPE, BY_EDGE)
    from_node = load_node_key(at_node, v, k, mask, K, HAS_NODE)
    f = tl.arange(0, FP)
    num1 = tl.zeros([BLOCK, FP], x1.dtype)
    num2 = tl.zeros([BLOCK, FP], x1.dtype)
    den1 = tl.zeros([BLOCK], x1.dtype)
    den2 = tl.zeros([BLOCK], x1.dtype)
    for j in range(tl.max(degree, 0)):
        s = start + j
        here = j < degree
        e = tl.load(edge + s, mask=here, other=0)
        y = load_query(key, e, s, k, here, KS, BY_EDGE) + from_node
        V = tl.load(
            value + (e * VS + k * F)[:, None] + f[None, :], mask=here[:, None] & (f < F)[None, :], other=0.0
        )
        w1 = weigh(x1, t1, below1, y, here & (s != r1), SLOPE)
        w2 = weigh(x2, t2, below2, y, here & (s != r2), SLOPE)
        num1 += w1[:, None] * V
        num2 += w2[:, None] * V
        den1 += w1
        den2 += w2
    end_reading(
        num1, den1, u1, r1, p1, k, mask, partner, node, query, key, own, value, top1, top2, arg, out, lse,
        QS, KS, OS, VS, K, F, FP, SLOPE, BY_EDGE, SECOND,
    )  # fmt: skip
    end_reading(
        num2, den2, u2, r2, p2, k, both, partner, node, query, key, own, value, top1, top2, arg, out, lse,
        QS, KS, OS, VS, K, F, FP, SLOPE, BY_EDGE, SECOND,
    )  # fmt: skip


@triton.jit
def begin_reading(
    edge, query, top1, top2, arg, r, v, k, mask, QS, K: tl.constexpr, SLOPE: tl.constexpr, BY_EDGE: tl.constexpr
):
    """A reader's edge, query, largest key, the logit of the two and its part above zero times ``1 - s``."""
    p = tl.load(edge + r, mask=mask, other=0)
    x = load_query(query, p, r, k, mask, QS, BY_EDGE)
    t = largest_other(top1, top2, arg, r, v, k, mask, K)
    u = x.to(tl.float64) + t.to(tl.float64)
    return p, x, t, u, (tl.maximum(u, 0.0) * (1 - SLOPE)).to(x.dtype)


@triton.jit
def weigh(x, t, below, y, here, SLOPE: tl.constexpr):
    """A pair's weight relative to that of the largest key."""
    d = y - t
    return tl.where(here, exp(tl.where(y > -x, d, d * SLOPE - below)), 0.0)


@triton.jit
def end_reading(
    num, den, u, r, p, k, mask, partner, node, query, key, own, value, top1, top2, arg, out, lse, QS, KS, OS, VS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr, SECOND: tl.constexpr,
):  # fmt: skip
    """Bring a reader's sums to the reference of its edge and hand them on."""
    m, itself, is_loop = edge_reference(
        query, key, own, top1, top2, arg, partner, node, r, p, k, mask, u, QS, KS, OS, K, BY_EDGE, SLOPE
    )
    scale = tl.exp((leaky(u, SLOPE) - m).to(den.dtype))
    finish(
        num * scale[:, None], den * scale, m, itself, is_loop, value, out, lse, p, k, mask, VS, K, F, FP, SLOPE,
        SECOND,
    )  # fmt: skip


@triton.jit
def prepare_backward(
    M, node, slot, query, key, own, value, top1, top2, arg, grad, out, lse,
    shift, delta, d_query, d_key, d_own, d_value, QS, KS, OS, VS, GS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Per edge: what all its pairs need, and the gradients of its pair with itself.

    ``delta = g · out``; ``shift[r]`` is the largest logit of ``r`` at its node less the log of the denominator.
    """
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < M * K
    p = i // K
    k = i % K
    f = tl.arange(0, FP)
    whole = mask[:, None] & (f < F)[None, :]
    g = tl.load(grad + (p * GS + k * F)[:, None] + f[None, :], mask=whole, other=0.0)
    o = tl.load(out + i[:, None] * F + f[None, :], mask=whole, other=0.0)
    V = tl.load(value + (p * VS + k * F)[:, None] + f[None, :], mask=whole, other=0.0)
    tl.store(delta + i, tl.sum(g * o, 1), mask=mask)

    itself = load_own(query, key, own, p, k, mask, QS, KS, OS, BY_EDGE)
    r1 = tl.load(slot + p, mask=mask, other=-1)
    r2 = tl.load(slot + M + p, mask=mask, other=-1)
    first = largest_logit(node, query, top1, top2, arg, r1, p, k, mask, QS, K, SLOPE, BY_EDGE)
    second = largest_logit(node, query, top1, top2, arg, r2, p, k, mask & (r2 >= 0), QS, K, SLOPE, BY_EDGE)
    alone = leaky(itself.to(tl.float64), SLOPE)
    log = tl.load(lse + i, mask=mask, other=0.0)
    tl.store(shift + r1 * K + k, (first - log).to(g.dtype), mask=mask)
    tl.store(shift + r2 * K + k, (second - log).to(g.dtype), mask=mask & (r2 >= 0))

    beta = tl.exp((alone - log).to(g.dtype))
    through = tl.where(itself > 0, beta, beta * SLOPE) * tl.sum(g * (V - o), 1)
    if BY_EDGE:
        tl.store(d_query + i, through, mask=mask)
        tl.store(d_key + i, through, mask=mask)
    else:
        tl.store(d_own + i, through, mask=mask)
    tl.store(d_value + i[:, None] * F + f[None, :], beta[:, None] * g, mask=whole)


@triton.jit
def largest_logit(
    node,
    query,
    top1,
    top2,
    arg,
    r,
    p,
    k,
    exists,
    QS,
    K: tl.constexpr,
    SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr,
):
    """The largest logit of edge ``p`` at incidence ``r``, in float64; minus infinity where there is none."""
    v = tl.load(node + r, mask=exists, other=0)
    x = load_query(query, p, r, k, exists, QS, BY_EDGE)
    t = largest_other(top1, top2, arg, r, v, k, exists, K)
    return leaky(x.to(tl.float64) + t.to(tl.float64), SLOPE)


@triton.jit
def add_gradients(
    dx, dy, dV, d_query, d_key, d_at_incidence, d_value, r, p, k, mask,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, BY_EDGE: tl.constexpr, HAS_NODE: tl.constexpr,
):  # fmt: skip
    """Add an incidence's share to the gradients of its edge, or store what belongs to it alone."""
    f = tl.arange(0, FP)
    whole = mask[:, None] & (f < F)[None, :]
    places = d_value + (p * K + k)[:, None] * F + f[None, :]
    tl.store(places, tl.load(places, mask=whole, other=0.0) + dV, mask=whole)
    at_edge, at_row = p * K + k, r * K + k
    if BY_EDGE:
        tl.store(d_query + at_edge, tl.load(d_query + at_edge, mask=mask, other=0.0) + dx, mask=mask)
        tl.store(d_key + at_edge, tl.load(d_key + at_edge, mask=mask, other=0.0) + dy, mask=mask)
        if HAS_NODE:
            tl.store(d_at_incidence + at_row, dy, mask=mask)
    else:
        tl.store(d_query + at_row, dx, mask=mask)
        tl.store(d_key + at_row, dy, mask=mask)


@triton.jit
def backward(
    rows, n_rows, couples, n, ptr, edge, node, query, key, at_node, value, top1, top2, arg, grad, out, shift,
    d_query, d_key, d_at_incidence, d_value, QS, KS, VS, GS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr, HAS_NODE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The pairs again: each element as the reader of every other, and as what every other reads."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    k = i % K
    r1, r2, v, both = find_couple(rows, n_rows, couples, i // K, node, mask)
    start = tl.load(ptr + v, mask=mask, other=0)
    degree = tl.where(mask, tl.load(ptr + v + 1, mask=mask, other=0) - start, 0)
    from_node = load_node_key(at_node, v, k, mask, K, HAS_NODE)
    first = tl.load(top1 + v * K + k, mask=mask, other=0.0)
    second = tl.load(top2 + v * K + k, mask=mask, other=0.0)
    top = tl.load(arg + v * K + k, mask=mask, other=-1)
    p1, x1, y1, t1, below1, c1, g1, V1, o1 = load_element(
        edge, query, key, value, grad, out, shift, from_node, first, second, top, r1, k, mask, QS, KS, VS, GS,
        K, F, FP, SLOPE, BY_EDGE,
    )  # fmt: skip
    p2, x2, y2, t2, below2, c2, g2, V2, o2 = load_element(
        edge, query, key, value, grad, out, shift, from_node, first, second, top, r2, k, both, QS, KS, VS, GS,
        K, F, FP, SLOPE, BY_EDGE,
    )  # fmt: skip
    dx1 = tl.zeros([BLOCK], x1.dtype)
    dy1 = tl.zeros([BLOCK], x1.dtype)
    dx2 = tl.zeros([BLOCK], x1.dtype)
    dy2 = tl.zeros([BLOCK], x1.dtype)
    dV1 = tl.zeros([BLOCK, FP], x1.dtype)
    dV2 = tl.zeros([BLOCK, FP], x1.dtype)
    for j in range(tl.max(degree, 0)):
        s = start + j
        here = j < degree
        _, x, y, t, below, c, g, V, o = load_element(
            edge, query, key, value, grad, out, shift, from_node, first, second, top, s, k, here, QS, KS, VS, GS,
            K, F, FP, SLOPE, BY_EDGE,
        )  # fmt: skip
        beta, sloped = share(x1, t1, below1, c1, y, here & (s != r1), SLOPE)
        dx1 += sloped * tl.sum(g1 * (V - o1), 1)
        beta, sloped = share(x, t, below, c, y1, here & (s != r1), SLOPE)
        dy1 += sloped * tl.sum(g * (V1 - o), 1)
        dV1 += beta[:, None] * g
        beta, sloped = share(x2, t2, below2, c2, y, here & (s != r2), SLOPE)
        dx2 += sloped * tl.sum(g2 * (V - o2), 1)
        beta, sloped = share(x, t, below, c, y2, here & (s != r2), SLOPE)
        dy2 += sloped * tl.sum(g * (V2 - o), 1)
        dV2 += beta[:, None] * g
    add_gradients(
        dx1, dy1, dV1, d_query, d_key, d_at_incidence, d_value, r1, p1, k, mask, K, F, FP, BY_EDGE, HAS_NODE
    )
    add_gradients(
        dx2, dy2, dV2, d_query, d_key, d_at_incidence, d_value, r2, p2, k, both, K, F, FP, BY_EDGE, HAS_NODE
    )


@triton.jit
def load_element(
    edge, query, key, value, grad, out, shift, from_node, first, second, top, r, k, mask, QS, KS, VS, GS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr, BY_EDGE: tl.constexpr,
):  # fmt: skip
    """An element as reader and as source: edge, query, key, largest key it reads, the logit of the two above zero
    times ``1 - s``, its ``shift``, gradient, value and answer.
    """
    f = tl.arange(0, FP)
    whole = mask[:, None] & (f < F)[None, :]
    p = tl.load(edge + r, mask=mask, other=0)
    x = load_query(query, p, r, k, mask, QS, BY_EDGE)
    y = load_query(key, p, r, k, mask, KS, BY_EDGE) + from_node
    c = tl.load(shift + r * K + k, mask=mask, other=0.0)
    g = tl.load(grad + (p * GS + k * F)[:, None] + f[None, :], mask=whole, other=0.0)
    V = tl.load(value + (p * VS + k * F)[:, None] + f[None, :], mask=whole, other=0.0)
    o = tl.load(out + (p * K + k)[:, None] * F + f[None, :], mask=whole, other=0.0)
    t = tl.where(top == r, second, first)
    return p, x, y, t, tl.maximum(x + t, 0.0) * (1 - SLOPE), c, g, V, o


@triton.jit
def share(x, t, below, c, y, here, SLOPE: tl.constexpr):
    """``β`` of a pair, and ``φ' β``."""
    d = y - t
    above = y > -x
    beta = tl.where(here, exp(tl.where(above, d, d * SLOPE - below) + c), 0.0)
    return beta, tl.where(above, beta, beta * SLOPE)
