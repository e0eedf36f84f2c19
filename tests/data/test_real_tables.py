"""From real-looking files to a graph, by way of a draft and the checks, without a word of help."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

from edgegat.data import GraphEncoder, Schema, draft_schema
from edgegat.data.checks import check_tables
from edgegat.data.trade import generate

HOME = os.environ.get("EDGEGAT_DATA")


@pytest.mark.parametrize("format_", ["csv", "csv.gz", "parquet"])
def test_an_invented_bank(tmp_path: Path, format_: str) -> None:
    bank = generate("trade-m")
    paths = [tmp_path / f"{name}.{format_}" for name in ("customers", "transactions")]
    for frame, path in zip((bank.customers, bank.transactions), paths, strict=True):
        if format_ == "parquet":
            frame.write_parquet(path)
        else:
            frame.write_csv(path, compression="gzip" if format_ == "csv.gz" else "uncompressed")
    schema = Schema.from_text(draft_schema(*paths))
    assert schema.nodes is not None
    assert (schema.nodes.id, schema.nodes.label) == ("account", "label")
    assert (schema.edges.source, schema.edges.target, schema.edges.parallel) == (
        "sender",
        "receiver",
        "aggregate",
    )
    assert [finding for finding in check_tables(*paths, schema) if finding.level == "error"] == []

    encoder, encoded = GraphEncoder.fit(*paths, schema)
    names, graph = encoded.ids, encoded.graph
    assert names.to_list() == bank.customers["account"].to_list()
    pairs = pl.DataFrame(
        {"sender": names.gather(graph.edge_index[0]), "receiver": names.gather(graph.edge_index[1])}
    )
    assert pairs.rows() == bank.transactions.select("sender", "receiver").unique(maintain_order=True).rows()
    assert pairs.rows() == bank.transactions[encoded.edge_rows].select("sender", "receiver").rows()
    assert encoder.edge_feature_names == ["count", "amount (sum)"]
    assert graph.num_classes == 3


@pytest.mark.skipif(not HOME, reason="the environment variable EDGEGAT_DATA is not set")
def test_ethereum_phishing() -> None:
    folder = Path(str(HOME)) / "ethereum-phishing"
    tables = folder / "nodes_train_test_split.csv", folder / "edges.csv"
    schema = Schema.from_text(draft_schema(*tables))
    assert schema.split.flags == {"train": "is_train", "test": "is_test"}
    assert set(schema.edges.features or {}) == {"amount", "n_transactions"}
    assert check_tables(*tables, schema) == []
    with_time = schema.model_dump(mode="json")
    with_time["edges"]["features"]["timestamp"] = "time"
    (leak,) = check_tables(*tables, with_time)
    assert (leak.code, leak.column) == ("EG026", "timestamp")

    encoder, encoded = GraphEncoder.fit(*tables, schema)
    graph = encoded.graph
    assert (graph.num_nodes, graph.num_edges, encoder.classes) == (86_622, 106_083, ["0", "1"])
    assert graph.y is not None
    assert graph.test_mask is not None
    assert [int((graph.y == label).sum()) for label in (0, 1)] == [445, 445]
    assert int(graph.test_mask.sum()) == 267
