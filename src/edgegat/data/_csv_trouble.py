"""Why a CSV file cannot be read, with the first line that is to blame."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from edgegat.data._csv_bytes import BROKEN_GZIP, open_bytes, open_text, say_encoding
from edgegat.data._words import count, listing, show

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


def find_trouble(path: Path, columns: Sequence[str], separator: str) -> str | None:
    """In a sentence or two; ``None`` if nothing is wrong with the file."""
    try:
        return _broken_text(path) or _broken_row(path, columns, separator) or _lone_return(path)
    except BROKEN_GZIP:
        return f"{path} is cut off or damaged: unpacking it fails. Copy or export it again."
    except OSError as error:
        return f"{path} cannot be read: {error.strerror or error}."


def _broken_text(path: Path) -> str | None:
    with open_bytes(path) as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                return say_encoding(path, number, error)
    return None


def _broken_row(path: Path, columns: Sequence[str], separator: str) -> str | None:
    width = len(columns)
    last_line = ""

    def lines(file: IO[str]) -> Iterator[str]:
        nonlocal last_line
        for line in file:
            last_line = line
            yield line

    with open_text(path) as file:
        reader = csv.reader(lines(file), delimiter=separator, strict=True)
        start = 1
        try:
            for cells in reader:
                if len(cells) > width:
                    return (
                        f"{path}, line {start}: {count(len(cells), 'cell')}, but the header has "
                        f"{count(width, 'column')} ({listing(columns, 8)}). Remove the extra "
                        f"{SEPARATORS[separator]}, or put the cell that holds one in double quotes."
                    )
                stray = [cell for cell in cells if '"' in cell]
                if stray and '""' not in last_line:
                    return (
                        f"{path}, line {start}: {show(stray[0])} has a quotation mark inside a cell "
                        'that is not quoted. Put the cell in double quotes and write the mark twice: "5""".'
                    )
                start = reader.line_num + 1
        except csv.Error as error:
            return (
                f"{path}, line {start}: a quotation mark is opened and not closed properly ({error}). "
                "Close it, and write a mark that belongs to the text twice."
            )
    return None


def _lone_return(path: Path) -> str | None:
    with open_bytes(path) as file:
        for number, line in enumerate(file, 1):
            if b"\r" in line.rstrip(b"\r\n"):
                return say_lone_return(path, number)
    return None


def say_lone_return(path: Path, line: int) -> str:
    """As old Macs wrote them."""
    return f"{path}, line {line}: a line ends in a lone carriage return. Save the file with ordinary line ends."
