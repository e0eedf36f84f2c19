"""A real network of transfers: what a user gets who writes only the TOML file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edgegat.learn import TrainingOptions, predict_job, train_job

HOME = os.environ.get("EDGEGAT_DATA")
SCHEMA = {
    "nodes": {"id": "id", "label": "label", "labelled": "has_label", "features": {}},
    "edges": {"source": "from", "target": "to", "features": {"amount": "amount", "n_transactions": "count"}},
    "split": {"train": "is_train", "test": "is_test"},
}


@pytest.mark.skipif(not HOME, reason="EDGEGAT_DATA does not name the folder with ethereum-phishing/ in it")
def test_a_short_training_is_on_its_way(tmp_path):
    """The whole one, with default options, takes a minute and reaches more: see docs/training.md."""
    folder = Path(str(HOME)) / "ethereum-phishing"
    nodes, edges = str(folder / "nodes_train_test_split.csv"), str(folder / "edges.csv")
    options = TrainingOptions(epochs=50, device="cpu")
    report = train_job(
        nodes, edges, SCHEMA, training_options=options, output=tmp_path / "model", baselines=False
    )
    result = report.methods["EGAT"].parts["test"]
    assert result.count == 267
    assert result.accuracy >= 0.83
    assert result.roc_auc is not None
    assert result.roc_auc >= 0.9
    scores = predict_job(tmp_path / "model", nodes, edges).nodes
    assert scores.height == 86_622
    assert scores["score"].to_numpy() == pytest.approx(report.everybody, abs=1e-5)
