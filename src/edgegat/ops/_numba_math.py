"""Exponential, logarithm and LeakyReLU of lanes: Numba's own work on one number at a time.

Arguments are differences of logits and come in float64; results are float32 or float64, like the array that is
named. Errors stay below one unit in the last place of the result, or nearly.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from edgegat.ops._numba_lanes import CONTRACT, Lanes, LanesType, full_like, inlined, select

# ln 2 in two parts: the first has so many zeros at its end that a whole number below 2048 times it is exact.
_LN2_HIGH = 0.693147180369123816490
_LN2_LOW = 1.90821492927058770002e-10
_TO_WHOLE = 1.5 * 2.0**52  # added to a small number it leaves no bits behind the point
_ROOT_OF_HALF = int(np.float64(math.sqrt(0.5)).view(np.int64))


def _constant(like: Any, number: float) -> Any:
    return ir.Constant(like.type, [number] * like.type.count)


def _fused(builder: Any, x: Any, factor: Any, plus: Any) -> Any:
    return builder.fadd(builder.fmul(x, factor, flags=CONTRACT), plus, flags=CONTRACT)


def _polynomial(builder: Any, x: Any, coefficients: Sequence[float]) -> Any:
    """By Horner's rule, the coefficient of the highest power first."""
    total = _constant(x, coefficients[0])
    for coefficient in coefficients[1:]:
        total = _fused(builder, total, x, _constant(x, coefficient))
    return total


@intrinsic
def exp_like(typing: Any, z: Any, array: Any) -> Any:
    """``exp(z)`` of float64 lanes, in the type of ``array``'s elements.

    Where the result has no normal number, zero below and a finite number above: an exponential that overflows
    belongs to the side of a pair that is not taken, and zero times it must not be NaN.
    """
    out = LanesType(array.dtype, z.count)
    single = array.dtype == types.float32
    lowest, highest, degree = (-87.0, 88.0, 7) if single else (-708.0, 709.0, 13)
    bits, mantissa_bits, bias = (32, 23, 127) if single else (64, 52, 1023)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        z, kind = args[0], context.get_value_type(out)
        whole_kind = ir.VectorType(ir.IntType(bits), out.count)
        too_small = builder.fcmp_ordered("<", z, _constant(z, lowest))  # false for NaN, which stays NaN
        too_large = builder.fcmp_ordered(">", z, _constant(z, highest))
        inside = builder.select(too_small, _constant(z, lowest), z)
        inside = builder.select(too_large, _constant(z, highest), inside)
        # exp z = 2^n exp r, with n whole and |r| at most half of ln 2.
        shifted = _fused(builder, inside, _constant(z, math.log2(math.e)), _constant(z, _TO_WHOLE))
        n = builder.fsub(shifted, _constant(z, _TO_WHOLE))
        r = _fused(builder, n, _constant(z, -_LN2_HIGH), inside)
        r = _fused(builder, n, _constant(z, -_LN2_LOW), r)
        r = builder.fptrunc(r, kind) if single else r
        series = _polynomial(builder, r, [1.0 / math.factorial(i) for i in range(degree, -1, -1)])
        exponent = builder.bitcast(shifted, ir.VectorType(ir.IntType(64), out.count))  # n in its last bits
        exponent = builder.trunc(exponent, whole_kind) if single else exponent
        exponent = builder.add(exponent, ir.Constant(whole_kind, [bias] * out.count))
        exponent = builder.shl(exponent, ir.Constant(whole_kind, [mantissa_bits] * out.count))
        result = builder.fmul(series, builder.bitcast(exponent, kind))
        return builder.select(too_small, _constant(result, 0.0), result)

    return out(z, array), emit


@intrinsic
def log(typing: Any, x: Any) -> Any:
    """The natural logarithm of float64 lanes, all of them positive, normal numbers."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        number, whole = args[0].type, ir.VectorType(ir.IntType(64), x.count)
        # x = 2^n m, with m between the roots of 1/2 and 2.
        bits = builder.bitcast(args[0], whole)
        above = builder.sub(bits, ir.Constant(whole, [_ROOT_OF_HALF] * x.count))
        n = builder.ashr(above, ir.Constant(whole, [52] * x.count))
        m = builder.bitcast(builder.sub(bits, builder.shl(n, ir.Constant(whole, [52] * x.count))), number)
        # ln m = 2 artanh s
        one = _constant(m, 1.0)
        s = builder.fdiv(builder.fsub(m, one), builder.fadd(m, one))
        series = _polynomial(builder, builder.fmul(s, s), [1.0 / (2 * i + 1) for i in range(10, -1, -1)])
        log_m = builder.fmul(builder.fadd(s, s), series)
        return _fused(builder, builder.sitofp(n, number), _constant(m, math.log(2)), log_m)

    return x(x), emit


@inlined
def leaky(z: Lanes, slope: float) -> Lanes:
    """LeakyReLU."""
    return select(z > full_like(z, 0.0), z, z * full_like(z, slope))


@inlined
def maximum(a: Lanes, b: Lanes) -> Lanes:
    """The larger of two, lane by lane."""
    return select(a > b, a, b)


@inlined
def minimum(a: Lanes, b: Lanes) -> Lanes:
    """The smaller of two, lane by lane."""
    return select(a < b, a, b)
