"""One Parquet file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from edgegat.data._csv import MAX_COLUMNS, check_names
from edgegat.data.errors import DataError

_MAGIC = b"PAR1"


@dataclass(frozen=True)
class ParquetFile:
    """A Parquet file whose end, where its columns are listed, was looked at."""

    path: Path
    columns: tuple[str, ...]
    has_rows: bool

    @classmethod
    def open(cls, path: Path) -> ParquetFile:
        """Read the list of columns; refuse a damaged file."""
        if not _ends_well(path):
            raise DataError(f"{path} is cut off: a Parquet file ends in 'PAR1', this does not. Copy it again.")
        try:
            frame = pl.scan_parquet(path, glob=False)
            columns = tuple(frame.collect_schema())
            has_rows = bool(frame.select(pl.len()).collect().item())
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise DataError(_damaged(path)) from error
        if not columns:
            raise DataError(f"{path} has no columns.")
        if len(columns) > MAX_COLUMNS:
            raise DataError(
                f"{path} has {len(columns):,} columns, more than the {MAX_COLUMNS:,} that are allowed. Keep "
                "the ids, the label and the columns that matter; or is the table turned on its side?"
            )
        check_names(str(path), columns)
        return cls(path, columns, has_rows)

    def scan(self) -> pl.LazyFrame:
        """All rows, with the types of the file."""
        return pl.scan_parquet(self.path, glob=False)

    def lines_of(self, rows: Sequence[int], height: int) -> Sequence[int | None]:
        """A Parquet file has no lines: its rows, counted from 1."""
        return [row + 1 for row in rows]

    def trouble(self) -> str | None:
        """Read every column; say which cannot be read, or ``None``."""
        for column in self.columns:
            try:
                self.scan().select(pl.col(column).is_null().sum()).collect(engine="streaming")
            except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
                return f"{_damaged(self.path)} The first column that cannot be read is {column!r}."
        return None


def is_parquet(path: Path) -> bool:
    """By its first four bytes, whatever it is called."""
    with path.open("rb") as file:
        return file.read(4) == _MAGIC


def _ends_well(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-min(4, path.stat().st_size), 2)
        return file.read(4) == _MAGIC


def _damaged(path: Path) -> str:
    return f"{path} is a damaged Parquet file. Copy or export it again."
