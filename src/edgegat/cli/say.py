"""Everything a command prints, in one place: for people, for scripts, or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from edgegat.data.progress import Progress


@dataclass(frozen=True)
class Say:
    """Where a command speaks.

    Attributes:
        quiet: only errors.
        as_json: one JSON object on stdout, nothing else.
        hints: whether to say which command comes next.
    """

    quiet: bool = False
    as_json: bool = False
    hints: bool = True

    def __call__(self, text: str = "") -> None:
        """One or more lines for people."""
        if not (self.quiet or self.as_json):
            typer.echo(text)

    def title(self, text: str) -> None:
        """A line that stands out where there are colours."""
        self(typer.style(text, bold=True))

    def then(self, command: str) -> None:
        """The command to type next."""
        if self.hints:
            self(f"Then\n  {command}")

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Columns, the first to the left and the others to the right, two spaces between them."""
        self(align([header, *rows]))

    def notes(self, notes: Sequence[str]) -> None:
        """What was guessed or left out."""
        for note in notes:
            self(f"Note: {note}.")

    def result(self, content: Mapping[str, Any]) -> None:
        """The whole result, for scripts."""
        if self.as_json and not self.quiet:
            typer.echo(json.dumps(content, indent=2, ensure_ascii=False, default=_as_plain))

    def error(self, message: str) -> None:
        """On stderr, always."""
        typer.echo(typer.style("Error: ", fg="red", bold=True) + message, err=True)

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """A bar on stderr, if somebody is there to watch."""
        from edgegat.data.progress import ignore_progress, terminal_progress

        if self.quiet:
            yield ignore_progress
            return
        with terminal_progress() as show:
            yield show


def align(rows: Sequence[Sequence[str]], to_left: bool = False) -> str:
    """Cells under each other: the first column to the left, the others to the right or ``to_left``.

    Example:
        >>> print(align([["", "accuracy"], ["EGAT", "0.9"], ["always the commonest", "0.65"]]))
                              accuracy
        EGAT                       0.9
        always the commonest      0.65
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            cell.rjust(width) if number and not to_left else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def _as_plain(value: object) -> object:
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not plain")
