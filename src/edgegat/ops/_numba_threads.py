"""Kernels in threads: they leave Python's lock, so plain threads are enough.

Every task writes to places of its own; results are the same, bit for bit, whoever runs it and whenever.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch

from edgegat.ops._numba_arrays import empty

T = TypeVar("T")
_TASKS_PER_THREAD = 8  # so that the last one does not keep the others waiting for long


def in_threads(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """Run the tasks on ``torch.get_num_threads()`` threads, this one included; their results, in order.

    Example:
        >>> in_threads([lambda: 1, lambda: 2])
        [1, 2]
    """
    threads = min(torch.get_num_threads(), len(tasks))
    if threads < 2:
        return [task() for task in tasks]
    results: dict[int, T] = {}
    next_task = itertools.count()

    def work() -> None:
        while (at := next(next_task)) < len(tasks):
            results[at] = tasks[at]()

    helpers = [_pool(threads - 1).submit(work) for _ in range(threads - 1)]
    work()
    for helper in helpers:
        helper.result()
    return [results[at] for at in range(len(tasks))]


@dataclass(frozen=True)
class Scratch:
    """Memory that a kernel writes to and reads again: every task gets its own."""

    size: int
    dtype: type[np.generic]


def each(ranges: Sequence[tuple[int, int]], kernel: Callable[..., T], *arguments: object) -> list[T]:
    """``kernel(first, last, *arguments)`` for each of the ranges, in threads; what it returns, in order.

    Example:
        >>> each([(0, 2), (2, 3)], lambda first, last, unit: f"{last - first} {unit}", "rows")
        ['2 rows', '1 rows']
    """

    def run(first: int, last: int) -> T:
        return kernel(
            first, last, *(empty(a.size, a.dtype) if isinstance(a, Scratch) else a for a in arguments)
        )

    return in_threads([functools.partial(run, first, last) for first, last in ranges])


def cut(work_until: np.ndarray, smallest: int) -> list[tuple[int, int]]:
    """Ranges of rows with about the same work, at least ``smallest``; ``work_until[r]`` is that of the rows before.

    Example:
        >>> cut(np.array([0, 1, 2, 3, 4]), smallest=100)
        [(0, 4)]
    """
    rows, work = len(work_until) - 1, int(work_until[-1])
    pieces = _pieces(work, smallest)
    targets = np.arange(1, pieces) * (work / pieces)
    bounds = [0, *np.searchsorted(work_until, targets).tolist(), rows]
    return [(first, last) for first, last in itertools.pairwise(bounds) if first < last]


def cut_evenly(rows: int, smallest: int) -> list[tuple[int, int]]:
    """Ranges of about the same number of rows, at least ``smallest``.

    Example:
        >>> cut_evenly(5, smallest=100)
        [(0, 5)]
    """
    pieces = _pieces(rows, smallest)
    bounds = [rows * piece // pieces for piece in range(pieces + 1)]
    return list(itertools.pairwise(bounds))


def _pieces(work: int, smallest: int) -> int:
    threads = torch.get_num_threads()
    return 1 if threads == 1 else max(1, min(work // smallest, threads * _TASKS_PER_THREAD))


@functools.cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="edgegat")


if hasattr(os, "register_at_fork"):  # a forked process has none of its parent's threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
