"""A bank in which payers are of one kind and payees of the other, each with as many transfers of the same sums."""

from __future__ import annotations

import polars as pl
import torch


def one_way_bank(customers: int = 60, seed: int = 0) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The even ones pay, the odd ones are paid; everybody takes part in four transfers."""
    g = torch.Generator().manual_seed(seed)
    half = customers // 2
    payers = torch.arange(half).repeat(4) * 2
    payees = torch.cat([torch.randperm(half, generator=g) for _ in range(4)]) * 2 + 1
    ids = [f"c{seed}-{number}" for number in range(customers)]
    nodes = pl.DataFrame({"customer": ids, "verdict": ["pays", "is paid"] * half})
    edges = pl.DataFrame(
        {
            "payer": [ids[i] for i in payers.tolist()],
            "payee": [ids[i] for i in payees.tolist()],
            "amount": torch.rand(4 * half, generator=g).tolist(),
        }
    )
    return nodes, edges
