"""One CSV file: its separator, its header, its cells as text, and the line where it is broken."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import IO, Any

import polars as pl

from edgegat.data._csv_bytes import BROKEN_GZIP, open_bytes, open_text, say_encoding
from edgegat.data._csv_trouble import SEPARATORS, find_trouble, say_lone_return
from edgegat.data._words import count, show
from edgegat.data.errors import DataError

MAX_COLUMNS = 10_000
_PROBE_BYTES = 1 << 20
_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
# A first row that is blank or short would count as a header with too few columns.
_SHORT_ROWS: dict[str, Any] = (
    {"missing_columns": "insert"} if "missing_columns" in signature(pl.scan_csv).parameters else {}
)

csv.field_size_limit(_PROBE_BYTES)


@dataclass(frozen=True)
class CsvFile:
    """A CSV file whose first rows were looked at; the rest is read by polars, later."""

    path: Path
    separator: str
    columns: tuple[str, ...]
    has_rows: bool

    @classmethod
    def open(cls, path: Path) -> CsvFile:
        """Look at the first megabyte; refuse what is not a table."""
        text, is_whole = _probe(path)
        if not text.strip():
            raise DataError(f"{path} is empty: it needs a line of column names and a line for each row.")
        if not is_whole and "\n" not in text:
            raise DataError(
                f"{path}: the first line is longer than a million characters, so this is no table of "
                f"at most {MAX_COLUMNS:,} columns."
            )
        separator = _sniff(text)
        rows = _parse(text, separator)
        try:
            header = next(rows)
        except csv.Error as error:
            raise DataError(f"{path}, line 1: the column names cannot be read ({error}).") from None
        _check_header(path, text, header)
        columns = _name_columns(path, header)
        file = cls(path, separator, columns, has_rows=False)
        return cls(path, separator, columns, has_rows=file._look_at(rows, is_whole))

    def _look_at(self, rows: Iterator[list[str]], is_whole: bool) -> bool:
        """Whether a row follows the header; refuse rows that a separator of another kind divides."""
        widths = []
        try:
            for _, row in zip(range(100), rows, strict=False):
                if any(row):
                    widths.append(len(row))
        except csv.Error:
            pass  # reading the whole file meets it again, and says the line
        if len(widths) > 1 and not is_whole:
            widths.pop()  # the probe may end in the middle of a row
        if len(self.columns) > 1 and widths and set(widths) == {1}:
            raise DataError(
                f"{self.path}: the header has {count(len(self.columns), 'column')} divided by "
                f"{SEPARATORS[self.separator]}, but the rows below it are not divided by them. Use one of "
                f"{', '.join(SEPARATORS.values())} throughout the file."
            )
        return bool(widths)

    def scan(self) -> pl.LazyFrame:
        """Every cell as text exactly as it is written, an empty one as missing; blank lines left out."""
        frame = pl.scan_csv(
            self.path,
            has_header=False,
            skip_rows=1,
            separator=self.separator,
            schema=dict.fromkeys(self.columns, pl.String),
            glob=False,
            **_SHORT_ROWS,
        )
        return frame.filter(_any_of([pl.col(name).is_not_null() for name in self.columns]))

    def lines_of(self, rows: Sequence[int], height: int) -> Sequence[int | None]:
        """The line (from 1) on which each of these rows (from 0, blank ones not counted) begins, if it can be found.

        Blank lines and line ends in quoted cells can only add lines: a file that has one for each of its ``height``
        rows, and the header, has neither.
        """
        if self._count_lines() == height + 1:
            return [row + 2 for row in rows]
        found = dict(zip(sorted(set(rows)), self._begins_of(sorted(set(rows))), strict=False))
        return [found.get(row) for row in rows]

    def _begins_of(self, rows: Sequence[int]) -> Iterator[int]:
        """The same of rows in order, one by one; it ends where Python cannot go on."""
        met = ""

        def lines(file: IO[str]) -> Iterator[str]:
            nonlocal met
            for line in file:
                met += line
                yield line

        wanted, row = set(rows), 0
        with open_text(self.path) as file, suppress(csv.Error):
            reader = csv.reader(lines(file), delimiter=self.separator)
            next(reader)
            start, met = reader.line_num + 1, ""
            for cells in reader:
                if any(cells) or '"' in met:  # a quoted empty cell is a cell
                    if row in wanted:
                        yield start
                    row += 1
                start, met = reader.line_num + 1, ""

    def _count_lines(self) -> int:
        lines, last = 0, b"\n"
        with open_bytes(self.path) as file:
            while part := file.read(_PROBE_BYTES):
                lines += part.count(b"\n")
                last = part[-1:]
        return lines + (last != b"\n")

    def trouble(self) -> str | None:
        """Read the file again, slowly, for the first line that makes it unreadable; say it, or ``None``."""
        return find_trouble(self.path, self.columns, self.separator)


def _any_of(conditions: list[pl.Expr]) -> pl.Expr:
    """In groups: polars takes time in the square of their number."""
    groups = [conditions[begin : begin + 64] for begin in range(0, len(conditions), 64)]
    return pl.any_horizontal(pl.any_horizontal(group) for group in groups)


def _probe(path: Path) -> tuple[str, bool]:
    """The beginning of the file, decoded, and whether it is all of it."""
    try:
        with open_bytes(path) as file:
            head = file.read(_PROBE_BYTES)
            is_whole = not file.read(1)
    except BROKEN_GZIP:
        raise DataError(f"{path} is cut off or damaged: unpacking it fails. Copy or export it again.") from None
    if head.startswith(_UTF16_BOMS):
        raise DataError(f"{path} is encoded in UTF-16. Save it as UTF-8.")
    if head.startswith(b"PK\x03\x04"):
        raise DataError(f"{path} is a zip archive or an Excel workbook. Unpack it, or save the sheet as CSV.")
    if b"\0" in head:
        raise DataError(f"{path} is binary, neither CSV nor Parquet. Export the table as CSV in UTF-8.")
    if not is_whole and b"\n" in head:
        head = head[: head.rindex(b"\n") + 1]
    try:
        text = head.removeprefix(_UTF8_BOM).decode("utf-8", "strict" if is_whole or b"\n" in head else "ignore")
    except UnicodeDecodeError as error:
        number = head.count(b"\n", 0, error.start) + 1
        raise DataError(say_encoding(path, number, error)) from None
    if "\r" in text and "\n" not in text:
        raise DataError(say_lone_return(path, 1))
    return text, is_whole


def _sniff(text: str) -> str:
    """The separator that divides header and rows into the same number of cells, the largest such number."""

    def fit(separator: str) -> tuple[bool, int]:
        rows = []
        try:
            for _, row in zip(range(20), _parse(text, separator), strict=False):
                rows.append(len(row))
        except csv.Error:
            pass
        width = rows[0] if rows else 0
        return width > 1 and all(n in (width, 0) for n in rows[1:]), width

    return max(SEPARATORS, key=fit)


def _parse(text: str, separator: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator)


def _check_header(path: Path, text: str, header: list[str]) -> None:
    """Refuse a header that other programs end elsewhere: rows would be lost without a word."""
    raw = ""
    for line in text.split("\n"):
        raw = f"{raw}\n{line}" if raw else line
        if raw.count('"') % 2 == 0:
            break
    if raw.count("\n") != sum(name.count("\n") for name in header):
        raise DataError(
            f"{path}, line 1: a quotation mark in the column names is opened and not closed. Close it, or remove it."
        )
    if "\r" in raw.rstrip("\r").replace("\r\n", ""):
        raise DataError(say_lone_return(path, 1))


def _name_columns(path: Path, header: list[str]) -> tuple[str, ...]:
    """The names as written; a column without one is called by its position."""
    if not any(name.strip() for name in header):
        raise DataError(f"{path}, line 1 is blank, but the column names must stand there. Remove the line.")
    if len(header) > MAX_COLUMNS:
        raise DataError(
            f"{path} has {len(header):,} columns, more than the {MAX_COLUMNS:,} that are allowed. Keep the "
            "ids, the label and the columns that matter; or is the table turned on its side?"
        )
    names = tuple(name if name.strip() else f"column {number}" for number, name in enumerate(header, 1))
    check_names(str(path), names)
    return names


def check_names(table: str, names: Sequence[str]) -> None:
    """Refuse two columns of one name."""
    if len(set(names)) < len(names):
        name = next(name for name in names if names.count(name) > 1)
        numbers = [str(number) for number, other in enumerate(names, 1) if other == name]
        raise DataError(
            f"{table}: columns {' and '.join(numbers)} are both called {show(name)}. Give every column a name "
            "of its own."
        )
