"""Each encoder of a column: what it learns, what it writes, and that no cell ever becomes infinite."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegat.data.encoders import (
    AmountEncoder,
    CategoryEncoder,
    CountEncoder,
    FeatureEncoder,
    FlagEncoder,
    NumberEncoder,
    TimeEncoder,
)
from edgegat.data.encoders.column import ColumnEncoder

NUMERIC: list[type[ColumnEncoder]] = [NumberEncoder, AmountEncoder, CountEncoder, FlagEncoder, TimeEncoder]
DAY = 86_400e6
CELLS = st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), max_size=12)


def encode(encoder: ColumnEncoder, cells: list[Any]) -> np.ndarray:
    dtype = pl.String if isinstance(encoder, CategoryEncoder) else pl.Float64
    out = np.full((len(cells), len(encoder.names)), np.nan, np.float32)
    encoder.encode(pl.Series("c", cells, dtype), out)
    return out


@pytest.mark.parametrize("kind", NUMERIC)
@given(CELLS, CELLS)
def test_whatever_was_learned_whatever_comes_is_finite(
    kind: type[ColumnEncoder], train: list[float | None], later: list[float | None]
) -> None:
    largest = {TimeEncoder: 2.5e17, FlagEncoder: 1.0}.get(kind)
    if largest is not None:
        train, later = ([None if v is None else v % largest for v in cells] for cells in (train, later))
    encoder = kind.fit("c", pl.Series("c", train, pl.Float64))
    assert np.isfinite(encode(encoder, later)).all()
    assert kind.model_validate_json(encoder.model_dump_json()) == encoder


@pytest.mark.parametrize("kind", NUMERIC)
def test_a_cell_has_the_same_bits_alone_and_among_others(kind: type[ColumnEncoder]) -> None:
    draw = np.random.default_rng(0)
    cells = (
        draw.lognormal(3, 4, 1001) * DAY / 100 if kind is TimeEncoder else draw.lognormal(3, 4, 1001)
    ).tolist()
    encoder = kind.fit("c", pl.Series("c", cells[:300], pl.Float64))
    together = encode(encoder, cells)
    for row in (0, 1, 7, 500, 1000):
        assert encode(encoder, [cells[row]]).tobytes() == together[row].tobytes()
    assert encode(encoder, cells[::-1]).tobytes() == together[::-1].tobytes()


@pytest.mark.parametrize("kind", [NumberEncoder, AmountEncoder, CountEncoder])
def test_quantities_keep_their_order_and_come_to_a_common_scale(kind: type[ColumnEncoder]) -> None:
    values = np.random.default_rng(0).lognormal(3, 1, 2000)
    encoder = kind.fit("c", pl.Series("c", values))
    encoded = encode(encoder, sorted(values.tolist()))[:, 0]
    assert (np.diff(encoded) >= 0).all()
    assert abs(np.median(encoded)) < 0.2
    assert 0.4 < np.quantile(encoded, 0.84) - np.median(encoded) < 2.5


def test_amounts_take_zeros_and_negatives_in_any_unit() -> None:
    euros = [0.0, 5.0, -5.0, 80.0, 1200.0, 99999.0]
    cents = [100 * euro for euro in euros]
    in_euros, in_cents = (AmountEncoder.fit("c", pl.Series(v)) for v in (euros, cents))
    np.testing.assert_allclose(encode(in_euros, euros), encode(in_cents, cents), rtol=1e-6, atol=1e-6)
    less, zero, more = encode(in_euros, [-5.0, 0.0, 5.0])[:, 0]
    assert math.isclose(more - zero, zero - less, rel_tol=1e-5)


def test_counts_are_logarithms() -> None:
    encoder = CountEncoder.fit("c", pl.Series([0.0, 1.0, 3.0]))
    logs = np.log1p([0.0, 1.0, 3.0])
    np.testing.assert_allclose(encode(encoder, [7.0])[0, 0], (np.log(8) - logs.mean()) / logs.std(), rtol=1e-6)


def test_missing_cells_are_filled_in_and_flagged_if_training_had_some() -> None:
    for kind in NUMERIC:
        values = [1.0, 0.0, 1.0, 1.0, None]
        if kind is TimeEncoder:
            values = [None if v is None else v * 1e15 for v in values]
        flagged = kind.fit("c", pl.Series("c", values))
        assert flagged.names[-1] == "c is missing"
        assert encode(flagged, [None, 1.0])[:, -1].tolist() == [1.0, 0.0]
        unflagged = kind.fit("c", pl.Series("c", values[:-1]))
        assert len(unflagged.names) == len(flagged.names) - 1
        out = np.empty((1, len(unflagged.names)), np.float32)
        note = unflagged.encode(pl.Series("c", [None], pl.Float64), out)
        assert note == "c: 1 missing cells filled in; training had none"
        assert (out == encode(flagged, [None])[:, :-1]).all()


def test_a_missing_flag_is_the_share_of_yes() -> None:
    assert encode(FlagEncoder.fit("c", pl.Series([1.0, 1.0, 0.0, 1.0])), [None, 0.25]).tolist() == [
        [0.75],
        [0.25],
    ]


def test_frequent_rare_missing_and_unseen_categories() -> None:
    train = pl.Series("c", ["a"] * 9 + ["b"] * 5 + ["rare", "odd", None])
    encoder = CategoryEncoder.fit("c", train)
    assert encoder.names == ["c = a", "c = b", "c = (other)", "c is missing"]
    assert encode(encoder, ["b", "odd", "new", None]).tolist() == [
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
    ]
    plain = CategoryEncoder.fit("c", pl.Series(["a"] * 9 + ["b"] * 5))
    assert encode(plain, ["new", None]).tolist() == [[0, 0], [0, 0]]


def test_equally_frequent_categories_are_in_the_order_of_the_alphabet_whatever_the_rows() -> None:
    cells = ["b", "a", "c"] * 6
    assert CategoryEncoder.fit("c", pl.Series(cells)) == CategoryEncoder.fit("c", pl.Series(cells[::-1]))


def test_there_are_never_more_than_32_categories_of_their_own() -> None:
    encoder = CategoryEncoder.fit("c", pl.Series([f"k{i}" for i in range(100)] * 6))
    assert len(encoder.categories) == 32
    assert encoder.has_other


def test_time_has_an_age_and_two_circles() -> None:
    monday = 4 * DAY  # 5 January 1970
    encoder = TimeEncoder.fit("c", pl.Series([monday, monday + 0.5 * DAY, monday + 9 * DAY]))
    assert [name.split(": ")[1] for name in encoder.names] == [
        "age",
        "hour (sine)",
        "hour (cosine)",
        "weekday (sine)",
        "weekday (cosine)",
    ]
    rows = encode(encoder, [monday, monday + 0.25 * DAY, monday + 7 * DAY, monday + 20 * DAY])
    np.testing.assert_allclose(rows[0, 1:], [0, 1, 0, 1], atol=1e-6)
    np.testing.assert_allclose(rows[1, 1:3], [1, 0], atol=1e-6)
    assert (rows[2, 1:] == rows[0, 1:]).all()
    assert rows[3, 0] < rows[2, 0] < rows[0, 0]


def test_a_table_is_its_columns_side_by_side_and_one_without_features_is_ones() -> None:
    cells = pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]})
    encoder = FeatureEncoder.fit(cells, {"b": "category", "a": "number"})
    matrix, notes = encoder.encode(cells, 3)
    assert encoder.names == ["b = x", "b = y", "a"]
    assert matrix.dtype == np.float32
    assert matrix[:, :2].tolist() == [[1, 0], [0, 1], [1, 0]]
    assert notes == []
    assert FeatureEncoder.fit(pl.DataFrame(), {}).encode(pl.DataFrame(), 2)[0].tolist() == [[1.0], [1.0]]
