"""Types are guessed as a person would."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from edgegat.data import open_table
from edgegat.data.cells import Spelling
from edgegat.data.infer import infer_types

DRAW = np.random.default_rng(0)
SKEWED = DRAW.lognormal(5, 3, 200)


@pytest.mark.parametrize(
    ("name", "cells", "type_"),
    [
        ("amount", ["1.5", "20", "7"], "amount"),
        ("balance", [1.0, -2.5, 3.0], "amount"),
        ("x", SKEWED.tolist(), "amount"),
        ("x", np.ceil(SKEWED).tolist(), "count"),
        ("n_transactions", [1, 2, 5], "count"),
        ("age", [20, 35, 50], "number"),
        ("age", ["20", "NA", "35", ""], "number"),
        ("share", [0.1, 0.2, 0.35], "number"),
        ("vip", ["yes", "no", ""], "flag"),
        ("vip", [0, 1, 1], "flag"),
        ("vip", [True, False], "flag"),
        ("opened", ["2024-03-31", "2024-04-01"], "time"),
        ("opened", [date(2024, 1, 1), date(2024, 1, 2)], "time"),
        ("timestamp", [1_700_000_000, 1_700_000_500], "time"),
        ("booking_date", [20240331, 20240401], "time"),
        ("whatever", [1_700_000_000, 1_700_000_500], "number"),
        ("branch_code", [10, 20, 30] * 10, "category"),
        ("channel", ["web", "branch", "web"], "category"),
        ("note", [f"text {i}" for i in range(100)], None),
        ("customer_id", list(range(5, 500, 5)), None),
        ("column 1", DRAW.permutation(100).tolist(), None),
        ("line", list(range(1, 60)), None),
        ("x", [None, None, None], None),
        ("x", ["", "NA", ""], None),
        ("x", ["a", "a", "a"], None),
        ("x", [[1], [2]], None),
        ("x", [timedelta(1), timedelta(2)], None),
        ("amount", [1.5, float("inf"), *SKEWED.tolist()], "amount"),
    ],
)
def test_types_by_name_and_content(name: str, cells: list[object], type_: str | None) -> None:
    guess = infer_types(open_table(pl.DataFrame({name: cells})), [name])[name]
    assert guess.type == type_, guess
    assert guess.reason


def test_nearly_all_is_enough_and_is_told() -> None:
    for cells, type_ in (
        (["3", "4"] * 20 + ["n.a."], "number"),
        (["2024-01-01", "2024-01-02"] * 20 + ["soon"], "time"),
    ):
        guess = infer_types(open_table(pl.DataFrame({"x": cells})), ["x"])["x"]
        assert guess.type == type_
        assert guess.reason.endswith("but for 1 cells")
    guess = infer_types(open_table(pl.DataFrame({"x": ["3", "4"] * 4 + ["n.a.", "?"]})), ["x"])["x"]
    assert guess.type == "category"


def test_how_cells_are_written_is_taken_into_account() -> None:
    table = open_table(pl.DataFrame({"paid": ["1,5", "2,25"], "on": ["31.03.2024", "01.04.2024"]}))
    spelling = Spelling(decimal=",", time_format="%d.%m.%Y")
    assert {name: guess.type for name, guess in infer_types(table, ["paid", "on"], spelling).items()} == {
        "paid": "amount",
        "on": "time",
    }
    assert infer_types(table, ["on"])["on"].type == "category"
