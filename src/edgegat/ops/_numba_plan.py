"""What the CPU kernels want to know of a graph, made once and kept as long as the graph lives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from edgegat.ops._numba_threads import cut, cut_evenly

HUB = 192
"""Stars of more edges than this are sorted; the others go pair by pair. Measured: see benchmarks/README.md."""

BATCH = 1 << 18
"""Hubs are taken together up to about so many incidences: that bounds the memory they need at once."""

Numbers = NDArray[np.int64]
Ranges = list[tuple[int, int]]

_PAIRS_A_TASK = 1 << 16
_EDGES_A_TASK = 1 << 12
_ROWS_A_TASK = 1 << 12
_PAIRS_TO_READ_ROW = 8  # bringing an incidence into a star costs as much as so many pairs


@dataclass(frozen=True, eq=False)
class Hubs:
    """Some stars of more than :data:`HUB` edges; ``J`` incidences, star by star."""

    node: Numbers  # [H]
    ptr: Numbers  # [H + 1]
    row: Numbers  # [J] incidence
    edge: Numbers  # [J]

    @property
    def largest(self) -> int:
        """The most edges of one of them."""
        return int(np.diff(self.ptr).max())

    def rows(self) -> Ranges:
        """Ranges of incidences for threads."""
        return cut_evenly(self.row.size, _ROWS_A_TASK)

    def units(self, heads: int) -> Ranges:
        """Ranges of units (a star in a head) with about the same number of incidences."""
        sizes = np.repeat(np.diff(self.ptr), heads)
        return cut(np.concatenate([[0], sizes.cumsum()]), _ROWS_A_TASK)


@dataclass(frozen=True, eq=False)
class Plan:
    """The stars as arrays, and how they are divided among threads."""

    ptr: Numbers  # [N + 1]
    edge: Numbers  # [I]
    node: Numbers  # [I]
    slot: Numbers  # [2 * M]
    most: int  # edges of the largest star that goes pair by pair
    work_until: Numbers  # [N + 1], in pairs
    hubs: tuple[Hubs, ...]

    @cached_property
    def partner(self) -> Numbers:
        """``[I]``, the incidence at the far end of the same edge; itself for a self-loop."""
        first, second = self.slot.reshape(2, -1)[:, self.edge]
        here = np.arange(self.edge.size)
        return np.where(second < 0, here, first + second - here)

    @cached_property
    def far(self) -> Numbers:
        """``[I]``, the node there."""
        return self.node[self.partner]

    def nodes(self) -> Ranges:
        """Ranges of nodes with about the same number of incidences."""
        return cut(self.ptr + np.arange(self.ptr.size), _ROWS_A_TASK)

    def stars(self) -> Ranges:
        """Ranges of nodes with about as much to do in those of their stars that are no hubs."""
        return cut(self.work_until, _PAIRS_A_TASK)

    def edges(self) -> Ranges:
        """Ranges of edges."""
        return cut_evenly(self.slot.size // 2, _EDGES_A_TASK)


_PLANS: Any = WeakTensorKeyDictionary()


def plan_of(ptr: Tensor, edge: Tensor, node: Tensor, slot: Tensor) -> Plan:
    """The plan of a graph: made on first use, then found again by its ``ptr``."""
    made = _PLANS.get(ptr)
    if made is None or made[0] != (HUB, BATCH):
        made = (HUB, BATCH), _make(*(t.detach().contiguous().numpy() for t in (ptr, edge, node, slot)))
        _PLANS[ptr] = made
    plan: Plan = made[1]
    return plan


def _make(ptr: Numbers, edge: Numbers, node: Numbers, slot: Numbers) -> Plan:
    degree = np.diff(ptr)
    small = np.where(degree <= HUB, degree, 0)
    work = small * (small + _PAIRS_TO_READ_ROW) + 1
    return Plan(
        ptr=ptr,
        edge=edge,
        node=node,
        slot=slot.reshape(-1),
        most=int(small.max(initial=0)),
        work_until=np.concatenate([[0], work.cumsum()]),
        hubs=tuple(_batches(ptr, edge, degree)),
    )


def _batches(ptr: Numbers, edge: Numbers, degree: Numbers) -> Iterator[Hubs]:
    hubs = np.flatnonzero(degree > HUB)
    batch = (degree[hubs].cumsum() - 1) // BATCH
    for number in np.unique(batch):
        node = hubs[batch == number]
        offsets = np.concatenate([[0], degree[node].cumsum()])
        row = np.concatenate([np.arange(ptr[v], ptr[v + 1]) for v in node])
        yield Hubs(node, offsets, row, edge[row])


def heads_and_channels(heads: int, channels: int, most: int = 64) -> list[tuple[slice, slice]]:
    """Blocks of at most so many heads times channels, about what a kernel can hold in registers.

    A block has all channels, or is one head's.

    Example:
        >>> heads_and_channels(8, 4)
        [(slice(0, 8, None), slice(0, 4, None))]
        >>> len(heads_and_channels(16, 16)), len(heads_and_channels(2, 100))
        (4, 4)
    """
    if channels > most:
        parts = _even(channels, most)
        return [(slice(k, k + 1), part) for k in range(heads) for part in parts]
    return [(part, slice(0, channels)) for part in _even(heads, max(1, most // max(channels, 1)))]


def _even(number: int, most: int) -> list[slice]:
    pieces = max(1, -(-number // most))
    bounds = [number * piece // pieces for piece in range(pieces + 1)]
    return [slice(first, last) for first, last in pairwise(bounds)]
