"""Cells are read as numbers, flags and times, exactly, or told with their lines."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pytest

from edgegat.data import DataError, open_table
from edgegat.data.cells import Spelling, read_values
from edgegat.data.roles import FeatureType


def read(cells: list[object], type_: FeatureType, spelling: Spelling | None = None) -> list[object]:
    table = open_table(pl.DataFrame({"c": cells}, strict=False))
    return read_values(table, {"c": type_}, spelling)["c"].to_list()


def at(*moment: int) -> float:
    return datetime(*moment, tzinfo=UTC).timestamp() * 1e6  # type: ignore[misc]


def test_numbers_as_people_and_programs_write_them() -> None:
    assert read(["1", " 2.5 ", "-3e2", "+4", ".5", "0"], "number") == [1.0, 2.5, -300.0, 4.0, 0.5, 0.0]
    assert read([1, None, 3], "amount") == [1.0, None, 3.0]
    assert read([True, False], "number") == [1.0, 0.0]
    assert read([0.5, float("nan")], "count") == [0.5, None]


def test_missing_words_are_missing_in_numbers_and_texts_in_categories() -> None:
    words = ["", "NA", "n/a", "NaN", "null", "None", "1"]
    assert read(words, "number") == [None] * 6 + [1.0]
    assert read(words, "category") == [None, "NA", "n/a", "NaN", "null", "None", "1"]
    assert read(["-", "1"], "number", Spelling(missing=("-",))) == [None, 1.0]
    assert read(["-", "x"], "category", Spelling(missing=("-",))) == [None, "x"]


def test_a_decimal_comma_is_read_where_it_is_declared_and_nowhere_else() -> None:
    assert read(["1,5", "-2", "3,25"], "amount", Spelling(decimal=",")) == [1.5, -2.0, 3.25]
    for cells, spelling in ((["1,5"], Spelling()), (["1.234,5"], Spelling(decimal=","))):
        with pytest.raises(DataError, match="1 cell cannot be read as amount"):
            read(cells, "amount", spelling)


def test_flags() -> None:
    assert read(["yes", "No", " TRUE ", "f", "1", "0", "1.0", ""], "flag") == [1, 0, 1, 0, 1, 0, 1, None]
    assert read([0, 1, None], "flag") == [0.0, 1.0, None]
    assert read([True, None], "flag") == [1.0, None]


def test_times_in_iso_format_days_and_since_1970() -> None:
    moment = at(2024, 3, 31, 17, 5, 9)
    cells = [
        "2024-03-31 17:05:09",
        "2024-03-31T17:05:09",
        "2024-03-31T17:05:09Z",
        "2024-03-31T19:05:09+02:00",
        "1711904709",
        "1711904709000",
        "1711904709000000",
        "1711904709000000000",
    ]
    assert read(list(cells), "time") == [moment] * 8
    assert read(["2024-03-31", "20240331", "2024-03-31 00:00"], "time") == [at(2024, 3, 31)] * 3
    assert read(["2024-03-31 17:05:09.250000"], "time") == [moment + 250_000]
    assert read([date(2024, 3, 31), None], "time") == [at(2024, 3, 31), None]
    assert read([datetime(2024, 3, 31, 17, 5, 9)], "time") == [moment]
    assert read([1711904709, 20240331], "time") == [moment, at(2024, 3, 31)]


def test_a_format_of_times_is_read_where_it_is_declared() -> None:
    assert read(["31.03.2024"], "time", Spelling(time_format="%d.%m.%Y")) == [at(2024, 3, 31)]
    with pytest.raises(DataError, match=r"a time written as time_format = '%d.%m.%Y' says"):
        read(["2024-03-31"], "time", Spelling(time_format="%d.%m.%Y"))


def test_later_rows_may_be_written_in_another_way_than_the_first_thousand() -> None:
    cells: list[object] = ["2024-03-31"] * 1500 + ["2024-03-31 17:05"]
    assert read(cells, "time")[-1] == at(2024, 3, 31, 17, 5)


def test_all_unreadable_columns_are_told_at_once_with_five_lines_each(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("paid,new,on\n" + "\n".join(["x,maybe,soon"] * 7) + "\n5,yes,2024-01-01\n")
    with pytest.raises(DataError) as refused:
        read_values(open_table(path), {"paid": "amount", "new": "flag", "on": "time"})
    lines = str(refused.value).split("\n")
    assert lines[0] == (
        f"{path}, column 'paid': 7 cells cannot be read as amount; write a plain number, without thousands marks, "
        "currency or signs of infinity, or leave the cell empty:"
    )
    assert lines[1:6] == [f"  {path}, line {line}: 'x'" for line in range(2, 7)]
    assert [line.split(":")[0] for line in lines if "cannot be read" in line] == [
        f"{path}, column '{column}'" for column in ("paid", "new", "on")
    ]
    assert "'missing'" in lines[-1]


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999", "1,234.5", "€5", "1 000", "0x1F", "1_000"])
def test_what_is_no_plain_number_is_refused(cell: str) -> None:
    with pytest.raises(DataError, match="cannot be read as number"):
        read([cell, "1"], "number")


def test_infinite_floats_are_refused() -> None:
    with pytest.raises(DataError, match="1 cell cannot be read as amount"):
        read([1.0, float("inf")], "amount")


@pytest.mark.parametrize("cell", ["1e300", "-1e300", "nan since", "999999999999999999999"])
def test_what_lies_beyond_the_year_9999_is_no_time(cell: str) -> None:
    with pytest.raises(DataError, match="cannot be read as time"):
        read([cell, "2024-01-01"], "time")
