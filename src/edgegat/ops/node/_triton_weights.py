"""The weights of the node block: one number a row of the stars and head.

An *element* is one row ``r`` in one head ``k``. Logits are added up in float64, which is cheap here, because every
element is visited once; their differences go through exponentials in the type of the values.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def load_logit(r, v, k, mask, other, logit_row, query, key, edge_logit, QS, KS, ES, SLOPE: tl.constexpr):
    """The logit of row ``r`` at node ``v``, before and after the LeakyReLU."""
    j = tl.load(other + r, mask=mask, other=0)
    row = tl.load(logit_row + r, mask=mask, other=0)
    z = tl.load(query + v * QS + k, mask=mask, other=0.0).to(tl.float64)
    z += tl.load(key + j * KS + k, mask=mask, other=0.0).to(tl.float64)
    z += tl.load(edge_logit + row * ES + k, mask=mask, other=0.0).to(tl.float64)
    return z, tl.where(z > 0, z, z * SLOPE)


@triton.jit
def exp(d, dtype: tl.constexpr):
    """``exp(d)`` by way of ``dtype``: of what rounding ``d`` leaves, the first term of the series is enough."""
    rounded = d.to(dtype)
    return tl.exp(rounded).to(tl.float64) * (1.0 + (d - rounded.to(tl.float64)))


@triton.jit
def sum_segments(
    node, start, end, part, n, other, logit_row, query, key, edge_logit, lse, parts,
    QS, KS, ES, K: tl.constexpr, SLOPE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The log of each softmax's denominator; for long stars that of every segment."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    g = i // K
    k = i % K
    v = tl.load(node + g, mask=mask, other=0)
    first = tl.load(start + g, mask=mask, other=0)
    length = tl.where(mask, tl.load(end + g, mask=mask, other=0) - first, 0)
    longest = tl.max(length, 0)
    top = tl.full([BLOCK], float("-inf"), tl.float64)
    for j in range(longest):
        here = j < length
        _, z = load_logit(first + j, v, k, here, other, logit_row, query, key, edge_logit, QS, KS, ES, SLOPE)
        top = tl.where(here, tl.maximum(top, z), top)
    weights = tl.zeros([BLOCK], tl.float64)
    for j in range(longest):
        here = j < length
        _, z = load_logit(first + j, v, k, here, other, logit_row, query, key, edge_logit, QS, KS, ES, SLOPE)
        weights += tl.where(here, exp(z - tl.where(here, top, 0.0), query.dtype.element_ty), 0.0)
    log = top + tl.log(tl.where(length > 0, weights, 1.0))
    place = tl.load(part + g, mask=mask, other=-1)
    tl.store(lse + v * K + k, log, mask=mask & (place < 0))
    tl.store(parts + place * K + k, log, mask=mask & (place >= 0))


@triton.jit
def join_segments(cut, part_ptr, n, parts, lse, K: tl.constexpr, BLOCK: tl.constexpr):
    """The same of every star that was cut, from its segments."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    c = i // K
    k = i % K
    first = tl.load(part_ptr + c, mask=mask, other=0)
    length = tl.where(mask, tl.load(part_ptr + c + 1, mask=mask, other=0) - first, 0)
    most = tl.max(length, 0)
    top = tl.load(parts + first * K + k, mask=mask, other=0.0)
    for j in range(1, most):
        top = tl.maximum(top, tl.load(parts + (first + j) * K + k, mask=j < length, other=float("-inf")))
    weights = tl.zeros([BLOCK], tl.float64)
    for j in range(most):
        z = tl.load(parts + (first + j) * K + k, mask=j < length, other=float("-inf"))
        weights += tl.exp(z - top)
    v = tl.load(cut + c, mask=mask, other=0)
    tl.store(lse + v * K + k, top + tl.log(tl.where(mask, weights, 1.0)), mask=mask)


@triton.jit
def weigh(
    n, node, other, logit_row, query, key, edge_logit, lse, keep, weight, QS, KS, ES, PS,
    K: tl.constexpr, SLOPE: tl.constexpr, SIGNED: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """``α`` times ``keep``, ``[I, K]``; ``SIGNED`` makes it negative where the LeakyReLU's slope is ``s``."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    r = i // K
    k = i % K
    v = tl.load(node + r, mask=mask, other=0)
    logit, z = load_logit(r, v, k, mask, other, logit_row, query, key, edge_logit, QS, KS, ES, SLOPE)
    d = z - tl.load(lse + v * K + k, mask=mask, other=0.0)
    a = exp(d, weight.dtype.element_ty).to(weight.dtype.element_ty)
    if keep is not None:
        a *= tl.load(keep + r * PS + k, mask=mask, other=0.0)
    if SIGNED:
        a = tl.where(logit > 0, a, -a)
    tl.store(weight + i, a, mask=mask)
