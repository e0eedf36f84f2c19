"""One row per edge: merging the two columns by which PyG writes an undirected edge."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import torch
from torch import Tensor

Conflict = Literal["keep", "mean", "sum", "first", "error"]
Repeats = Literal["keep", "drop"]


class Merged(NamedTuple):
    """What became of ``C`` columns: ``M`` edges, in the order of their first columns."""

    edge_index: Tensor  # [2, M]
    edge_attr: Tensor  # [M, D]
    row_of: Tensor  # [C], the edge each column became, -1 where it was dropped
    summary: str


def merge_reciprocal(
    edge_index: Tensor,
    edge_attr: Tensor,
    conflict: Conflict = "keep",
    self_loops: Repeats = "keep",
    parallel: Repeats = "keep",
) -> Merged:
    """Merge columns ``i → j`` and ``j → i`` into one edge.

    A column is paired with the first unpaired column of the opposite direction that has the same features.
    What is left on both sides of a pair of nodes has no partner with equal features: there the ``conflict``
    policy decides.

    Args:
        edge_index: ``[2, C]``.
        edge_attr: ``[C, D]``.
        conflict: for opposite columns whose features differ. ``"keep"``: they are two different edges and stay
            two. ``"mean"``, ``"sum"``, ``"first"``: pair them in order and combine. ``"error"``: refuse.
        self_loops: ``"keep"`` or ``"drop"`` columns ``i → i``. A self-loop is one column already.
        parallel: several columns ``i → j`` are ``"keep"`` parallel edges, or ``"drop"`` all but the first.

    Example:
        >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> merged = merge_reciprocal(edge_index, torch.tensor([[5.0], [5.0], [7.0], [8.0]]))
        >>> merged.edge_index.tolist(), merged.row_of.tolist()
        ([[0, 1, 2], [1, 2, 1]], [0, 0, 1, 2])
        >>> merge_reciprocal(edge_index, torch.tensor([[5.0], [5.0], [7.0], [8.0]]), "mean").edge_attr.tolist()
        [[5.0], [7.5]]
    """
    _check_policy("conflict", conflict, get_args(Conflict))
    _check_policy("self_loops", self_loops, get_args(Repeats))
    _check_policy("parallel", parallel, get_args(Repeats))
    C = edge_index.size(1)
    source, target = edge_index
    alive = torch.ones(C, dtype=torch.bool, device=source.device)
    if self_loops == "drop":
        alive &= source != target
    if parallel == "drop":
        direction = _number_rows(torch.stack([source, target], 1))
        alive &= _occurrence(direction) == 0

    pair = _number_rows(torch.stack([source.minimum(target), source.maximum(target)], 1))
    forward = source <= target
    features = _number_rows(edge_attr)
    partner = _match(torch.stack([pair, features], 1), forward, alive & (source != target))
    equal = int((partner >= 0).sum()) // 2
    left = alive & (source != target) & (partner < 0)
    leftover_partner = _match(pair.unsqueeze(1), forward, left)
    conflicts = int((leftover_partner >= 0).sum()) // 2
    if conflict == "error" and conflicts:
        column = int((leftover_partner >= 0).nonzero()[0])
        other = int(leftover_partner[column])
        raise ValueError(
            f"columns {column} and {other} join nodes {int(source[column])} and {int(target[column])} in "
            f"opposite directions with different features ({conflicts} such pairs in all). They are two edges "
            "(conflict='keep') or one that must be combined (conflict='mean', 'sum' or 'first')."
        )
    if conflict != "keep":
        partner = torch.where(partner >= 0, partner, leftover_partner)

    column = torch.arange(C, device=source.device)
    is_first = alive & ((partner < 0) | (column < partner))
    row = is_first.long().cumsum(0) - 1
    row_of = torch.where(is_first, row, row[partner.clamp(min=0)]).masked_fill(~alive, -1)
    merged_attr = edge_attr[is_first]
    if conflict in ("mean", "sum"):
        differs = leftover_partner[is_first] >= 0
        both = merged_attr + edge_attr[leftover_partner[is_first].clamp(min=0)]
        combined = both / 2 if conflict == "mean" else both
        merged_attr = torch.where(differs.unsqueeze(1), combined, merged_attr)
    outcome = {"keep": "kept as two edges each", "error": ""}.get(conflict, f"combined by '{conflict}'")
    summary = f"{C} columns became {int(is_first.sum())} edges: {equal} pairs of equal opposite columns merged"
    if conflicts:
        summary += f", {conflicts} pairs with different features {outcome}"
    dropped = int((~alive).sum())
    if dropped:
        summary += f", {dropped} columns dropped"
    return Merged(edge_index[:, is_first], merged_attr, row_of, summary)


def _match(group: Tensor, forward: Tensor, eligible: Tensor) -> Tensor:
    """Pair the k-th forward column of each group with its k-th backward one: ``[C]``, ``-1`` for none."""
    chosen = eligible.nonzero().squeeze(1)
    partner = torch.full_like(forward, -1, dtype=torch.long)
    number = _number_rows(group[chosen])
    side = forward[chosen]
    nth = _occurrence(number * 2 + side)
    # The k-th of one side and the k-th of the other agree in (group, k): equal neighbours after sorting.
    meeting = _number_rows(torch.stack([number, nth], 1))
    by_meeting = meeting.argsort(stable=True)
    a, b = by_meeting[:-1], by_meeting[1:]
    met = meeting[a] == meeting[b]
    a, b = chosen[a[met]], chosen[b[met]]
    partner[a], partner[b] = b, a
    return partner


def _number_rows(rows: Tensor) -> Tensor:
    """Equal rows get equal numbers: ``[C, D]`` to ``[C]``."""
    if rows.size(1) == 0 or rows.size(0) == 0:
        return torch.zeros(rows.size(0), dtype=torch.long, device=rows.device)
    return rows.unique(dim=0, return_inverse=True)[1]


def _occurrence(number: Tensor) -> Tensor:
    """``[C]``: how many earlier entries carry the same number."""
    order = number.argsort(stable=True)
    ordered = number[order]
    position = torch.arange(number.numel(), device=number.device)
    starts = torch.ones_like(ordered, dtype=torch.bool)
    starts[1:] = ordered[1:] != ordered[:-1]
    first = torch.where(starts, position, 0).cummax(0).values if number.numel() else position
    return torch.empty_like(position).scatter_(0, order, position - first)


def _check_policy(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}, but it must be one of {', '.join(map(repr, allowed))}.")
