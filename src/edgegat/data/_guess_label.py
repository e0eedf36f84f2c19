"""Which column says what is to be learned, classes or numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from edgegat.data._sample import matches, present
from edgegat.data.cells import Spelling, cell_value
from edgegat.data.roles import LabelKind

_LABEL_NAMES = re.compile(
    r"label|^class$|_class$|fraud|target|^y$|illicit|suspicious|outcome|default|churn|phish|launder|mule|alert|^sar$"
)
_NUMBER_NAMES = re.compile(r"at_?risk|^loss|_loss$|damage|exposure_at")
_MOST_CLASSES = 20


@dataclass(frozen=True)
class GuessedLabel:
    """The column that says what is to be learned, what it is, and why."""

    column: str
    kind: LabelKind
    reason: str


def guess_label(texts: Mapping[str, pl.Series], spelling: Spelling) -> GuessedLabel | None:
    """A column with a label's name: first one with a few classes, then one with many numbers."""
    for name, cells in texts.items():
        there = present(cells)
        if matches(_LABEL_NAMES, name) and 2 <= there.n_unique() <= _MOST_CLASSES:
            return GuessedLabel(name, "class", f"{there.n_unique()} classes; {_say_empty(cells, there)}")
    for name, cells in texts.items():
        there = present(cells)
        if not (matches(_LABEL_NAMES, name) or matches(_NUMBER_NAMES, name)):
            continue
        numbers = there.to_frame(name).select(cell_value(name, pl.String(), "number", spelling))[name]
        if numbers.null_count() == 0 and numbers.n_unique() > _MOST_CLASSES:
            said = f"{numbers.n_unique():,} different numbers, to be predicted; {_say_empty(cells, there)}"
            return GuessedLabel(name, "number", said)
    return None


def _say_empty(cells: pl.Series, there: pl.Series) -> str:
    return f"{len(cells) - len(there):,} of the first {len(cells):,} cells are empty: unlabelled"
