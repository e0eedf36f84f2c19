"""Which settings: a random search, of the same size for every method, judged on validation nodes alone."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from experiments.runs import Outcome

Settings = dict[str, Any]
Space = Mapping[str, Sequence[Any]]
SEED = 1000
"""Searches run with seeds from here on, tables with those from 0."""


def trials(space: Space, count: int, seed: int = 0) -> list[Settings]:
    """So many different choices out of a space (all of them, if it has not more), the first of each list first.

    >>> trials({"dropout": [0.6, 0.5], "heads": [8]}, 4)
    [{'dropout': 0.6, 'heads': 8}, {'dropout': 0.5, 'heads': 8}]
    """
    sizes = [len(choices) for choices in space.values()]
    total = 1
    for size in sizes:
        total *= size
    others = random.Random(seed).sample(range(1, total), min(count, total) - 1)
    return [_number(space, number) for number in (0, *others)]


def _number(space: Space, number: int) -> Settings:
    chosen = {}
    for name, choices in space.items():
        number, place = divmod(number, len(choices))
        chosen[name] = choices[place]
    return chosen


def validation(outcomes: Sequence[Outcome], metric: str) -> tuple[float, float]:
    """How good settings are: the mean metric, and to tell equal ones apart the mean loss. Larger is better."""
    if not outcomes or any(outcome.failed for outcome in outcomes):
        return (float("-inf"), float("-inf"))
    mean, loss = (fmean(outcome.val[name] or 0.0 for outcome in outcomes) for name in (metric, "log_loss"))
    return (-loss, mean) if metric == "log_loss" else (mean, -loss)
