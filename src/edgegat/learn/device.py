"""Where a model is trained, and with which kernels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from edgegat.learn.errors import LearningError

_WORTH_A_SECOND_THREAD = 20_000


def choose_device(name: str = "auto") -> torch.device:
    """``"auto"`` is the first GPU, or else the CPU.

    Raises:
        LearningError: there is no such device here; the message names those there are.

    Example:
        >>> choose_device("cpu")
        device(type='cpu')
        >>> choose_device("cuda:99")
        Traceback (most recent call last):
            ...
        edgegat.learn.errors.LearningError: device is 'cuda:99', but here there is only 'cpu'...
    """
    if name == "auto":
        # Apple's GPU lacks some operations that training needs: it is taken only when it is asked for.
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    available = available_devices()
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or (str(device) not in available and device.type not in available):
        raise LearningError(f"device is {name!r}, but here there is only {_listing(available)}, or 'auto'.")
    if device.index is not None and f"{device.type}:{device.index}" not in available and device.type != "cpu":
        raise LearningError(f"device is {name!r}, but here there is only {_listing(available)}, or 'auto'.")
    return device


def available_devices() -> list[str]:
    """All that :func:`choose_device` takes here.

    Example:
        >>> available_devices()[0]
        'cpu'
    """
    gpus = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    mps = ["mps"] if torch.backends.mps.is_available() else []
    return ["cpu", *(["cuda", *gpus] if gpus else []), *mps]


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Inside the block, torch draws from this seed; outside, as if nothing had happened.

    Example:
        >>> with seeded(7, torch.device("cpu")):
        ...     first = torch.rand(2)
        >>> with seeded(7, torch.device("cpu")):
        ...     print(torch.equal(first, torch.rand(2)))
        True
    """
    gpus = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(gpus):
        torch.manual_seed(seed)
        yield


@contextmanager
def threads_for(size: int) -> Iterator[None]:
    """Inside the block, torch and scikit-learn use one thread if the graph (or table) is small: by edges or rows.

    Threads that wait for each other at every one of a thousand small operations gain nothing when the machine is
    idle, and cost ten times the time when it is not.

    Example:
        >>> with threads_for(size=4000):
        ...     torch.get_num_threads()
        1
    """
    if size >= _WORTH_A_SECOND_THREAD:
        yield
        return
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # comes with scikit-learn

    before = torch.get_num_threads()
    with threadpool_limits(1, user_api="openmp"):
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def _listing(names: list[str]) -> str:
    return ", ".join(map(repr, names))
