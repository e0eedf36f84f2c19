"""Products of many rows with a small matrix: a GPU's library is slow at the gradient of the small one."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

_TALL = 1 << 18
_SLICE = 1 << 14


def tall_product(rows: Tensor, matrix: Tensor) -> Tensor:
    """``rows @ matrix``. On a GPU the matrix's gradient, a sum over millions of rows, is taken in slices that are
    worked on side by side: a product of two such tables as a whole keeps a few of the processors busy.

    Example:
        >>> tall_product(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0], [4.0]])).tolist()
        [[11.0]]
    """
    if rows.is_cuda and rows.size(0) >= _TALL:
        product: Tensor = _TallProduct.apply(rows, matrix)  # type: ignore[no-untyped-call]
        return product
    return rows @ matrix


class _TallProduct(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda")  # type: ignore[untyped-decorator]
    def forward(ctx: Any, rows: Tensor, matrix: Tensor) -> Tensor:
        ctx.save_for_backward(rows, matrix)
        return rows @ matrix

    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")  # type: ignore[untyped-decorator]
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        rows, matrix = ctx.saved_tensors
        d_rows = grad @ matrix.t() if ctx.needs_input_grad[0] else None
        return d_rows, sum_of_products(rows, grad, _SLICE) if ctx.needs_input_grad[1] else None


def sum_of_products(left: Tensor, right: Tensor, size: int) -> Tensor:
    """``leftᵀ @ right`` in slices of so many rows.

    Example:
        >>> ones = torch.ones(7, 1)
        >>> sum_of_products(ones, ones, size=3)
        tensor([[7.]])
    """
    whole = left.size(0) // size * size
    first, second = (t[:whole].reshape(-1, size, t.size(1)) for t in (left, right))
    return torch.bmm(first.transpose(1, 2), second).sum(0) + left[whole:].t() @ right[whole:]
