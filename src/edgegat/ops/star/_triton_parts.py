"""What the kernels for small stars and those for hubs share, as Triton functions.

An *element* is one incidence in one head: ``r`` is its incidence, ``v`` its node, ``p`` its edge, ``k`` its head.
``top1``, ``top2`` and ``arg`` (``[N, K]``) are the two largest keys of each star and the incidence of the largest;
``-inf`` stands for a key that does not exist.
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
def largest_other(top1, top2, arg, r, v, k, mask, K: tl.constexpr):
    """The largest key that incidence ``r`` reads at ``v``: not its own."""
    at = v * K + k
    is_top = tl.load(arg + at, mask=mask, other=-1) == r
    first = tl.load(top1 + at, mask=mask, other=float("-inf"))
    second = tl.load(top2 + at, mask=mask, other=float("-inf"))
    return tl.where(is_top, second, first)


@triton.jit
def edge_reference(
    query, key, own, top1, top2, arg, partner, node, r, p, k, mask, u, QS, KS, OS,
    K: tl.constexpr, BY_EDGE: tl.constexpr, SLOPE: tl.constexpr,
):  # fmt: skip
    """The largest logit of edge ``p``, the same number at both of its ends: in float64, and not rounded, so that
    the weight of the largest is one and an answer that is all but one value is that value.

    ``u`` is the largest logit that ``r`` has at its own end, before the LeakyReLU, in float64.
    """
    r2 = tl.load(partner + r, mask=mask, other=0)
    v2 = tl.load(node + r2, mask=mask, other=0)
    x2 = load_query(query, p, r2, k, mask, QS, BY_EDGE)
    t2 = largest_other(top1, top2, arg, r2, v2, k, mask, K)
    there = leaky(x2.to(tl.float64) + t2.to(tl.float64), SLOPE)
    itself = load_own(query, key, own, p, k, mask, QS, KS, OS, BY_EDGE)
    m = tl.maximum(leaky(itself.to(tl.float64), SLOPE), tl.maximum(leaky(u, SLOPE), there))
    return m, itself, r2 == r


@triton.jit
def finish(
    num, den, m, itself, is_loop, value, out, lse, p, k, mask, VS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr, SECOND: tl.constexpr,
):  # fmt: skip
    """Hand on what an edge has gathered at its first end, or add both ends and itself and divide.

    ``out`` and ``lse`` carry numerator and denominator from the first end to the second; both are relative to
    ``exp(m)``.
    """
    f = tl.arange(0, FP)
    whole = mask[:, None] & (f < F)[None, :]
    at = p * K + k
    places = out + at[:, None] * F + f[None, :]
    if SECOND:
        num += tl.load(places, mask=whole, other=0.0)
        den += tl.load(lse + at, mask=mask, other=1.0).to(den.dtype)
        last = mask
    else:
        last = mask & is_loop
    w = tl.where(last, tl.exp(tl.where(last, leaky(itself.to(tl.float64), SLOPE) - m, 0.0).to(den.dtype)), 0.0)
    own_value = tl.load(value + (p * VS + k * F)[:, None] + f[None, :], mask=whole & last[:, None], other=0.0)
    num += w[:, None] * own_value
    den += w
    safe = tl.where(last, den, 1.0)
    tl.store(places, num / safe[:, None], mask=whole)
    log = m + tl.log(safe.to(tl.float64))
    tl.store(lse + at, tl.where(last, log, den.to(tl.float64)), mask=mask)
