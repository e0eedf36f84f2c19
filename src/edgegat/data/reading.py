"""One table, whatever holds it: CSV, Parquet, many files, or a frame in memory."""

from __future__ import annotations

import glob
import os
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path

import polars as pl

from edgegat.data._csv import MAX_COLUMNS, CsvFile
from edgegat.data._frames import as_polars
from edgegat.data._parquet import ParquetFile, is_parquet
from edgegat.data._words import did_you_mean, listing, show
from edgegat.data.errors import DataError

TableSource = object
"""A path, a pattern like ``"transfers-*.csv"``, a list of paths, a frame or a ``Table``: :func:`open_table`."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table that was opened, but not read: rows are fetched column by column, when they are asked for.

    Attributes:
        name: what error messages call it.
        frame: a lazy frame of all rows, in the order of the files. Columns of CSV files are all text.
        dtypes: the columns, in order, and their types.
        files: where the rows lie; empty for a frame in memory.
    """

    name: str
    frame: pl.LazyFrame
    dtypes: Mapping[str, pl.DataType]
    files: tuple[CsvFile | ParquetFile, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self.dtypes)

    @cached_property
    def num_rows(self) -> int:
        """The number of rows, blank lines of CSV files left out. Reads the files once."""
        return self._starts[-1] if self.files else int(self.read(pl.len()).item())

    def read(self, *columns: str | pl.Expr) -> pl.DataFrame:
        """Fetch these columns or expressions of all rows, in order.

        Example:
            >>> table = open_table(pl.DataFrame({"id": ["007", "7"], "age": [51, 34]}), "customers")
            >>> table.read("id", pl.col("age") + 1).rows()
            [('007', 52), ('7', 35)]
        """
        return self.collect(self.frame.select(*columns))

    def collect(self, query: pl.LazyFrame) -> pl.DataFrame:
        """Run a query on ``frame``; files that turn out to be broken end in a ``DataError``."""
        try:
            return query.collect(engine="streaming")
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            for file in self.files:
                if trouble := file.trouble():
                    raise DataError(trouble) from error
            reason = str(error).strip().split("\n")[0]
            raise DataError(f"{self.name} cannot be read: {reason}") from error

    def text(self, column: str) -> pl.Expr:
        """The column as text, exactly as written: how ids are read.

        Integers become their digits. Floating-point numbers do, too, if all are whole: pandas turns integers
        into them as soon as one is missing.
        """
        return as_text(pl.col(column), self.dtypes[column])

    def require(self, column: str, role: str) -> None:
        """Refuse a column that is not there, with the likeliest name for it."""
        if column not in self.dtypes:
            raise DataError(
                f"{self.name} has no column {show(column)} ({role}).{did_you_mean(column, self.columns)} "
                f"Its columns are {listing(self.columns, 30)}."
            )

    def place(self, row: int) -> str:
        """Where a row (counted from 0) stands: see :meth:`places`."""
        return self.places([row])[0]

    def places(self, rows: Sequence[int]) -> list[str]:
        """Where these rows (counted from 0) stand, for people: file and line, or the row of a frame.

        One call for many rows: each call reads CSV files from the start.

        Example:
            >>> open_table(pl.DataFrame({"id": ["a", "b"]}), "customers").places([1])
            ['customers, row 1 (counting from 0)']
        """
        if not self.files:
            return [f"{self.name}, row {row} (counting from 0)" for row in rows]
        places = [""] * len(rows)
        by_file: dict[int, list[int]] = {}
        for position, row in enumerate(rows):
            by_file.setdefault(bisect_right(self._starts, row) - 1, []).append(position)
        for number, positions in by_file.items():
            file = self.files[number]
            start, end = self._starts[number : number + 2]
            lines = file.lines_of([rows[p] - start for p in positions], end - start)
            for position, line in zip(positions, lines, strict=True):
                word = "line" if isinstance(file, CsvFile) else "row"
                where = f"{word} {line}" if line is not None else f"row {rows[position] - start + 1}"
                places[position] = f"{file.path}, {where}"
        return places

    @cached_property
    def _starts(self) -> list[int]:
        """``[files + 1]``: the number of the first row of each file, and behind them that of all rows."""
        sizes = [int(self.collect(file.scan().select(pl.len())).item()) for file in self.files]
        return [0, *accumulate(sizes)]


def open_table(source: TableSource, name: str = "the table") -> Table:
    """Open a table without reading its rows.

    CSV files are divided by commas, semicolons, tabs or bars, encoded in UTF-8, and may be gzipped. Whether a
    file is CSV or Parquet is told by its content, not by its name.

    Args:
        source: a path; a pattern (``"transfers-*.csv"``, files in the order of their names); a list of paths; a
            polars, pandas or PyArrow table; or a ``Table``, which is returned as it is.
        name: what error messages call a table in memory.

    Raises:
        DataError: the source is no readable table with a header and at least one row.

    Example:
        >>> table = open_table(pl.DataFrame({"id": [1, 2]}), "customers")
        >>> table.columns, table.num_rows
        (('id',), 2)
    """
    if isinstance(source, Table):
        return source
    frame = as_polars(source)
    if frame is None:
        return _open_files(_paths(source))
    frame = _spell_categories(frame)
    try:
        dtypes = frame.collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"{name} cannot be read: {str(error).splitlines()[0]}") from error
    if not dtypes:
        raise DataError(f"{name} has no columns.")
    if len(dtypes) > MAX_COLUMNS:
        raise DataError(f"{name} has {len(dtypes):,} columns, more than the {MAX_COLUMNS:,} that are allowed.")
    table = Table(name, frame, dict(dtypes))
    if table.read(pl.first()).is_empty() if isinstance(source, pl.LazyFrame) else table.num_rows == 0:
        raise DataError(f"{name} has no rows.")
    return table


def as_text(column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """A column as text: digits without ``.0`` for whole floating-point numbers."""
    if dtype.is_float():
        whole = column.cast(pl.Int64, strict=False)
        return (
            pl.when(whole == column)
            .then(whole.cast(pl.String))
            .otherwise(column.fill_nan(None).cast(pl.String))
        )
    return column.cast(pl.String)


def _spell_categories(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Texts that are stored as numbers are texts."""
    return frame.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))


def _open_files(paths: list[Path]) -> Table:
    files = [_open_file(path) for path in paths]
    if not any(file.has_rows for file in files):
        subject = f"{files[0].path} has" if len(files) == 1 else f"{files[0].path} and the other files have"
        raise DataError(f"{subject} a header, but no rows below it.")
    first = files[0]
    scans = [_spell_categories(first.scan())]
    dtypes = dict(scans[0].collect_schema())
    for file in files[1:]:
        if sorted(file.columns) != sorted(first.columns):
            odd = sorted(set(file.columns) ^ set(first.columns))
            raise DataError(
                f"{file.path} and {first.path} are to be one table, but have different columns: "
                f"{listing(odd)} only in one of them."
            )
        scan = _spell_categories(file.scan()).select(first.columns)
        for column, dtype in scan.collect_schema().items():
            if dtype != dtypes[column]:
                raise DataError(
                    f"{file.path}: column {show(column)} is {dtype}, but {dtypes[column]} in {first.path}. "
                    "Files of one table need the same types."
                )
        scans.append(scan)
    name = str(first.path) if len(files) == 1 else f"{first.path} and {len(files) - 1} more"
    return Table(name, pl.concat(scans), dtypes, tuple(files))


def _open_file(path: Path) -> CsvFile | ParquetFile:
    try:
        if path.is_dir():
            raise DataError(f"{path} is a folder. Name the files in it with a pattern, like {path / '*.csv'}.")
        return ParquetFile.open(path) if is_parquet(path) else CsvFile.open(path)
    except FileNotFoundError:
        siblings = os.listdir(path.parent) if path.parent.is_dir() else []
        raise DataError(f"there is no file {path}.{did_you_mean(path.name, siblings)}") from None
    except PermissionError:
        raise DataError(f"no permission to read {path}. Ask its owner, or copy it.") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from error


def _paths(source: object) -> list[Path]:
    if isinstance(source, str | os.PathLike):
        text = os.fspath(source)
        if not isinstance(text, str):
            raise DataError("a path must be text, not bytes.")
        if glob.has_magic(text) and not os.path.exists(text):
            found = sorted(glob.glob(text, recursive=True))
            if not found:
                raise DataError(f"no file matches {text}.")
            return [Path(path) for path in found]
        return [Path(text)]
    if isinstance(source, Iterable) and not isinstance(source, Mapping | bytes):
        parts = list(source)
        if parts and all(isinstance(part, str | os.PathLike) for part in parts):
            return [path for part in parts for path in _paths(part)]
    raise DataError(
        f"a table is a path, a pattern, a list of paths, or a polars, pandas or PyArrow table, but this is "
        f"{'an empty list' if source == [] else f'a {type(source).__name__}'}."
    )
