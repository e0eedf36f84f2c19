"""Which implementation of an operation runs."""

from __future__ import annotations

import os
from typing import Literal, get_args

import torch

Backend = Literal["auto", "naive", "torch"]


def available_backends(device: torch.device | str = "cpu") -> tuple[str, ...]:
    """The backends that work here for tensors on ``device``, the best first.

    Example:
        >>> available_backends()
        ('torch', 'naive')
    """
    del device  # both run wherever torch does
    return ("torch", "naive")


def choose_backend(backend: str, device: torch.device) -> str:
    """Resolve ``"auto"`` (or the environment's ``EDGEGAT_BACKEND``) to a backend that works on ``device``."""
    asked_by = "backend"
    if backend == "auto" and os.environ.get("EDGEGAT_BACKEND"):
        asked_by, backend = "EDGEGAT_BACKEND", os.environ["EDGEGAT_BACKEND"]
    if backend not in get_args(Backend):
        allowed = ", ".join(repr(name) for name in get_args(Backend))
        raise ValueError(f"{asked_by} is {backend!r}, but it must be one of {allowed}.")
    available = available_backends(device)
    if backend == "auto":
        return available[0]
    if backend not in available:
        raise RuntimeError(
            f"{asked_by} asks for {backend!r}, which does not work for tensors on {device}; "
            f"available there: {', '.join(available)}."
        )
    return backend
