"""Tensors as the flat arrays that kernels read and write."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

Array = np.ndarray[Any, Any]
Number = type[np.generic]

FILL_WITH_NAN = False  # tests set it: what a kernel reads before it has written it then shows in the result

_NUMPY: dict[torch.dtype, Number] = {torch.float32: np.float32, torch.float64: np.float64}


class Rows(NamedTuple):
    """A tensor's rows in one flat array: row ``r`` begins at ``r * step``."""

    flat: Array
    step: int


def work_type(dtype: torch.dtype) -> Number:
    """What kernels compute in: sixteen-bit numbers are worked on in float32."""
    return _NUMPY[torch.promote_types(dtype, torch.float32)]


def rows(t: Tensor | None, dtype: Number) -> Rows:
    """The rows of ``t [R, ...]``, without a copy wherever each row lies in one piece. ``None`` has none."""
    if t is None:
        return Rows(np.empty(0, dtype), 0)
    t = t.detach().to(torch.float32 if dtype is np.float32 else torch.float64)
    if not t[:1].is_contiguous() or (t.size(0) > 1 and t.stride(0) < t[:1].numel()):
        t = t.contiguous()
    length = t[:1].numel()
    step = t.stride(0) if t.size(0) > 1 else length
    reach = (t.size(0) - 1) * step + length if t.numel() else 0
    return Rows(t.as_strided((reach,), (1,)).numpy(), step)


def empty(size: int, dtype: Number) -> Array:
    """An array to be filled. NumPy asks for large pages of memory, which PyTorch does not: a quarter faster."""
    array: Array = np.empty(size, dtype)
    if FILL_WITH_NAN and array.dtype.kind == "f":
        array.fill(np.nan)
    return array


def tensor(array: Array, *shape: int) -> Tensor:
    """The same memory as a tensor."""
    return torch.from_numpy(array).view(shape)
