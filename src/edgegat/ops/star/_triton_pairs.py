"""Stars of few edges: every pair, in registers.

Four elements of a star a lane, so that what is loaded serves them all; the lanes of a program belong to stars of
nearly equal degree and walk through them side by side. As ``LeakyReLU(z) = max(z, s z)``, the weight of a pair is

    exp(LeakyReLU(x + y))  =  max(exp(x) exp(y), exp(s x) exp(s y))

two products of what a reader and a source bring along, and no exponential of their own. Everything is relative to
the star's second largest key. The largest stays out of the products and is read by itself: a key that drowns all
others cannot drown what its own edge reads. An edge meets itself in the walk and takes that back at the end; what
it takes back is never larger than what it reads of the largest key.

The rows of a place are asked for while the place before is worked on. Triton has no arrays of registers, so what is
done for each of the four is written four times.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import triton
import triton.language as tl

from edgegat.ops.star._triton_parts import (
    as_reader,
    as_source,
    exp,
    load_channels,
    load_gradient,
    load_node_key,
    load_query,
    store_forward,
    store_gradients,
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
def find_group(group_star, group_row, n, ptr, top1, top2, arg, K: tl.constexpr, BLOCK: tl.constexpr):
    """For each lane four neighbours in a star, of which only the first must exist, a head, and what they must know
    of the star: where it starts, its degree, its two largest keys and the incidence of the largest.
    """
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    k = i % K
    v = tl.load(group_star + i // K, mask=mask, other=0)
    r = tl.load(group_row + i // K, mask=mask, other=0)
    start = tl.load(ptr + v, mask=mask, other=0)
    end = tl.load(ptr + v + 1, mask=mask, other=0)
    first = tl.load(top1 + v * K + k, mask=mask, other=0.0)
    second = tl.load(top2 + v * K + k, mask=mask, other=0.0)
    top = tl.load(arg + v * K + k, mask=mask, other=-1)
    return mask, end - r, r, k, v, start, end - start, first, second, top


@triton.jit
def load_edge(edge, start, j, degree):
    """The edge at place ``j`` of a star."""
    return tl.load(edge + start + j, mask=j < degree, other=0)


@triton.jit
def load_source(
    key, value, e, start, j, k, degree, KS, VS, F: tl.constexpr, FP: tl.constexpr, BY_EDGE: tl.constexpr
):  # fmt: skip
    """The edge's part of the key at place ``j`` of a star, and its value."""
    here = j < degree
    return load_query(key, e, start + j, k, here, KS, BY_EDGE), load_channels(value, e, k, here, VS, F, FP)


@triton.jit
def forward(
    group_star, group_row, n, ptr, edge, home, query, key, at_node, value, top1, top2, arg,
    M, num_a, num_b, den_a, den_b, QS, KS, VS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr, HAS_NODE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """What the edges of small stars gather in them."""
    has1, left, r, k, v, start, degree, first, second, top = find_group(
        group_star, group_row, n, ptr, top1, top2, arg, K, BLOCK
    )
    has2 = has1 & (left > 1)
    has3 = has1 & (left > 2)
    has4 = has1 & (left > 3)
    from_node = load_node_key(at_node, v, k, has1, K, HAS_NODE)
    p1 = tl.load(edge + r, mask=has1, other=0)
    p2 = tl.load(edge + r + 1, mask=has2, other=0)
    p3 = tl.load(edge + r + 2, mask=has3, other=0)
    p4 = tl.load(edge + r + 3, mask=has4, other=0)
    e1 = load_edge(edge, start, 0, degree)
    e2 = load_edge(edge, start, 1, degree)
    e3 = load_edge(edge, start, 2, degree)
    a1, b1 = as_reader(load_query(query, p1, r, k, has1, QS, BY_EDGE), first, second, r == top, SLOPE)
    a2, b2 = as_reader(load_query(query, p2, r + 1, k, has2, QS, BY_EDGE), first, second, r + 1 == top, SLOPE)
    a3, b3 = as_reader(load_query(query, p3, r + 2, k, has3, QS, BY_EDGE), first, second, r + 2 == top, SLOPE)
    a4, b4 = as_reader(load_query(query, p4, r + 3, k, has4, QS, BY_EDGE), first, second, r + 3 == top, SLOPE)
    y1, V1 = load_source(key, value, e1, start, 0, k, degree, KS, VS, F, FP, BY_EDGE)
    y2, V2 = load_source(key, value, e2, start, 1, k, degree, KS, VS, F, FP, BY_EDGE)
    den1 = tl.zeros([BLOCK], a1.dtype)
    den2 = tl.zeros([BLOCK], a1.dtype)
    den3 = tl.zeros([BLOCK], a1.dtype)
    den4 = tl.zeros([BLOCK], a1.dtype)
    num1 = tl.zeros([BLOCK, FP], a1.dtype)
    num2 = tl.zeros([BLOCK, FP], a1.dtype)
    num3 = tl.zeros([BLOCK, FP], a1.dtype)
    num4 = tl.zeros([BLOCK, FP], a1.dtype)
    for j in range(tl.max(degree, 0)):
        y, V = y1, V1
        y1, V1 = y2, V2
        y2, V2 = load_source(key, value, e3, start, j + 2, k, degree, KS, VS, F, FP, BY_EDGE)
        e3 = load_edge(edge, start, j + 3, degree)
        high, low = as_source(y + from_node, second, (j < degree) & (start + j != top), SLOPE)
        w = tl.maximum(a1 * high, b1 * low)
        den1 += w
        num1 += w[:, None] * V
        w = tl.maximum(a2 * high, b2 * low)
        den2 += w
        num2 += w[:, None] * V
        w = tl.maximum(a3 * high, b3 * low)
        den3 += w
        num3 += w[:, None] * V
        w = tl.maximum(a4 * high, b4 * low)
        den4 += w
        num4 += w[:, None] * V
    V_top = load_channels(value, tl.load(edge + top, mask=has1, other=0), k, has1, VS, F, FP)
    end_reading(
        num1, den1, a1, b1, r, p1, k, has1, from_node, second, top, V_top, home, key, value,
        M, num_a, num_b, den_a, den_b, KS, VS, K, F, FP, SLOPE, BY_EDGE,
    )  # fmt: skip
    end_reading(
        num2, den2, a2, b2, r + 1, p2, k, has2, from_node, second, top, V_top, home, key, value,
        M, num_a, num_b, den_a, den_b, KS, VS, K, F, FP, SLOPE, BY_EDGE,
    )  # fmt: skip
    end_reading(
        num3, den3, a3, b3, r + 2, p3, k, has3, from_node, second, top, V_top, home, key, value,
        M, num_a, num_b, den_a, den_b, KS, VS, K, F, FP, SLOPE, BY_EDGE,
    )  # fmt: skip
    end_reading(
        num4, den4, a4, b4, r + 3, p4, k, has4, from_node, second, top, V_top, home, key, value,
        M, num_a, num_b, den_a, den_b, KS, VS, K, F, FP, SLOPE, BY_EDGE,
    )  # fmt: skip


@triton.jit
def end_reading(
    num, den, a, b, r, p, k, mask, from_node, second, top, V_top, home, key, value,
    M, num_a, num_b, den_a, den_b, KS, VS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr, BY_EDGE: tl.constexpr,
):  # fmt: skip
    """Take back what the edge read of itself, and add the largest key."""
    y = load_query(key, p, r, k, mask, KS, BY_EDGE) + from_node
    high, low = as_source(y, second, r != top, SLOPE)
    w = tl.maximum(a * high, b * low)
    V = load_channels(value, p, k, mask, VS, F, FP)
    w_top = tl.where(r == top, 0.0, 1.0)
    num += w_top[:, None] * V_top - w[:, None] * V
    store_forward(num, den + (w_top - w), home, M, num_a, num_b, den_a, den_b, r, k, mask, K, F, FP)


@triton.jit
def backward(
    group_star, group_row, n, ptr, edge, home, query, key, at_node, value, top1, top2, arg, grad, delta, shift,
    M, dV_a, dV_b, dx_a, dx_b, dy_a, dy_b, d_at_incidence, QS, KS, VS, GS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr, HAS_NODE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The pairs again: each element as the reader of every other, and as what every other reads.

    As a reader it collects ``Σ φ' β V`` and ``Σ φ' β``, as a source ``Σ β g``, ``Σ φ' β g`` and ``Σ φ' β (g · out)``,
    where ``V`` and ``out`` are taken from the value of the star's largest key: see :func:`center`.
    """
    has1, left, r, k, v, start, degree, first, second, top = find_group(
        group_star, group_row, n, ptr, top1, top2, arg, K, BLOCK
    )
    has2 = has1 & (left > 1)
    has3 = has1 & (left > 2)
    has4 = has1 & (left > 3)
    from_node = load_node_key(at_node, v, k, has1, K, HAS_NODE)
    V_top = load_channels(value, tl.load(edge + top, mask=has1, other=0), k, has1, VS, F, FP)
    p1 = tl.load(edge + r, mask=has1, other=0)
    p2 = tl.load(edge + r + 1, mask=has2, other=0)
    p3 = tl.load(edge + r + 2, mask=has3, other=0)
    p4 = tl.load(edge + r + 3, mask=has4, other=0)
    e1 = load_edge(edge, start, 0, degree)
    e2 = load_edge(edge, start, 1, degree)
    x1, y1, c1 = load_logits(query, key, shift, p1, r, k, has1, QS, KS, K, BY_EDGE)
    x2, y2, c2 = load_logits(query, key, shift, p2, r + 1, k, has2, QS, KS, K, BY_EDGE)
    x3, y3, c3 = load_logits(query, key, shift, p3, r + 2, k, has3, QS, KS, K, BY_EDGE)
    x4, y4, c4 = load_logits(query, key, shift, p4, r + 3, k, has4, QS, KS, K, BY_EDGE)
    xa, ya, ca = load_logits(query, key, shift, e1, start, k, degree > 0, QS, KS, K, BY_EDGE)
    ga, Va, gonea = load_gradient(grad, value, delta, e1, k, degree > 0, GS, VS, K, F, FP)
    y1 += from_node
    a1, b1, full1, slope1, high1, low1 = as_both(x1, y1, c1, first, second, r == top, has1, SLOPE)
    y2 += from_node
    a2, b2, full2, slope2, high2, low2 = as_both(x2, y2, c2, first, second, r + 1 == top, has2, SLOPE)
    y3 += from_node
    a3, b3, full3, slope3, high3, low3 = as_both(x3, y3, c3, first, second, r + 2 == top, has3, SLOPE)
    y4 += from_node
    a4, b4, full4, slope4, high4, low4 = as_both(x4, y4, c4, first, second, r + 3 == top, has4, SLOPE)
    all1 = tl.zeros([BLOCK], a1.dtype)
    all2 = tl.zeros([BLOCK], a1.dtype)
    all3 = tl.zeros([BLOCK], a1.dtype)
    all4 = tl.zeros([BLOCK], a1.dtype)
    less1 = tl.zeros([BLOCK], a1.dtype)
    less2 = tl.zeros([BLOCK], a1.dtype)
    less3 = tl.zeros([BLOCK], a1.dtype)
    less4 = tl.zeros([BLOCK], a1.dtype)
    took1 = tl.zeros([BLOCK, FP], a1.dtype)
    took2 = tl.zeros([BLOCK, FP], a1.dtype)
    took3 = tl.zeros([BLOCK, FP], a1.dtype)
    took4 = tl.zeros([BLOCK, FP], a1.dtype)
    said1 = tl.zeros([BLOCK, FP], a1.dtype)
    said2 = tl.zeros([BLOCK, FP], a1.dtype)
    said3 = tl.zeros([BLOCK, FP], a1.dtype)
    said4 = tl.zeros([BLOCK, FP], a1.dtype)
    dV1 = tl.zeros([BLOCK, FP], a1.dtype)
    dV2 = tl.zeros([BLOCK, FP], a1.dtype)
    dV3 = tl.zeros([BLOCK, FP], a1.dtype)
    dV4 = tl.zeros([BLOCK, FP], a1.dtype)
    for j in range(tl.max(degree, 0)):
        x, y, c, g, V, gone = xa, ya + from_node, ca, ga, Va, gonea
        V, gone = center(g, V, gone, V_top)
        s = start + j
        ahead = j + 1 < degree
        xa, ya, ca = load_logits(query, key, shift, e2, s + 1, k, ahead, QS, KS, K, BY_EDGE)
        ga, Va, gonea = load_gradient(grad, value, delta, e2, k, ahead, GS, VS, K, F, FP)
        e2 = load_edge(edge, start, j + 2, degree)
        a, b, full, slope, high, low = as_both(x, y, c, first, second, s == top, j < degree, SLOPE)
        sloped = read(x1, a1, b1, y, high, low, SLOPE)
        all1 += sloped
        took1 += sloped[:, None] * V
        beta, sloped = hear(x, a, b, full, slope, y1, high1, low1, r == top, SLOPE)
        dV1 += beta[:, None] * g
        said1 += sloped[:, None] * g
        less1 += sloped * gone
        sloped = read(x2, a2, b2, y, high, low, SLOPE)
        all2 += sloped
        took2 += sloped[:, None] * V
        beta, sloped = hear(x, a, b, full, slope, y2, high2, low2, r + 1 == top, SLOPE)
        dV2 += beta[:, None] * g
        said2 += sloped[:, None] * g
        less2 += sloped * gone
        sloped = read(x3, a3, b3, y, high, low, SLOPE)
        all3 += sloped
        took3 += sloped[:, None] * V
        beta, sloped = hear(x, a, b, full, slope, y3, high3, low3, r + 2 == top, SLOPE)
        dV3 += beta[:, None] * g
        said3 += sloped[:, None] * g
        less3 += sloped * gone
        sloped = read(x4, a4, b4, y, high, low, SLOPE)
        all4 += sloped
        took4 += sloped[:, None] * V
        beta, sloped = hear(x, a, b, full, slope, y4, high4, low4, r + 3 == top, SLOPE)
        dV4 += beta[:, None] * g
        said4 += sloped[:, None] * g
        less4 += sloped * gone
    end_element(
        took1, all1, dV1, said1, less1, x1, y1, a1, b1, full1, slope1, high1, low1, r == top, V_top,
        grad, value, delta, home, M, dV_a, dV_b, dx_a, dx_b, dy_a, dy_b, d_at_incidence, r, p1, k, has1, GS, VS,
        K, F, FP, SLOPE, HAS_NODE,
    )  # fmt: skip
    end_element(
        took2, all2, dV2, said2, less2, x2, y2, a2, b2, full2, slope2, high2, low2, r + 1 == top, V_top,
        grad, value, delta, home, M, dV_a, dV_b, dx_a, dx_b, dy_a, dy_b, d_at_incidence, r + 1, p2, k, has2, GS, VS,
        K, F, FP, SLOPE, HAS_NODE,
    )  # fmt: skip
    end_element(
        took3, all3, dV3, said3, less3, x3, y3, a3, b3, full3, slope3, high3, low3, r + 2 == top, V_top,
        grad, value, delta, home, M, dV_a, dV_b, dx_a, dx_b, dy_a, dy_b, d_at_incidence, r + 2, p3, k, has3, GS, VS,
        K, F, FP, SLOPE, HAS_NODE,
    )  # fmt: skip
    end_element(
        took4, all4, dV4, said4, less4, x4, y4, a4, b4, full4, slope4, high4, low4, r + 3 == top, V_top,
        grad, value, delta, home, M, dV_a, dV_b, dx_a, dx_b, dy_a, dy_b, d_at_incidence, r + 3, p4, k, has4, GS, VS,
        K, F, FP, SLOPE, HAS_NODE,
    )  # fmt: skip


@triton.jit
def center(g, V, gone, V_top):
    """A value and ``g · out`` as seen from the value of the largest key.

    A pair's logit has the gradient ``φ' β g · (V - out)``. Where all read the largest key, ``out`` is all but its
    value: differences from that are small numbers, not small differences of large sums.
    """
    return V - V_top, gone - tl.sum(g * V_top, 1)


@triton.jit
def load_logits(query, key, shift, p, r, k, mask, QS, KS, K: tl.constexpr, BY_EDGE: tl.constexpr):
    """An element's query, its edge's part of the key, and its ``shift``."""
    x = load_query(query, p, r, k, mask, QS, BY_EDGE)
    y = load_query(key, p, r, k, mask, KS, BY_EDGE)
    return x, y, tl.load(shift + r * K + k, mask=mask, other=0.0)


@triton.jit
def as_both(x, y, c, first, second, is_top, mask, SLOPE: tl.constexpr):
    """What an element brings to a pair as a reader, ``a`` and ``b``; its weight on the largest key, ``full``, and
    that times the LeakyReLU's slope there; and what it brings as a source, ``high`` and ``low``.
    """
    counts = mask & (is_top == 0)
    high, low = as_source(y, second, counts, SLOPE)
    u = x + tl.where(is_top, second, first)
    gap = tl.where(is_top, 0.0, second - first)
    below = tl.maximum(u, 0.0) * (1 - SLOPE)
    a = tl.where(mask, exp(gap + c), 0.0)
    b = tl.where(mask, exp(gap * SLOPE - below + c), 0.0)
    full = tl.where(counts, exp(c), 0.0)
    return a, b, full, tl.where(u > 0, full, full * SLOPE), high, low


@triton.jit
def read(x, a, b, y, high, low, SLOPE: tl.constexpr):
    """What a pair says to its reader: ``φ' β``, except of the largest key."""
    return tl.where(y > -x, a * high, b * low * SLOPE)


@triton.jit
def hear(x, a, b, full, slope, y, high, low, is_top, SLOPE: tl.constexpr):
    """What a pair says to its source: ``β`` and ``φ' β``."""
    strong, weak = a * high, b * low
    beta = tl.where(is_top, full, tl.maximum(strong, weak))
    return beta, tl.where(is_top, slope, tl.where(y > -x, strong, weak * SLOPE))


@triton.jit
def end_element(
    took, all_, dV, said, less, x, y, a, b, full, slope, high, low, is_top, V_top,
    grad, value, delta, home, M, dV_a, dV_b, dx_a, dx_b, dy_a, dy_b, d_at_incidence, r, p, k, mask, GS, VS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr, HAS_NODE: tl.constexpr,
):  # fmt: skip
    """Take back what the edge said to itself, add what it hears of the largest key, and store."""
    g, V, gone = load_gradient(grad, value, delta, p, k, mask, GS, VS, K, F, FP)
    V, gone = center(g, V, gone, V_top)
    itself = read(x, a, b, y, high, low, SLOPE)
    took -= itself[:, None] * V
    dx = tl.sum(g * took, 1) - gone * (all_ + slope - itself)
    beta, itself = hear(x, a, b, full, slope, y, high, low, is_top, SLOPE)
    dy = tl.sum((said - itself[:, None] * g) * V, 1) - (less - itself * gone)
    store_gradients(
        dx, dy, dV - beta[:, None] * g, home, M, dV_a, dV_b, dx_a, dx_b, dy_a, dy_b, d_at_incidence, r, k, mask,
        K, F, FP, HAS_NODE,
    )  # fmt: skip
