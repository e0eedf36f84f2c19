"""The backward pass of hubs: sorted and swept as in the forward pass, with readers and sources taking turns.

See ``_numba_hubs.py`` for what a unit is and why nothing overflows or drowns.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import functools
from typing import Any

from edgegat.ops._numba_compile import kernel
from edgegat.ops._numba_lanes import Array, double, full, full_like, load, round_like, store, total
from edgegat.ops._numba_math import exp_like, leaky
from edgegat.ops.star._numba_hub_parts import STEP, part, rank, sort_by


def scratch(F: int) -> tuple[int, int]:
    """Numbers in float64 and in the values' type that :func:`backward` needs for each edge of the largest star."""
    return 7 + 4 * (F + 1), 9 + 2 * F


@functools.cache
def backward(F: int) -> Any:
    """The units ``first : last``: gradients of every incidence's query, key and value, ``[K, J, F + 2]``.

    Values and answers are taken from the value of the largest key: where that key dominates, an answer is all
    but its value, and the difference must not be left to two large sums.
    """
    C = F + 1

    def star_hubs_backward(
        first: int,
        last: int,
        K: int,
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
        by_source, by_reader = part(orders, room, 0), part(orders, room, 1)
        y_of, t_of, log_of = part(exact, room, 0), part(exact, room, 1), part(exact, room, 2)
        delta_of, delta_sorted = part(exact, room, 3), part(exact, room, 4)
        y_sorted, t_sorted = part(exact, room, 5), part(exact, room, 6)
        sums = exact[7 * room :]
        # For readers, of the sources met; for sources, of the readers met; each from below and from above.
        below, above = part(sums, C * room, 0), part(sums, C * room, 1)
        heard_below, heard_above = part(sums, C * room, 2), part(sums, C * room, 3)
        high_of, low_of = part(weights, room, 0), part(weights, room, 1)
        high_by, low_by, to_top = (
            part(weights, room, 2),
            part(weights, room, 3),
            part(weights, room, 4),
        )
        high_sorted, low_sorted = part(weights, room, 5), part(weights, room, 6)
        high_read, low_read = part(weights, room, 7), part(weights, room, 8)
        V_sorted, g_sorted = weights[9 * room : (9 + F) * room], weights[(9 + F) * room :]
        nothing = full(exact, 0.0, F)
        for unit in range(first, last):
            h, k = unit // K, unit % K
            base = k * J + hub_ptr[h]
            d = hub_ptr[h + 1] - hub_ptr[h]
            at_star = float(at_node[hub_node[h] * node_step + k]) if at_node.size else 0.0
            rank(d, x[base:], y[base:], at_star, t_of, y_of, by_reader, by_source, packed, spare)
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

            sort_by(by_source, d, y_of, y_sorted)
            sort_by(by_reader, d, t_of, t_sorted)
            sort_by(by_source, d, high_of, high_sorted)
            sort_by(by_source, d, low_of, low_sorted)
            sort_by(by_reader, d, high_by, high_read)
            sort_by(by_reader, d, low_by, low_read)
            sort_by(by_reader, d, delta_of, delta_sorted)
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
