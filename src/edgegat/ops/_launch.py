"""Small things that every launch of a Triton kernel needs."""

from __future__ import annotations

import torch
from torch import Tensor


def work_type(dtype: torch.dtype) -> torch.dtype:
    """Sixteen-bit numbers are worked on in float32."""
    return torch.promote_types(dtype, torch.float32)


def rows_of(t: Tensor, dtype: torch.dtype) -> tuple[Tensor, int]:
    """``t`` in that type, each row contiguous, and the distance between rows. Views of wider rows stay views."""
    t = t.to(dtype)
    inside = t[:1].reshape(-1).numel()
    is_dense = t.numel() == 0 or (t[0].is_contiguous() and t.stride(0) >= inside)
    t = t if is_dense else t.contiguous()
    return t, t.stride(0) if t.size(0) > 1 else inside


def blocks(elements: int, block: int) -> tuple[int]:
    """The grid that covers so many elements."""
    return (-(-elements // block),)


def next_power(number: int) -> int:
    """The next power of two: Triton's tiles have no other sizes."""
    return 1 << max(number - 1, 0).bit_length()


def check_size(elements: int, what: str) -> None:
    """Refuse what the kernels' 32-bit index arithmetic cannot reach, the last block's overhang included."""
    if elements >= 2**31 - 2**16:
        raise ValueError(
            f"{what} is {elements:,} numbers, but the Triton kernels count to 2³¹ = {2**31:,}: use fewer heads "
            "or channels, cut the graph, or take backend='torch'."
        )
