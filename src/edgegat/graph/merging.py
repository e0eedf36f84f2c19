"""One row per edge: merging the two columns by which PyG writes an undirected edge."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import torch
from torch import Tensor

from edgegat.graph.checks import check_edge_rows
from edgegat.graph.stars import check_edge_index

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
    directed: bool = False,
) -> Merged:
    """Merge columns ``i → j`` and ``j → i`` into one edge.

    A column is paired with the first unpaired column of the opposite direction that has the same features; a
    missing value (NaN) is the same as another missing one. What is left on both sides of a pair of nodes has
    no partner with equal features: there the ``conflict`` policy decides. ``O(C (log C + D))``.

    Args:
        edge_index: ``[2, C]``.
        edge_attr: ``[C, D]``.
        conflict: for opposite columns whose features differ. ``"keep"``: they are two different edges and stay
            two. ``"mean"``, ``"sum"``, ``"first"``: pair them in order and combine. ``"error"``: refuse. Whole
            numbers become ``float64`` by ``"mean"`` and ``int64`` by ``"sum"``.
        self_loops: ``"keep"`` or ``"drop"`` columns ``i → i``. A self-loop is one column already.
        parallel: several columns ``i → j`` are ``"keep"`` parallel edges, or ``"drop"`` all but the first.
        directed: opposite columns are different edges: none are merged.

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
    num_nodes = int(edge_index.max()) + 1 if edge_index.numel() else 0
    check_edge_index(edge_index, num_nodes)
    C = edge_index.size(1)
    check_edge_rows(edge_attr, C)
    source, target = edge_index
    is_loop = source == target
    alive = torch.ones_like(is_loop)
    loops_dropped = repeats_dropped = 0
    if self_loops == "drop":
        alive &= ~is_loop
        loops_dropped = int(is_loop.sum())
    if parallel == "drop":
        alive &= _occurrence(_number(source * num_nodes + target)) == 0
        repeats_dropped = C - loops_dropped - int(alive.sum())

    pair = _number(source.minimum(target) * num_nodes + source.maximum(target))
    forward = source < target
    mergeable = alive & ~is_loop & (not directed)
    partner = _match(_number(pair * C + _number_rows(edge_attr)), forward, mergeable)
    equal = int((partner >= 0).sum()) // 2
    differing = _match(pair, forward, mergeable & (partner < 0))
    conflicts = int((differing >= 0).sum()) // 2
    if conflict == "error" and conflicts:
        raise ValueError(_say_conflict(edge_index, differing, conflicts))
    if conflict != "keep":
        partner = torch.where(partner >= 0, partner, differing)

    is_first = alive & ((partner < 0) | (torch.arange(C, device=source.device) < partner))
    row = is_first.long().cumsum(0) - 1
    row_of = torch.where(is_first, row, row[partner.clamp(min=0)]).masked_fill(~alive, -1)
    merged_attr = edge_attr[is_first]
    if conflict in ("mean", "sum"):
        # Two numbers of 8 or 16 bits, or two truth values, may have no sum of their own type.
        exact = torch.long if conflict == "sum" and not edge_attr.is_floating_point() else torch.double
        second = differing[is_first]
        both = merged_attr.to(exact) + edge_attr[second.clamp(min=0)].to(exact)
        combined = both / 2 if conflict == "mean" else both
        merged_attr = torch.where((second >= 0).unsqueeze(1), combined, merged_attr)
        if edge_attr.is_floating_point():
            merged_attr = merged_attr.to(edge_attr.dtype)

    edges = _count(int(is_first.sum()), "directed edge" if directed else "edge")
    done = [f"{_count(C, 'column')} became {edges}"]
    if not directed:
        done[0] += f": {_count(equal, 'pair')} of equal opposite columns merged"
    if conflicts:
        outcome = "kept as two edges each" if conflict == "keep" else f"combined by '{conflict}'"
        done.append(f"{_count(conflicts, 'pair')} with different features {outcome}")
    if loops_dropped:
        done.append(f"{_count(loops_dropped, 'self-loop')} dropped")
    if repeats_dropped:
        done.append(f"{_count(repeats_dropped, 'repeated column')} dropped")
    return Merged(edge_index[:, is_first], merged_attr, row_of, ", ".join(done))


def _say_conflict(edge_index: Tensor, differing: Tensor, conflicts: int) -> str:
    column = int((differing >= 0).nonzero()[0])
    i, j = edge_index[:, column].tolist()
    return (
        f"columns {column} and {int(differing[column])} join nodes {i} and {j} in opposite directions with "
        f"different features ({_count(conflicts, 'such pair')} in all). They are two edges (conflict='keep') "
        "or one that must be combined (conflict='mean', 'sum' or 'first')."
    )


def _match(group: Tensor, forward: Tensor, eligible: Tensor) -> Tensor:
    """Pair the k-th forward column of each group with its k-th backward one: ``[C]``, ``-1`` for none."""
    chosen = eligible.nonzero().squeeze(1)
    number = group[chosen]
    nth = _occurrence(number * 2 + forward[chosen])
    # The k-th of one side and the k-th of the other agree in (group, k): equal neighbours after sorting.
    meeting, order = (number * group.numel() + nth).sort(stable=True)
    met = meeting[:-1] == meeting[1:]
    a, b = chosen[order[:-1][met]], chosen[order[1:][met]]
    partner = torch.full_like(group, -1)
    partner[a], partner[b] = b, a
    return partner


def _number(values: Tensor) -> Tensor:
    """Equal integers get equal numbers below ``C``: ``[C]`` to ``[C]``."""
    number: Tensor = torch.unique(values, return_inverse=True)[1]
    return number


def _number_rows(rows: Tensor) -> Tensor:
    """Equal rows get equal numbers below ``C``: ``[C, D]`` to ``[C]``.

    Sorting whole rows takes seconds for a million of them. So 64-bit fingerprints are sorted, and only if two
    different rows ever share one, which is checked, the rows themselves.
    """
    if rows.is_floating_point():
        # One pattern of bits for every NaN, and one for 0 and -0.
        rows = torch.where(rows.isnan(), torch.nan, rows.double() + 0.0).view(torch.long)
    rows = rows.long()
    fingerprint = torch.zeros(rows.size(0), dtype=torch.long, device=rows.device)
    for column in rows.unbind(1):
        fingerprint = (fingerprint ^ column) * 0x2545F4914F6CDD1D
        fingerprint ^= fingerprint >> 32
    ordered, order = fingerprint.sort()
    rows = rows[order]
    rows_differ = (rows[1:] != rows[:-1]).any(1)
    if bool((rows_differ & (ordered[1:] == ordered[:-1])).any()):
        ordered = torch.unique(rows, dim=0, return_inverse=True)[1]
    return torch.empty_like(order).scatter_(0, order, _number(ordered))


def _occurrence(number: Tensor) -> Tensor:
    """``[C]``: how many earlier entries carry the same number."""
    ordered, order = number.sort(stable=True)
    position = torch.arange(number.numel(), device=number.device)
    starts = torch.ones_like(ordered, dtype=torch.bool)
    starts[1:] = ordered[1:] != ordered[:-1]
    first = torch.where(starts, position, 0).cummax(0).values if number.numel() else position
    return torch.empty_like(position).scatter_(0, order, position - first)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _check_policy(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}, but it must be one of {', '.join(map(repr, allowed))}.")
