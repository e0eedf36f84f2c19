"""What the Triton kernels want to know of a graph, made once and kept as long as the graph lives.

Programs that work side by side should have equally much to do, so stars are taken in order of their degree.
Index arithmetic is in int32, which a GPU does several times faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

HUB = 256
"""Stars of more edges than this are sorted; the others go pair by pair. Measured: see benchmarks/README.md."""

CHUNK = 16
"""A hub is cut into pieces of this many sorted edges: whole pieces are summed, the split one read pair by pair."""

SEGMENT = 128
"""The node block cuts longer stars into segments of this many edges, worked on side by side."""


@dataclass(frozen=True, eq=False)
class Segments:
    """All stars, cut into pieces of at most :data:`SEGMENT` incidences; the longest pieces first.

    Pieces of a star that is cut stand together in ``parts`` space: star ``cut[c]`` owns the parts
    ``part_ptr[c] : part_ptr[c + 1]``. A star that is not cut has part ``-1``.
    """

    node: Tensor  # [S]
    start: Tensor  # [S]
    end: Tensor  # [S]
    part: Tensor  # [S]
    cut: Tensor  # [C] nodes
    part_ptr: Tensor  # [C + 1]
    num_parts: int


@dataclass(frozen=True, eq=False)
class Hubs:
    """Stars of more than :data:`HUB` edges. ``J`` hub incidences stand star by star, as in ``Stars``."""

    node: Tensor  # [H]
    ptr: Tensor  # [H + 1] into hub incidences
    row: Tensor  # [J] incidence
    hub: Tensor  # [J] which hub
    readers: tuple[Tensor, Tensor]  # hub incidences that are the first, and the second, of their edge
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
class Plan:
    """See the module."""

    ptr: Tensor  # [N + 1]
    edge: Tensor  # [I]
    node: Tensor  # [I]
    partner: Tensor  # [I] the incidence at the far end of the same edge; itself for a self-loop
    other: Tensor  # [I]
    slot: Tensor  # [2, M]
    small: Tensor  # stars of 1 to HUB edges, by degree
    readers: tuple[Tensor, Tensor]  # their incidences that are the first, and the second, of their edge
    couples: tuple[Tensor, Tensor]  # where in ``readers`` each star's first, third, fifth, ... stands
    hubs: Hubs | None
    segments: Segments


_PLANS: Any = WeakTensorKeyDictionary()


def plan_of(ptr: Tensor, edge: Tensor, node: Tensor, slot: Tensor) -> Plan:
    """The plan of a graph: made on first use, then found again by its ``ptr``."""
    made = _PLANS.get(ptr)
    if made is None or made[0] != (HUB, CHUNK, SEGMENT):
        made = (HUB, CHUNK, SEGMENT), _make(ptr, edge, node, slot)
        _PLANS[ptr] = made
    plan: Plan = made[1]
    return plan


def _make(ptr: Tensor, edge: Tensor, node: Tensor, slot: Tensor) -> Plan:
    everyone = torch.arange(edge.numel(), device=edge.device)
    ends = slot[:, edge]
    partner = torch.where(ends[1] < 0, everyone, ends[0] + ends[1] - everyone)
    is_first = ends[0] == everyone
    degree = ptr[1:] - ptr[:-1]

    by_degree = torch.argsort(degree, stable=True)
    lengths = degree[by_degree]
    small = by_degree[(lengths > 0) & (lengths <= HUB)]
    row_degree = degree[node]
    rows = torch.argsort(row_degree, stable=True)
    rows = rows[row_degree[rows] <= HUB]
    readers = rows[is_first[rows]], rows[~is_first[rows]]
    return Plan(
        ptr=_int32(ptr),
        edge=_int32(edge),
        node=_int32(node),
        partner=_int32(partner),
        other=_int32(node[partner]),
        slot=_int32(slot),
        small=_int32(small),
        readers=(_int32(readers[0]), _int32(readers[1])),
        couples=(_every_second(node[readers[0]]), _every_second(node[readers[1]])),
        hubs=_find_hubs(ptr, degree, is_first),
        segments=_cut(ptr, degree),
    )


def _every_second(group: Tensor) -> Tensor:
    """In a list where groups stand together: the first, third, fifth, ... place of each.

    Example:
        >>> _every_second(torch.tensor([7, 7, 7, 3, 5, 5])).tolist()
        [0, 2, 3, 4]
    """
    _, sizes = torch.unique_consecutive(group, return_counts=True)
    _, within = _spread(sizes)
    return _int32((within % 2 == 0).nonzero().squeeze(1))


def _find_hubs(ptr: Tensor, degree: Tensor, is_first: Tensor) -> Hubs | None:
    hub_node = (degree > HUB).nonzero().squeeze(1)
    if hub_node.numel() == 0:
        return None
    size = degree[hub_node]
    hub_ptr = _offsets(size)
    hub, within = _spread(size)
    row = ptr[hub_node][hub] + within
    chunks = size.add(CHUNK - 1).div(CHUNK, rounding_mode="floor")
    chunk_hub, chunk_of_hub = _spread(chunks)
    first = is_first[row]
    return Hubs(
        node=_int32(hub_node),
        ptr=_int32(hub_ptr),
        row=_int32(row),
        hub=_int32(hub),
        readers=(_int32(first.nonzero().squeeze(1)), _int32((~first).nonzero().squeeze(1))),
        chunk_hub=_int32(chunk_hub),
        chunk_start=_int32(hub_ptr[chunk_hub] + chunk_of_hub * CHUNK),
        chunk_ptr=_int32(_offsets(chunks)),
        search_steps=int(size.max()).bit_length(),
    )


def _cut(ptr: Tensor, degree: Tensor) -> Segments:
    pieces = degree.add(SEGMENT - 1).div(SEGMENT, rounding_mode="floor").clamp(min=1)
    node, piece = _spread(pieces)
    start = ptr[node] + piece * SEGMENT
    end = torch.minimum(start + SEGMENT, ptr[node + 1])
    is_cut = pieces > 1
    parts = torch.where(is_cut, pieces, 0)
    part_ptr = _offsets(parts)
    part = torch.where(is_cut[node], part_ptr[node] + piece, -1)
    longest_first = torch.argsort(end - start, descending=True, stable=True)
    cut = is_cut.nonzero().squeeze(1)
    return Segments(
        node=_int32(node[longest_first]),
        start=_int32(start[longest_first]),
        end=_int32(end[longest_first]),
        part=_int32(part[longest_first]),
        cut=_int32(cut),
        part_ptr=_int32(torch.cat([part_ptr[cut], part_ptr[-1:]])),
        num_parts=int(part_ptr[-1]),
    )


def _spread(sizes: Tensor) -> tuple[Tensor, Tensor]:
    """For groups of these sizes, laid end to end: the group of each member, and its number in the group."""
    group = torch.repeat_interleave(torch.arange(sizes.numel(), device=sizes.device), sizes)
    within = torch.arange(group.numel(), device=sizes.device) - _offsets(sizes)[group]
    return group, within


def _offsets(sizes: Tensor) -> Tensor:
    return torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])


def _int32(t: Tensor) -> Tensor:
    return t.to(torch.int32).contiguous()
