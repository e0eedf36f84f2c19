"""What a cell says: text becomes numbers, flags and times, and what cannot be read is told with its line.

Numbers, amounts, counts and flags are ``Float64``, times are ``Float64`` microseconds since 1970 in UTC (whole
microseconds are exact until the year 2255), categories are text; a missing value is null in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from edgegat.data._words import count, listing
from edgegat.data.errors import DataError
from edgegat.data.reading import Table, as_text
from edgegat.data.roles import FeatureType

TRUE_WORDS = ("1", "true", "yes", "y", "t", "1.0")
FALSE_WORDS = ("0", "false", "no", "n", "f", "0.0")
MISSING_WORDS = ("na", "n/a", "nan", "null", "none")
"""Read as missing where a number, a flag or a time is due. A category may well be called ``NA`` or ``None``."""

_TIME_FORMATS = (
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M:%S%.f",
    "%+",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M",
)
_ALLOWED: dict[FeatureType, str] = {
    "number": "a plain number, without thousands marks, units or signs of infinity",
    "amount": "a plain number, without thousands marks, currency or signs of infinity",
    "count": "a plain number",
    "flag": "one of true, false, yes, no, 1, 0",
    "time": "a date like 2024-03-31, a time like 2024-03-31 17:05:00, or seconds since 1970",
    "category": "text",
}
_EXAMPLES = 5
_YEAR_9999 = 2.535e17
_BAD = "\0bad "  # no column's name begins like this


@dataclass(frozen=True)
class Spelling:
    """How cells are written in these tables: see the fields of :class:`edgegat.data.Schema`."""

    missing: tuple[str, ...] = ()
    decimal: str = "."
    time_format: str | None = None


def read_values(
    table: Table, types: Mapping[str, FeatureType], spelling: Spelling | None = None
) -> pl.DataFrame:
    """Read these columns as their types; list every column with unreadable cells at once, with five examples.

    Example:
        >>> from edgegat.data import open_table
        >>> table = open_table(pl.DataFrame({"paid": ["1.50", "NA", " 2e3 "], "new": ["yes", "no", ""]}))
        >>> read_values(table, {"paid": "amount", "new": "flag"}).rows()
        [(1.5, 1.0), (None, 0.0), (2000.0, None)]
    """
    spelling = spelling or Spelling()
    values, unreadable = read_marked(table, types, spelling)
    if unreadable:
        raise DataError(_say_unreadable(table, unreadable, types, spelling))
    return values


def read_marked(
    table: Table, types: Mapping[str, FeatureType], spelling: Spelling
) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """The values, null where a cell cannot be read, and the rows of such cells for each column that has any."""
    formats = {
        column: _formats_met(table, column)
        for column, type_ in types.items()
        if type_ == "time" and table.dtypes[column] == pl.String and spelling.time_format is None
    }
    frame = _read(table, types, spelling, formats)
    if formats and _bad_columns(frame):
        # The first rows do not speak for all: later ones are written in another way.
        frame = _read(table, types, spelling, {})
    rows = {column: frame[_bad_name(column)].arg_true() for column in _bad_columns(frame)}
    return frame.select(list(types)), rows


def cells_at(table: Table, column: str, rows: pl.Series) -> pl.Series:
    """What stands in these rows, as text."""
    return table.read(as_text(pl.col(column), table.dtypes[column]).gather(rows))[column]


def allowed_cells(type_: FeatureType, spelling: Spelling) -> str:
    """What may stand in a cell of this type."""
    if type_ == "time" and spelling.time_format is not None:
        return f"a time written as time_format = {spelling.time_format!r} says"
    return _ALLOWED[type_]


def cell_value(column: str, dtype: pl.DataType, type_: FeatureType, spelling: Spelling) -> pl.Expr:
    """The value of a cell as an expression; null where the cell is missing or cannot be read."""
    return _value(pl.col(column), dtype, type_, spelling, _TIME_FORMATS).alias(column)


def cell_is_missing(column: str, dtype: pl.DataType, type_: FeatureType, spelling: Spelling) -> pl.Expr:
    """Whether nothing stands in the cell."""
    cell = pl.col(column)
    if dtype.is_float():
        return cell.is_null() | cell.is_nan()
    if dtype != pl.String:
        return cell.is_null()
    missing = cell.is_null() | cell.is_in(["", *spelling.missing])
    if type_ == "category":
        return missing
    word = cell.str.strip_chars().str.to_lowercase()
    return missing | word.is_in(["", *MISSING_WORDS, *(m.strip().lower() for m in spelling.missing)])


def _read(
    table: Table, types: Mapping[str, FeatureType], spelling: Spelling, formats: Mapping[str, tuple[str, ...]]
) -> pl.DataFrame:
    """The values, and for each column a second one, ``bad`` and its name, that marks unreadable cells."""
    read: list[pl.Expr] = []
    columns: list[pl.Expr] = []
    for column, type_ in types.items():
        dtype, bad = table.dtypes[column], _bad_name(column)
        read.append(
            _value(pl.col(column), dtype, type_, spelling, formats.get(column, _TIME_FORMATS)).alias(column)
        )
        read.append(cell_is_missing(column, dtype, type_, spelling).alias(bad))
        columns.append(pl.when(~pl.col(bad)).then(pl.col(column)).alias(column))
        columns.append((pl.col(column).is_null() & ~pl.col(bad)).alias(bad))
    return table.collect(table.frame.select(read).select(columns))


def _value(
    cell: pl.Expr, dtype: pl.DataType, type_: FeatureType, spelling: Spelling, formats: tuple[str, ...]
) -> pl.Expr:
    if type_ == "category":
        return as_text(cell, dtype)
    if type_ == "time":
        return _time(cell, dtype, spelling, formats)
    if type_ == "flag":
        return _flag(cell, dtype)
    return _number(cell, dtype, spelling)


def _number(cell: pl.Expr, dtype: pl.DataType, spelling: Spelling) -> pl.Expr:
    if dtype == pl.String:
        cell = cell.str.strip_chars()
        if spelling.decimal == ",":
            # A dot in such a file marks thousands or is a mistake: both are refused, not guessed.
            cell = pl.when(~cell.str.contains(".", literal=True)).then(cell.str.replace(",", ".", literal=True))
    elif not (dtype.is_numeric() or dtype == pl.Boolean):
        return pl.lit(None, pl.Float64)
    number = cell.cast(pl.Float64, strict=False)
    return pl.when(number.is_finite()).then(number)


def _flag(cell: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    if dtype == pl.Boolean:
        return cell.cast(pl.Float64)
    if dtype.is_numeric():
        number = cell.cast(pl.Float64, strict=False)
        return pl.when(number.is_in([0.0, 1.0])).then(number)
    word = as_text(cell, dtype).str.strip_chars().str.to_lowercase()
    return (
        pl.when(word.is_in(TRUE_WORDS))
        .then(pl.lit(1.0))
        .when(word.is_in(FALSE_WORDS))
        .then(pl.lit(0.0))
        .otherwise(pl.lit(None, pl.Float64))
    )


def _time(cell: pl.Expr, dtype: pl.DataType, spelling: Spelling, formats: tuple[str, ...]) -> pl.Expr:
    if dtype == pl.Date:
        cell, dtype = cell.cast(pl.Datetime("us")), pl.Datetime("us")
    if dtype == pl.Datetime:
        return cell.dt.timestamp("us").cast(pl.Float64)
    if dtype.is_numeric():
        return _time_of_number(cell.cast(pl.Float64, strict=False))
    if dtype != pl.String:
        return pl.lit(None, pl.Float64)
    cell = cell.str.strip_chars()
    if spelling.time_format is not None:
        return _microseconds(cell, spelling.time_format)
    spelled = [_microseconds(cell, format_) for format_ in formats]
    return pl.coalesce(*spelled, _time_of_number(cell.cast(pl.Float64, strict=False)))


def _microseconds(cell: pl.Expr, format_: str) -> pl.Expr:
    return cell.str.to_datetime(format_, time_unit="us", strict=False).dt.timestamp("us").cast(pl.Float64)


def _time_of_number(number: pl.Expr) -> pl.Expr:
    """Eight digits that are a day (``20240331``) are that day; else seconds since 1970, or milliseconds,
    microseconds or nanoseconds if seconds would lie beyond the year 5000.
    """
    day = pl.when(number.is_between(19_000_101, 21_001_231)).then(number.cast(pl.Int64, strict=False))
    named_day = day.cast(pl.String).str.to_date("%Y%m%d", strict=False).cast(pl.Datetime("us"))
    size = number.abs()
    factor = (
        pl.when(size < 1e11).then(1e6).when(size < 1e14).then(1e3).when(size < 1e17).then(1.0).otherwise(1e-3)
    )
    microseconds = (number * factor).round()
    since_1970 = pl.when(microseconds.abs() <= _YEAR_9999).then(microseconds)
    return pl.coalesce(named_day.dt.timestamp("us").cast(pl.Float64), since_1970)


def _formats_met(table: Table, column: str) -> tuple[str, ...]:
    """The formats of the first rows: trying all of them on every cell takes seconds for millions."""
    rest = table.collect(table.frame.select(column).head(1000))[column].str.strip_chars()
    met = []
    for format_ in _TIME_FORMATS:
        read = rest.str.to_datetime(format_, strict=False).is_not_null()
        if read.any():
            met.append(format_)
            rest = rest.filter(~read)
    return tuple(met) or _TIME_FORMATS


def _bad_name(column: str) -> str:
    return f"{_BAD}{column}"


def _bad_columns(frame: pl.DataFrame) -> list[str]:
    return [name.removeprefix(_BAD) for name in frame.columns[1::2] if frame[name].any()]


def _say_unreadable(
    table: Table, unreadable: Mapping[str, pl.Series], types: Mapping[str, FeatureType], spelling: Spelling
) -> str:
    first = {column: rows.head(_EXAMPLES) for column, rows in unreadable.items()}
    places = iter(table.places([row for rows in first.values() for row in rows]))
    lines = []
    for column, rows in unreadable.items():
        lines.append(
            f"{table.name}, column {column!r}: {count(len(rows), 'cell')} cannot be read as "
            f"{types[column]}; write {allowed_cells(types[column], spelling)}, or leave the cell empty:"
        )
        lines += [f"  {next(places)}: {listing([cell])}" for cell in cells_at(table, column, first[column])]
    lines.append(
        "Correct the cells, give the column another type in the schema, or add the words that mean 'not known' "
        "to 'missing'."
    )
    return "\n".join(lines)
