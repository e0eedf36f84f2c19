"""One thing that was found in the tables, and the list that collects them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import polars as pl

from edgegat.data._words import show
from edgegat.data.checks.codes import CODES, Level
from edgegat.data.reading import Table

EXAMPLES = 5


@dataclass(frozen=True)
class Finding:
    """One thing that was found.

    Attributes:
        code: its number, ``EG001`` and so on; ``docs/findings.md`` has a section on each.
        level: ``"error"`` or ``"warning"``.
        file: the table, by name.
        column: the column, if it is about one.
        count: how many rows, cells or nodes are concerned; 0 if it is about the whole.
        message: what was found.
        examples: up to five of them, with file and line.
        advice: what to do.

    Example:
        >>> print(Finding("EG008", "warning", "a.csv", "age", 0, "always 7", (), "Leave it out."))
        EG008 warning: a.csv, column 'age': always 7. Leave it out.
    """

    code: str
    level: Level
    file: str
    column: str | None
    count: int
    message: str
    examples: tuple[str, ...]
    advice: str

    def __str__(self) -> str:
        where = self.file if self.column is None else f"{self.file}, column {self.column!r}"
        lines = [f"{self.code} {self.level}: {where}: {self.message}. {self.advice}"]
        return "\n".join(lines + [f"  {example}" for example in self.examples])


class Findings:
    """Collects findings; where their rows stand in the files is looked up for all of them at once."""

    def __init__(self) -> None:
        self._found: list[tuple[Finding, Table, list[int], list[str]]] = []

    def add(
        self,
        code: str,
        table: Table,
        column: str | None,
        message: str,
        rows: pl.Series | Sequence[int] = (),
        said: Iterable[object] = (),
        number: int | None = None,
    ) -> None:
        """Add one; the first five rows become its examples, with the values beside them.

        Args:
            code: of :data:`edgegat.data.checks.codes.CODES`.
            table: in which it is.
            column: if it is about one.
            message: what was found, without a full stop.
            rows: of the table, all that are concerned or the first five.
            said: of each of these rows, in their order; :func:`show_cells` for what stands in cells.
            number: how many there are, if not as many as rows.
        """
        level, _, advice = CODES[code]
        finding = Finding(
            code, level, table.name, column, len(rows) if number is None else number, message, (), advice
        )
        self._found.append((finding, table, [int(row) for row in rows[:EXAMPLES]], [*map(str, said)]))

    def codes(self) -> set[str]:
        """The numbers of what was found so far."""
        return {finding.code for finding, *_ in self._found}

    def finish(self) -> list[Finding]:
        """All findings in the order of their numbers, errors and warnings together."""
        places: dict[tuple[int, int], str] = {}
        for table in {id(table): table for _, table, *_ in self._found}.values():
            rows = sorted({row for _, other, rows, _ in self._found if other is table for row in rows})
            if rows:
                places |= {(id(table), row): place for row, place in zip(rows, table.places(rows), strict=True)}
        finished = []
        for finding, table, rows, said in self._found:
            examples = [places[id(table), row] for row in rows]
            if said:
                examples = [f"{place}: {words}" for place, words in zip(examples, said, strict=False)]
            finished.append(replace(finding, examples=tuple(examples)))
        return sorted(finished, key=lambda finding: finding.code)


def show_cells(cells: pl.Series) -> list[str]:
    """In quotes, as they are written.

    Example:
        >>> show_cells(pl.Series(["n/a", None]))
        ["'n/a'", 'empty']
    """
    return ["empty" if cell is None else show(cell) for cell in cells]
