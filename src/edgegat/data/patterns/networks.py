"""Small random networks of transfers, and what is planted in them so that each answer is drawn about equally often.

What is planted where the answer should be no is the near miss: the same number of transfers with another meaning.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from edgegat.data.patterns.answers import FEW_MANY, MANY, MOST, Transfers

ASKED = 0
"""The account that is asked about."""

Draws = np.random.Generator
Pairs = list[tuple[int, int]]


def network(name: str, wanted: bool, draws: Draws) -> tuple[Transfers, int]:
    """Transfers and number of accounts. The answer is likely, not certainly, what was ``wanted``."""
    accounts = int(draws.integers(10, 15))
    planted = _PLANTS[name](wanted, accounts, draws)
    background = [_two(accounts, draws) for _ in range(int(draws.integers(accounts // 2, accounts + 1)))]
    pairs = planted + background
    repeats = [pairs[n] for n in draws.integers(0, len(pairs), size=int(draws.integers(0, 4)))]
    pairs = [pairs[n] for n in draws.permutation(len(pairs))] + repeats
    amounts = draws.lognormal(0.0, 0.7, len(pairs))
    if name == "pass-through":
        amounts = _balanced(pairs, amounts, wanted, draws)
    return [(payer, payee, float(a)) for (payer, payee), a in zip(pairs, amounts, strict=True)], accounts


def _two(accounts: int, draws: Draws) -> tuple[int, int]:
    payer, payee = draws.choice(accounts, 2, replace=False)
    return int(payer), int(payee)


def _others(count: int, accounts: int, draws: Draws) -> list[int]:
    """Different accounts, none of them the one that is asked about."""
    return [int(n) for n in 1 + draws.choice(accounts - 1, count, replace=False)]


def _degree(inwards: bool) -> Callable[[bool, int, Draws], Pairs]:
    def plant(wanted: bool, accounts: int, draws: Draws) -> Pairs:
        partners = _others(int(draws.integers(0, MOST + 1)), accounts, draws)
        return _turned([(n, ASKED) for n in partners], not inwards)

    return plant


def _fan(inwards: bool) -> Callable[[bool, int, Draws], Pairs]:
    """Near misses: as many transfers of fewer partners, or of the other direction."""

    def plant(wanted: bool, accounts: int, draws: Draws) -> Pairs:
        total = int(draws.integers(MANY, MANY + 3))
        few = wanted or draws.random() < 0.5
        partners = _others(total if wanted else int(draws.integers(1, MANY)) if few else total, accounts, draws)
        pairs = [(partners[n % len(partners)], ASKED) for n in range(total)]
        return _turned(pairs, (not inwards) != (not few))

    return plant


def _cycle(length: int) -> Callable[[bool, int, Draws], Pairs]:
    """Near misses: the same ring with one transfer turned around, or a ring that is longer or shorter by one."""

    def plant(wanted: bool, accounts: int, draws: Draws) -> Pairs:
        turned = not wanted and draws.random() < 0.5
        size = length if wanted or turned else max(2, length + int(draws.choice([-1, 1])))
        ring = [ASKED, *_others(size - 1, accounts, draws)]
        pairs = list(zip(ring, ring[1:] + ring[:1], strict=True))
        if turned:
            n = int(draws.integers(size))
            pairs[n] = pairs[n][::-1]
        return pairs

    return plant


def _gather_scatter(wanted: bool, accounts: int, draws: Draws) -> Pairs:
    """Near misses: one side is there, the other consists of repeated transfers of fewer partners."""
    sides = [int(draws.integers(FEW_MANY, FEW_MANY + 3)) for _ in range(2)]
    different = list(sides)
    if not wanted:
        different[int(draws.integers(2))] = int(draws.integers(1, FEW_MANY))
    pairs: Pairs = []
    for side, (total, count) in enumerate(zip(sides, different, strict=True)):
        partners = _others(count, accounts, draws)
        pairs += _turned([(partners[n % count], ASKED) for n in range(total)], side == 1)
    return pairs


def _pass_through(wanted: bool, accounts: int, draws: Draws) -> Pairs:
    payers, payees = (_others(int(draws.integers(1, 4)), accounts, draws) for _ in range(2))
    return [(n, ASKED) for n in payers] + [(ASKED, n) for n in payees]


def _balanced(pairs: Pairs, amounts: np.ndarray, wanted: bool, draws: Draws) -> np.ndarray:
    """Make what goes out of the asked account nearly what came in, or half or twice as much."""
    came = np.array([payee == ASKED for _, payee in pairs])
    went = np.array([payer == ASKED for payer, _ in pairs])
    ratio = (
        draws.uniform(0.93, 1.07)
        if wanted
        else draws.choice([draws.uniform(0.3, 0.75), draws.uniform(1.35, 3.0)])
    )
    return np.where(went, amounts * ratio * amounts[came].sum() / amounts[went].sum(), amounts)


def _turned(pairs: Pairs, turn: bool) -> Pairs:
    return [(payee, payer) for payer, payee in pairs] if turn else pairs


_PLANTS: dict[str, Callable[[bool, int, Draws], Pairs]] = {
    "in-degree": _degree(inwards=True),
    "out-degree": _degree(inwards=False),
    "fan-in": _fan(inwards=True),
    "fan-out": _fan(inwards=False),
    "cycle of 2": _cycle(2),
    "cycle of 3": _cycle(3),
    "cycle of 4": _cycle(4),
    "gather-scatter": _gather_scatter,
    "pass-through": _pass_through,
}
