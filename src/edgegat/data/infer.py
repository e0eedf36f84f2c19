"""Sensible types for columns that nobody declared."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

import polars as pl

from edgegat.data._sample import first_rows
from edgegat.data.cells import FALSE_WORDS, TRUE_WORDS, Spelling, cell_is_missing, cell_value
from edgegat.data.reading import Table, as_text
from edgegat.data.roles import FeatureType

_MOST_CATEGORIES = 1000
_HEAVY_TAIL = 50
_NEARLY_ALL = 0.9
_AMOUNT_NAMES = re.compile(
    r"amount|amt|balance|income|salary|turnover|revenue|price|value|paid|volume|sum|total|fee|limit|betrag|saldo"
)
_COUNT_NAMES = re.compile(r"count|number|num_|^n_|_n$|^no_|nr_|qty|quantity|anzahl")
_TIME_NAMES = re.compile(r"time|date|stamp|_at$|_on$|^ts$|opened|booked|since|day$|datum")
_ROW_NAMES = re.compile(r"id$|^column \d+$|^unnamed|^index$|^row")
_CODE_NAMES = re.compile(r"code|type|class|category|kind|channel|segment|branch|zip|region|level|status|grade")


@dataclass(frozen=True)
class Guess:
    """The type of a column, or ``None`` if it is better left out, and why."""

    type: FeatureType | None
    reason: str


def infer_types(table: Table, columns: Collection[str], spelling: Spelling | None = None) -> dict[str, Guess]:
    """Guess the types of these columns from their names and their first 100,000 rows.

    Example:
        >>> from edgegat.data import open_table
        >>> rows = {"amount": ["1.5", "20"], "vip": ["yes", "no"], "opened": ["2024-03-31", "2023-01-02"]}
        >>> {
        ...     name: guess.type
        ...     for name, guess in infer_types(open_table(pl.DataFrame(rows)), list(rows)).items()
        ... }
        {'amount': 'amount', 'vip': 'flag', 'opened': 'time'}
    """
    if not columns:
        return {}
    spelling = spelling or Spelling()
    head = first_rows(table, columns)
    return {column: _guess(head[column], spelling) for column in columns}


def _guess(cells: pl.Series, spelling: Spelling) -> Guess:
    name, dtype = cells.name, cells.dtype
    if dtype == pl.Boolean:
        return Guess("flag", "true or false")
    if dtype.is_temporal():
        is_point = dtype in (pl.Date, pl.Datetime)
        return Guess("time", "a time") if is_point else Guess(None, f"a {dtype}")
    if dtype.is_nested() or dtype == pl.Binary:
        return Guess(None, f"a {dtype}")
    frame = cells.to_frame()
    present = frame.filter(~cell_is_missing(name, dtype, "number", spelling))
    if present.is_empty():
        return Guess(None, "empty")
    words = present.select(as_text(pl.col(name), dtype).str.strip_chars().str.to_lowercase())[name]
    if words.n_unique() == 1:
        return Guess(None, "the same in every row")
    if words.is_in(TRUE_WORDS + FALSE_WORDS).all():
        return Guess("flag", "only two values")

    def read_as(type_: FeatureType) -> pl.Series:
        return present.with_columns(cell_value(name, dtype, type_, spelling))[name]

    numbers = read_as("number").drop_nulls()
    if len(numbers) >= _NEARLY_ALL * len(words):
        return _but_for(len(words) - len(numbers), _guess_number(name.lower(), numbers, words))
    times = read_as("time").drop_nulls()
    if len(times) >= _NEARLY_ALL * len(words):
        return _but_for(len(words) - len(times), Guess("time", "times"))
    return _guess_text(words)


def _but_for(odd: int, guess: Guess) -> Guess:
    """Nearly all is enough: a wrong cell among a thousand numbers is told with its line, not made a word of."""
    return (
        guess
        if not odd or guess.type == "category"
        else Guess(guess.type, f"{guess.reason}, but for {odd} cells")
    )


def _guess_number(name: str, numbers: pl.Series, words: pl.Series) -> Guess:
    whole = bool((numbers == numbers.round()).all())
    sizes = numbers.abs()
    largest, median = float(str(sizes.max())), float(str(sizes.filter(sizes > 0).median()))
    distinct = numbers.n_unique()
    if whole and _TIME_NAMES.search(name) and _looks_like_time(numbers):
        return Guess("time", "whole numbers that are days or seconds since 1970, by their size and name")
    if whole and _CODE_NAMES.search(name) and distinct <= _MOST_CATEGORIES:
        return Guess("category", f"{distinct} codes, by the name")
    if whole and distinct == len(numbers) > 20 and _ROW_NAMES.search(name):
        return Guess(None, "an id: every row has its own")
    if whole and len(numbers) > 20 and (numbers.diff() == 1).all():
        return Guess(None, "row numbers")
    if _COUNT_NAMES.search(name) and whole and not (numbers < 0).any():
        return Guess("count", "whole numbers from 0, by the name")
    if _AMOUNT_NAMES.search(name):
        return Guess("amount", "numbers, by the name")
    if largest > _HEAVY_TAIL * median:
        return Guess("count" if whole and not (numbers < 0).any() else "amount", "numbers with a long tail")
    return Guess("number", "numbers")


def _looks_like_time(numbers: pl.Series) -> bool:
    days = numbers.is_between(19_000_101, 21_001_231)
    seconds = numbers.is_between(3e8, 4e9) | numbers.is_between(
        3e11, 4e12
    )  # 1979 to 2096, also in milliseconds
    return bool(days.all() or seconds.all())


def _guess_text(words: pl.Series) -> Guess:
    distinct = words.n_unique()
    if distinct <= _MOST_CATEGORIES and (distinct <= 20 or distinct <= len(words) / 4):
        return Guess("category", f"{distinct} different texts")
    return Guess(None, "names or free text: hardly a value repeats")
