"""Which implementation of an operation runs."""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import warnings
from typing import Literal, get_args

import torch

Backend = Literal["auto", "naive", "torch", "numba", "triton"]


def available_backends(device: torch.device | str = "cpu") -> tuple[str, ...]:
    """The backends that work here for tensors on ``device``, the best first.

    Example:
        >>> available_backends()[-2:]
        ('torch', 'naive')
    """
    compiled = ("triton",) if _triton_works(torch.device(device).type) else ()
    if torch.device(device).type == "cpu" and _installed("numba"):
        compiled = ("numba", *compiled)
    return (*compiled, "torch", "naive")


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]  # compiled once, chosen once
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
        if available[0] == "torch":
            _say_what_is_slower(device.type)
        return available[0]
    if backend not in available:
        raise RuntimeError(
            f"{asked_by} asks for {backend!r}, which does not work for tensors on {device}; "
            f"available there: {', '.join(available)}."
        )
    return backend


@functools.cache
def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


@functools.cache
def _triton_works(device_type: str) -> bool:
    """On NVIDIA GPUs; on a CPU only through Triton's interpreter, which is for tests."""
    if not _installed("triton"):
        return False
    if device_type == "cpu":
        return os.environ.get("TRITON_INTERPRET") == "1"
    if device_type != "cuda" or torch.version.hip is not None:
        return False
    # Triton compiles a small launcher in C the first time a kernel runs.
    has_compiler = any(shutil.which(name) for name in (os.environ.get("CC") or "cc", "gcc", "clang"))
    return has_compiler and torch.cuda.get_device_capability()[0] >= 7


@functools.cache
def _say_what_is_slower(device_type: str) -> None:
    missing = {
        "cpu": "Numba is not installed: pip install numba",
        "cuda": "Triton, a C compiler or a GPU of compute capability 7.0 or newer is missing",
    }
    if device_type in missing:
        warnings.warn(
            f"edgegat runs its plain PyTorch backend on {device_type}, several times slower than its kernels. "
            f"{missing[device_type]}. (backend='torch' or EDGEGAT_BACKEND=torch says that this is meant.)",
            RuntimeWarning,
            stacklevel=4,
        )
