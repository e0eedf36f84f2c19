"""The first rows of a table: enough to guess from."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from edgegat.data.reading import Table

_ROWS = 100_000
_CELLS = 10_000_000


def first_rows(table: Table, columns: Collection[str]) -> pl.DataFrame:
    """100,000 rows of these columns, fewer of very many columns."""
    rows = max(1000, min(_ROWS, _CELLS // max(1, len(columns))))
    return table.collect(table.frame.select(list(columns)).head(rows))
