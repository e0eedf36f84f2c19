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
class Plan:
    """See the module."""

    ptr: Tensor  # [N + 1]
    edge: Tensor  # [I]
    node: Tensor  # [I]
    partner: Tensor  # [I] the incidence at the far end of the same edge; itself for a self-loop
    other: Tensor  # [I]
    slot: Tensor  # [2, M]
    ends: Tensor  # [2, M] the nodes at the slots; 0 where there is no second end
    home: Tensor  # [I] where an incidence stands in tables [2 M, ...] that hold first ends, then second ends
    segments: Segments


_PLANS: Any = WeakTensorKeyDictionary()


def plan_of(ptr: Tensor, edge: Tensor, node: Tensor, slot: Tensor) -> Plan:
    """The plan of a graph: made on first use, then found again by its ``ptr``."""
    made = _PLANS.get(ptr)
    if made is None or made[0] != SEGMENT:
        made = SEGMENT, _make(ptr, edge, node, slot)
        _PLANS[ptr] = made
    plan: Plan = made[1]
    return plan


def _make(ptr: Tensor, edge: Tensor, node: Tensor, slot: Tensor) -> Plan:
    everyone = torch.arange(edge.numel(), device=edge.device)
    ends = slot[:, edge]
    partner = torch.where(ends[1] < 0, everyone, ends[0] + ends[1] - everyone)
    return Plan(
        ptr=int32(ptr),
        edge=int32(edge),
        node=int32(node),
        partner=int32(partner),
        other=int32(node[partner]),
        slot=int32(slot),
        ends=int32(torch.where(slot < 0, 0, node[slot])) if edge.numel() else int32(slot),
        home=int32(edge + slot.size(1) * (ends[0] != everyone)),
        segments=_cut(ptr, ptr[1:] - ptr[:-1]),
    )


def _cut(ptr: Tensor, degree: Tensor) -> Segments:
    pieces = degree.add(SEGMENT - 1).div(SEGMENT, rounding_mode="floor").clamp(min=1)
    node, piece = spread(pieces)
    start = ptr[node] + piece * SEGMENT
    end = torch.minimum(start + SEGMENT, ptr[node + 1])
    is_cut = pieces > 1
    parts = torch.where(is_cut, pieces, 0)
    part_ptr = offsets(parts)
    part = torch.where(is_cut[node], part_ptr[node] + piece, -1)
    longest_first = torch.argsort(end - start, descending=True, stable=True)
    cut = is_cut.nonzero().squeeze(1)
    return Segments(
        node=int32(node[longest_first]),
        start=int32(start[longest_first]),
        end=int32(end[longest_first]),
        part=int32(part[longest_first]),
        cut=int32(cut),
        part_ptr=int32(torch.cat([part_ptr[cut], part_ptr[-1:]])),
        num_parts=int(part_ptr[-1]),
    )


def spread(sizes: Tensor) -> tuple[Tensor, Tensor]:
    """For groups of these sizes, laid end to end: the group of each member, and its number in the group."""
    group = torch.repeat_interleave(torch.arange(sizes.numel(), device=sizes.device), sizes)
    within = torch.arange(group.numel(), device=sizes.device) - offsets(sizes)[group]
    return group, within


def offsets(sizes: Tensor) -> Tensor:
    """Where groups of these sizes begin when laid end to end, and where the last one ends."""
    return torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])


def int32(t: Tensor) -> Tensor:
    """As the kernels take it."""
    return t.to(torch.int32).contiguous()
