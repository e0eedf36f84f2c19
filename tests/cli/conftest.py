"""Every test of a command has a folder of its own to be in; a trained model is made once."""

from __future__ import annotations

import shutil

import pytest

from tests.cli.run import edgegat, write_bank


@pytest.fixture(autouse=True)
def in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def trained_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bank")
    nodes, edges = write_bank(folder)
    schema, model = folder / "edgegat.toml", folder / "model"
    assert edgegat("init", nodes, edges, "-o", schema).code == 0
    quick = ["--epochs", 3, "--no-baselines", "--no-pictures", "--quiet"]
    assert edgegat("train", nodes, edges, "-s", schema, "-o", model, *quick) == (0, "", "")
    return folder


@pytest.fixture
def trained(trained_once, tmp_path):
    """The current folder has customers.csv, transfers.csv, edgegat.toml and model."""
    shutil.copytree(trained_once, tmp_path, dirs_exist_ok=True)
