"""The first rows of a table, enough to guess from, and how they are looked at."""

from __future__ import annotations

import re
from collections.abc import Collection

import polars as pl

from edgegat.data.cells import MISSING_WORDS
from edgegat.data.reading import Table

_ROWS = 100_000
_CELLS = 10_000_000


def first_rows(table: Table, columns: Collection[str]) -> pl.DataFrame:
    """100,000 rows of these columns, fewer of very many columns."""
    rows = max(1000, min(_ROWS, _CELLS // max(1, len(columns))))
    return table.collect(table.frame.select(list(columns)).head(rows))


def present(cells: pl.Series) -> pl.Series:
    """The cells in which something stands."""
    kept = cells.drop_nulls().str.strip_chars()
    return kept.filter(~kept.str.to_lowercase().is_in(["", *MISSING_WORDS]))


def matches(pattern: re.Pattern[str], name: str) -> bool:
    """Whether a column's name has this in it, in capitals or not."""
    return pattern.search(name.strip().lower()) is not None
