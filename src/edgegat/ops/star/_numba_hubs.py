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
from edgegat.ops._numba_lanes import Array, double, full, full_like, load, round_like, store
from edgegat.ops._numba_math import exp_like, leaky
from edgegat.ops.star._numba_hub_parts import STEP, bend, part, rank, sort_by


def scratch(F: int) -> tuple[int, int]:
    """Numbers in float64 and in the values' type that :func:`forward` needs for each edge of the largest star."""
    return 4 + 2 * (F + 1), 8 + F


@functools.cache
def forward(F: int) -> Any:
    """The units ``first : last``: ``(m, denominator, numerator)`` of every reader, ``[K, J, F + 2]``."""
    C = F + 1

    def star_hubs(
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
        packed: Array,
        spare: Array,
        orders: Array,
        exact: Array,
        weights: Array,
        results: Array,
    ) -> int:
        J = hub_ptr[hub_node.size]
        room = packed.size
        by_source, by_reader = part(orders, room, 0), part(orders, room, 1)
        y_of, t_of = part(exact, room, 0), part(exact, room, 1)
        y_sorted, t_sorted = part(exact, room, 2), part(exact, room, 3)
        below, above = exact[4 * room : (4 + C) * room], exact[(4 + C) * room :]
        high_of, low_of, m_of = part(weights, room, 0), part(weights, room, 1), part(weights, room, 2)
        from_top, from_high, from_low = (
            part(weights, room, 3),
            part(weights, room, 4),
            part(weights, room, 5),
        )
        high_sorted, low_sorted = part(weights, room, 6), part(weights, room, 7)
        V_sorted = weights[8 * room :]
        nothing = full(exact, 0.0, F)
        for unit in range(first, last):
            h, k = unit // K, unit % K
            base = k * J + hub_ptr[h]
            d = hub_ptr[h + 1] - hub_ptr[h]
            at_star = float(at_node[hub_node[h] * node_step + k]) if at_node.size else 0.0
            rank(d, x[base:], y[base:], at_star, t_of, y_of, by_reader, by_source, packed, spare)
            top = by_source[d - 1]
            largest, second = y_of[top], y_of[by_source[d - 2]]
            for i in range(d):
                m_of[i] = bend((second if i == top else largest) - t_of[i], slope)
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
            sort_by(by_source, d, y_of, y_sorted)
            sort_by(by_reader, d, t_of, t_sorted)
            sort_by(by_source, d, high_of, high_sorted)
            sort_by(by_source, d, low_of, low_sorted)
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
