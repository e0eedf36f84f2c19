"""From incidences to edges: two stars and the edge itself make one softmax, and its gradients add up."""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from edgegat.ops._numba_compile import kernel
from edgegat.ops._numba_lanes import (
    Array,
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
from edgegat.ops._numba_math import exp_like, leaky, log, maximum


@functools.cache
def forward(K: int, F: int) -> Any:
    """The answers of the edges ``first : last`` and the logarithms of their denominators."""
    KF = K * F
    W = 2 * K + KF  # a row of ``sums``: largest logit, denominator, numerator

    def star_edges(
        first: int,
        last: int,
        slot: Array,
        by_edge: bool,
        query: Array,
        query_step: int,
        key: Array,
        key_step: int,
        own: Array,
        own_step: int,
        value: Array,
        value_step: int,
        slope: float,
        sums: Array,
        out: Array,
        lse: Array,
    ) -> None:
        M = slot.size // 2
        for p in range(first, last):
            itself = double(load(own, p * own_step, K)) if not by_edge else (
                double(load(query, p * query_step, K)) + double(load(key, p * key_step, K))
            )  # fmt: skip
            itself = leaky(itself, slope)
            a, b = slot[p] * W, slot[M + p] * W
            m_a = double(load(sums, a, K))
            m_b = full_like(m_a, -np.inf)  # a self-loop has one end
            if b >= 0:
                m_b = double(load(sums, b, K))
            m = maximum(itself, maximum(m_a, m_b))
            w = exp_like(itself - m, value)
            total = w
            weighted = tile(w, F) * transpose(load(value, p * value_step, KF), F)
            w = exp_like(m_a - m, value)
            total = total + w * load(sums, a + K, K)
            weighted = weighted + tile(w, F) * load(sums, a + 2 * K, KF)
            if b >= 0:
                w = exp_like(m_b - m, value)
                total = total + w * load(sums, b + K, K)
                weighted = weighted + tile(w, F) * load(sums, b + 2 * K, KF)
            store(out, p * KF, transpose(weighted / tile(total, F), K))
            store(lse, p * K, m + log(double(total)))

    return kernel(star_edges)


@functools.cache
def backward(K: int, F: int) -> Any:
    """The gradients of the edges ``first : last``: of both incidences and of the pair with itself.

    ``d_first`` is the gradient of ``query`` where logits are given by edge, else that of ``own``.
    """
    KF = K * F

    def star_edges_backward(
        first: int,
        last: int,
        slot: Array,
        by_edge: bool,
        query: Array,
        query_step: int,
        key: Array,
        key_step: int,
        own: Array,
        own_step: int,
        value: Array,
        value_step: int,
        slope: float,
        grad: Array,
        grad_step: int,
        out: Array,
        out_step: int,
        lse: Array,
        lse_step: int,
        at_query: Array,
        at_key: Array,
        at_value: Array,
        d_first: Array,
        d_key: Array,
        d_value: Array,
    ) -> None:
        M = slot.size // 2
        for p in range(first, last):
            itself = double(load(own, p * own_step, K)) if not by_edge else (
                double(load(query, p * query_step, K)) + double(load(key, p * key_step, K))
            )  # fmt: skip
            beta = exp_like(leaky(itself, slope) - load(lse, p * lse_step, K), value)
            g = transpose(load(grad, p * grad_step, KF), F)
            apart = transpose(load(value, p * value_step, KF), F) - transpose(load(out, p * out_step, KF), F)
            through = fold(g * apart, K) * beta
            sloped = through * full_like(through, slope)
            through = select(round_like(itself, value) > full(value, 0.0, K), through, sloped)
            dv = tile(beta, F) * g
            a, b = slot[p], slot[M + p]
            dv = dv + load(at_value, a * KF, KF)
            if b >= 0:
                dv = dv + load(at_value, b * KF, KF)
            store(d_value, p * KF, transpose(dv, K))
            if by_edge:
                dx, dy = through + load(at_query, a * K, K), through + load(at_key, a * K, K)
                if b >= 0:
                    dx, dy = dx + load(at_query, b * K, K), dy + load(at_key, b * K, K)
                store(d_first, p * K, dx)
                store(d_key, p * K, dy)
            else:
                store(d_first, p * K, through)

    return kernel(star_edges_backward)
