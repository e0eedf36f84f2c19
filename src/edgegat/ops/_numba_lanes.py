"""Short vectors for Numba kernels: one lane per head, or per head and channel.

LLVM's automatic vectoriser gives up on loops as short as a number of heads. A value of type ``Lanes`` is an LLVM
vector instead: it lives in SIMD registers, whatever their width, and arithmetic on it is arithmetic on all lanes
at once. The number of lanes is a constant of the kernel.

Where heads and channels come together, channels are outermost: lane ``f * K + k`` is channel ``f`` of head ``k``.
"""

# mypy: disable-error-code="untyped-decorator, misc"

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

# A kernel's arrays and lanes: Numba finds their types, mypy cannot.
Array = Any
Lanes = Any

CONTRACT = ("contract",)  # a multiplication and an addition may become one instruction; nothing is reordered


class LanesType(types.Type):
    """``count`` numbers of one type."""

    def __init__(self, dtype: Any, count: int) -> None:
        self.dtype, self.count = dtype, count
        super().__init__(name=f"lanes({dtype}, {count})")


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: LanesType) -> None:
        super().__init__(
            manager, lanes, ir.VectorType(manager.lookup(lanes.dtype).get_value_type(), lanes.count)
        )


def inlined(function: Any) -> Any:
    """Compile a helper of kernels into each of its callers."""
    return numba.njit(forceinline=True, error_model="numpy")(function)


def _arithmetic(symbol: Any, emit: Callable[[Any, Any, Any], Any], result: Any = None) -> None:
    """Let ``symbol`` work on two lanes of the same type."""

    @infer_global(symbol)
    class _Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) == 2 and all(isinstance(a, LanesType) for a in args) and args[0] == args[1]:
                out = LanesType(result, args[0].count) if result else args[0]
                return signature(out, *args)
            return None

    @lower_builtin(symbol, LanesType, LanesType)
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, *args)


_arithmetic(operator.add, lambda b, x, y: b.fadd(x, y, flags=CONTRACT))
_arithmetic(operator.sub, lambda b, x, y: b.fsub(x, y, flags=CONTRACT))
_arithmetic(operator.mul, lambda b, x, y: b.fmul(x, y, flags=CONTRACT))
_arithmetic(operator.truediv, lambda b, x, y: b.fdiv(x, y))
_arithmetic(operator.gt, lambda b, x, y: b.fcmp_ordered(">", x, y), types.boolean)
_arithmetic(operator.lt, lambda b, x, y: b.fcmp_ordered("<", x, y), types.boolean)
_arithmetic(operator.eq, lambda b, x, y: b.fcmp_ordered("==", x, y), types.boolean)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [at])


def _vector_pointer(builder: Any, pointer: Any, kind: Any) -> Any:
    return builder.bitcast(pointer, kind.as_pointer())


@intrinsic(prefer_literal=True)
def load(typing: Any, array: Any, at: Any, count: Any) -> Any:
    """``array[at : at + count]`` of a contiguous array with one dimension."""
    if not isinstance(count, types.IntegerLiteral):
        return None
    lanes = LanesType(array.dtype, count.literal_value)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        at = context.cast(builder, args[1], sig.args[1], types.intp)
        pointer = _pointer(context, builder, sig.args[0], args[0], at)
        out = builder.load(_vector_pointer(builder, pointer, context.get_value_type(lanes)))
        out.align = context.get_abi_sizeof(context.get_value_type(lanes.dtype))
        return out

    return lanes(array, at, count), emit


@intrinsic
def store(typing: Any, array: Any, at: Any, lanes: Any) -> Any:
    """``array[at : at + count] = lanes``."""
    if not isinstance(lanes, LanesType) or array.dtype != lanes.dtype:
        return None

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        at = context.cast(builder, args[1], sig.args[1], types.intp)
        pointer = _pointer(context, builder, sig.args[0], args[0], at)
        out = builder.store(args[2], _vector_pointer(builder, pointer, args[2].type))
        out.align = context.get_abi_sizeof(context.get_value_type(lanes.dtype))
        return context.get_dummy_value()

    return types.void(array, at, lanes), emit


@intrinsic
def full_like(typing: Any, lanes: Any, number: Any) -> Any:
    """``number`` in every lane of a vector like ``lanes``."""
    if not isinstance(lanes, LanesType):
        return None

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        scalar = context.cast(builder, args[1], sig.args[1], lanes.dtype)
        return _shuffle(builder, _single(builder, scalar), [0] * lanes.count)

    return lanes(lanes, number), emit


@intrinsic(prefer_literal=True)
def full(typing: Any, array: Any, number: Any, count: Any) -> Any:
    """``number`` in ``count`` lanes, of the type of ``array``'s elements."""
    if not isinstance(count, types.IntegerLiteral):
        return None
    lanes = LanesType(array.dtype, count.literal_value)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        scalar = context.cast(builder, args[1], sig.args[1], lanes.dtype)
        return _shuffle(builder, _single(builder, scalar), [0] * lanes.count)

    return lanes(array, number, count), emit


def _single(builder: Any, scalar: Any) -> Any:
    one = ir.VectorType(scalar.type, 1)
    return builder.insert_element(ir.Constant(one, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))


def _shuffle(builder: Any, vector: Any, lanes: list[int]) -> Any:
    mask = ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes)
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask)


@intrinsic
def select(typing: Any, condition: Any, yes: Any, no: Any) -> Any:
    """``yes`` where the condition holds, ``no`` elsewhere, lane by lane."""
    if not (isinstance(condition, LanesType) and isinstance(yes, LanesType) and yes == no):
        return None

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(*args)

    return yes(condition, yes, no), emit


@intrinsic
def any_lane(typing: Any, condition: Any) -> Any:
    """Does the condition hold in some lane?"""
    if not isinstance(condition, LanesType):
        return None

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        bits = builder.bitcast(args[0], ir.IntType(condition.count))
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(condition), emit


@intrinsic
def double(typing: Any, lanes: Any) -> Any:
    """The same numbers in float64."""
    out = LanesType(types.float64, lanes.count)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return args[0] if lanes == out else builder.fpext(args[0], context.get_value_type(out))

    return out(lanes), emit


@intrinsic
def round_like(typing: Any, lanes: Any, array: Any) -> Any:
    """Float64 lanes, rounded to the type of ``array``'s elements."""
    out = LanesType(array.dtype, lanes.count)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return args[0] if lanes == out else builder.fptrunc(args[0], context.get_value_type(out))

    return out(lanes, array), emit


def _rearranged(name: str, order: Callable[[int, int], list[int]]) -> Any:
    @intrinsic(prefer_literal=True)
    def rearrange(typing: Any, lanes: Any, by: Any) -> Any:
        if not isinstance(by, types.IntegerLiteral):
            return None
        lane_of = order(lanes.count, by.literal_value)
        out = LanesType(lanes.dtype, len(lane_of))

        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return _shuffle(builder, args[0], lane_of)

        return out(lanes, by), emit

    rearrange.__name__ = name
    return rearrange


# [K] to [F, K], the same in every channel.
tile = _rearranged("tile", lambda count, times: list(range(count)) * times)
# [K] to [K, F], F = ``by``: the same in every channel.
spread = _rearranged("spread", lambda count, by: [lane for lane in range(count) for _ in range(by)])
# [A, B] to [B, A], with B = ``by`` the innermost: from [K, F] in memory to [F, K] in lanes, or back.
transpose = _rearranged(
    "transpose", lambda count, by: [row * by + column for column in range(by) for row in range(count // by)]
)


@intrinsic(prefer_literal=True)
def fold(typing: Any, lanes: Any, count: Any) -> Any:
    """``[F, K]`` to ``[K]``, K = ``count``: the sum over the channels."""
    if not isinstance(count, types.IntegerLiteral):
        return None
    K = count.literal_value
    out = LanesType(lanes.dtype, K)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        def total(vector: Any, channels: int) -> Any:
            if channels == 1:
                return vector
            half = channels // 2
            first = total(_shuffle(builder, vector, list(range(half * K))), half)
            second = total(_shuffle(builder, vector, list(range(half * K, channels * K))), channels - half)
            return builder.fadd(first, second, flags=CONTRACT)

        return total(args[0], lanes.count // K)

    return out(lanes, count), emit


@intrinsic(prefer_literal=True)
def fold_inner(typing: Any, lanes: Any, count: Any) -> Any:
    """``[K, F]`` to ``[K]``, F = ``count``: the sum over the channels."""
    if not isinstance(count, types.IntegerLiteral):
        return None
    K = lanes.count // count.literal_value
    out = LanesType(lanes.dtype, K)

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        def add(vector: Any, channels: int) -> Any:
            if channels == 1:
                return vector
            half = channels // 2
            # Neighbours in pairs; an odd channel stays for itself.
            even, odd = (
                _shuffle(builder, vector, [k * channels + 2 * f + side for k in range(K) for f in range(half)])
                for side in (0, 1)
            )
            pairs = add(builder.fadd(even, odd, flags=CONTRACT), half)
            if channels % 2 == 0:
                return pairs
            last = _shuffle(builder, vector, [k * channels + channels - 1 for k in range(K)])
            return builder.fadd(pairs, last, flags=CONTRACT)

        return add(args[0], count.literal_value)

    return out(lanes, count), emit


@intrinsic
def total(typing: Any, lanes: Any) -> Any:
    """The sum of all lanes, a number."""
    if not isinstance(lanes, LanesType):
        return None

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        def add(vector: Any, count: int) -> Any:
            if count == 1:
                return vector
            half = count // 2
            first = add(_shuffle(builder, vector, list(range(half))), half)
            second = add(_shuffle(builder, vector, list(range(half, count))), count - half)
            return builder.fadd(first, second, flags=CONTRACT)

        return builder.extract_element(add(args[0], lanes.count), ir.Constant(ir.IntType(32), 0))

    return lanes.dtype(lanes), emit
