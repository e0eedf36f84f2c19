"""Single transactions: the amounts and times of what runs over a relation."""

from __future__ import annotations

import numpy as np
import polars as pl

from edgegat.data.trade._draws import Draws, Floats, Ints, exp
from edgegat.data.trade._money import Flows
from edgegat.data.trade._network import Network
from edgegat.data.trade._people import account_numbers
from edgegat.data.trade.patterns import AMOUNTS, RHYTHMS

DAYS = 90
_DAY = 86_400
_START = 1_735_689_600  # 2025-01-01, in seconds since 1970


def draw_transactions(network: Network, flows: Flows, seed: int, draws: Draws) -> pl.DataFrame:
    """One row per transaction, by time: `time`, `sender`, `receiver` and `amount` in euro."""
    of = np.repeat(np.arange(flows.number.size), flows.number)
    cents = _amounts(flows, of, draws)
    seconds = _times(flows, of, draws)
    inward = flows.inward[of] ^ (draws.uniform(of.size) < flows.both_ways[of])
    one, other = account_numbers(network.one, seed), account_numbers(network.other, seed)
    order = np.argsort(seconds, kind="stable")
    of, inward = of[order], inward[order]
    either = pl.DataFrame({"one": one.gather(of), "other": other.gather(of), "inward": inward})
    return either.select(
        time=pl.Series((_START + seconds[order]) * 1_000_000).cast(pl.Datetime("us")),
        sender=pl.when("inward").then("other").otherwise("one"),
        receiver=pl.when("inward").then("one").otherwise("other"),
        amount=pl.Series(cents[order] / 100.0),
    )


def _amounts(flows: Flows, of: Ints, draws: Draws) -> Ints:
    """`[T]` cents."""
    style = flows.amounts[of]
    factor = exp(np.where(style == AMOUNTS.index("equal"), 0.0, 0.45) * draws.bell(of.size))
    factor = factor * (flows.number / np.bincount(of, factor))[of]
    euro = (flows.total / flows.number)[of] * factor
    below = flows.threshold[of] * (0.9 + 0.099 * draws.uniform(of.size))
    euro = np.where(style == AMOUNTS.index("below"), below, euro)
    return np.maximum(1, np.floor(euro * 100.0 + 0.5)).astype(np.int64)


def _times(flows: Flows, of: Ints, draws: Draws) -> Ints:
    """`[T]` seconds from the first day: a day by the rhythm, an hour of the day by habit."""
    nth = np.arange(of.size) - (np.cumsum(flows.number) - flows.number)[of]
    rhythm, moment = flows.rhythm[of], flows.moment[of]
    day: Floats = draws.uniform(of.size) * DAYS
    every = (nth + moment) / flows.number[of] * DAYS
    day = np.where(rhythm == RHYTHMS.index("regular"), every, day)
    day = np.where(rhythm == RHYTHMS.index("burst"), moment * (DAYS - 12) + draws.uniform(of.size) * 12, day)
    lag = np.where(flows.inward[of], 0.0, 1.0) + draws.uniform(of.size)
    day = np.where(rhythm == RHYTHMS.index("relay"), moment * (DAYS - 4) + lag, day)
    # Half an hour past six in the morning to half past ten at night, most of it around two.
    hour = 6.5 + 8.0 * (draws.uniform(of.size) + draws.uniform(of.size))
    return np.floor(day).astype(np.int64).clip(0, DAYS - 1) * _DAY + np.floor(hour * 3600).astype(np.int64)
