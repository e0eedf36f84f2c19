"""The order of a few hundred to a few million numbers, in linear time."""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import numba
import numpy as np
from numba import types
from numba.extending import overload

from edgegat.ops._numba_lanes import Array

_DIGIT = 8
_VALUES = 1 << _DIGIT
_DIGITS = 4


def order_into(order: Array, values: Array, packed: Array, spare: Array) -> None:
    """``order[: d]`` = places of ``values[: d]`` from the smallest to the largest; of equal ones the first first.

    ``packed`` and ``spare`` hold ``d`` numbers of 64 bits each while it works.
    """
    raise NotImplementedError  # inside kernels only


@overload(order_into)
def _order_into(order, values, packed, spare):
    if values.dtype == types.float32:

        def radix(order, values, packed, spare):
            _radix(order, values.view(np.uint32), packed, spare)

        return radix

    def merge(order, values, packed, spare):
        order[: values.size] = np.argsort(values, kind="mergesort")

    return merge


@numba.njit(nogil=True, error_model="numpy")
def _radix(order, bits, packed, spare):
    """Sort by 32 bits, digit by digit from the lowest; the place travels in the low half of each word."""
    d = bits.size
    count = np.zeros(_DIGITS * _VALUES, np.int64)
    for i in range(d):
        b = bits[i]
        # Bits that rank as the numbers do: those of negative numbers turned around, above them the others.
        b = ~b if b >> np.uint32(31) else b | np.uint32(0x80000000)
        packed[i] = (np.uint64(b) << np.uint64(32)) | np.uint64(i)
        for digit in range(_DIGITS):
            count[digit * _VALUES + ((b >> np.uint32(digit * _DIGIT)) & np.uint32(_VALUES - 1))] += 1
    source, target = packed, spare
    for digit in range(_DIGITS):
        base = digit * _VALUES
        shift = np.uint64(32 + digit * _DIGIT)
        if count[base + ((source[0] >> shift) & np.uint64(_VALUES - 1))] == d:
            continue  # all numbers have the same digit here
        place = 0
        for value in range(_VALUES):
            number = count[base + value]
            count[base + value] = place
            place += number
        for i in range(d):
            word = source[i]
            at = base + np.int64((word >> shift) & np.uint64(_VALUES - 1))
            target[count[at]] = word
            count[at] += 1
        source, target = target, source
    for i in range(d):
        order[i] = np.int64(source[i] & np.uint64(0xFFFFFFFF))
