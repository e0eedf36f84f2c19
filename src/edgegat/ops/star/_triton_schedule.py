"""Which stars go which way on a GPU; made once for a graph.

*Small* stars go pair by pair (``_triton_pairs.py``), *hubs* are sorted (``_triton_hub_order.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from edgegat.ops._plan import int32, offsets, spread

HUB = 256
"""Stars of more edges than this are sorted; the others go pair by pair. Measured: benchmarks/results/gpu.md."""

READERS = 4
"""So many neighbours in a small star share a lane: as many as ``_triton_pairs.py`` is written for."""

CHUNK = 8
"""A hub is cut into pieces of this many sorted edges: whole pieces are summed, the split one read pair by pair."""


@dataclass(frozen=True, eq=False)
class Hubs:
    """``J`` hub incidences stand star by star, as in ``Stars``."""

    node: Tensor  # [H]
    ptr: Tensor  # [H + 1] into hub incidences
    row: Tensor  # [J] incidence
    hub: Tensor  # [J] which hub
    chunk_hub: Tensor  # [P]
    chunk_start: Tensor  # [P] first hub incidence of each chunk
    chunk_ptr: Tensor  # [H + 1] into chunks
    search_steps: int  # halvings that find a place in the largest hub

    @property
    def num_rows(self) -> int:
        """``J``."""
        return self.row.numel()

    @property
    def num_chunks(self) -> int:
        """``P``."""
        return self.chunk_hub.numel()


@dataclass(frozen=True, eq=False)
class Schedule:
    """See the module."""

    small: Tensor  # stars of 1 to HUB edges, by degree
    group_star: Tensor  # the stars of groups of up to READERS neighbours, in that order,
    group_row: Tensor  # and the first incidence of each group
    hubs: Hubs | None


_SCHEDULES: Any = WeakTensorKeyDictionary()


def schedule_of(ptr: Tensor) -> Schedule:
    """The schedule of a graph: made on first use, then found again by its ``ptr``."""
    made = _SCHEDULES.get(ptr)
    if made is None or made[0] != (HUB, CHUNK):
        made = (HUB, CHUNK), _make(ptr)
        _SCHEDULES[ptr] = made
    schedule: Schedule = made[1]
    return schedule


def _make(ptr: Tensor) -> Schedule:
    degree = ptr[1:] - ptr[:-1]
    by_degree = torch.argsort(degree, stable=True)
    lengths = degree[by_degree]
    small = by_degree[(lengths > 0) & (lengths <= HUB)]
    which, within = spread(degree[small].add(READERS - 1).div(READERS, rounding_mode="floor"))
    group_star = small[which]
    return Schedule(
        small=int32(small),
        group_star=int32(group_star),
        group_row=int32(ptr[group_star] + READERS * within),
        hubs=_find_hubs(ptr, degree),
    )


def _find_hubs(ptr: Tensor, degree: Tensor) -> Hubs | None:
    hub_node = (degree > HUB).nonzero().squeeze(1)
    if hub_node.numel() == 0:
        return None
    size = degree[hub_node]
    hub_ptr = offsets(size)
    hub, within = spread(size)
    row = ptr[hub_node][hub] + within
    chunks = size.add(CHUNK - 1).div(CHUNK, rounding_mode="floor")
    chunk_hub, chunk_of_hub = spread(chunks)
    return Hubs(
        node=int32(hub_node),
        ptr=int32(hub_ptr),
        row=int32(row),
        hub=int32(hub),
        chunk_hub=int32(chunk_hub),
        chunk_start=int32(hub_ptr[chunk_hub] + chunk_of_hub * CHUNK),
        chunk_ptr=int32(offsets(chunks)),
        search_steps=int(size.max()).bit_length(),
    )
