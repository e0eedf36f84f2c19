"""All rows of a pair become one, against doing it row by row."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegat.data.aggregate import Pairs
from edgegat.data.roles import Aggregation

NUMBERS = st.one_of(st.none(), st.floats(-1e6, 1e6, allow_subnormal=False))
ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), NUMBERS, st.one_of(st.none(), st.integers(0, 4))),
    max_size=20,
)


def one_by_one(
    rows: list[tuple[int, int, float | None, int | None]], directed: bool, how: str, timed: bool
) -> list:
    groups: dict[tuple[int, int], list[tuple[float, int, float]]] = {}
    for number, (source, target, value, time) in enumerate(rows):
        pair = (source, target) if directed else (min(source, target), max(source, target))
        group = groups.setdefault(pair, [])
        if value is not None:
            missing = math.inf if how == "first" else -math.inf
            moment = 0.0 if not timed else missing if time is None else float(time)
            group.append((moment, number, value))
    found = []
    for group in groups.values():
        values = [value for _, _, value in group]
        in_order = [value for *_, value in sorted(group, key=lambda row: row[:2])]
        total = 0.0
        for value in values:
            total += value
        answers = {
            "sum": lambda total=total: total,
            "mean": lambda total=total, values=values: total / len(values),
            "min": lambda values=values: min(values),
            "max": lambda values=values: max(values),
            "first": lambda in_order=in_order: in_order[0],
            "last": lambda in_order=in_order: in_order[-1],
        }
        found.append(answers[how]() if group else None)
    return found


@pytest.mark.parametrize("how", ["sum", "mean", "min", "max", "first", "last"])
@given(ROWS, st.booleans(), st.booleans())
def test_every_way_against_row_by_row_to_the_last_bit(
    how: Aggregation, rows: list[tuple[int, int, float | None, int | None]], directed: bool, timed: bool
) -> None:
    source, target = (np.array([row[side] for row in rows], np.int64) for side in (0, 1))
    pairs = Pairs.find(source, target, 4, directed)
    values = pl.Series("v", [row[2] for row in rows], pl.Float64)
    times = pl.Series("t", [row[3] for row in rows], pl.Float64) if timed else None
    assert pairs.aggregate(values, how, times).to_list() == one_by_one(rows, directed, how, timed)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=30), st.booleans())
def test_pairs_are_numbered_in_the_order_of_their_first_rows(
    rows: list[tuple[int, int]], directed: bool
) -> None:
    source, target = (np.array([row[side] for row in rows], np.int64) for side in (0, 1))
    pairs = Pairs.find(source, target, 4, directed)
    keys = [row if directed else (min(row), max(row)) for row in rows]
    order = list(dict.fromkeys(keys))
    assert pairs.edge_of.tolist() == [order.index(key) for key in keys]
    assert pairs.first_row.tolist() == [keys.index(key) for key in order]
    assert pairs.size.tolist() == [keys.count(key) for key in order]


def test_categories_are_picked_by_time() -> None:
    pairs = Pairs.find(np.array([0, 0, 0]), np.array([1, 1, 1]), 2, directed=True)
    channel = pl.Series("channel", ["web", "branch", None])
    times = pl.Series([2.0, 1.0, 3.0])
    assert pairs.aggregate(channel, "last", times).to_list() == ["web"]
    assert pairs.aggregate(channel, "first", times).to_list() == ["branch"]
    assert pairs.aggregate(channel, "last").to_list() == ["branch"]
