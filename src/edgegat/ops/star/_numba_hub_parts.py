"""Hubs: bringing their incidences together, ranking them, and taking the results back."""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import functools
from typing import Any

from edgegat.ops._numba_compile import kernel
from edgegat.ops._numba_lanes import Array, inlined, load, store
from edgegat.ops._numba_sort import order_into

STEP = 8
"""Exponentials are taken of so many numbers at a time; scratch arrays are that much longer."""


@functools.cache
def gather(F: int) -> Any:
    """``[rows, K, F]`` to ``gathered [K, J, F]``: at the places ``first : last`` what stands in their rows."""

    def star_gather(
        first: int, last: int, K: int, row: Array, per_row: Array, step: int, gathered: Array
    ) -> None:
        J = row.size
        for j in range(first, last):
            begin = row[j] * step
            for k in range(K):
                store(gathered, (k * J + j) * F, load(per_row, begin + k * F, F))

    return kernel(star_gather)


@inlined
def bend(z, slope):
    return z if z > 0.0 else z * slope


@inlined
def rank(d, x, y, at_star, t_of, y_of, by_reader, by_source, packed, spare):
    """Fill in ``t = -x`` and ``y``, and their orders. The queries become ``t``, too."""
    for i in range(d):
        x[i] = -x[i]
        t_of[i] = x[i]
        y_of[i] = y[i] + at_star
    order_into(by_source[:d], y[:d], packed, spare)
    order_into(by_reader[:d], x[:d], packed, spare)


@inlined
def sort_by(order, d, given, result):
    for i in range(d):
        result[i] = given[order[i]]


@inlined
def part(array, room, number):
    """Part ``number`` of an array that holds several of ``room`` elements."""
    return array[number * room : (number + 1) * room]


@functools.cache
def scatter(F: int) -> Any:
    """``results [K, J, F + 2]`` to the rows of ``sums``, for the places ``first : last``."""

    def star_scatter(first: int, last: int, K: int, row: Array, results: Array, sums: Array) -> None:
        J = row.size
        for j in range(first, last):
            at = row[j] * (2 * K + K * F)
            for k in range(K):
                of = (k * J + j) * (F + 2)
                sums[at + k] = results[of]
                sums[at + K + k] = results[of + 1]
                for f in range(F):
                    sums[at + 2 * K + f * K + k] = results[of + 2 + f]

    return kernel(star_scatter)


@functools.cache
def scatter_backward(F: int) -> Any:
    """The same in the backward pass: ``results [K, J, F + 2]`` to the rows of each gradient."""

    def star_scatter_backward(
        first: int, last: int, K: int, row: Array, results: Array, d_query: Array, d_key: Array, d_value: Array
    ) -> None:
        J = row.size
        for j in range(first, last):
            for k in range(K):
                of = (k * J + j) * (F + 2)
                d_query[row[j] * K + k] = results[of]
                d_key[row[j] * K + k] = results[of + 1]
                for f in range(F):
                    d_value[row[j] * K * F + f * K + k] = results[of + 2 + f]

    return kernel(star_scatter_backward)
