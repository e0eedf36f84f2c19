"""Readable refusals for tensors that do not fit each other."""

from __future__ import annotations

from torch import Tensor


def check_shapes(**tensors: tuple[Tensor, tuple[int | str, ...], str]) -> None:
    """Compare each tensor with its expected shape; a letter is any size, the same everywhere.

    Every entry is ``name=(tensor, expected shape, what the rows are)``. All must share a dtype and a device.

    Example:
        >>> import torch
        >>> check_shapes(key=(torch.zeros(5, 2), (4, "K"), "one row per incidence"))
        Traceback (most recent call last):
            ...
        ValueError: key has shape (5, 2), but it must be [4, K]: one row per incidence.
    """
    sizes: dict[str, int] = {}
    first_name, first = next((name, tensor) for name, (tensor, _, _) in tensors.items())
    for name, (tensor, expected, meaning) in tensors.items():
        wanted = [sizes.get(size, size) if isinstance(size, str) else size for size in expected]
        fits = tensor.dim() == len(wanted) and all(
            isinstance(want, str) or actual == want for actual, want in zip(tensor.shape, wanted, strict=True)
        )
        if not fits:
            shape = ", ".join(str(size) for size in wanted)
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}, but it must be [{shape}]: {meaning}.")
        sizes.update({s: n for s, n in zip(expected, tensor.shape, strict=True) if isinstance(s, str)})
        if tensor.dtype != first.dtype or not tensor.is_floating_point():
            raise TypeError(
                f"{name} is {tensor.dtype} and {first_name} is {first.dtype}: "
                "all must be of one floating-point type."
            )
        if tensor.device != first.device:
            raise ValueError(f"{name} is on {tensor.device}, but {first_name} is on {first.device}.")
