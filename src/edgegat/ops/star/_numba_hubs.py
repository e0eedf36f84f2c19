r"""Stars of many edges: sorted, and swept twice.

A *unit* is one star in one head. Its sources stand in the order of their keys ``y``, its readers in that of
``t = -x``, where their LeakyReLU bends. One sweep upwards meets keys and readers in their common order: a
reader takes the running sum of ``e^{λy}`` over the keys it has met, and (in the backward pass) a key the running
sum over the readers it has met. One sweep downwards does the same with the other side of the bend. A key equal
to ``t`` (a logit of zero) counts as met first.

The edge with the star's largest key ``L`` stays out of the running sums: everybody reads it directly, and it reads
the sums as they are. So a key that drowns all others cannot drown what its own edge reads, and whoever takes its own
term out of a sum again does so beside the term of ``L``, which is larger. Weights are relative to the second largest
key ``S``; none is above 1, because every reader of ``L`` has ``x + S <= x + L`` and that of ``S`` has ``S`` itself.
Running sums are in float64.

``J`` are the incidences of the hubs at hand, standing star by star; what belongs to a head is contiguous: ``[K, J]``,
``[K, J, F]``.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import functools
from typing import Any

from edgegat.ops._numba_compile import kernel
from edgegat.ops._numba_lanes import (
    Array,
    double,
    full,
    full_like,
    inlined,
    load,
    round_like,
    store,
    total,
)
from edgegat.ops._numba_math import exp_like, leaky
from edgegat.ops._numba_sort import order_into

STEP = 8
"""Exponentials are taken of so many numbers at a time; scratch arrays are that much longer."""


@functools.cache
def gather(K: int, F: int) -> Any:
    """``[rows, K, F]`` to ``gathered [K, J, F]``: at the places ``first : last`` what stands in their rows."""

    def star_gather(first: int, last: int, row: Array, per_row: Array, step: int, gathered: Array) -> None:
        J = row.size
        for j in range(first, last):
            begin = row[j] * step
            for k in range(K):
                store(gathered, (k * J + j) * F, load(per_row, begin + k * F, F))

    return kernel(star_gather)


@inlined
def _bend(z, slope):
    return z if z > 0.0 else z * slope


@inlined
def _rank(d, x, y, at_star, t_of, y_of, by_reader, by_source, packed, spare):
    """Fill in ``t = -x`` and ``y``, and their orders. The queries become ``t``, too."""
    for i in range(d):
        x[i] = -x[i]
        t_of[i] = x[i]
        y_of[i] = y[i] + at_star
    order_into(by_source[:d], y[:d], packed, spare)
    order_into(by_reader[:d], x[:d], packed, spare)


@inlined
def _sort_by(order, d, given, result):
    for i in range(d):
        result[i] = given[order[i]]


@inlined
def _parts(array, room, number):
    """Part ``number`` of an array that holds several of ``room`` elements."""
    return array[number * room : (number + 1) * room]


def forward_scratch(F: int) -> tuple[int, int]:
    """Numbers in float64 and in the values' type that :func:`forward` needs for each edge of the largest star."""
    return 4 + 2 * (F + 1), 8 + F


@functools.cache
def forward(K: int, F: int) -> Any:
    """The units ``first : last``: ``(m, denominator, numerator)`` of every reader, ``[K, J, F + 2]``."""
    C = F + 1

    def star_hubs(
        first: int,
        last: int,
        hub_ptr: Array,
        hub_node: Array,
        x: Array,
        y: Array,
        V: Array,
        at_node: Array,
        node_step: int,
        slope: float,
        packed: Array,
        spare: Array,
        orders: Array,
        exact: Array,
        weights: Array,
        results: Array,
    ) -> int:
        J = hub_ptr[hub_node.size]
        room = packed.size
        by_source, by_reader = _parts(orders, room, 0), _parts(orders, room, 1)
        y_of, t_of = _parts(exact, room, 0), _parts(exact, room, 1)
        y_sorted, t_sorted = _parts(exact, room, 2), _parts(exact, room, 3)
        below, above = exact[4 * room : (4 + C) * room], exact[(4 + C) * room :]
        high_of, low_of, m_of = _parts(weights, room, 0), _parts(weights, room, 1), _parts(weights, room, 2)
        from_top, from_high, from_low = (
            _parts(weights, room, 3),
            _parts(weights, room, 4),
            _parts(weights, room, 5),
        )
        high_sorted, low_sorted = _parts(weights, room, 6), _parts(weights, room, 7)
        V_sorted = weights[8 * room :]
        nothing = full(exact, 0.0, F)
        for unit in range(first, last):
            h, k = unit // K, unit % K
            base = k * J + hub_ptr[h]
            d = hub_ptr[h + 1] - hub_ptr[h]
            at_star = float(at_node[hub_node[h] * node_step + k]) if at_node.size else 0.0
            _rank(d, x[base:], y[base:], at_star, t_of, y_of, by_reader, by_source, packed, spare)
            top = by_source[d - 1]
            largest, second = y_of[top], y_of[by_source[d - 2]]
            for i in range(d):
                m_of[i] = _bend((second if i == top else largest) - t_of[i], slope)
            one = full(exact, 1.0, STEP)
            for i in range(0, d, STEP):
                t_i, m_i = load(t_of, i, STEP), double(load(m_of, i, STEP))
                y_i = load(y_of, i, STEP) - full_like(one, second)
                z_i = full_like(one, second) - t_i
                store(high_of, i, exp_like(y_i, weights))
                store(low_of, i, exp_like(y_i * full_like(one, slope), weights))
                store(from_high, i, exp_like(z_i - m_i, weights))
                store(from_low, i, exp_like(z_i * full_like(one, slope) - m_i, weights))
                store(from_top, i, exp_like(leaky(full_like(one, largest) - t_i, slope) - m_i, weights))
            high_of[top], low_of[top], from_top[top] = 0.0, 0.0, 0.0

            # What is read at random is read here, so that the sweeps run through memory.
            _sort_by(by_source, d, y_of, y_sorted)
            _sort_by(by_reader, d, t_of, t_sorted)
            _sort_by(by_source, d, high_of, high_sorted)
            _sort_by(by_source, d, low_of, low_sorted)
            for j in range(d):
                store(V_sorted, j * F, load(V, (base + by_source[j]) * F, F))

            met, count, j = nothing, 0.0, 0
            for r in range(d):
                while j < d and y_sorted[j] <= t_sorted[r]:
                    w = float(low_sorted[j])
                    met = met + full_like(nothing, w) * double(load(V_sorted, j * F, F))
                    count += w
                    j += 1
                store(below, r * C, met)
                below[r * C + F] = count
            met, count, j = nothing, 0.0, d - 1
            for r in range(d - 1, -1, -1):
                while j >= 0 and y_sorted[j] > t_sorted[r]:
                    w = float(high_sorted[j])
                    met = met + full_like(nothing, w) * double(load(V_sorted, j * F, F))
                    count += w
                    j -= 1
                store(above, r * C, met)
                above[r * C + F] = count

            V_top = double(load(V, (base + top) * F, F))
            for r in range(d):
                p = by_reader[r]
                a, b, c = float(from_high[p]), float(from_low[p]), float(from_top[p])
                # Nobody reads itself.
                own = a * float(high_of[p]) if y_of[p] > t_of[p] else b * float(low_of[p])
                weighted = full_like(nothing, a) * load(above, r * C, F)
                weighted = weighted + full_like(nothing, b) * load(below, r * C, F)
                weighted = weighted - full_like(nothing, own) * double(load(V, (base + p) * F, F))
                weighted = weighted + full_like(nothing, c) * V_top
                at = (base + p) * (F + 2)
                results[at] = m_of[p]
                results[at + 1] = a * above[r * C + F] + b * below[r * C + F] - own + c
                store(results, at + 2, round_like(weighted, results))
        return last - first

    return kernel(star_hubs)


@functools.cache
def scatter(K: int, F: int) -> Any:
    """``results [K, J, F + 2]`` to the rows of ``sums``, for the places ``first : last``."""
    KF = K * F

    def star_scatter(first: int, last: int, row: Array, results: Array, sums: Array) -> None:
        J = row.size
        for j in range(first, last):
            at = row[j] * (2 * K + KF)
            for k in range(K):
                of = (k * J + j) * (F + 2)
                sums[at + k] = results[of]
                sums[at + K + k] = results[of + 1]
                for f in range(F):
                    sums[at + 2 * K + f * K + k] = results[of + 2 + f]

    return kernel(star_scatter)


@functools.cache
def scatter_backward(K: int, F: int) -> Any:
    """The same in the backward pass: ``results [K, J, F + 2]`` to the rows of each gradient."""
    KF = K * F

    def star_scatter_backward(
        first: int, last: int, row: Array, results: Array, d_query: Array, d_key: Array, d_value: Array
    ) -> None:
        J = row.size
        for j in range(first, last):
            for k in range(K):
                of = (k * J + j) * (F + 2)
                d_query[row[j] * K + k] = results[of]
                d_key[row[j] * K + k] = results[of + 1]
                for f in range(F):
                    d_value[row[j] * KF + f * K + k] = results[of + 2 + f]

    return kernel(star_scatter_backward)


def backward_scratch(F: int) -> tuple[int, int]:
    """As :func:`forward_scratch`."""
    return 7 + 4 * (F + 1), 9 + 2 * F


@functools.cache
def backward(K: int, F: int) -> Any:
    """The units ``first : last``: gradients of every incidence's query, key and value, ``[K, J, F + 2]``.

    Values and answers are taken from the value of the largest key: where that key dominates, an answer is all
    but its value, and the difference must not be left to two large sums.
    """
    C = F + 1

    def star_hubs_backward(
        first: int,
        last: int,
        hub_ptr: Array,
        hub_node: Array,
        x: Array,
        y: Array,
        V: Array,
        at_node: Array,
        node_step: int,
        slope: float,
        g_of: Array,
        out_of: Array,
        lse_of: Array,
        packed: Array,
        spare: Array,
        orders: Array,
        exact: Array,
        weights: Array,
        results: Array,
        d_node: Array,
    ) -> int:
        J = hub_ptr[hub_node.size]
        room = packed.size
        by_source, by_reader = _parts(orders, room, 0), _parts(orders, room, 1)
        y_of, t_of, log_of = _parts(exact, room, 0), _parts(exact, room, 1), _parts(exact, room, 2)
        delta_of, delta_sorted = _parts(exact, room, 3), _parts(exact, room, 4)
        y_sorted, t_sorted = _parts(exact, room, 5), _parts(exact, room, 6)
        sums = exact[7 * room :]
        # For readers, of the sources met; for sources, of the readers met; each from below and from above.
        below, above = _parts(sums, C * room, 0), _parts(sums, C * room, 1)
        heard_below, heard_above = _parts(sums, C * room, 2), _parts(sums, C * room, 3)
        high_of, low_of = _parts(weights, room, 0), _parts(weights, room, 1)
        high_by, low_by, to_top = (
            _parts(weights, room, 2),
            _parts(weights, room, 3),
            _parts(weights, room, 4),
        )
        high_sorted, low_sorted = _parts(weights, room, 5), _parts(weights, room, 6)
        high_read, low_read = _parts(weights, room, 7), _parts(weights, room, 8)
        V_sorted, g_sorted = weights[9 * room : (9 + F) * room], weights[(9 + F) * room :]
        nothing = full(exact, 0.0, F)
        for unit in range(first, last):
            h, k = unit // K, unit % K
            base = k * J + hub_ptr[h]
            d = hub_ptr[h + 1] - hub_ptr[h]
            at_star = float(at_node[hub_node[h] * node_step + k]) if at_node.size else 0.0
            _rank(d, x[base:], y[base:], at_star, t_of, y_of, by_reader, by_source, packed, spare)
            top = by_source[d - 1]
            largest, second = y_of[top], y_of[by_source[d - 2]]
            centre = double(load(V, (base + top) * F, F))
            for i in range(d):
                log_of[i] = lse_of[base + i]
                g, answer = double(load(g_of, (base + i) * F, F)), double(load(out_of, (base + i) * F, F))
                delta_of[i] = total(g * (answer - centre))
            one = full(exact, 1.0, STEP)
            for i in range(0, d, STEP):
                t_i, log_i = load(t_of, i, STEP), load(log_of, i, STEP)
                y_i = load(y_of, i, STEP) - full_like(one, second)
                z_i = full_like(one, second) - t_i
                store(high_of, i, exp_like(y_i, weights))
                store(low_of, i, exp_like(y_i * full_like(one, slope), weights))
                store(high_by, i, exp_like(z_i - log_i, weights))
                store(low_by, i, exp_like(z_i * full_like(one, slope) - log_i, weights))
                store(to_top, i, exp_like(leaky(full_like(one, largest) - t_i, slope) - log_i, weights))
            high_of[top], low_of[top], to_top[top] = 0.0, 0.0, 0.0

            _sort_by(by_source, d, y_of, y_sorted)
            _sort_by(by_reader, d, t_of, t_sorted)
            _sort_by(by_source, d, high_of, high_sorted)
            _sort_by(by_source, d, low_of, low_sorted)
            _sort_by(by_reader, d, high_by, high_read)
            _sort_by(by_reader, d, low_by, low_read)
            _sort_by(by_reader, d, delta_of, delta_sorted)
            for i in range(d):
                value = double(load(V, (base + by_source[i]) * F, F)) - centre
                store(V_sorted, i * F, round_like(value, weights))
                store(g_sorted, i * F, load(g_of, (base + by_reader[i]) * F, F))

            low, low_count, high, high_delta = nothing, 0.0, nothing, 0.0
            j, r = 0, 0
            while r < d or j < d:
                if j < d and (r == d or y_sorted[j] <= t_sorted[r]):
                    store(heard_below, j * C, high)
                    heard_below[j * C + F] = high_delta
                    w = float(low_sorted[j])
                    low = low + full_like(nothing, w) * double(load(V_sorted, j * F, F))
                    low_count += w
                    j += 1
                else:
                    store(below, r * C, low)
                    below[r * C + F] = low_count
                    w = float(high_read[r])
                    high = high + full_like(nothing, w) * double(load(g_sorted, r * F, F))
                    high_delta += w * delta_sorted[r]
                    r += 1
            high, high_count, low, low_delta = nothing, 0.0, nothing, 0.0
            j, r = d - 1, d - 1
            while r >= 0 or j >= 0:
                if r >= 0 and (j < 0 or t_sorted[r] >= y_sorted[j]):
                    store(above, r * C, high)
                    above[r * C + F] = high_count
                    w = float(low_read[r])
                    low = low + full_like(nothing, w) * double(load(g_sorted, r * F, F))
                    low_delta += w * delta_sorted[r]
                    r -= 1
                else:
                    store(heard_above, j * C, low)
                    heard_above[j * C + F] = low_delta
                    w = float(high_sorted[j])
                    high = high + full_like(nothing, w) * double(load(V_sorted, j * F, F))
                    high_count += w
                    j -= 1

            top_value, top_key = nothing, 0.0
            for r in range(d):
                p = by_reader[r]
                g, delta = double(load(g_sorted, r * F, F)), delta_of[p]
                a, b, c = float(high_by[p]), float(low_by[p]) * slope, float(to_top[p])
                own = a * float(high_of[p]) if y_of[p] > t_of[p] else b * float(low_of[p])
                own_value = double(load(V, (base + p) * F, F)) - centre
                slopes = full_like(nothing, a) * load(above, r * C, F)
                slopes = slopes + full_like(nothing, b) * load(below, r * C, F)
                slopes = slopes - full_like(nothing, own) * own_value
                sloped = c if largest > t_of[p] else c * slope
                count = a * above[r * C + F] + b * below[r * C + F] - own + sloped
                results[(base + p) * (F + 2)] = total(g * slopes) - delta * count
                top_value = top_value + full_like(nothing, c) * g
                top_key -= sloped * delta
            node = top_key
            for j in range(d - 1):  # all but the top
                q = by_source[j]
                a, b = float(high_of[q]), float(low_of[q])
                is_high = y_of[q] > t_of[q]
                own_high, own_low = (float(high_by[q]), 0.0) if is_high else (0.0, float(low_by[q]))
                g = double(load(g_of, (base + q) * F, F))
                high = full_like(nothing, a) * (load(heard_below, j * C, F) - full_like(nothing, own_high) * g)
                low = full_like(nothing, b) * (load(heard_above, j * C, F) - full_like(nothing, own_low) * g)
                dy = total(double(load(V_sorted, j * F, F)) * (high + full_like(nothing, slope) * low))
                dy -= a * (heard_below[j * C + F] - own_high * delta_of[q])
                dy -= slope * b * (heard_above[j * C + F] - own_low * delta_of[q])
                node += dy
                at = (base + q) * (F + 2)
                results[at + 1] = dy
                store(results, at + 2, round_like(high + low, results))
            at = (base + top) * (F + 2)
            results[at + 1] = top_key
            store(results, at + 2, round_like(top_value, results))
            if at_node.size:
                d_node[hub_node[h] * K + k] = node
        return last - first

    return kernel(star_hubs_backward)
