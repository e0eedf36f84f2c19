"""Can every cell be read, and does it make sense?"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from edgegat.data._words import count, listing, show
from edgegat.data.cells import allowed_cells, cell_is_missing, cells_at
from edgegat.data.checks.finding import EXAMPLES, Findings, show_cells
from edgegat.data.checks.subject import Cells, Subject
from edgegat.data.reading import Table, as_text
from edgegat.data.resolve import edge_columns, node_columns
from edgegat.data.roles import FeatureType

_INFINITE = r"^[+-]?(inf|infinity|∞|[0-9.]+e\+?[0-9]{3,})$"
_DAY = 86_400e6


def check_variety(subject: Subject, findings: Findings) -> None:
    """EG007 and EG008."""
    for table, columns in _feature_columns(subject):
        cells = [
            pl.when(~cell_is_missing(c, table.dtypes[c], "category", subject.schema.spelling))
            .then(as_text(pl.col(c), table.dtypes[c]))
            .alias(c)
            for c in columns
            if not (table.dtypes[c].is_nested() or table.dtypes[c] == pl.Binary)
        ]
        if not cells:
            continue
        summary = table.frame.select(cells).select(
            pl.struct(ask).alias(name)
            for name, ask in (("number", pl.all().count()), ("least", pl.all().min()), ("most", pl.all().max()))
        )
        number, least, most = table.collect(summary).row(0)
        for column, present in number.items():
            if present == 0:
                findings.add("EG007", table, column, "all cells are empty", number=table.num_rows)
            elif least[column] == most[column] and 1 < present == table.num_rows:
                findings.add(
                    "EG008", table, column, f"{show(str(least[column]))} in every row", number=table.num_rows
                )


def check_readable(subject: Subject, findings: Findings) -> None:
    """EG009, EG010 and, where nobody declared the type, EG011."""
    for table, cells in _both(subject):
        guessed = {
            column for other, columns in _guessed_columns(subject) if other is table for column in columns
        }
        for column, rows in cells.unreadable.items():
            texts = cells_at(table, column, rows)
            infinite = texts.str.strip_chars().str.to_lowercase().str.contains(_INFINITE).fill_null(False)
            type_, odd, huge = cells.types[column], rows.filter(~infinite), rows.filter(infinite)
            if len(huge):
                said = f"{count(len(huge), 'cell')} infinite, or too large for a number"
                _say(findings, "EG010", table, column, said, huge)
            if len(odd) and column in guessed:
                said = f"nearly all cells are of type {type_!r}, but {count(len(odd), 'cell')} cannot be read as such"
                _say(findings, "EG011", table, column, said, odd)
            elif len(odd):
                allowed = allowed_cells(type_, subject.schema.spelling)
                said = f"{count(len(odd), 'cell')} cannot be read as {type_!r}. Allowed is {allowed}"
                _say(findings, "EG009", table, column, said, odd)


def check_signs(subject: Subject, findings: Findings) -> None:
    """EG012."""
    for table, column, values in _columns_of(subject, "amount"):
        rows = (values < 0).arg_true()
        if len(rows):
            said = f"{count(len(rows), 'amount')} below zero"
            findings.add(
                "EG012", table, column, said, rows, show_cells(cells_at(table, column, rows.head(EXAMPLES)))
            )


def check_future(subject: Subject, findings: Findings, now: float) -> None:
    """EG013: later than a day from now."""
    for table, column, values in _columns_of(subject, "time"):
        rows = (values > now + _DAY).arg_true()
        if len(rows):
            said = f"{count(len(rows), 'time')} in the future"
            findings.add(
                "EG013", table, column, said, rows, show_cells(cells_at(table, column, rows.head(EXAMPLES)))
            )


def check_currencies(subject: Subject, findings: Findings) -> None:
    """EG014."""
    column = subject.schema.edges.currency
    if column is None:
        return
    table = subject.edges
    missing = cell_is_missing(column, table.dtypes[column], "category", subject.schema.spelling)
    text = as_text(pl.col(column), table.dtypes[column]).str.strip_chars().str.to_uppercase()
    cells = table.read(pl.when(~missing).then(text).alias("c"))["c"]
    sizes = cells.drop_nulls().value_counts(sort=True)
    if sizes.height > 1:
        most = sizes["c"][0]
        rows = (cells != most).arg_true()
        shown = show_cells(cells.gather(rows.head(EXAMPLES)))
        said = f"{listing(sizes['c'].sort(), 8)} stand in one column; {count(len(rows), 'row')} not in {show(most)}"
        findings.add("EG014", table, column, said, rows, shown)


def _say(findings: Findings, code: str, table: Table, column: str, said: str, rows: pl.Series) -> None:
    findings.add(code, table, column, said, rows, show_cells(cells_at(table, column, rows.head(EXAMPLES))))


def _both(subject: Subject) -> Iterator[tuple[Table, Cells]]:
    if subject.nodes is not None:
        yield subject.nodes, subject.node_cells
    yield subject.edges, subject.edge_cells


def _columns_of(subject: Subject, type_: FeatureType) -> Iterator[tuple[Table, str, pl.Series]]:
    for table, cells in _both(subject):
        for column, found in cells.types.items():
            if found == type_:
                yield table, column, cells.values[column]


def _feature_columns(subject: Subject) -> Iterator[tuple[Table, list[str]]]:
    """The features that are declared, and all columns that may become features."""
    if subject.nodes is not None and subject.schema.nodes is not None:
        features = subject.schema.nodes.features
        yield (
            subject.nodes,
            list(features) if features is not None else node_columns(subject.schema, subject.nodes),
        )
    features = subject.schema.edges.features
    yield subject.edges, list(features) if features is not None else edge_columns(subject.schema, subject.edges)


def _guessed_columns(subject: Subject) -> Iterator[tuple[Table, list[str]]]:
    """The columns whose type nobody declared."""
    if subject.nodes is not None and subject.schema.nodes is not None and subject.schema.nodes.features is None:
        yield subject.nodes, node_columns(subject.schema, subject.nodes)
    if subject.schema.edges.features is None:
        yield subject.edges, edge_columns(subject.schema, subject.edges)
