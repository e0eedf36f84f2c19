"""The pieces of the node block for CPUs: a softmax over each star, and sums and products of rows along it.

Weights, ``w [I, K]``, stand at the incidences. Values are rows ``[K, F]`` of nodes or edges; which one belongs to an
incidence is said by an array ``row_of [I]``, so that one kernel serves nodes and edges, forward and backward.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from edgegat.ops._numba_compile import kernel
from edgegat.ops._numba_lanes import (
    Array,
    double,
    fold_inner,
    full,
    full_like,
    inlined,
    load,
    round_like,
    select,
    spread,
    store,
)
from edgegat.ops._numba_math import exp_like, leaky, log, maximum

SHORT = 8
"""So many rows are added up in the values' own type, then brought to a sum in float64."""


@functools.cache
def _logit_of(K: int) -> Any:
    @inlined
    def logit(x, key, key_step, edge_logit, logit_step, j, row):
        return x + double(load(key, j * key_step, K)) + double(load(edge_logit, row * logit_step, K))

    return logit


@functools.cache
def softmax(K: int) -> Any:
    """``w = keep α`` (``α`` where ``keep`` is empty) and the logs of the denominators, of all nodes in a range."""
    logit = _logit_of(K)

    def node_softmax(
        first: int,
        last: int,
        ptr: Array,
        far: Array,
        logit_row: Array,
        query: Array,
        query_step: int,
        key: Array,
        key_step: int,
        edge_logit: Array,
        logit_step: int,
        keep: Array,
        keep_step: int,
        slope: float,
        w: Array,
        lse: Array,
    ) -> None:
        for v in range(first, last):
            start, end = ptr[v], ptr[v + 1]
            x = double(load(query, v * query_step, K))
            m = full_like(x, -np.inf)
            for r in range(start, end):
                m = maximum(m, logit(x, key, key_step, edge_logit, logit_step, far[r], logit_row[r]))
            m = leaky(m, slope)  # it never decreases
            total = full_like(x, 0.0)
            for r in range(start, end):
                z = leaky(logit(x, key, key_step, edge_logit, logit_step, far[r], logit_row[r]), slope)
                weight = exp_like(z - m, w)
                total = total + double(weight)
                store(w, r * K, weight)
            if start == end:
                store(lse, v * K, full_like(x, -np.inf))
                continue
            store(lse, v * K, m + log(total))
            share = round_like(full_like(total, 1.0) / total, w)
            for r in range(start, end):
                alpha = load(w, r * K, K) * share
                if keep.size:
                    alpha = alpha * load(keep, r * keep_step, K)
                store(w, r * K, alpha)

    return kernel(node_softmax)


@functools.cache
def weighted_sum(K: int, F: int) -> Any:
    """``out[v] = Σ w[r'] values[row_of[r]]`` over the star of ``v``; ``r'`` is ``weight_of[r]``, or ``r``."""
    KF = K * F

    def node_weighted_sum(
        first: int,
        last: int,
        ptr: Array,
        weight_of: Array,
        row_of: Array,
        w: Array,
        values: Array,
        step: int,
        exact: Array,
        out: Array,
    ) -> None:
        nothing = full(out, 0.0, KF)
        for v in range(first, last):
            start, end = ptr[v], ptr[v + 1]
            is_long = end - start > SHORT
            if is_long:
                store(exact, 0, full(exact, 0.0, KF))
            met = nothing
            for begin in range(start, end, SHORT):
                met = nothing
                for r in range(begin, min(begin + SHORT, end)):
                    at = weight_of[r] if weight_of.size else r
                    met = met + spread(load(w, at * K, K), F) * load(values, row_of[r] * step, KF)
                if is_long:
                    store(exact, 0, load(exact, 0, KF) + double(met))
            if is_long:
                met = round_like(load(exact, 0, KF), out)
            store(out, v * KF, met)

    return kernel(node_weighted_sum)


@functools.cache
def products(K: int, F: int) -> Any:
    """``t[r] = g[v] · values[row_of[r]]`` for every incidence ``r`` of the nodes ``first : last``, or added to it."""
    KF = K * F

    def node_products(
        first: int,
        last: int,
        ptr: Array,
        row_of: Array,
        g: Array,
        g_step: int,
        values: Array,
        step: int,
        adds: bool,
        t: Array,
    ) -> None:
        for v in range(first, last):
            gradient = load(g, v * g_step, KF)
            for r in range(ptr[v], ptr[v + 1]):
                product = fold_inner(gradient * load(values, row_of[r] * step, KF), F)
                if adds:
                    product = product + load(t, r * K, K)
                store(t, r * K, product)

    return kernel(node_products)


@functools.cache
def softmax_backward(K: int) -> Any:
    """From ``t`` and ``d_lse``, the gradients of ``w`` and ``lse``, to those of the logits (into ``t``), of
    ``keep`` and of ``query``. ``w`` is computed again, because only ``lse`` was kept.
    """
    logit = _logit_of(K)

    def node_softmax_backward(
        first: int,
        last: int,
        ptr: Array,
        far: Array,
        logit_row: Array,
        query: Array,
        query_step: int,
        key: Array,
        key_step: int,
        edge_logit: Array,
        logit_step: int,
        keep: Array,
        keep_step: int,
        slope: float,
        lse: Array,
        lse_step: int,
        d_lse: Array,
        d_lse_step: int,
        w: Array,
        t: Array,
        d_keep: Array,
        d_query: Array,
    ) -> None:
        for v in range(first, last):
            start, end = ptr[v], ptr[v + 1]
            x, denominator = double(load(query, v * query_step, K)), double(load(lse, v * lse_step, K))
            mean = full_like(x, 0.0) - double(load(d_lse, v * d_lse_step, K))
            for r in range(start, end):
                z = logit(x, key, key_step, edge_logit, logit_step, far[r], logit_row[r])
                alpha = exp_like(leaky(z, slope) - denominator, w)
                gradient = load(t, r * K, K)
                if d_keep.size:
                    store(d_keep, r * K, alpha * gradient)
                if keep.size:
                    gradient = gradient * load(keep, r * keep_step, K)
                mean = mean + double(alpha) * double(gradient)
                store(w, r * K, alpha)
                store(t, r * K, gradient)
            total = full_like(x, 0.0)
            for r in range(start, end):
                z = logit(x, key, key_step, edge_logit, logit_step, far[r], logit_row[r])
                alpha = load(w, r * K, K)
                d = double(alpha) * (double(load(t, r * K, K)) - mean)
                d = select(z > full_like(z, 0.0), d, d * full_like(d, slope))
                total = total + d
                store(t, r * K, round_like(d, t))
                if keep.size:
                    store(w, r * K, alpha * load(keep, r * keep_step, K))
            store(d_query, v * K, round_like(total, t))

    return kernel(node_softmax_backward)


@functools.cache
def sum_far_ends(K: int) -> Any:
    """``out[v] = Σ t[partner[r]]`` over the star of ``v``."""

    def node_sum_far_ends(first: int, last: int, ptr: Array, partner: Array, t: Array, out: Array) -> None:
        for v in range(first, last):
            total = double(full(t, 0.0, K))
            for r in range(ptr[v], ptr[v + 1]):
                total = total + double(load(t, partner[r] * K, K))
            store(out, v * K, round_like(total, out))

    return kernel(node_sum_far_ends)


@functools.cache
def sum_ends(K: int) -> Any:
    """``out[e] = t[r]`` added up over the one or two incidences of each of the edges ``first : last``."""

    def node_sum_ends(first: int, last: int, slot: Array, t: Array, out: Array) -> None:
        M = slot.size // 2
        for e in range(first, last):
            total = load(t, slot[e] * K, K)
            if slot[M + e] >= 0:
                total = total + load(t, slot[M + e] * K, K)
            store(out, e * K, total)

    return kernel(node_sum_ends)


@functools.cache
def weighted_ends(K: int, F: int) -> Any:
    """``out[e] = Σ w[r] g[node[r]]`` over the one or two incidences of each of the edges ``first : last``."""
    KF = K * F

    def node_weighted_ends(
        first: int, last: int, slot: Array, node: Array, w: Array, g: Array, g_step: int, out: Array
    ) -> None:
        M = slot.size // 2
        for e in range(first, last):
            r = slot[e]
            total = spread(load(w, r * K, K), F) * load(g, node[r] * g_step, KF)
            r = slot[M + e]
            if r >= 0:
                total = total + spread(load(w, r * K, K), F) * load(g, node[r] * g_step, KF)
            store(out, e * KF, total)

    return kernel(node_weighted_ends)
