"""A bank on disk, whatever its size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple, get_args

import polars as pl

from edgegat.data.errors import DataError
from edgegat.data.trade.banks import BANKS
from edgegat.data.trade.generate import Tables, draw_parts

Format = Literal["csv", "parquet"]

SCHEMA = """\
# What the columns of the two tables mean. The bank is invented: nobody in it exists.

[nodes]
id = "account"
label = "label"          # empty: nobody has looked at this customer

[nodes.features]
risk_level = "number"    # 1 to 5

[edges]
source = "sender"
target = "receiver"
time = "time"
directed = false
parallel = "aggregate"   # one edge for each pair of customers, with the number of transactions and ...

[edges.features]
amount = { type = "amount", aggregate = ["sum"] }   # ... their total

[split]
ratio = [3, 1, 1]        # as in the paper
seed = 0
"""


class Files(NamedTuple):
    """What `write` wrote."""

    customers: Path
    transactions: Path
    schema: Path


def write(
    folder: str | PathLike[str],
    name: str = "trade-b",
    customers: int | None = None,
    seed: int = 0,
    format: Format = "csv",
    progress: Callable[[int, int], None] | None = None,
) -> Files:
    """An invented bank on disk: ``customers``, ``transactions`` and the ``edgegat.toml`` that explains them.

    A large bank is written part by part, in memory that does not grow with it. Nothing is overwritten, and
    files get their names only when they are whole.

    Args:
        folder: where to; made if it does not exist.
        name: as for `generate`.
        customers: as for `generate`.
        seed: as for `generate`.
        format: ``"csv"`` (the same bytes on every machine) or ``"parquet"``.
        progress: called with the number of customers written so far, and of all.

    Example:
        >>> import tempfile
        >>> files = write(tempfile.mkdtemp(), customers=1000)
        >>> print(files.customers.read_text(encoding="utf-8")[:97])
        account,name,risk_level,label
        ...
    """
    if format not in get_args(Format):
        raise DataError(
            f"format is {format!r}, but it must be one of {', '.join(map(repr, get_args(Format)))}."
        )
    folder = Path(folder)
    parts = draw_parts(name, customers, seed)
    files = Files(folder / f"customers.{format}", folder / f"transactions.{format}", folder / "edgegat.toml")
    existing = [file.name for file in files if file.exists()]
    if existing:
        raise DataError(
            f"{folder} already has {' and '.join(existing)}. Choose another folder, or remove them."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder, prefix=".unfinished-") as unfinished:
            whole = _write_all(Path(unfinished), files, parts, customers or BANKS[name].customers, progress)
            for written, file in zip(whole, files, strict=True):
                written.rename(file)
    except OSError as error:
        raise DataError(f"the bank cannot be written to {folder}: {error.strerror or error}.") from None
    except pl.exceptions.ComputeError as error:  # what polars makes of a full disk
        raise DataError(
            f"the bank cannot be written to {folder}. Is the disk full? {str(error).splitlines()[0]}."
        ) from None
    return files


def _write_all(
    folder: Path,
    files: Files,
    parts: Iterator[Tables],
    total: int,
    progress: Callable[[int, int], None] | None,
) -> list[Path]:
    """Write the files, under their names, to another folder."""
    tables, schema = [folder / file.name for file in files[:2]], folder / files.schema.name
    done = 0
    for number, part in enumerate(parts):
        for file, table in zip(tables, part, strict=True):
            _append(file, table, number)
        done += part.customers.height
        if progress is not None:
            progress(done, total)
    schema.write_text(SCHEMA, encoding="utf-8", newline="\n")
    return [*map(_join, tables), schema]


def _append(file: Path, table: pl.DataFrame, number: int) -> None:
    """One more part: behind the others in the one CSV file, or as one more Parquet file in a folder."""
    if file.suffix == ".parquet":
        file.mkdir(exist_ok=True)
        table.write_parquet(file / f"{number:04}.parquet")
        return
    with file.open("ab") as stream:
        table.write_csv(
            stream,
            include_header=number == 0,
            line_terminator="\n",
            quote_style="necessary",
            datetime_format="%Y-%m-%dT%H:%M:%S",
            float_precision=2,
        )


def _join(file: Path) -> Path:
    """One file of what `_append` wrote."""
    if file.is_file():
        return file
    whole = file.with_suffix(".whole")
    pl.scan_parquet(file / "*.parquet").sink_parquet(whole)
    return whole
