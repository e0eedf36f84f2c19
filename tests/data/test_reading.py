"""Tables of every kind are opened, read as they are written, and refused in one clear message."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from edgegat.data import DataError, Table, open_table
from edgegat.data._csv import MAX_COLUMNS

READ = [("007", "x"), ("7", None), ("Zoë Ç", 'say "hi"'), (None, "two\nlines"), ("a,b", "NA")]


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


CSV = 'id,note\n007,x\n7,\nZoë Ç,"say ""hi"""\n,"two\nlines"\n"a,b",NA\n'


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_csv_with_any_separator_and_line_end_is_read_as_text(tmp_path: Path, separator: str, end: str) -> None:
    text = CSV.replace('"a,b"', '"a;b"').replace(",", separator).replace('"a;b"', '"a,b"').replace("\n", end)
    table = open_table(write(tmp_path / "t.csv", text))
    read = [(name, note and note.replace("\r", "")) for name, note in table.read("id", "note").rows()]
    assert read == READ
    assert table.columns == ("id", "note")
    assert table.num_rows == 5


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + CSV,
        CSV.rstrip("\n"),
        CSV.replace("\n7,", "\n\n7,"),
        CSV.replace("007,x", "\n\n007,x"),
        CSV + "\n\n",
        CSV.replace("id,note", '"id","note"'),
    ],
    ids=["byte order mark", "no end", "blank line", "blank first lines", "blank last lines", "quoted header"],
)
def test_how_a_csv_file_begins_ends_and_pauses_does_not_matter(tmp_path: Path, text: str) -> None:
    assert open_table(write(tmp_path / "t.csv", text)).read("id", "note").rows() == READ


def test_gzip_is_told_by_its_content(tmp_path: Path) -> None:
    for name in ("t.csv.gz", "t.csv"):
        table = open_table(write(tmp_path / name, gzip.compress(CSV.encode())))
        assert table.read("id", "note").rows() == READ
        assert table.places([1, 4]) == [f"{tmp_path / name}, line 3", f"{tmp_path / name}, line 7"]


def test_parquet_is_told_by_its_content_and_keeps_its_types(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": [1, 2], "paid": [0.5, None], "on": ["a", "b"]})
    for name in ("t.parquet", "t.csv"):
        frame.write_parquet(tmp_path / name)
        table = open_table(tmp_path / name)
        assert table.read("id", "paid", "on").rows() == frame.rows()
        assert table.dtypes["paid"] == pl.Float64
        assert table.place(1) == f"{tmp_path / name}, row 2"


def test_many_files_are_one_table_in_the_order_of_their_names(tmp_path: Path) -> None:
    write(tmp_path / "part-2.csv", "b;a\n4;3\n")
    write(tmp_path / "part-1.csv", "a,b\n1,2\n\n")
    write(tmp_path / "part-3.csv", "a,b\n")
    write(tmp_path / "part-4.csv.gz", gzip.compress(b"a,b\n5,6\n"))
    for source in (
        str(tmp_path / "part-*"),
        sorted(tmp_path.iterdir()),
        [str(p) for p in sorted(tmp_path.iterdir())],
    ):
        table = open_table(source)
        assert table.read("a", "b").rows() == [("1", "2"), ("3", "4"), ("5", "6")]
        assert table.name == f"{tmp_path / 'part-1.csv'} and 3 more"
        assert table.places([2, 0]) == [
            f"{tmp_path / 'part-4.csv.gz'}, line 2",
            f"{tmp_path / 'part-1.csv'}, line 2",
        ]


def test_a_file_with_a_pattern_for_a_name_is_that_file(tmp_path: Path) -> None:
    path = write(tmp_path / "t[1].csv", "a\n1\n")
    write(tmp_path / "t1.csv", "a\n2\n")
    assert open_table(path).read("a").rows() == [("1",)]


@pytest.mark.parametrize("kind", ["frame", "lazy", "pandas", "pyarrow", "batch"])
def test_frames_of_every_library_are_read_alike(kind: str) -> None:
    frame = pl.DataFrame({"id": ["a", None], "n": [1, 2], "paid": [0.5, None]})
    source: Any = {
        "frame": frame,
        "lazy": frame.lazy(),
        "pandas": pd.DataFrame({"id": ["a", None], "n": [1, 2], "paid": [0.5, None]}),
        "pyarrow": pa.table({"id": ["a", None], "n": [1, 2], "paid": [0.5, None]}),
        "batch": pa.record_batch({"id": ["a", None], "n": [1, 2], "paid": [0.5, None]}),
    }[kind]
    table = open_table(source, "people")
    assert table.read("id", "n", "paid").rows() == frame.rows()
    assert table.places([1]) == ["people, row 1 (counting from 0)"]
    assert open_table(table) is table


def test_what_pandas_makes_of_integers_dates_categories_and_mixtures() -> None:
    frame = pd.DataFrame(
        {
            "float": [1.0, None, 30.0],
            "int": pd.array([1, None, 30], "Int64"),
            "category": pd.Categorical(["a", None, "a"]),
            "time": pd.to_datetime(["2024-03-31", None, "2024-04-01"]),
            "mixed": [1, "x", None],
            5: ["n", "o", "p"],
        },
        index=[7, 8, 9],
    )
    table = open_table(frame)
    texts = table.read(*(table.text(name).alias(name) for name in table.columns))
    assert texts["float"].to_list() == texts["int"].to_list() == ["1", None, "30"]
    assert texts["category"].to_list() == ["a", None, "a"]
    assert texts["mixed"].to_list() == ["1", "x", None]
    assert texts["5"].to_list() == ["n", "o", "p"]
    assert table.dtypes["time"] == pl.Datetime


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["1.5", "x"])])
def test_categories_are_texts(tmp_path: Path, dtype: Any) -> None:
    frame = pl.DataFrame({"a": pl.Series(["1.5", None, "x"], dtype=dtype)})
    frame.write_parquet(tmp_path / "t.parquet")
    for source in (frame, tmp_path / "t.parquet"):
        table = open_table(source)
        assert table.dtypes["a"] == pl.String
        assert table.read("a").rows() == [("1.5",), (None,), ("x",)]


def test_lines_are_found_behind_blank_lines_and_line_ends_in_cells(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", 'a,b\n\n1,"x\ny"\n\n2,z\n3,z')
    assert open_table(path).places([0, 1, 2]) == [f"{path}, line {line}" for line in (3, 6, 7)]
    path = write(tmp_path / "u.csv", "a,b\n1,x\n2,z\n3,z")
    assert open_table(path).places([2, 0]) == [f"{path}, line 4", f"{path}, line 2"]


def test_a_row_of_quoted_nothing_is_a_row(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", 'a,b\n"",""\n,\n1,x\n\n2,y\n')
    table = open_table(path)
    assert table.read("a", "b").rows() == [("", ""), ("1", "x"), ("2", "y")]
    assert table.places([2, 0, 1]) == [f"{path}, line {line}" for line in (6, 2, 4)]


def test_where_a_line_cannot_be_found_the_row_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", 'a,b\n1,x\n\n2,"' + "y" * 2_000_000 + '"\n3,z\n')
    table = open_table(path)
    assert table.read("a").rows() == [("1",), ("2",), ("3",)]
    assert table.places([0, 2]) == [f"{path}, line 2", f"{path}, row 3"]


def refusal(source: object) -> str:
    with pytest.raises(DataError) as refused:
        open_table(source).read(pl.all())
    return str(refused.value)


def test_bad_files_end_in_one_clear_message_each(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    wide = ",".join(f"c{i}" for i in range(100_000))
    latin = "id,name\n1,Müller\n".encode("cp1252")
    cut = gzip.compress(b"a,b\n1,2\n" * 1000)[:-20]
    many: list[tuple[str | bytes, str]] = [
        ("", "t.csv is empty: it needs a line of column names and a line for each row."),
        (" \n\n", "t.csv is empty"),
        ("a,b\n", "t.csv has a header, but no rows below it."),
        ("\na,b\n1,2\n", "t.csv, line 1 is blank, but the column names must stand there."),
        (b"\x00\x01\x02" * 50, "t.csv is binary, neither CSV nor Parquet."),
        (b"PK\x03\x04rest", "t.csv is a zip archive or an Excel workbook."),
        (CSV.encode("utf-16"), "t.csv is encoded in UTF-16. Save it as UTF-8."),
        (latin, "t.csv, line 2: byte 0xfc is not UTF-8."),
        (b"a,b\n" + b"1,2\n" * 400_000 + b"\xff,2\n", "t.csv, line 400002: byte 0xff is not UTF-8."),
        ("a,b\r1,2\r", "t.csv, line 1: a line ends in a lone carriage return."),
        ("a,b\r1,2\n3,4\n", "t.csv, line 1: a line ends in a lone carriage return."),
        ("a,b\n1,2\r3,4\n5,6\n", "t.csv, line 2: a line ends in a lone carriage return."),
        ('a,b"c\n1,2"\n3,4\n', "t.csv, line 1: a quotation mark in the column names is opened and not closed."),
        ("a,b,c\n1;2;3\n4;5;6\n", "but the rows below it are not divided by them"),
        (
            "a,b\n1,2\n3,4,5\n",
            "t.csv, line 3: 3 cells, but the header has 2 columns ('a', 'b'). Remove the extra commas",
        ),
        ("a,b\n1,2,9\n3,4\n", "t.csv, line 2: 3 cells, but the header has 2 columns"),
        ('a,b\n1,2\n3,"4\n', "t.csv, line 3: a quotation mark is opened and not closed"),
        ("a,a\n1,2\n", "t.csv: columns 1 and 2 are both called 'a'."),
        (f"{wide}\n{wide}\n", f"t.csv has 100,000 columns, more than the {MAX_COLUMNS:,} that are allowed."),
        ("x" * 2_000_000, "the first line is longer than a million characters"),
        (cut, "t.csv is cut off or damaged: unpacking it fails."),
        (b"PAR1" + b"x" * 100, "t.csv is cut off: a Parquet file ends in 'PAR1'"),
        (b"PAR1" + b"x" * 100 + b"PAR1", "t.csv is a damaged Parquet file."),
    ]
    for content, said in many:
        message = refusal(write(path, content))
        assert said in message
        assert message.count("\n") == 0, message


def test_wide_tables_are_refused_quickly_in_every_format(tmp_path: Path) -> None:
    wide = pl.DataFrame({f"c{i}": [i] for i in range(MAX_COLUMNS + 1)})
    wide.write_parquet(tmp_path / "t.parquet")
    assert "10,001 columns, more than the 10,000" in refusal(tmp_path / "t.parquet")
    assert "10,001 columns, more than the 10,000" in refusal(wide)


def test_what_is_not_there_or_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "transfers.csv", "a\n1\n")
    assert refusal(tmp_path / "transfer.csv").endswith("transfer.csv. Did you mean 'transfers.csv'?")
    assert "is a folder. Name the files in it with a pattern" in refusal(tmp_path)
    assert refusal(str(tmp_path / "no-*.csv")) == f"no file matches {tmp_path / 'no-*.csv'}."

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert refusal(tmp_path / "transfers.csv") == (
        f"no permission to read {tmp_path / 'transfers.csv'}. Ask its owner, or copy it."
    )


def test_what_is_no_table_at_all() -> None:
    assert "but this is a int" in refusal(7)
    assert "but this is an empty list" in refusal([])
    assert "but this is a dict" in refusal({"a": [1]})
    assert refusal(pl.DataFrame({"a": []})) == "the table has no rows."
    assert refusal(pl.DataFrame()) == "the table has no columns."
    assert refusal(pd.DataFrame([[1, 2]], columns=["a", "a"])).startswith(
        "the pandas frame: columns 1 and 2 are both"
    )


def test_files_that_do_not_fit_together(tmp_path: Path) -> None:
    one, other = write(tmp_path / "1.csv", "a,b\n1,2\n"), write(tmp_path / "2.csv", "a,c\n1,2\n")
    assert "have different columns: 'b', 'c' only in one of them" in refusal([one, other])
    pl.DataFrame({"a": [1], "b": [2]}).write_parquet(tmp_path / "3.parquet")
    assert "column 'a' is Int64, but String in" in refusal([one, tmp_path / "3.parquet"])


def test_a_missing_column_is_told_with_the_nearest_name() -> None:
    table: Table = open_table(pl.DataFrame({"amount": [1]}), "payments")
    table.require("amount", "a feature")
    with pytest.raises(
        DataError, match=r"payments has no column 'amonut' \(a feature\). Did you mean 'amount'\?"
    ):
        table.require("amonut", "a feature")
