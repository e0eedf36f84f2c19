"""Transactions as relations, one row for each pair of customers, as the paper has them."""

from __future__ import annotations

import polars as pl


def relations(transactions: pl.DataFrame) -> pl.DataFrame:
    """``one``, ``other``, ``number`` and ``total`` of each pair, whichever way the money went."""
    first, second = pl.min_horizontal("sender", "receiver"), pl.max_horizontal("sender", "receiver")
    return transactions.group_by(one=first, other=second).agg(number=pl.len(), total=pl.col("amount").sum())


def of_labelled(tables: tuple[pl.DataFrame, pl.DataFrame]) -> pl.DataFrame:
    """``account``, ``label``, ``far``, ``number`` and ``total``: every relation of a labelled customer."""
    customers, transactions = tables
    pairs = relations(transactions)
    ends = pl.concat(
        [pairs.rename({"one": "account", "other": "far"}), pairs.rename({"other": "account", "one": "far"})],
        how="diagonal",
    )
    labelled = customers.filter(pl.col("label").is_not_null()).select("account", "label", "risk_level")
    return labelled.join(ends, on="account").sort("account", "total", "far")
