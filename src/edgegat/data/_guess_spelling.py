"""How numbers and times are written in these tables, if not in the way that needs no saying."""

from __future__ import annotations

import polars as pl

from edgegat.data._sample import first_rows
from edgegat.data.cells import Spelling
from edgegat.data.reading import Table

_COMMA_NUMBER = r"^\s*[+-]?\d+,\d+\s*$"
_NUMBER = r"^\s*[+-]?\d+(,\d+)?\s*$"
_DAYS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d")
_TIME_FORMATS = tuple(f"{day}{hour}" for day in _DAYS for hour in ("", " %H:%M", " %H:%M:%S"))


def guess_spelling(*tables: Table | None) -> Spelling:
    """A decimal comma where a column is all commas, a format of times where it reads a whole column.

    Example:
        >>> from edgegat.data import open_table
        >>> rows = pl.DataFrame({"paid": ["1,50", "20"], "booked": ["31.03.2024", "01.04.2024"]})
        >>> guess_spelling(open_table(rows))
        Spelling(missing=(), decimal=',', time_format='%d.%m.%Y')
    """
    decimal, time_format = ".", None
    for table in tables:
        texts = [] if table is None else [c for c, dtype in table.dtypes.items() if dtype == pl.String]
        if table is None or not texts:
            continue
        for cells in first_rows(table, texts).head(10_000).iter_columns():
            present = cells.drop_nulls()
            if present.is_empty():
                continue
            if present.str.contains(_COMMA_NUMBER).any() and present.str.contains(_NUMBER).all():
                decimal = ","
            time_format = time_format or _format_of(present.str.strip_chars())
    return Spelling(decimal=decimal, time_format=time_format)


def _format_of(cells: pl.Series) -> str | None:
    likely = [f for f in _TIME_FORMATS if cells.head(1).str.to_datetime(f, strict=False).is_not_null().all()]
    return next((f for f in likely if not cells.str.to_datetime(f, strict=False).has_nulls()), None)
