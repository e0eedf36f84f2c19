"""What the kernels for small stars and those for hubs share, as Triton functions.

An *element* is one incidence in one head: ``r`` is its incidence, ``v`` its node, ``p`` its edge, ``k`` its head.
``top1``, ``top2`` and ``arg`` (``[N, K]``) are the two largest keys of each star and the incidence of the largest;
``-inf`` stands for a key that does not exist. What an edge gathers at its first end and at its second is kept in
two tables; ``home [I]`` is an incidence's row in the one, or ``M`` and its row in the other.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def leaky(z, SLOPE: tl.constexpr):
    """LeakyReLU; minus infinity stays what it is, whatever the slope."""
    return tl.where(z > 0, z, tl.where(z == float("-inf"), z, z * SLOPE))


@triton.jit
def exp(d):
    """``exp(d)`` through the instruction that GPUs have; weights below the smallest normal number become zero."""
    return tl.exp2(d * 1.4426950408889634)


@triton.jit
def load_key(
    key, at_node, p, r, v, k, mask, KS, K: tl.constexpr, BY_EDGE: tl.constexpr, HAS_NODE: tl.constexpr
):
    """``y``: per incidence, or the edge's part plus the node's."""
    y = load_query(key, p, r, k, mask, KS, BY_EDGE)
    return y + load_node_key(at_node, v, k, mask, K, HAS_NODE)


@triton.jit
def load_node_key(at_node, v, k, mask, K: tl.constexpr, HAS_NODE: tl.constexpr):
    """The node's part of its star's keys."""
    if HAS_NODE:
        return tl.load(at_node + v * K + k, mask=mask, other=0.0)
    else:
        return 0.0


@triton.jit
def load_query(query, p, r, k, mask, QS, BY_EDGE: tl.constexpr):
    """``x``: per incidence or per edge."""
    row = p if BY_EDGE else r
    return tl.load(query + row * QS + k, mask=mask, other=0.0)


@triton.jit
def load_own(query, key, own, p, k, mask, QS, KS, OS, BY_EDGE: tl.constexpr):
    """The logit of an edge with itself, before the LeakyReLU."""
    if BY_EDGE:
        x = tl.load(query + p * QS + k, mask=mask, other=0.0)
        return x + tl.load(key + p * KS + k, mask=mask, other=0.0)
    else:
        return tl.load(own + p * OS + k, mask=mask, other=0.0)


@triton.jit
def load_channels(table, p, k, mask, stride, F: tl.constexpr, FP: tl.constexpr):
    """The channels of edge ``p`` in head ``k``."""
    f = tl.arange(0, FP)
    places = table + (p * stride + k * F)[:, None] + f[None, :]
    return tl.load(places, mask=mask[:, None] & (f < F)[None, :], other=0.0)


@triton.jit
def load_gradient(
    grad, value, delta, p, k, mask, GS, VS, K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr
):  # fmt: skip
    """An edge's gradient, its value, and ``delta``, the product of its gradient and its answer."""
    g, V = load_channels(grad, p, k, mask, GS, F, FP), load_channels(value, p, k, mask, VS, F, FP)
    return g, V, tl.load(delta + p * K + k, mask=mask, other=0.0)


@triton.jit
def as_source(y, second, counts, SLOPE: tl.constexpr):
    """What a source brings to a pair: ``exp(y - y₂)`` and ``exp(s (y - y₂))``."""
    d = y - second
    return tl.where(counts, exp(d), 0.0), tl.where(counts, exp(d * SLOPE), 0.0)


@triton.jit
def as_reader(x, first, second, is_top, SLOPE: tl.constexpr):
    """What a reader brings, relative to its largest logit ``LeakyReLU(u)``, ``u = x + t``: ``exp(y₂ - t)`` for
    sources above its bend and ``exp(s (x + y₂) - u)`` for those below.
    """
    u = x.to(tl.float64) + tl.where(is_top, second, first).to(tl.float64)
    gap = tl.where(is_top, 0.0, second - first)
    return exp(gap), exp(gap * SLOPE - (tl.maximum(u, 0.0) * (1 - SLOPE)).to(x.dtype))


@triton.jit
def largest_logit(
    query, top1, top2, arg, r, v, p, k, mask, QS, K: tl.constexpr, SLOPE: tl.constexpr, BY_EDGE: tl.constexpr
):  # fmt: skip
    """The largest logit of an element, in float64; minus infinity where it reads nothing."""
    at = v * K + k
    x = load_query(query, p, r, k, mask, QS, BY_EDGE)
    is_top = tl.load(arg + at, mask=mask, other=-1) == r
    first = tl.load(top1 + at, mask=mask, other=float("-inf"))
    second = tl.load(top2 + at, mask=mask, other=float("-inf"))
    return leaky(x.to(tl.float64) + tl.where(is_top, second, first).to(tl.float64), SLOPE)


@triton.jit
def store_end(first, second, values, home, M, k, mask, K: tl.constexpr):
    """One number an element, ``[M, K]``, into the table of its edge's first ends or into that of the second."""
    at = home * K + k
    tl.store(first + at, values, mask=mask & (home < M))
    tl.store(second + at - M * K, values, mask=mask & (home >= M))


@triton.jit
def store_end_channels(
    first, second, values, home, M, k, mask, K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr
):
    """The same for channels, ``[M, K, F]``."""
    f = tl.arange(0, FP)
    at = ((home * K + k) * F)[:, None] + f[None, :]
    whole = mask[:, None] & (f < F)[None, :]
    tl.store(first + at, values, mask=whole & (home < M)[:, None])
    tl.store(second + at - M * K * F, values, mask=whole & (home >= M)[:, None])


@triton.jit
def store_forward(
    num, den, home, M, num_a, num_b, den_a, den_b, r, k, mask, K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr
):  # fmt: skip
    """Numerator and denominator of an end, relative to its largest logit."""
    row = tl.load(home + r, mask=mask, other=0)
    store_end_channels(num_a, num_b, num, row, M, k, mask, K, F, FP)
    store_end(den_a, den_b, den, row, M, k, mask, K)


@triton.jit
def store_gradients(
    dx, dy, dV, home, M, dV_a, dV_b, dx_a, dx_b, dy_a, dy_b, d_at_incidence, r, k, mask,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, HAS_NODE: tl.constexpr,
):  # fmt: skip
    """An end's share of its edge's gradients: of the value, the query and the key."""
    row = tl.load(home + r, mask=mask, other=0)
    store_end_channels(dV_a, dV_b, dV, row, M, k, mask, K, F, FP)
    store_end(dx_a, dx_b, dx, row, M, k, mask, K)
    store_end(dy_a, dy_b, dy, row, M, k, mask, K)
    if HAS_NODE:
        tl.store(d_at_incidence + r * K + k, dy, mask=mask)
