"""Frames of other libraries as polars frames. Their libraries are imported only if an object is handed over."""

from __future__ import annotations

from typing import Any

import polars as pl

from edgegat.data._csv import check_names
from edgegat.data.errors import DataError


def as_polars(source: object) -> pl.LazyFrame | None:
    """A polars, pandas or PyArrow table as a lazy frame; ``None`` for anything else."""
    if isinstance(source, pl.LazyFrame):
        return source
    if isinstance(source, pl.DataFrame):
        return source.lazy()
    library = type(source).__module__.partition(".")[0]
    if library == "pandas" and type(source).__name__ == "DataFrame":
        return _from_pandas(source).lazy()
    if library == "pyarrow" and hasattr(source, "column_names"):
        check_names("the PyArrow table", source.column_names)
        try:
            frame = pl.from_arrow(source)
        except Exception as error:  # the library's own kinds, which are not imported here
            raise DataError(f"the PyArrow table cannot be read: {_first_line(error)}") from error
        assert isinstance(frame, pl.DataFrame)
        return frame.lazy()
    return None


def _from_pandas(frame: Any) -> pl.DataFrame:
    """Column by column, so that one of mixed Python objects is read as text instead of refused.

    The index is dropped: what matters belongs in a column.
    """
    names = [str(name) for name in frame.columns]
    check_names("the pandas frame", names)
    return pl.DataFrame([_column(name, frame.iloc[:, i]) for i, name in enumerate(names)])


def _column(name: str, column: Any) -> pl.Series:
    if str(column.dtype) in ("object", "category"):
        values = column.astype(object)
        # A missing value is not equal to itself (NaN), or refuses to say (pandas' NA).
        present = values.notna().to_list()
        values = [value if is_there else None for value, is_there in zip(values, present, strict=True)]
        kinds = {type(value) for value in values if value is not None}
        if len(kinds) > 1 or any(kind.__module__ not in ("builtins", "datetime") for kind in kinds):
            values = [None if value is None else str(value) for value in values]
        return pl.Series(name, values, strict=False)
    try:
        return pl.Series(name, pl.from_pandas(column))
    except Exception as error:  # PyArrow's own kinds, which are not imported here
        raise DataError(
            f"the pandas frame, column {name!r} ({column.dtype}) cannot be read: {_first_line(error)}"
        ) from error


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0]
