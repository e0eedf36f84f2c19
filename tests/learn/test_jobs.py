"""Tables in, a saved model and scores out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from edgegat.data import DataError, GraphEncoder
from edgegat.learn import (
    LearningError,
    ModelOptions,
    OptionError,
    SavedModelError,
    TrainingInterrupted,
    TrainingOptions,
    evaluate_job,
    load_model,
    predict_job,
    save_model,
    train_job,
)
from edgegat.learn.saved_model import SavedModel
from tests.learn.tables import SCHEMA, bank

SMALL = ModelOptions(heads=2, hidden_channels=4, edge_hidden_channels=4)
QUICK = TrainingOptions(epochs=60, checkpoint_seconds=0.0)
BANK = bank()


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The report of a run with baselines, three times, saved."""
    folder = tmp_path_factory.mktemp("trained") / "model"
    return train_job(*BANK, SCHEMA, SMALL, QUICK, output=folder, repeats=3)


def test_the_report(trained):
    assert list(trained.methods) == ["EGAT", "gradient boosting", "GAT without edge features"]
    assert trained.judge == "test"
    ours, trees, blind = trained.methods.values()
    assert {part: metrics.count for part, metrics in ours.parts.items()} == {"train": 54, "val": 18, "test": 18}
    assert ours.runs["accuracy"].mean >= 0.9
    assert trees.runs["accuracy"].mean >= 0.9
    assert blind.runs["accuracy"].mean < 0.75
    assert len(ours.runs["accuracy"].values) == 3
    assert ours.runs["accuracy"].values[0] == ours.parts["test"].accuracy
    assert trained.classes == ["cleared", "reported"]
    assert trained.graph["nodes"] == 90
    assert trained.split == "random"
    assert trained.everybody.shape == (90,)
    assert trained.truth.shape == trained.probabilities["EGAT"].shape[:1] == (18,)
    assert sum(trained.reliability.counts) == 18
    json.dumps(trained.to_dict(), allow_nan=False)


def test_the_saved_model_knows_what_the_report_says(trained):
    saved = load_model(trained.folder)
    assert (
        saved.metrics["methods"]["EGAT"]["parts"]["test"]["accuracy"]
        == trained.methods["EGAT"].parts["test"].accuracy
    )
    assert saved.data["nodes"] == 90
    assert len(saved.data["fingerprint"]) == 32
    assert {part: len(ids) for part, ids in saved.split.items()} == {"train": 54, "val": 18, "test": 18}


def test_repeats_differ_in_seed_and_split(trained):
    alone = train_job(*BANK, SCHEMA, SMALL, QUICK, baselines=False)
    second = train_job(
        *BANK,
        {**SCHEMA, "split": {"ratio": [3, 1, 1], "seed": 1}},
        SMALL,
        replace(QUICK, seed=1),
        baselines=False,
    )
    values = trained.methods["EGAT"].runs["log_loss"].values
    assert values[0] == alone.methods["EGAT"].parts["test"].log_loss
    assert values[1] == second.methods["EGAT"].parts["test"].log_loss
    assert len(set(values)) == 3
    assert set(alone.model.split["test"]) != set(second.model.split["test"])


def test_predictions_are_those_of_training(trained):
    predictions = predict_job(trained.folder, *BANK)
    assert predictions.nodes["id"].to_list() == BANK.customers["customer"].to_list()
    assert np.allclose(predictions.nodes["score"].to_numpy(), trained.everybody, atol=1e-6)
    assert predictions.wanted == "reported"
    score, named = predictions.nodes["score"].to_numpy(), predictions.nodes["class"].to_numpy()
    assert np.allclose(
        predictions.nodes["probability"].to_numpy(), np.where(named == "reported", score, 1 - score)
    )


def test_rows_and_columns_in_any_order_and_no_labels(trained):
    before = predict_job(trained.folder, *BANK).nodes
    customers = BANK.customers.drop("verdict").select("age", "customer").reverse()
    transfers = BANK.transfers.select("channel", "amount", "payee", "payer").sample(
        fraction=1.0, shuffle=True, seed=0
    )
    after = predict_job(trained.folder, customers, transfers).nodes
    assert after["id"].to_list() == customers["customer"].to_list()
    both = before.join(after, on="id", suffix=" after")
    assert np.allclose(both["score"].to_numpy(), both["score after"].to_numpy(), atol=1e-5)


def test_next_months_tables(trained):
    month = bank(seed=7)
    customers = month.customers.with_columns(customer="Neu " + pl.col("customer")).drop("verdict")
    transfers = month.transfers.with_columns(
        payer="Neu " + pl.col("payer"),
        payee="Neu " + pl.col("payee"),
        channel=pl.Series(["crypto"] * month.transfers.height),
    )
    transfers = pl.concat([transfers, transfers.head(1).with_columns(payee=pl.lit("a stranger"))])
    predictions = predict_job(trained.folder, customers, transfers)
    assert predictions.in_table == 90
    assert predictions.nodes.height == 91
    assert predictions.nodes["id"][-1] == "a stranger"
    assert any("crypto" in note for note in predictions.notes)
    right = predictions.nodes["class"].head(90) == month.customers["verdict"]
    assert right.mean() > 0.85


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files_of_scores_and_embeddings(trained, tmp_path, suffix):
    target = tmp_path / f"scores{suffix}"
    predictions = predict_job(trained.folder, *BANK, output=target, embeddings=True)
    assert [path.name for path in predictions.files] == [
        f"scores{part}{suffix}" for part in ("", ".nodes", ".edges")
    ]
    assert sorted(os.listdir(tmp_path)) == sorted(path.name for path in predictions.files)
    read = pl.read_csv if suffix == ".csv" else pl.read_parquet
    scores, nodes, edges = (read(path) for path in predictions.files)
    assert scores.columns == ["id", "class", "probability", "score"]
    assert scores["score"].to_numpy() == pytest.approx(predictions.nodes["score"].to_numpy())
    assert nodes.shape == (90, 1 + 2 * 2 * (4 + 4))
    assert edges.shape == (BANK.transfers.height, 3 + 2 * 4)
    assert edges["source"].to_list() == BANK.transfers["payer"].to_list()
    assert edges["target"].to_list() == BANK.transfers["payee"].to_list()
    assert edges["row"].to_list() == list(range(BANK.transfers.height))
    assert edges["channel 0"].n_unique() > 10


def test_three_classes_have_a_probability_each():
    report = train_job(*bank(classes=3), SCHEMA, SMALL, replace(QUICK, epochs=3), baselines=False)
    frame = predict_job(report.model, *bank(classes=3)).nodes
    assert frame.columns[4:] == [f"probability of {name}" for name in ("cleared", "reported", "unclear")]
    assert np.allclose(frame.select(frame.columns[4:]).sum_horizontal().to_numpy(), 1.0)


def test_the_wanted_class_is_the_rarest():
    rare = bank()
    verdict = pl.when(pl.col("verdict") == "cleared").then(pl.lit("a swindler")).otherwise(pl.lit("ok"))
    customers = rare.customers.with_columns(verdict=verdict)
    drop = (customers["verdict"] == "a swindler") & (pl.Series(range(90)) % 4 != 0)
    customers = customers.with_columns(
        verdict=pl.Series([None if d else v for d, v in zip(drop, customers["verdict"], strict=True)])
    )
    report = train_job(customers, rare.transfers, SCHEMA, SMALL, replace(QUICK, epochs=2), baselines=False)
    assert report.classes[report.wanted] == "a swindler"


def test_evaluate_tells_seen_from_unseen(trained):
    report = evaluate_job(trained.folder, *BANK)
    assert {part: metrics.count for part, metrics in report.parts.items()} == {
        "train": 54,
        "val": 18,
        "test": 18,
    }
    assert report.unseen == report.parts["test"]
    assert report.unseen.accuracy == trained.methods["EGAT"].parts["test"].accuracy
    month = bank(seed=5)
    new = month.customers.with_columns(customer="Neu " + pl.col("customer"))
    names = {"payer": "Neu " + pl.col("payer"), "payee": "Neu " + pl.col("payee")}
    report = evaluate_job(trained.folder, new, month.transfers.with_columns(**names))
    assert list(report.parts) == ["new"]
    assert report.unseen == report.parts["new"]
    assert report.unseen.accuracy > 0.85
    json.dumps(report.to_dict(), allow_nan=False)


def test_a_declared_split_is_kept():
    parts = pl.Series("part", [("train", "train", "val", "test")[n // 2 % 4] for n in range(90)])
    report = train_job(
        BANK.customers.with_columns(parts),
        BANK.transfers,
        {**SCHEMA, "split": {"column": "part"}},
        SMALL,
        replace(QUICK, epochs=2),
        baselines=False,
        repeats=2,
    )
    assert report.split == "column"
    assert report.model.split["test"] == BANK.customers["customer"].filter(parts == "test").to_list()
    assert len(set(report.methods["EGAT"].runs["log_loss"].values)) == 2


def test_without_a_test_part_validation_judges():
    report = train_job(
        *BANK, {**SCHEMA, "split": {"ratio": [3, 1, 0]}}, SMALL, replace(QUICK, epochs=2), baselines=False
    )
    assert report.judge == "val"
    assert "test" not in report.methods["EGAT"].parts


def test_interrupted_and_resumed_it_is_the_same(tmp_path, trained):
    calls = []

    def stop(step, number, total):
        calls.append(step)
        if step.startswith("Run 2 of 3: EGAT") and number == 4:
            raise KeyboardInterrupt

    with pytest.raises(TrainingInterrupted, match="It is kept in"):
        train_job(*BANK, SCHEMA, SMALL, QUICK, output=tmp_path / "m", repeats=3, progress=stop)
    assert not (tmp_path / "m" / "config.json").exists()
    steps = []
    report = train_job(
        *BANK,
        SCHEMA,
        SMALL,
        QUICK,
        output=tmp_path / "m",
        repeats=3,
        resume=True,
        progress=lambda step, number, total: steps.append((*step.split(":")[:2], number)),
    )
    assert ("Run 1 of 3", " EGAT", 1) not in steps
    assert ("Run 2 of 3", " EGAT", 5) in steps
    assert ("Run 2 of 3", " EGAT", 4) not in steps
    for name, method in report.methods.items():
        assert method.runs == trained.methods[name].runs
    mine, theirs = (Path(folder) / "model.safetensors" for folder in (report.folder, trained.folder))
    assert mine.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize(
    ("tables", "schema", "kind", "said"),
    [
        (BANK, {"edges": {"source": "payer", "target": "payee"}}, DataError, "names no label"),
        (
            BANK,
            {**SCHEMA, "nodes": {"id": "customer", "label": "verdikt"}},
            DataError,
            "Did you mean 'verdict'",
        ),
        (
            (BANK.customers.with_columns(verdict=pl.lit("x")), BANK.transfers),
            SCHEMA,
            DataError,
            "EG015 error: .*all labels are 'x'",
        ),
        (("nowhere.csv", BANK.transfers), SCHEMA, DataError, r"nowhere\.csv"),
        (
            (pl.concat([BANK.customers, BANK.customers.head(1)]), BANK.transfers),
            SCHEMA,
            DataError,
            "Kunde 0000",
        ),
    ],
)
def test_refusals_of_training(tables, schema, kind, said):
    with pytest.raises(kind, match=said):
        train_job(*tables, schema, SMALL, QUICK)


@pytest.mark.parametrize("repeats", [0, 1.5, True])
def test_repeats_that_cannot_be(repeats):
    with pytest.raises(OptionError, match=f"repeats is {repeats}, but it must be a whole number, 1 or more"):
        train_job(*BANK, SCHEMA, SMALL, QUICK, repeats=repeats)


def test_refusals_of_prediction(trained, tmp_path):
    with pytest.raises(
        DataError, match=r"scores\.xlsx ends in '\.xlsx': scores are written as \.csv or \.parquet"
    ):
        predict_job(trained.folder, *BANK, output=tmp_path / "scores.xlsx")
    with pytest.raises(DataError, match="there is no folder"):
        predict_job(trained.folder, *BANK, output=tmp_path / "no" / "scores.csv")
    with pytest.raises(DataError, match="payer"):
        predict_job(trained.folder, BANK.customers, BANK.transfers.drop("payer"))
    with pytest.raises(SavedModelError, match="is no saved model"):
        predict_job(tmp_path, *BANK)
    with pytest.raises(DataError, match="no node of the node table has a label"):
        evaluate_job(
            trained.folder, BANK.customers.with_columns(verdict=pl.lit(None, pl.String)), BANK.transfers
        )
    saved = trained.model
    of_tensors = SavedModel(saved.model, SMALL, QUICK, saved.calibration, saved.history, ("a", "b"))
    folder = save_model(tmp_path / "tensors", of_tensors)
    with pytest.raises(SavedModelError, match="was trained on tensors"):
        predict_job(folder, *BANK)


def test_a_full_disk_leaves_the_scores_of_before(trained, tmp_path, monkeypatch):
    target = tmp_path / "scores.csv"
    target.write_text("before")

    def full(self, path):
        Path(path).write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_csv", full)
    with pytest.raises(LearningError, match=r"scores\.csv cannot be written: No space left on device"):
        predict_job(trained.folder, *BANK, output=target)
    assert target.read_text() == "before"


def test_paths_frames_and_pandas_give_the_same(trained, tmp_path):
    scores = [
        predict_job(trained.folder, nodes, edges).nodes["score"].to_numpy()
        for nodes, edges in (
            BANK,
            BANK.write(tmp_path),
            (BANK.customers.to_pandas(), BANK.transfers.to_pandas()),
            (BANK.customers.to_arrow(), BANK.transfers.lazy()),
        )
    ]
    for other in scores[1:]:
        assert np.allclose(scores[0], other, atol=1e-6)


def test_a_hub_of_many_edges_needs_little_memory():
    code = """
import resource, torch
from edgegat import EGAT, EdgeGraph
from edgegat.learn import predict
M = 40_000
edge_index = torch.stack([torch.zeros(M, dtype=torch.long), torch.arange(1, M + 1)])
graph = EdgeGraph(torch.ones(M + 1, 1), edge_index, torch.rand(M, 2))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
p = predict(EGAT(in_channels=1, edge_dim=2, out_channels=2), graph).probabilities
assert p.shape == (M + 1, 2) and abs(p.sum(1) - 1).max() < 1e-9
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(run.stdout) < 600  # MB; its 1.6e9 pairs in eight heads would be 51 GB


def test_the_encoder_learns_from_the_training_part_of_each_run(trained):
    encoder, _ = GraphEncoder.fit(*BANK, SCHEMA, split_seed=0)
    assert trained.model.encoder == encoder.to_dict()
