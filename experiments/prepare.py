"""``python -m experiments.prepare FOLDER``: every task as a file of tensors, for a machine without the tables.

Everything else in ``experiments`` then runs with ``--tensors FOLDER`` on torch, PyG, numpy and scikit-learn alone.
The real graphs are read from EDGEGAT_DATA, the banks are generated.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl
import torch

from edgegat.data import DataError
from edgegat.data.datasets import EthereumPhishing, Planetoid
from edgegat.data.trade import generate
from edgegat.graph import EdgeGraph
from experiments import tasks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name in tasks.NAMES:
        try:
            path = tasks.write(folder, name, from_data(name))
        except DataError as error:
            parser.error(str(error))
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


def from_data(name: str) -> EdgeGraph:
    """The graph of a task, its own parts included where it has some."""
    if name in tasks.CITATIONS:
        return Planetoid(name=tasks.CITATIONS[name]).graph
    if name in tasks.BANKS:
        bank, _, seed = name.rpartition("-")
        return _bank(bank, int(seed))
    return EthereumPhishing(time=name == "ethereum-time", undirected=True).graph


def _bank(name: str, seed: int) -> EdgeGraph:
    """Customers with their risk level, and one edge for each pair: ln of the number and of the total of payments."""
    customers, transactions = generate(name, seed=seed)
    row = pl.DataFrame({"account": customers["account"], "row": range(customers.height)})
    for end in ("sender", "receiver"):
        transactions = transactions.join(
            row.rename({"account": end, "row": f"{end}_row"}), on=end, maintain_order="left"
        )
    pairs = transactions.group_by(
        source=pl.min_horizontal("sender_row", "receiver_row"),
        target=pl.max_horizontal("sender_row", "receiver_row"),
        maintain_order=True,
    ).agg(number=pl.len(), total=pl.col("amount").sum())
    classes = sorted(customers["label"].drop_nulls().unique())
    label = customers["label"].replace_strict(classes, range(len(classes)), default=-1, return_dtype=pl.Int64)
    return EdgeGraph(
        x=customers.select(pl.col("risk_level").cast(pl.Float32)).to_torch(),
        edge_index=pairs.select(pl.col("source", "target").cast(pl.Int64)).to_torch().T.contiguous(),
        edge_attr=pairs.select(pl.col("number", "total").log().cast(pl.Float32)).to_torch(),
        y=label.fill_null(-1).to_torch().to(torch.int64),
    )


if __name__ == "__main__":
    main()
