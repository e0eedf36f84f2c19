"""The bytes of a CSV file, packed or not, and their encoding."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import IO, BinaryIO, cast

BROKEN_GZIP = (EOFError, gzip.BadGzipFile, zlib.error)


def is_gzip(path: Path) -> bool:
    """By its first two bytes, whatever it is called."""
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def open_bytes(path: Path) -> BinaryIO:
    """Unpacked."""
    return cast(BinaryIO, gzip.open(path)) if is_gzip(path) else path.open("rb")


def open_text(path: Path) -> IO[str]:
    """Unpacked and decoded, line ends as they are."""
    return io.TextIOWrapper(open_bytes(path), encoding="utf-8-sig", newline="")


def say_encoding(path: Path, line: int, error: UnicodeDecodeError) -> str:
    """Which byte of which line is not UTF-8."""
    return (
        f"{path}, line {line}: byte 0x{error.object[error.start]:02x} is not UTF-8. Save the file as UTF-8; if "
        "it comes from Excel or Windows, its encoding is most likely Windows-1252."
    )
