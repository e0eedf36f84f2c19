"""Splits are fair, repeatable, and say what is wrong with a declared one."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegat.data import DataError, open_table
from edgegat.data.cells import Spelling
from edgegat.data.roles import Split
from edgegat.data.splits import draw_parts, draw_validation, read_parts, share_out, split_by_time

RATIOS = st.tuples(st.integers(1, 9), st.integers(0, 9), st.integers(0, 9)).map(list)


def ids(number: int) -> pl.Series:
    return pl.Series([f"n{i}" for i in range(number)])


def test_the_paper_s_ratio_on_the_paper_s_97_labels() -> None:
    y = np.array([0] * 40 + [1] * 57 + [-1] * 10)
    parts = draw_parts(y, ids(107), [3, 1, 1], seed=0)
    assert [[int(((parts == p) & (y == c)).sum()) for p in range(3)] for c in (0, 1)] == [
        [24, 8, 8],
        [34, 12, 11],
    ]
    assert (parts[y < 0] == -1).all()


@given(st.integers(0, 300), RATIOS)
def test_shares_are_whole_within_one_of_exact_and_leave_nobody_out(number: int, ratio: list[int]) -> None:
    shares = share_out(number, ratio)
    assert sum(shares) == number
    exact = [number * part / sum(ratio) for part in ratio]
    wanted = [part for part, weight in enumerate(ratio) if weight]
    if number >= len(wanted):
        assert all(shares[part] >= 1 for part in wanted)
    elif number:
        assert shares[0] == 1
    for share, weight, wish in zip(shares, ratio, exact, strict=True):
        assert share >= int(wish) - 2
        assert weight or not share


def test_the_draw_goes_by_id_not_by_row_and_by_seed() -> None:
    y = np.array([0, 1] * 50)
    parts = draw_parts(y, ids(100), [3, 1, 1], seed=7)
    order = np.random.default_rng(0).permutation(100)
    assert (draw_parts(y[order], ids(100).gather(order), [3, 1, 1], seed=7) == parts[order]).all()
    assert (draw_parts(y, ids(100), [3, 1, 1], seed=8) != parts).any()


def test_validation_is_drawn_from_training_where_none_is_declared() -> None:
    y = np.array([0] * 8 + [1] * 8)
    parts = np.array(([0] * 6 + [2] * 2) * 2, np.int8)
    drawn = draw_validation(parts, y, ids(16), [2, 1, 1], seed=0)
    assert [int((drawn[y == c] == 1).sum()) for c in (0, 1)] == [2, 2]
    assert ((drawn == 2) == (parts == 2)).all()
    assert (draw_validation(drawn, y, ids(16), [2, 1, 1], seed=1) == drawn).all()
    assert (draw_validation(parts, y, ids(16), [2, 0, 1], seed=0) == parts).all()


@given(
    st.lists(st.one_of(st.integers(0, 5).map(float), st.just(float("nan"))), min_size=1, max_size=40),
    RATIOS,
)
def test_a_split_by_time_never_trains_on_the_future(times: list[float], ratio: list[int]) -> None:
    when = np.array(times)
    y = np.zeros(len(times), np.int64)
    if np.isnan(when).all():
        with pytest.raises(DataError, match="no labelled node has a time"):
            split_by_time(y, when, ratio)
        return
    parts, cut = split_by_time(y, when, ratio)
    for earlier, later in ((0, 1), (1, 2), (0, 2)):
        before, after = when[parts == earlier], when[parts == later]
        assert not (np.nanmax(before, initial=-1.0) >= np.nanmin(after, initial=9.0))
    assert (parts[np.isnan(when)] == 0).all()
    assert (cut.divide(y, when) == parts).all()


def declared(cells: dict[str, list[object]], split: Split) -> list[int]:
    table = open_table(pl.DataFrame(cells, strict=False), "people")
    return read_parts(table, split, Spelling()).tolist()


def test_a_split_column_in_its_spellings() -> None:
    cells: list[object] = [
        "train",
        "Training",
        "val",
        "valid",
        "validation",
        "dev",
        " TEST ",
        "holdout",
        "",
        None,
    ]
    assert declared({"part": cells}, Split(column="part")) == [0, 0, 1, 1, 1, 1, 2, 2, -1, -1]


def test_a_wrong_word_in_a_split_column_is_told_with_its_place() -> None:
    with pytest.raises(
        DataError, match=r"people, row 1 .*: 'part' is 'judge', but a split column says 'train', "
    ):
        declared({"part": ["train", "judge"]}, Split(column="part"))


def test_flags() -> None:
    cells: dict[str, list[object]] = {"tr": [True, False, None, False], "te": [False, True, False, False]}
    assert declared(cells, Split(train="tr", test="te")) == [0, 2, -1, -1]
    with pytest.raises(
        DataError, match=r"people, row 0 .*: the node is in two parts, train and test \(1 such rows\)"
    ):
        declared({"tr": [1, 0], "te": [1, 1]}, Split(train="tr", test="te"))
