"""Ethereum phishing: which accounts of a transfer network belong to swindlers."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray

from edgegat.data.datasets.graph_dataset import GraphDataset, find_folder
from edgegat.data.errors import DataError
from edgegat.graph import EdgeGraph

_EDGES, _NODES = "edges.csv", "nodes_train_test_split.csv"
_EDGE_COLUMNS = {
    "from": pl.Int64,
    "to": pl.Int64,
    "amount": pl.Float64,
    "n_transactions": pl.Int64,
    "timestamp": pl.Int64,
}
_NODE_COLUMNS = {
    "id": pl.Int64,
    "label": pl.Float64,
    "has_label": pl.Boolean,
    "is_train": pl.Boolean,
    "is_test": pl.Boolean,
}
_YEAR = 365.25 * 86_400
_VALIDATION = 0.25  # of the training accounts: 3:1, as in the paper


class EthereumPhishing(GraphDataset):
    """Accounts and transfers of Ethereum: 890 accounts are labelled, half of them as phishing (class 1).

    The closest public kin of the paper's Trade-B. Edge features are ``ln amount`` and ``ln n_transactions``;
    all amounts are above 0. Nodes have none of their own, so ``x`` is a column of ones. ``ids`` are the
    accounts' numbers in the files.

    The data may be used and cited, but not passed on (XBlock, T-EDGE, arXiv 1905.08038), so they are neither
    in this package nor downloaded by it.

    Args:
        root: the folder with ``edges.csv`` and ``nodes_train_test_split.csv``. By default
            ``$EDGEGAT_DATA/ethereum-phishing``.
        time: append the years since the first transfer to the edge features. Phishing accounts of this set begin
            later than others, by the way it was sampled, so the first transfer's time almost gives them away
            (AUC 0.98 by itself): report results without it first.
        undirected: make one edge of the two directions between two accounts, as the paper does: amounts and
            transactions are summed, the later time is kept. Otherwise they are two parallel edges, each with
            its sender first.
        seed: of the validation part, a quarter of the training accounts of each class; the test part is the
            published one.
    """

    def __init__(
        self,
        root: str | PathLike[str] | None = None,
        *,
        time: bool = False,
        undirected: bool = False,
        seed: int = 0,
    ) -> None:
        folder = find_folder(root, "ethereum-phishing")
        nodes = _read(folder, _NODES, _NODE_COLUMNS)
        _refuse(folder / _NODES, nodes["id"].is_duplicated(), "'id' is not the only one of its kind")
        nodes = nodes.sort("id")
        ids = nodes["id"].to_numpy()
        edges = _read(folder, _EDGES, _EDGE_COLUMNS)
        for column in ("amount", "n_transactions"):
            _refuse(folder / _EDGES, ~(edges[column] > 0), f"{column!r} is not above 0")
        edges = edges.with_columns(_rows(folder, edges[end], ids) for end in ("from", "to"))
        edges = edges.with_columns(years=(pl.col("timestamp") - pl.col("timestamp").min()) / _YEAR)
        note = "directed: one edge for each direction, sender first"
        if undirected:
            given = edges.height
            edges = _merge_directions(edges)
            note = f"undirected: {given} directed edges became {edges.height}, amounts and transactions summed"
        features = [pl.col("amount").log(), pl.col("n_transactions").log()]
        if time:
            features.append(pl.col("years"))
        label = nodes["label"].fill_null(-1).to_numpy().astype(np.int64)
        label[~nodes["has_label"].to_numpy()] = -1
        train, validation = _divide(nodes["is_train"].to_numpy(), label, seed)
        graph = EdgeGraph(
            x=torch.ones(ids.size, 1),
            edge_index=torch.from_numpy(edges.select("from", "to").to_numpy().T.copy()),
            edge_attr=torch.from_numpy(edges.select(*features).to_numpy().astype(np.float32)),
            y=torch.from_numpy(label),
            train_mask=torch.from_numpy(train),
            val_mask=torch.from_numpy(validation),
            test_mask=torch.from_numpy(nodes["is_test"].to_numpy().copy()),
            note=note,
        )
        super().__init__("EthereumPhishing", graph, ids)


def _read(folder: Path, name: str, columns: Mapping[str, type[pl.DataType]]) -> pl.DataFrame:
    file = folder / name
    if not file.is_file():
        raise DataError(
            f"there is no file {file}. The Ethereum phishing data may not be passed on: get {_EDGES} and "
            f"{_NODES} from their source (XBlock, T-EDGE, arXiv 1905.08038; split of the GitHub repository "
            f"KazumaYamamoto2023/DSC180B-Q2-Project) and put both into {folder}."
        )
    try:
        table = pl.read_csv(file, columns=list(columns), schema_overrides=dict(columns))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(
            f"{file} is not as it should be, with the columns {', '.join(columns)}, separated by commas: "
            f"{str(error).splitlines()[0]}"
        ) from None
    if table.is_empty():
        raise DataError(f"{file} has a header and nothing below it. Get it again.")
    for column in columns:
        if column != "label":
            _refuse(file, table[column].is_null(), f"{column!r} is empty")
    return table


def _refuse(file: Path, wrong: pl.Series, what: str) -> None:
    """Name the first line on which something is wrong, and how many there are."""
    lines = wrong.arg_true() + 2
    if len(lines):
        raise DataError(
            f"{file}, line {lines[0]}: {what} ({len(lines)} in all). The published files have no such line: get "
            "both again."
        )


def _merge_directions(edges: pl.DataFrame) -> pl.DataFrame:
    """One row for each pair of accounts, in the place and the direction of its first row."""
    first, second = pl.min_horizontal("from", "to"), pl.max_horizontal("from", "to")
    return edges.group_by(first.alias("lower"), second.alias("higher"), maintain_order=True).agg(
        pl.col("from", "to").first(), pl.col("amount", "n_transactions").sum(), pl.col("years").max()
    )


def _rows(folder: Path, end: pl.Series, ids: NDArray[np.int64]) -> pl.Series:
    """The node numbers of accounts, by bisection in their sorted ids."""
    account = end.to_numpy()
    row = np.searchsorted(ids, account).clip(max=ids.size - 1)
    unknown = pl.Series(ids[row] != account)
    _refuse(folder / _EDGES, unknown, f"{end.name!r} is an account that {_NODES} does not have")
    return pl.Series(end.name, row)


def _divide(
    train: NDArray[np.bool_], label: NDArray[np.int64], seed: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Take a part of each class out of the training accounts, for validation."""
    draws = np.random.default_rng(seed)
    validation = np.zeros_like(train)
    for number in np.unique(label[train]):
        accounts = draws.permutation(np.flatnonzero(train & (label == number)))
        validation[accounts[: round(_VALIDATION * accounts.size)]] = True
    return train & ~validation, validation
