"""The compiled backends as ``torch.library`` operators: one node for ``torch.compile`` and ``torch.export``.

A backend brings two functions on plain tensors, ``forward`` and ``backward``; here they meet autograd. What the
backward pass wants to know beside the answer, ``kept``, is the backend's own affair.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat.graph import Stars


class StarCall(NamedTuple):
    """The inputs of one call, in one of two forms.

    By incidence: ``query, key [I, K]``, ``own [M, K]``, no ``at_node``. By edge: ``query, key [M, K]``,
    ``at_node [N, K]`` or ``None``; the key of edge ``q`` at node ``v`` is then ``key[q] + at_node[v]`` and an
    edge's logit with itself ``query[p] + key[p]`` (``own`` is ``None``).
    """

    query: Tensor
    key: Tensor
    at_node: Tensor | None
    value: Tensor  # [M, K, F]
    own: Tensor | None
    ptr: Tensor
    edge: Tensor
    node: Tensor
    slot: Tensor
    slope: float
    elu: bool = False  # of the answer, which is kept as it is behind it

    @property
    def by_edge(self) -> bool:
        """Are query and key given per edge?"""
        return self.own is None


class StarGrads(NamedTuple):
    """The gradients of ``query``, ``key``, ``at_node`` (``None`` without it), ``value`` and ``own``."""

    query: Tensor
    key: Tensor
    at_node: Tensor | None
    value: Tensor
    own: Tensor | None


def star_attention(
    backend: str,
    query: Tensor,
    key: Tensor,
    at_node: Tensor | None,
    value: Tensor,
    own: Tensor | None,
    stars: Stars,
    slope: float,
    elu: bool = False,
) -> Tensor:
    """Either form of :class:`StarCall`: ``[M, K, F]``. On a GPU the ELU is applied where the answer is written."""
    if stars.num_edges == 0 or value.numel() == 0:
        return F.elu(value) if elu else value.clone()
    at_once = elu and backend == "triton"
    graph = stars.ptr, stars.edge, stars.node, stars.slot
    out: Tensor = _OPERATORS[backend](*StarCall(query, key, at_node, value, own, *graph, slope, at_once))[0]
    return F.elu(out) if elu and not at_once else out


_CALL = (
    "Tensor query, Tensor key, Tensor? at_node, Tensor value, Tensor? own, "
    "Tensor ptr, Tensor edge, Tensor node, Tensor slot, float slope, bool elu"
)


def _define(backend: str) -> Any:
    """The operator of a backend. Its kernels are imported when they first run."""

    def forward(*call: Any) -> tuple[Tensor, Tensor]:
        out, kept = _kernels(backend).forward(StarCall(*call))
        return out, kept

    def backward(grad: Tensor, out: Tensor, kept: Tensor, *call: Any) -> tuple[Tensor, ...]:
        grads: StarGrads = _kernels(backend).backward(StarCall(*call), grad, out, kept)
        nothing = grad.new_empty(0)
        return tuple(nothing if d is None else d for d in grads)

    forward_op = torch.library.custom_op(
        f"edgegat::star_{backend}", forward, mutates_args=(), schema=f"({_CALL}) -> (Tensor, Tensor)"
    )
    backward_op = torch.library.custom_op(
        f"edgegat::star_{backend}_backward",
        backward,
        mutates_args=(),
        schema=f"(Tensor grad, Tensor out, Tensor kept, {_CALL}) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
    )

    @forward_op.register_fake
    def _(*call: Any) -> tuple[Tensor, Tensor]:
        inputs = StarCall(*call)
        shape, dtype = _KEPT[backend](inputs)
        out = torch.empty_like(inputs.value, memory_format=torch.contiguous_format)
        return out, inputs.value.new_empty(shape, dtype=dtype)

    @backward_op.register_fake
    def _(grad: Tensor, out: Tensor, kept: Tensor, *call: Any) -> tuple[Tensor, ...]:
        inputs = StarCall(*call)
        nothing = grad.new_empty(0)
        return tuple(
            nothing if t is None else torch.empty_like(t, memory_format=torch.contiguous_format)
            for t in (inputs.query, inputs.key, inputs.at_node, inputs.value, inputs.own)
        )

    def remember(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        call = StarCall(*inputs)
        ctx.slope, ctx.elu = call.slope, call.elu
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(*output, *call[:-2])

    def differentiate(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        out, kept, *call = ctx.saved_tensors
        grads = backward_op(grad, out, kept, *call, ctx.slope, ctx.elu)
        given = tuple(d if t is not None else None for d, t in zip(grads, call[:5], strict=True))
        return (*given, None, None, None, None, None, None)

    forward_op.register_autograd(differentiate, setup_context=remember)
    return forward_op


@functools.cache
def _kernels(backend: str) -> Any:
    return importlib.import_module(f"edgegat.ops.star._{backend}")


def _kept_by_numba(call: StarCall) -> tuple[tuple[int, int], torch.dtype]:
    return (call.value.size(0), call.value.size(1)), torch.float64


def _kept_by_triton(call: StarCall) -> tuple[tuple[int, int], torch.dtype]:
    M, K, _ = call.value.shape
    return (call.edge.numel() + M, K), torch.promote_types(call.value.dtype, torch.float32)


_KEPT = {"numba": _kept_by_numba, "triton": _kept_by_triton}
"""What a backend hands from its forward to its backward pass beside its answer: shape and type."""

_OPERATORS = {backend: _define(backend) for backend in ("numba", "triton")}
