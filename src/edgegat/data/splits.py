"""Which labelled nodes train, which choose (validation) and which judge (test)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from edgegat.data._words import listing, show
from edgegat.data.cells import Spelling, cell_is_missing, read_values
from edgegat.data.errors import DataError
from edgegat.data.reading import Table, as_text
from edgegat.data.roles import Split

PARTS = ("train", "val", "test")
NONE = -1
SPELLINGS = {
    **dict.fromkeys(("train", "training", "tr"), 0),
    **dict.fromkeys(("val", "valid", "validation", "dev"), 1),
    **dict.fromkeys(("test", "testing", "holdout"), 2),
}

Parts = NDArray[np.int8]
"""``[N]``: 0 train, 1 val, 2 test, -1 none of them."""


class TimeCut(BaseModel):
    """Where a split by time ends the past: microseconds since 1970."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    train_end: float
    val_end: float

    def divide(self, y: NDArray[np.int64], times: NDArray[np.float64]) -> Parts:
        """The parts of the labelled nodes; one without a time trains."""
        parts = np.where(times > self.val_end, 2, np.where(times > self.train_end, 1, 0)).astype(np.int8)
        return np.where(y >= 0, parts, np.int8(NONE))


def read_parts(nodes: Table, split: Split, spelling: Spelling) -> Parts:
    """The parts that a column or flags declare."""
    if split.column is not None:
        return _parts_of_column(nodes, split.column, spelling)
    return _parts_of_flags(nodes, split.flags, spelling)


def draw_parts(y: NDArray[np.int64], ids: pl.Series, ratio: Sequence[float], seed: int) -> Parts:
    """Divide the labelled nodes at random, each class in the same ratio.

    The draw goes by id, not by row: a table in another order is divided in the same way. A class of ``n`` nodes
    is rounded by largest remainder; training gets one node at least, and so does every other part that is to
    have some as soon as there are enough.

    Example:
        >>> y = np.array([0] * 10 + [1] * 5 + [-1])
        >>> parts = draw_parts(y, pl.Series([str(i) for i in range(16)]), [3, 1, 1], seed=0)
        >>> [[int(((parts == part) & (y == c)).sum()) for part in range(3)] for c in (0, 1)], int(parts[-1])
        ([[6, 2, 2], [3, 1, 1]], -1)
    """
    generator = np.random.default_rng(seed)
    parts = np.full(len(y), NONE, np.int8)
    labelled = np.flatnonzero(y >= 0)
    by_id = labelled[ids.gather(labelled).arg_sort().to_numpy()]
    for number in range(int(y.max(initial=-1)) + 1):
        members = by_id[y[by_id] == number]
        drawn = members[generator.permutation(len(members))]
        parts[drawn] = np.repeat(np.arange(3, dtype=np.int8), share_out(len(drawn), ratio))
    return parts


def draw_validation(
    parts: Parts, y: NDArray[np.int64], ids: pl.Series, ratio: Sequence[float], seed: int
) -> Parts:
    """Move a share ``val / (train + val)`` of each class from training to validation, if none is there."""
    if (parts == 1).any() or ratio[1] == 0:
        return parts
    drawn = draw_parts(np.where(parts == 0, y, NONE), ids, [ratio[0], ratio[1], 0], seed)
    return np.where(drawn == 1, np.int8(1), parts)


def split_by_time(
    y: NDArray[np.int64], times: NDArray[np.float64], ratio: Sequence[float]
) -> tuple[Parts, TimeCut]:
    """The first labelled nodes train, the last ones test. Nodes of one time stay together.

    A node without a time trains: there is nothing of the future in it.

    Example:
        >>> parts, cut = split_by_time(np.zeros(5, np.int64), np.array([5.0, 1, 2, 4, 3]), [3, 1, 1])
        >>> parts.tolist(), cut.train_end, cut.val_end
        ([2, 0, 0, 1, 0], 3.0, 4.0)
    """
    known = np.sort(times[(y >= 0) & ~np.isnan(times)])
    if not len(known):
        raise DataError("no labelled node has a time, so they cannot be split by time. Declare another split.")
    ends = np.cumsum(share_out(len(known), ratio))
    train_end = float(known[ends[0] - 1])
    val_end = float(known[max(ends[1], ends[0]) - 1])
    cut = TimeCut(train_end=train_end, val_end=val_end)
    return cut.divide(y, times), cut


def share_out(number: int, ratio: Sequence[float]) -> list[int]:
    """Whole shares in this ratio, by largest remainder; nobody who is to have some goes without, if possible.

    Example:
        >>> share_out(97, [3, 1, 1]), share_out(3, [8, 1, 1]), share_out(1, [3, 1, 1])
        ([58, 20, 19], [1, 1, 1], [1, 0, 0])
    """
    exact = [number * share / sum(ratio) for share in ratio]
    shares = [int(share) for share in exact]
    by_remainder = sorted(range(len(ratio)), key=lambda i: shares[i] - exact[i])
    for i in by_remainder[: number - sum(shares)]:
        shares[i] += 1
    for i, share in enumerate(ratio):
        if share > 0 and shares[i] == 0 and (richest := max(range(len(ratio)), key=shares.__getitem__)) != i:
            give = shares[richest] > 1 or i < richest
            shares[richest] -= give
            shares[i] += give
    return shares


def _parts_of_column(nodes: Table, column: str, spelling: Spelling) -> Parts:
    dtype = nodes.dtypes[column]
    missing = cell_is_missing(column, dtype, "category", spelling)
    word = as_text(pl.col(column), dtype).str.strip_chars().str.to_lowercase()
    words = nodes.read(pl.when(~missing).then(word).alias("part"))["part"]
    wrong = (~words.is_in(list(SPELLINGS)) & words.is_not_null()).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            f"{nodes.places([row])[0]}: {column!r} is {show(words[row])}, but a split column says "
            f"{listing(SPELLINGS)}, or nothing ({len(wrong):,} such cells)."
        )
    number = words.replace_strict(list(SPELLINGS), list(SPELLINGS.values()), default=NONE, return_dtype=pl.Int8)
    return number.fill_null(NONE).to_numpy()


def _parts_of_flags(nodes: Table, flags: dict[str, str], spelling: Spelling) -> Parts:
    cells = read_values(nodes, dict.fromkeys(flags.values(), "flag"), spelling)
    parts = np.full(cells.height, NONE, np.int8)
    for part, column in flags.items():
        chosen = (cells[column].fill_null(0.0) == 1.0).to_numpy()
        twice = chosen & (parts != NONE)
        if twice.any():
            row = int(np.flatnonzero(twice)[0])
            raise DataError(
                f"{nodes.places([row])[0]}: the node is in two parts, {PARTS[parts[row]]} and {part} "
                f"({int(twice.sum()):,} such rows). A node belongs to one."
            )
        parts[chosen] = PARTS.index(part)
    return parts
