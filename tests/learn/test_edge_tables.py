"""Labels on transfers, from tables to scores: the same commands, metrics and saved models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from edgegat import EGATClassifier
from edgegat.data import DataError, GraphEncoder, Schema
from edgegat.data.checks import check_tables
from edgegat.learn import ModelOptions, TrainingOptions, evaluate_job, predict_job, train_job
from tests.cli.run import edgegat

SCHEMA = {"edges": {"source": "payer", "target": "payee", "label": "verdict"}, "split": {"ratio": [3, 1, 1]}}
SMALL = ModelOptions(heads=4, hidden_channels=4, directed=True, dropout=0.0)
QUICK = TrainingOptions(epochs=120)


def transfers(seed: int = 0, payers: int = 50) -> pl.DataFrame:
    """Every payer sends large or small sums by habit; the one of six transfers that is not like the others is odd."""
    draws = np.random.default_rng(seed)
    rows = []
    for payer in range(payers):
        large, odd = draws.integers(2), draws.integers(6)
        for n in range(6):
            amount = 100.0 if (large == 1) != (n == odd) else 1.0
            rows.append(
                (f"p{seed}-{payer}", f"q{draws.integers(payers)}", amount, "odd" if n == odd else "usual")
            )
    return pl.DataFrame(rows, schema=["payer", "payee", "amount", "verdict"], orient="row")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("edges") / "model"
    return train_job(None, transfers(), SCHEMA, SMALL, QUICK, output=folder), folder


def test_the_report_is_about_edges(trained):
    report, _ = trained
    assert report.labels_on == "edges"
    assert list(report.methods) == ["EGAT", "gradient boosting"]
    assert report.graph["labelled"] == report.graph["edges"] == 300
    assert {part: m.count for part, m in report.methods["EGAT"].parts.items()} == {
        "train": 180,
        "val": 60,
        "test": 60,
    }
    assert report.methods["EGAT"].parts["test"].accuracy > 0.95
    assert report.classes[report.wanted] == "odd"


def test_evaluation_knows_the_edges_it_has_met_in_any_order(trained):
    report, folder = trained
    found = evaluate_job(folder, None, transfers().sample(fraction=1.0, shuffle=True, seed=1))
    assert found.labels_on == "edges"
    assert {part: m.count for part, m in found.parts.items()} == {"train": 180, "val": 60, "test": 60}
    assert found.unseen.accuracy == report.methods["EGAT"].parts["test"].accuracy


def test_tables_never_seen_are_scored_and_evaluated(trained, tmp_path):
    _, folder = trained
    unseen = transfers(seed=3, payers=30)
    predicted = predict_job(folder, None, unseen.drop("verdict"), output=tmp_path / "scores.csv")
    assert predicted.nodes is None
    assert predicted.edges.columns == ["source", "target", "row", "class", "probability", "score"]
    assert predicted.edges["source"].to_list() == unseen["payer"].to_list()
    assert predicted.edges["row"].to_list() == list(range(180))
    assert (predicted.edges["class"] == unseen["verdict"]).mean() > 0.95
    assert pl.read_csv(tmp_path / "scores.csv").height == predicted.to_dict()["edges"] == 180
    found = evaluate_job(folder, None, unseen)
    assert list(found.parts) == ["new"]
    assert found.unseen.accuracy > 0.95


def test_the_classifier_answers_for_each_row(trained):
    unseen = transfers(seed=3, payers=30)
    classifier = EGATClassifier.load(trained[1])
    assert (classifier.predict(None, unseen) == unseen["verdict"].to_numpy()).mean() > 0.95
    assert classifier.predict_proba(None, unseen).shape == (180, 2)
    assert classifier.score(None, unseen) > 0.95
    short = EGATClassifier(SCHEMA, heads=2, epochs=3).fit(None, unseen)
    assert set(short.predict(None, unseen)) <= {"odd", "usual"}


def test_every_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    transfers().write_csv(tmp_path / "transfers.csv")
    (tmp_path / "edgegat.toml").write_text(
        '[edges]\nsource = "payer"\ntarget = "payee"\nlabel = "verdict"\n', encoding="utf-8"
    )
    train = edgegat(
        "train", "-", "transfers.csv", "--epochs", "15", "--set", "directed=true", "--set", "heads=2"
    )
    assert train.code == 0, train.err
    assert "300 edges, 300 labelled edges" in train.out
    assert "60 edges of the test part" in train.out
    assert Path(tmp_path / "model" / "pictures").is_dir()
    predict = edgegat("predict", "model", "-", "transfers.csv")
    assert predict.code == 0, predict.err
    assert "of 300 edges" in predict.out
    assert edgegat("info", "model").code == 0
    evaluate = edgegat("evaluate", "model", "-", "transfers.csv")
    assert evaluate.code == 0, evaluate.err
    assert "edges" in evaluate.out


def test_the_label_is_no_feature_and_the_encoders_learn_from_training_rows_alone():
    encoder, encoded = GraphEncoder.fit(None, transfers(), SCHEMA)
    assert encoder.edge_feature_names == ["amount"]
    assert encoded.graph.labels_on == "edges"
    assert encoded.edge_ids.n_unique() == 300
    again, _ = GraphEncoder.fit(None, transfers().reverse(), SCHEMA)
    assert again.to_dict() == encoder.to_dict()
    wild = transfers().with_columns(
        pl.when(pl.Series(encoded.graph.test_mask.numpy())).then(1e9).otherwise("amount").alias("amount")
    )
    assert GraphEncoder.fit(None, wild, SCHEMA)[0].to_dict()["edges"] == encoder.to_dict()["edges"]


def test_a_split_column_of_the_edge_table():
    parts = transfers().with_columns(pl.Series("part", ["train"] * 150 + ["val"] * 50 + ["test"] * 100))
    schema = SCHEMA | {"split": {"column": "part"}}
    encoder, encoded = GraphEncoder.fit(None, parts, schema)
    assert encoder.edge_feature_names == ["amount"]
    assert encoded.graph.test_mask.nonzero().flatten().tolist() == list(range(200, 300))
    assert not [finding for finding in check_tables(None, parts, schema) if finding.level == "error"]


def test_a_split_by_time_puts_the_last_edges_into_the_test():
    timed = transfers().with_columns(
        pl.Series("day", [f"2024-{1 + n // 28:02d}-{1 + n % 28:02d}" for n in range(300)])
    )
    schema = {"edges": SCHEMA["edges"] | {"time": "day"}, "split": {"by_time": True}}
    _, encoded = GraphEncoder.fit(None, timed, schema)
    assert encoded.graph.test_mask.nonzero().flatten().tolist() == list(range(240, 300))


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (
            {**SCHEMA, "nodes": {"id": "i", "label": "l"}},
            "both have a label: a model decides about one of the two",
        ),
        ({"edges": {**SCHEMA["edges"], "parallel": "aggregate"}}, 'it needs parallel = "keep"'),
        (
            {"edges": {**SCHEMA["edges"], "features": {"verdict": "category"}}},
            "'verdict' is 'label' and cannot be",
        ),
        ({"edges": {"source": "a", "target": "b", "labelled": "c"}}, "but there is no 'label'"),
    ],
)
def test_schemas_that_make_no_sense_are_refused(schema, said):
    with pytest.raises(DataError, match=said):
        Schema.from_dict(schema)


def test_tables_without_the_label_are_refused(trained):
    _, folder = trained
    with pytest.raises(DataError, match="verdict"):
        evaluate_job(folder, None, transfers().drop("verdict"))
    with pytest.raises(DataError, match="no edge of the edge table has a label"):
        evaluate_job(folder, None, transfers().with_columns(verdict=pl.lit(None, pl.String)))
    with pytest.raises(DataError, match=r"EG001.*named in edges"):
        train_job(None, transfers().drop("verdict"), SCHEMA, SMALL, replace(QUICK, epochs=1))
