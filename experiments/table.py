"""A table of the paper or of ours: its rows, its columns, and how its figures come about."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from experiments.answer import METRICS
from experiments.runs import Laboratory, Outcome, Run
from experiments.search import SEED, Settings, Space, trials, validation

_SEARCH_SHARE = 0.55  # of the time, if there is a limit


@dataclass(frozen=True)
class Row:
    """One method.

    Attributes:
        name: as the table calls it.
        method: its module in `experiments.methods`.
        published: by column: "82.1 ± 0.7", or "" where there is none.
        settings: that are not searched for.
        space: what is searched, by name; the first of each list is what the literature uses.
        first: likewise, by column, where that differs.
        seeds: how many, if more than the table's.
    """

    name: str
    method: str
    published: Mapping[str, str] = field(default_factory=dict)
    settings: Settings = field(default_factory=dict)
    space: Space = field(default_factory=dict)
    first: Mapping[str, Settings] = field(default_factory=dict)
    seeds: int = 0

    def choices(self, column: str, count: int) -> list[Settings]:
        """So many settings to try; those of the literature come first, and are all there is without a search."""
        first, *others = (self.settings | chosen for chosen in trials(self.space, max(count, 1)))
        return [first | self.first.get(column, {}), *others]

    def for_at_most(self, epochs: int | None) -> Row:
        """The same, cut short, to try things out."""
        if epochs is None:
            return self
        space = {name: [epochs] if name == "epochs" else choices for name, choices in self.space.items()}
        first = {column: settings | {"epochs": epochs} for column, settings in self.first.items()}
        return replace(self, settings=self.settings | {"epochs": epochs}, space=space, first=first)


@dataclass(frozen=True)
class Table:
    """Rows and columns.

    Attributes:
        name: of its module and its file of results.
        title: for people.
        rows: the methods.
        columns: the tasks of each. Seed ``s`` runs on task ``s`` modulo their number.
        metrics: that are shown.
        chosen_by: the validation metric of the search.
        seeds: how many runs a figure is the mean of.
        finalists: with so many, a search tries everything with its first seed, and only the best with all of them.
        searched_on: the tasks of a column's search, if it must not see those of the column.
    """

    name: str
    title: str
    rows: Sequence[Row]
    columns: Mapping[str, Sequence[str]]
    metrics: Sequence[str] = ("accuracy",)
    chosen_by: str = "accuracy"
    seeds: int = 10
    finalists: int | None = None
    searched_on: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def columns_of(self, found: Mapping[str, Any]) -> list[str]:
        """Those in which something was found."""
        return [column for column in self.columns if any(cell["column"] == column for cell in found["cells"])]

    def run(self, row: Row, column: str, seed: int, settings: Settings) -> Run:
        tasks = self.columns[column]
        if seed >= SEED:
            tasks = self.searched_on.get(column, tasks)
        return Run(row.name, row.method, tasks[seed % len(tasks)], seed, settings)


@dataclass(frozen=True)
class Choice:
    """The settings of one row in one column, and everything that was tried to find them."""

    settings: Settings
    tried: Sequence[dict[str, Any]] = ()


Cell = tuple[Row, str]


def search(
    table: Table, cells: Sequence[Cell], laboratory: Laboratory, count: int, seeds: int, until: float
) -> list[Choice]:
    """Try ``count`` settings in each cell, on validation nodes alone; if time runs out, as many in one as in all."""
    options = [dict(enumerate(row.choices(column, count))) for row, column in cells]
    scores = _try(table, cells, options, laboratory, 1 if table.finalists else seeds, until)
    whole = min(
        (n for mine, found in zip(options, scores, strict=True) for n in mine if n not in found), default=count
    )
    scores = [{number: score for number, score in mine.items() if number < whole} for mine in scores]
    best = [_ranked(mine) for mine in scores]
    seen = [dict.fromkeys(mine, 1 if table.finalists else seeds) for mine in scores]  # with how many seeds
    if table.finalists and seeds > 1:
        chosen = [
            {n: mine[n] for n in order[: table.finalists]} for mine, order in zip(options, best, strict=True)
        ]
        finals = _try(table, cells, chosen, laboratory, seeds, until)
        if all(len(found) == len(mine) for found, mine in zip(finals, chosen, strict=True)):
            best = [_ranked(mine) for mine in finals]
            scores = [first | last for first, last in zip(scores, finals, strict=True)]
            seen = [first | dict.fromkeys(last, seeds) for first, last in zip(seen, finals, strict=True)]
    return [
        Choice(
            mine[order[0] if order else 0],
            [
                {
                    "settings": _searched(row, mine[n]),
                    table.chosen_by: abs(score[0])
                    if isfinite(score[0])
                    else None,  # none where training diverged
                    "seeds": times[n],
                }
                for n, score in found.items()
            ],
        )
        for (row, _), mine, found, order, times in zip(cells, options, scores, best, seen, strict=True)
    ]


Scores = dict[int, tuple[float, float]]


def _try(
    table: Table,
    cells: Sequence[Cell],
    options: Sequence[dict[int, Settings]],
    laboratory: Laboratory,
    seeds: int,
    until: float,
) -> list[Scores]:
    """The validation of every option of every cell that was finished in time, by number."""
    plan = {
        (number, place): [table.run(*cells[place], SEED + seed, mine[number]) for seed in range(seeds)]
        for number in sorted({number for mine in options for number in mine})
        for place, mine in enumerate(options)
        if number in mine
    }
    outcomes = laboratory.carry_out([run for runs in plan.values() for run in runs], until, "Search")
    found = {outcome.run.key: outcome for outcome in outcomes}
    scores: list[Scores] = [{} for _ in cells]
    for (number, place), runs in plan.items():
        if all(run.key in found for run in runs):
            scores[place][number] = validation([found[run.key] for run in runs], table.chosen_by)
    return scores


def _ranked(scores: Scores) -> list[int]:
    """The best first; of equals the one tried first."""
    return sorted(scores, key=scores.__getitem__, reverse=True)


def _searched(row: Row, settings: Settings) -> Settings:
    """Those that are not the same in all trials."""
    return {name: value for name, value in settings.items() if name in row.space}


def final(
    table: Table,
    cells: Sequence[Cell],
    choices: Sequence[Choice],
    laboratory: Laboratory,
    seeds: int | None,
    until: float = float("inf"),
) -> list[dict[str, Any]]:
    """What the table says: every cell with the results of its seeds, those first that every row has."""
    wanted = [seeds or max(table.seeds, row.seeds) for row, _ in cells]
    runs = [
        [table.run(row, column, seed, choice.settings) for seed in range(number)]
        for (row, column), choice, number in zip(cells, choices, wanted, strict=True)
    ]
    in_turn = [mine[seed] for seed in range(max(wanted)) for mine in runs if seed < len(mine)]
    found = {o.run.key: o for o in laboratory.carry_out(in_turn, until, "Runs")}
    return [
        {
            "row": row.name,
            "column": column,
            "method": row.method,
            "settings": choice.settings,
            "trials": list(choice.tried),
            **as_lists([found[run.key] for run in mine if run.key in found]),
        }
        for (row, column), choice, mine in zip(cells, choices, runs, strict=True)
    ]


def as_lists(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Every seed's values, side by side."""
    good = [outcome for outcome in outcomes if not outcome.failed]
    return {
        "seeds": [o.run.seed for o in good],
        "test": {metric: [o.test[metric] for o in good] for metric in METRICS},
        "val": {metric: [o.val[metric] for o in good] for metric in ("accuracy", "log_loss")},
        "epochs": [o.epochs for o in good],
        "seconds": [round(o.seconds, 2) for o in good],
        "bytes": [o.bytes for o in good],
        "failed": {str(o.run.seed): o.failed for o in outcomes if o.failed},
    }


def deadline(minutes: float | None) -> tuple[float, float]:
    """When a search and when everything has to end, as `time.monotonic` tells it."""
    if minutes is None:
        return float("inf"), float("inf")
    now = time.monotonic()
    return now + 60 * minutes * _SEARCH_SHARE, now + 60 * minutes
