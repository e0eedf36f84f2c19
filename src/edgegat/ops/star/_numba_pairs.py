r"""Stars of low degree, pair by pair: nothing is stored, and a pair costs no exponential, because they factor.

With a reference ``c`` in each star and head, and ``m`` near a reader's largest logit:

.. math::
    e^{\mathrm{LeakyReLU}(x_p + y_q) - m_p} =
    \begin{cases}
        e^{x_p + c - m_p} \cdot e^{y_q - c} & y_q > -x_p \\
        e^{\lambda (x_p + c) - m_p} \cdot e^{\lambda (y_q - c)} & \text{otherwise}
    \end{cases}

Two factors a reader, two a key; a comparison, two products and a selection a pair, for all heads at once.

**Why no factor overflows, and none vanishes that matters.** Let ``L`` be the largest key, ``S`` the second
largest. All readers but the one that holds ``L`` meet ``L`` itself; that one meets ``S``. So the largest key met,
``t``, is one or the other, and each factored weight is at most 1 (or the rounding of ``m`` above it). With
``c = max(S, L - reach)``: a reader of ``L`` has its factor ``exp(t - c) <= exp(reach)`` apart from the reference,
which float32 holds, and a key whose own factor vanishes has ``y < c - 87``, a weight below ``exp(-87)`` beside
``L``'s weight of 1. The holder of ``L`` reads ``S``, with the factor ``exp(S - c)``: if ``c - S <= far``, a key
that vanishes lies more than ``87 - far`` below ``S``, and ``exp(-47)`` is nothing beside 1 in float32. If not,
this one reader takes an exponential for each pair. Float64 has limits of the same kind, further out.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from edgegat.ops._numba_compile import kernel
from edgegat.ops._numba_lanes import (
    Array,
    any_lane,
    double,
    fold,
    full,
    full_like,
    load,
    round_like,
    select,
    store,
    tile,
    transpose,
)
from edgegat.ops._numba_math import exp_like, leaky, maximum, minimum


class Reference(NamedTuple):
    """How far the reference may lie below the largest key, and above the second largest."""

    reach: float
    far: float


REFERENCE: dict[type[np.generic], Reference] = {
    np.float32: Reference(60.0, 40.0),
    np.float64: Reference(600.0, 80.0),
}


@functools.cache
def forward(K: int, F: int) -> Any:
    """Partial results of the stars ``first : last`` that have at most ``most`` edges.

    Returns how many readers needed an exponential for each of their pairs.
    """
    KF = K * F

    def star_pairs(
        first: int,
        last: int,
        most: int,
        ptr: Array,
        edge: Array,
        by_edge: bool,
        query: Array,
        query_step: int,
        key: Array,
        key_step: int,
        at_node: Array,
        node_step: int,
        value: Array,
        value_step: int,
        slope: float,
        reach: float,
        far: float,
        logits: Array,
        scratch: Array,
        sums: Array,
    ) -> int:
        xs, ys = logits[: most * K], logits[most * K :]
        y_of, high_of, low_of = (
            scratch[: most * K],
            scratch[most * K : 2 * most * K],
            scratch[2 * most * K : 3 * most * K],
        )
        values = scratch[3 * most * K :]
        nothing = full(scratch, 0.0, K)
        apart = 0
        for v in range(first, last):
            start = ptr[v]
            degree = ptr[v + 1] - start
            if degree > most or degree == 0:
                continue
            if degree == 1:  # nobody to read
                store(sums, start * (2 * K + KF), full(scratch, -np.inf, K))
                store(sums, start * (2 * K + KF) + K, nothing)
                store(sums, start * (2 * K + KF) + 2 * K, tile(nothing, F))
                continue
            from_node = full(logits, 0.0, K)
            if at_node.size:
                from_node = double(load(at_node, v * node_step, K))
            largest = full(logits, -np.inf, K)
            second = largest
            for q in range(degree):
                e = edge[start + q]
                row = e if by_edge else start + q
                y = double(load(key, row * key_step, K)) + from_node
                store(ys, q * K, y)
                store(xs, q * K, double(load(query, row * query_step, K)))
                store(values, q * KF, transpose(load(value, e * value_step, KF), F))
                second = maximum(second, minimum(y, largest))
                largest = maximum(largest, y)
            reference = maximum(second, largest - full_like(largest, reach))
            # The holder of a largest key that stands far above the others, in the heads where there is one.
            lonely_key = select(
                reference - second > full_like(second, far), largest, full_like(largest, np.inf)
            )
            for q in range(degree):
                y = load(ys, q * K, K)
                store(y_of, q * K, round_like(y, scratch))
                store(high_of, q * K, exp_like(y - reference, scratch))
                store(low_of, q * K, exp_like((y - reference) * full_like(y, slope), scratch))
            for p in range(degree):
                x, y = load(xs, p * K, K), load(ys, p * K, K)
                met = select(y == largest, second, largest)  # of two equal ones each meets the other
                m = round_like(leaky(x + met, slope), scratch)
                total = nothing
                weighted = tile(nothing, F)
                if any_lane(y == lonely_key):
                    apart += 1
                    for q in range(degree):
                        if q != p:
                            w = exp_like(leaky(x + load(ys, q * K, K), slope) - double(m), scratch)
                            total = total + w
                            weighted = weighted + tile(w, F) * load(values, q * KF, KF)
                else:
                    z = x + reference
                    high = exp_like(z - double(m), scratch)
                    low = exp_like(z * full_like(z, slope) - double(m), scratch)
                    split = round_like(full_like(x, 0.0) - x, scratch)
                    # Nobody reads itself: its factors are zero while it reads.
                    own_high, own_low = load(high_of, p * K, K), load(low_of, p * K, K)
                    store(high_of, p * K, nothing)
                    store(low_of, p * K, nothing)
                    for q in range(degree):
                        w = select(
                            load(y_of, q * K, K) > split,
                            high * load(high_of, q * K, K),
                            low * load(low_of, q * K, K),
                        )
                        total = total + w
                        weighted = weighted + tile(w, F) * load(values, q * KF, KF)
                    store(high_of, p * K, own_high)
                    store(low_of, p * K, own_low)
                at = (start + p) * (2 * K + KF)
                store(sums, at, m)
                store(sums, at + K, total)
                store(sums, at + 2 * K, weighted)
        return apart

    return kernel(star_pairs)


@functools.cache
def backward(K: int, F: int) -> Any:
    """Gradients of the same stars, per incidence: of its query, its key and its value. Returns as above."""
    KF = K * F

    def star_pairs_backward(
        first: int,
        last: int,
        most: int,
        ptr: Array,
        edge: Array,
        by_edge: bool,
        query: Array,
        query_step: int,
        key: Array,
        key_step: int,
        at_node: Array,
        node_step: int,
        value: Array,
        value_step: int,
        slope: float,
        reach: float,
        far: float,
        grad: Array,
        grad_step: int,
        out: Array,
        out_step: int,
        lse: Array,
        lse_step: int,
        logits: Array,
        scratch: Array,
        d_query: Array,
        d_key: Array,
        d_value: Array,
        d_node: Array,
    ) -> int:
        xs, ys = logits[: most * K], logits[most * K :]
        y_of, high_of, low_of = (
            scratch[: most * K],
            scratch[most * K : 2 * most * K],
            scratch[2 * most * K : 3 * most * K],
        )
        split_of, high_by, low_by = (
            scratch[3 * most * K : 4 * most * K],
            scratch[4 * most * K : 5 * most * K],
            scratch[5 * most * K : 6 * most * K],
        )
        rest = scratch[6 * most * K :]
        values, grads, answers = rest[: most * KF], rest[most * KF : 2 * most * KF], rest[2 * most * KF :]
        nothing = full(scratch, 0.0, K)
        apart = 0
        for v in range(first, last):
            start = ptr[v]
            degree = ptr[v + 1] - start
            if degree > most:
                continue
            if degree < 2:
                if degree == 1:
                    store(d_query, start * K, nothing)
                    store(d_key, start * K, nothing)
                    store(d_value, start * KF, tile(nothing, F))
                if at_node.size:
                    store(d_node, v * K, nothing)
                continue
            from_node = full(logits, 0.0, K)
            if at_node.size:
                from_node = double(load(at_node, v * node_step, K))
            largest = full(logits, -np.inf, K)
            second = largest
            for q in range(degree):
                e = edge[start + q]
                row = e if by_edge else start + q
                y = double(load(key, row * key_step, K)) + from_node
                store(ys, q * K, y)
                store(xs, q * K, double(load(query, row * query_step, K)))
                store(values, q * KF, transpose(load(value, e * value_step, KF), F))
                second = maximum(second, minimum(y, largest))
                largest = maximum(largest, y)
            reference = maximum(second, largest - full_like(largest, reach))
            lonely_key = select(
                reference - second > full_like(second, far), largest, full_like(largest, np.inf)
            )
            alone = 0
            for q in range(degree):
                e = edge[start + q]
                x, y = load(xs, q * K, K), load(ys, q * K, K)
                store(y_of, q * K, round_like(y, scratch))
                store(high_of, q * K, exp_like(y - reference, scratch))
                store(low_of, q * K, exp_like((y - reference) * full_like(y, slope), scratch))
                store(grads, q * KF, transpose(load(grad, e * grad_step, KF), F))
                store(answers, q * KF, transpose(load(out, e * out_step, KF), F))
                store(split_of, q * K, round_like(full_like(x, 0.0) - x, scratch))
                if any_lane(y == lonely_key):
                    alone += 1
                    store(high_by, q * K, nothing)
                    store(low_by, q * K, nothing)
                else:
                    z, denominator = x + reference, load(lse, e * lse_step, K)
                    store(high_by, q * K, exp_like(z - denominator, scratch))
                    store(low_by, q * K, exp_like(z * full_like(z, slope) - denominator, scratch))
                store(d_query, (start + q) * K, nothing)
            for q in range(degree):
                y, high, low = load(y_of, q * K, K), load(high_of, q * K, K), load(low_of, q * K, K)
                value_of_q = load(values, q * KF, KF)
                own_high, own_low = load(high_by, q * K, K), load(low_by, q * K, K)
                store(high_by, q * K, nothing)
                store(low_by, q * K, nothing)
                dy = nothing
                dv = tile(nothing, F)
                for p in range(degree):
                    beta_low = low * load(low_by, p * K, K)
                    is_high = y > load(split_of, p * K, K)
                    beta = select(is_high, high * load(high_by, p * K, K), beta_low)
                    sloped = select(is_high, beta, beta_low * full_like(beta, slope))
                    g = load(grads, p * KF, KF)
                    dv = dv + tile(beta, F) * g
                    # Where one key dominates, an answer is all but its value: their difference, before any sum.
                    d = sloped * fold(g * (value_of_q - load(answers, p * KF, KF)), K)
                    dy = dy + d
                    store(d_query, (start + p) * K, load(d_query, (start + p) * K, K) + d)
                store(high_by, q * K, own_high)
                store(low_by, q * K, own_low)
                store(d_key, (start + q) * K, dy)
                store(d_value, (start + q) * KF, dv)
            if alone:
                apart += alone
                for p in range(degree):
                    if any_lane(load(ys, p * K, K) == lonely_key):
                        x, denominator = load(xs, p * K, K), load(lse, edge[start + p] * lse_step, K)
                        g, answer = load(grads, p * KF, KF), load(answers, p * KF, KF)
                        dx = nothing
                        for q in range(degree):
                            if q != p:
                                z = x + load(ys, q * K, K)
                                beta = exp_like(leaky(z, slope) - denominator, scratch)
                                is_high = z > full_like(z, 0.0)
                                sloped = select(is_high, beta, beta * full_like(beta, slope))
                                at = (start + q) * KF
                                store(d_value, at, load(d_value, at, KF) + tile(beta, F) * g)
                                d = sloped * fold(g * (load(values, q * KF, KF) - answer), K)
                                dx = dx + d
                                store(d_key, (start + q) * K, load(d_key, (start + q) * K, K) + d)
                        store(d_query, (start + p) * K, dx)
            if at_node.size:
                total = full(logits, 0.0, K)
                for q in range(degree):
                    total = total + double(load(d_key, (start + q) * K, K))
                store(d_node, v * K, round_like(total, scratch))
        return apart

    return kernel(star_pairs_backward)
