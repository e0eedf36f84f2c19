"""Who has relations with whom: the customers under observation, their counterparties, and everybody else."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgegat.data.trade._draws import Draws, Ints, exp
from edgegat.data.trade.patterns import PATTERNS, Bank

# A part of a bank is made at a time, so that ten million customers need no more memory than these.
_PART = 50_000
_WATCHED_PER_LABELLED = 1.25  # some show a pattern and nobody has looked at them
_POOL = 0.5  # of the ordinary customers may have relations with watched ones
_LARGEST_DEGREE = 90
_ACROSS = 0.1  # of the later relations of ordinary customers lead into the next part
_ACQUAINTED = 0.2  # of the watched have counterparties who pay each other, too: a family, a staff, a market
_CIRCLE = np.array([pattern.matched == "circle" for pattern in PATTERNS.values()])


@dataclass(frozen=True)
class Part:
    """A range of customers: first the labelled, then others with a pattern of their own, then ordinary ones."""

    number: int
    first: int
    customers: int
    labelled: int
    relations: int

    @property
    def watched(self) -> int:
        """How many show one of the patterns, labelled or not."""
        return round(self.labelled * _WATCHED_PER_LABELLED)

    @property
    def ordinary(self) -> int:
        """How many do not."""
        return self.customers - self.watched


def parts_of(bank: Bank, customers: int) -> list[Part]:
    """Cut a bank of any size into parts; labels and relations are in the proportion of the paper's.

    Example:
        >>> from edgegat.data.trade.banks import TRADE_B
        >>> parts_of(TRADE_B, 3907)
        [Part(number=0, first=0, customers=3907, labelled=97, relations=4394)]
        >>> [part.customers for part in parts_of(TRADE_B, 100_001)]
        [33333, 33334, 33334]
    """
    count = math.ceil(customers / _PART)

    def cut(total: int) -> list[int]:
        return [total * k // count for k in range(count + 1)]

    ends = cut(customers)
    labelled = cut(round(customers * bank.labelled / bank.customers))
    relations = cut(round(customers * bank.relations / bank.customers))
    return [
        Part(k, ends[k], ends[k + 1] - ends[k], labelled[k + 1] - labelled[k], relations[k + 1] - relations[k])
        for k in range(count)
    ]


@dataclass(frozen=True)
class Network:
    """The relations of a part.

    Those of watched customers come first, customer by customer; then the third sides of triangles, between two
    counterparties of one watched customer; then those of ordinary customers with each other.
    """

    one: Ints  # [R] customers, numbered through the whole bank; a watched customer where there is one
    other: Ints  # [R]
    owner: Ints  # [W] the watched customer of the first W relations, numbered in the part
    place: Ints  # [W] which of its relations this is
    degree: Ints  # [watched]
    closes: Ints  # [C] the first side, among the first W relations, of the triangle that relation W + c closes


def draw_network(bank: Bank, part: Part, following: Part | None, pattern: Ints, draws: Draws) -> Network:
    """Exactly `part.relations` pairs of customers, no pair twice, no customer without one.

    Money on a circle leaves by an even relation and comes back by the next, so the two counterparties have a
    relation of their own. So have those of some others, so that triangles alone tell nobody apart.
    """
    degree = _degrees(bank, part, draws)
    owner = np.repeat(np.arange(part.watched), degree)
    place = np.arange(owner.size) - np.repeat(np.cumsum(degree) - degree, degree)
    other = _counterparties(part, owner, draws)
    acquainted = _CIRCLE[pattern] | (draws.uniform(part.watched) < _ACQUAINTED)
    closes = np.flatnonzero(acquainted[owner] & (place % 2 == 0) & (place + 1 < degree[owner]))
    sides = np.stack([other[closes], other[closes + 1]])
    kept = _first_of_each(sides)[: part.relations - owner.size - _relations_for_everybody(part)]
    closes, sides = closes[kept], sides[:, kept]

    rest = _among_ordinary(part, following, sides, part.relations - owner.size - closes.size, draws)
    return Network(
        one=part.first + np.concatenate([owner, sides[0], rest[0]]),
        other=part.first + np.concatenate([other, sides[1], rest[1]]),
        owner=owner,
        place=place,
        degree=degree,
        closes=closes,
    )


def _degrees(bank: Bank, part: Part, draws: Draws) -> Ints:
    degree = np.floor(bank.degree * exp(bank.degree_spread * draws.bell(part.watched)) + 0.5).astype(np.int64)
    degree = degree.clip(3, _LARGEST_DEGREE)
    affordable = int(0.9 * (part.relations - _relations_for_everybody(part)))
    if degree.sum() > affordable:
        degree = np.maximum(3, degree * affordable // degree.sum())
    return degree


def _counterparties(part: Part, owner: Ints, draws: Draws) -> Ints:
    """`[W]` an ordinary customer for each relation of a watched one, none twice for the same."""
    pool = part.watched + draws.shuffled(part.ordinary)[: round(part.ordinary * _POOL)]
    other = np.zeros_like(owner)
    repeated = np.ones(owner.size, bool)
    while repeated.any():
        other[repeated] = pool[draws.below(int(repeated.sum()), pool.size)]
        repeated[:] = True
        repeated[_first_of_each(np.stack([owner, other]))] = False
    return other


def _relations_for_everybody(part: Part) -> int:
    """How many it takes that every ordinary customer has one."""
    return (part.ordinary + 1) // 2


def _among_ordinary(part: Part, following: Part | None, sides: Ints, count: int, draws: Draws) -> Ints:
    """`[2, count]`: first everybody gets a relation, then some get more; numbered in the part."""
    order = part.watched + draws.shuffled(part.ordinary)
    half = part.ordinary // 2
    pairs = [order[:half], order[half : 2 * half]]
    if part.ordinary % 2:
        pairs = [np.append(pairs[0], order[-1]), np.append(pairs[1], order[0])]
    taken = np.concatenate([sides, np.stack(pairs)], 1)
    taken = taken[:, _first_of_each(taken)]
    found = taken[:, sides.shape[1] :]
    while found.shape[1] < count:
        size = 2 * (count - found.shape[1]) + 16
        # The square of a uniform number prefers the front of the order: utilities, supermarkets.
        one = order[(draws.uniform(size) ** 2 * part.ordinary).astype(np.int64)]
        other = order[draws.below(size, part.ordinary)]
        if following is not None:
            beyond = part.customers + following.watched + draws.below(size, following.ordinary)
            other = np.where(draws.uniform(size) < _ACROSS, beyond, other)
        drawn = np.stack([one, other])[:, one != other]
        taken = np.concatenate([taken, drawn], 1)
        taken = taken[:, _first_of_each(taken)]
        found = taken[:, sides.shape[1] :]
    return found[:, :count]


def _first_of_each(pairs: Ints) -> Ints:
    """The columns in which a pair occurs for the first time, whichever way round it is, in order."""
    key = np.minimum(*pairs) * (int(pairs.max(initial=0)) + 1) + np.maximum(*pairs)
    _, first = np.unique(key, return_index=True)
    return np.sort(first)
