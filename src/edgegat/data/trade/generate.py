"""A whole bank in memory, or its parts one after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from edgegat.data.errors import DataError
from edgegat.data.trade._bank import draw_part
from edgegat.data.trade._network import parts_of
from edgegat.data.trade.banks import BANKS

_SMALLEST, _LARGEST = 1_000, 10_000_000


class Tables(NamedTuple):
    """What `generate` makes.

    Attributes:
        customers: `account`, `name`, `risk_level` and `label` (null where unknown), by account.
        transactions: `time`, `sender`, `receiver` and `amount` (euro), by time; of a bank of more than 50,000
            customers, part by part.
    """

    customers: pl.DataFrame
    transactions: pl.DataFrame


def generate(name: str = "trade-b", customers: int | None = None, seed: int = 0) -> Tables:
    """An invented bank like one of the two in the paper, in memory. Equal arguments give equal banks, anywhere.

    Args:
        name: ``"trade-b"`` (two classes, told apart by totals) or ``"trade-m"`` (three, by averages).
        customers: how many, from 1,000 to 10 million; by default as many as in the paper. Labels and relations
            are in proportion.
        seed: another bank of the same kind.

    Example:
        >>> tables = generate("trade-b")
        >>> tables.customers.height, tables.customers["label"].count()
        (3907, 97)
        >>> tables.customers.columns, tables.transactions.columns
        (['account', 'name', 'risk_level', 'label'], ['time', 'sender', 'receiver', 'amount'])
    """
    parts = list(draw_parts(name, customers, seed))
    return Tables(*(pl.concat(column) for column in zip(*parts, strict=True)))


def draw_parts(name: str, customers: int | None, seed: int) -> Iterator[Tables]:
    """Check the arguments at once, draw the parts as they are asked for."""
    if name not in BANKS:
        raise DataError(f"there is no bank {name!r}; there are {' and '.join(map(repr, BANKS))}.")
    bank = BANKS[name]
    customers = bank.customers if customers is None else customers
    for argument, value in (("customers", customers), ("seed", seed)):
        if not isinstance(value, int):
            raise DataError(f"{argument} is {value!r}, but it must be a whole number.")
    if not _SMALLEST <= customers <= _LARGEST:
        raise DataError(f"customers is {customers:,}, but a bank has from {_SMALLEST:,} to {_LARGEST:,}.")
    if seed < 0:
        raise DataError(f"seed is {seed}, but it must be 0 or more.")
    parts = parts_of(bank, customers)
    following = [*parts[1:], None]
    return (Tables(*draw_part(bank, part, after, seed)) for part, after in zip(parts, following, strict=True))
