"""What runs over each relation: how much, how often, which way, and how."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edgegat.data.trade._draws import Draws, Floats, Ints, exp
from edgegat.data.trade._network import Network
from edgegat.data.trade.patterns import AMOUNTS, PATTERNS, RHYTHMS, Bank

# The attributes of the patterns, by their place in PATTERNS.
_SHAPES = list(PATTERNS.values())
_GATHERS = np.array([shape.gathers for shape in _SHAPES])
_FEW = np.array([shape.few for shape in _SHAPES])
_FEW_MONEY = np.array([shape.few_money for shape in _SHAPES])
_SPREAD = np.array([shape.spread for shape in _SHAPES])
_MATCHED = np.array([shape.matched != "" for shape in _SHAPES])
_CIRCLE = np.array([shape.matched == "circle" for shape in _SHAPES])
_AMOUNTS = np.array([AMOUNTS.index(shape.amounts) for shape in _SHAPES])
_RHYTHM = np.array([RHYTHMS.index(shape.rhythm) for shape in _SHAPES])

_THRESHOLDS = np.array([1_000.0, 3_000.0, 10_000.0])  # euro; from where a bank must ask, record or report
_JUST_BELOW = 0.95  # the typical part of a threshold that is deposited by somebody who avoids it
_LARGEST_NUMBER = 120
_UNUSUAL = 0.06  # of the customers are twice as far from the typical as others


class Flows(NamedTuple):
    """What runs over each of `R` relations."""

    total: Floats  # [R] euro
    number: Ints  # [R] transactions, at least 1
    inward: NDArray[np.bool_]  # [R] whether the money comes to `Network.one`
    both_ways: Floats  # [R] the chance that a single transaction runs the other way
    amounts: Ints  # [R] in AMOUNTS
    threshold: Floats  # [R] euro, where the amounts stay below one
    rhythm: Ints  # [R] in RHYTHMS
    moment: Floats  # [R] from 0 to 1, around when, where the rhythm has such a moment


def draw_flows(
    bank: Bank, network: Network, pattern: Ints, money: Floats, number: Floats, draws: Draws
) -> Flows:
    """Divide what each watched customer moves among its relations, and draw what ordinary ones do.

    Args:
        bank: says whether `money` is of a whole customer or of one of its relations.
        network: the relations.
        pattern: `[watched]`, a place in `PATTERNS`.
        money: `[watched]`, ln of the typical sum.
        number: `[watched]`, ln of the typical number of transactions of a relation.
        draws: the stream.
    """
    watched = _flows_of_watched(bank, network, pattern, money, number, draws)
    others = _flows_of_others(network.one.size - network.owner.size, draws)
    on_circle = np.flatnonzero(_CIRCLE[pattern[network.owner[network.closes]]])
    _pass_on(watched, network.closes[on_circle], others, on_circle)
    return Flows._make(np.concatenate(column) for column in zip(watched, others, strict=True))


def _flows_of_watched(
    bank: Bank, network: Network, pattern: Ints, money: Floats, number: Floats, draws: Draws
) -> Flows:
    W, watched = network.owner.size, network.degree.size
    owner, place, degree = network.owner, network.place, network.degree
    shape = pattern[owner]

    unusual = 1.0 + (draws.uniform(watched) < _UNUSUAL)
    turnover = exp(money + bank.money_spread * unusual * draws.bell(watched))
    often = exp(number + bank.number_spread * unusual * draws.bell(watched))
    if bank.money_is_of == "relation":
        turnover = turnover * degree

    large = np.where(_FEW[pattern] > 0, np.maximum(1.0, np.floor(_FEW[pattern] * degree + 0.5)), 0.0)[owner]
    is_large = place < large
    money_of_kind = np.where(is_large, _FEW_MONEY[shape], 1.0 - _FEW_MONEY[shape])

    # A matched relation is as large as the one before it, less the fee of who passes the money on.
    matched = _MATCHED[shape]
    follows = matched & (place % 2 == 1)
    weight = exp(_SPREAD[shape] * draws.bell(W))
    weight = np.where(follows, np.roll(weight, 1) * (0.95 + 0.04 * draws.uniform(W)), weight)
    kind = owner * 2 + is_large
    total = turnover[owner] * money_of_kind * weight / np.bincount(kind, weight, 2 * watched)[kind]

    # Who stays below a threshold needs as many deposits as that takes.
    amounts = np.where(is_large, AMOUNTS.index("varied"), _AMOUNTS[shape])
    typical = turnover / (often * degree)
    threshold = _THRESHOLDS[np.searchsorted(_THRESHOLDS[:-1] * 1.5, typical)][owner]
    count = often[owner] * exp(0.35 * draws.bell(W))
    count = np.where(amounts == AMOUNTS.index("below"), total / (_JUST_BELOW * threshold), count)

    # The few large relations run against the many small ones, every second matched one against the other.
    inward = np.where(matched, (place % 2 == 1) == _CIRCLE[shape], _GATHERS[shape] != is_large)

    rhythm = _RHYTHM[shape]
    moment = draws.uniform(W)
    burst = draws.uniform(watched)[owner]
    moment = np.where(rhythm == RHYTHMS.index("burst"), burst, moment)
    moment = np.where(follows, np.roll(moment, 1), moment)
    return Flows(total, _whole(count), inward, np.full(W, 0.02), amounts, threshold, rhythm, moment)


def _pass_on(watched: Flows, first: Ints, others: Flows, third: Ints) -> None:
    """What the `first` side of a circle brought goes on, less a fee, over the `third`, and at about the same time."""
    for received, handed_on in zip(watched, others, strict=True):
        handed_on[third] = received[first]
    others.total[third] *= 0.98
    others.inward[third] = False


def _flows_of_others(count: int, draws: Draws) -> Flows:
    """Anything: so that a counterparty's other business says nothing about the one who is watched."""
    return Flows(
        total=exp(9.3 + 1.6 * draws.bell(count)),
        number=_whole(exp(1.6 + 0.9 * draws.bell(count))),
        inward=draws.uniform(count) < 0.5,
        both_ways=np.full(count, 0.15),
        amounts=draws.below(count, 2),  # varied or equal
        threshold=np.zeros(count),
        rhythm=draws.below(count, 2),  # any or regular
        moment=draws.uniform(count),
    )


def _whole(count: Floats) -> Ints:
    return count.round().clip(1, _LARGEST_NUMBER).astype(np.int64)
