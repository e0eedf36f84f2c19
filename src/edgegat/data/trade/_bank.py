"""One part of a bank: its customers and all their transactions."""

from __future__ import annotations

import numpy as np
import polars as pl

from edgegat.data.trade._draws import Draws, Ints
from edgegat.data.trade._money import draw_flows
from edgegat.data.trade._network import Part, draw_network
from edgegat.data.trade._people import account_numbers, names
from edgegat.data.trade._transactions import draw_transactions
from edgegat.data.trade.patterns import PATTERNS, Bank

# One stream for each question, so that a change to one answer leaves the others alone.
_CASES, _NETWORK, _FLOWS, _TRANSACTIONS, _PEOPLE = range(5)


def draw_part(bank: Bank, part: Part, following: Part | None, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The customers of one part, by account number, and their transactions, by time."""

    def stream(question: int) -> Draws:
        return Draws(seed, int.from_bytes(bank.name.encode()), part.number, question)

    label, case = _draw_cases(bank, part, stream(_CASES))
    cases = [c for kind in bank.labels for c in kind.cases]
    pattern = np.array([list(PATTERNS).index(c.pattern) for c in cases])[case]
    money, number = np.array([c.money for c in cases])[case], np.array([c.number for c in cases])[case]
    network = draw_network(bank, part, following, pattern, stream(_NETWORK))
    flows = draw_flows(bank, network, pattern, money, number, stream(_FLOWS))
    return (
        _customers(bank, part, label, seed, stream(_PEOPLE)),
        draw_transactions(network, flows, seed, stream(_TRANSACTIONS)),
    )


def _draw_cases(bank: Bank, part: Part, draws: Draws) -> tuple[Ints, Ints]:
    """`[watched]` the class of each watched customer, and its case, counted through all classes.

    The shares hold among the labelled as well as among the others.
    """
    shares = tuple(kind.share for kind in bank.labels)
    groups = part.labelled, part.watched - part.labelled
    label = np.concatenate([draws.share_out(size, shares) for size in groups])
    is_labelled = np.arange(part.watched) < part.labelled
    case, before = np.zeros_like(label), 0
    for number, kind in enumerate(bank.labels):
        for group in (is_labelled, ~is_labelled):
            of_kind = np.flatnonzero((label == number) & group)
            case[of_kind] = before + draws.share_out(of_kind.size, tuple(c.share for c in kind.cases))
        before += len(kind.cases)
    return label, case


def _customers(bank: Bank, part: Part, label: Ints, seed: int, draws: Draws) -> pl.DataFrame:
    kind = np.concatenate([label, np.zeros(part.ordinary, np.int64)])
    ends = np.cumsum([kind.risk for kind in bank.labels], axis=1)
    risk = 1 + (draws.uniform(part.customers)[:, None] >= ends[kind, :-1]).sum(1)
    known = np.where(np.arange(part.customers) < part.labelled, kind, len(bank.labels))
    customers = pl.DataFrame(
        {
            "account": account_numbers(part.first + np.arange(part.customers), seed),
            "name": names(part.customers, draws),
            "risk_level": risk,
            "label": pl.Series([*(kind.name for kind in bank.labels), None], dtype=pl.String).gather(known),
        }
    )
    return customers.sort("account")
