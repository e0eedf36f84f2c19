"""A written bank becomes the paper's graph, and nothing about it needs mending."""

from __future__ import annotations

import polars as pl
import pytest

from edgegat.data import GraphEncoder
from edgegat.data.checks import check_tables
from edgegat.data.trade import generate, write
from tests.data.trade.relations import relations

PAPER = {"trade-b": (3_907, 4_394, 97, [19, 20]), "trade-m": (4_431, 4_900, 139, [27, 28, 29])}


@pytest.fixture(scope="module", params=["trade-b", "trade-m"])
def name(request):
    return request.param


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_numbers_of_the_paper(tmp_path, name, format):
    files = write(tmp_path, name, format=format)
    encoder, encoded = GraphEncoder.fit(files.customers, files.transactions, files.schema)
    graph = encoded.graph
    nodes, edges, labelled, held_back = PAPER[name]
    assert (graph.num_nodes, graph.num_edges) == (nodes, edges)
    assert int((graph.y >= 0).sum()) == labelled
    assert graph.num_classes == len(encoder.classes) == {"trade-b": 2, "trade-m": 3}[name]
    train, *others = (int(mask.sum()) for mask in (graph.train_mask, graph.val_mask, graph.test_mask))
    assert all(part in held_back for part in others)
    assert train == labelled - sum(others)
    assert encoder.node_feature_names == ["risk_level"]
    assert encoder.edge_feature_names == ["count", "amount (sum)"]


def test_every_edge_has_its_number_and_total(tmp_path, name):
    tables = generate(name)
    files = write(tmp_path, name)
    _, encoded = GraphEncoder.fit(*files)
    one, other = (encoded.ids.gather(end.numpy()) for end in encoded.graph.edge_index)
    ends = pl.DataFrame({"a": one, "b": other}).select(
        one=pl.min_horizontal("a", "b"), other=pl.max_horizontal("a", "b")
    )
    known = ends.join(relations(tables.transactions), on=["one", "other"], how="left", maintain_order="left")
    number, total = encoded.graph.edge_attr.T.numpy()
    learned = known.with_columns(learned_number=number, learned_total=total)
    for column, kept_apart in (("number", 1.0), ("total", 0.99)):
        feature = learned.sort(column)[f"learned_{column}"]
        assert feature.is_sorted()  # it grows with the truth,
        assert feature.n_unique() >= kept_apart * learned[column].n_unique()  # and keeps it apart


def test_the_checks_find_hubs_at_most(tmp_path, name):
    findings = check_tables(*write(tmp_path, name))
    assert {finding.code for finding in findings} <= {"EG024"}
