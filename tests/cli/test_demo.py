from __future__ import annotations

import shlex
from pathlib import Path

import polars as pl
import pytest

from edgegat.cli import demo
from tests.cli.run import edgegat


@pytest.fixture
def short(monkeypatch):
    """Fewer and shorter runs; everything else as it is."""
    monkeypatch.setattr(demo, "_RUNS", 2)
    monkeypatch.setattr(demo, "_SETTINGS", ["--set", "epochs=5"])


@pytest.mark.usefixtures("short")
def test_it_leaves_everything_and_says_what_to_try_next():
    said = edgegat("demo")
    assert said.code == 0
    folder = Path("edgegat-demo")
    assert {path.name for path in folder.iterdir()} == {
        "customers.csv", "transactions.csv", "edgegat.toml", "model", "scores.csv",
    }  # fmt: skip
    assert len(list((folder / "model" / "pictures").iterdir())) == 6
    assert pl.read_csv(folder / "scores.csv").height == 3907
    assert "mean and deviation of 2 runs.\nIn the first run, of the 4 highest scores" in said.out
    typed = [shlex.split(line[2:]) for line in said.out.splitlines() if line.startswith("$ ")]
    assert [words[1] for words in typed] == ["generate", "check", "train", "predict"]
    following = said.out.split("Try next\n")[1].splitlines()
    assert edgegat(*shlex.split(following[0])[1:]).code == 0
    assert edgegat(*shlex.split(following[1])[1:]).code == 0
    assert edgegat(*shlex.split(following[2])[1:]).code == 0

    again = edgegat("demo", "--json")  # the bank that is there
    assert (again.code, again.json["metrics"]["graph"]["nodes"]) == (0, 3907)


def test_what_it_types_is_what_users_may_type():
    said = edgegat("train", "a.csv", "b.csv", *demo._SETTINGS)
    assert "there is no file edgegat.toml" in said.err  # and no complaint about the settings before


def test_where_it_cannot_write():
    Path("file").write_text("")
    said = edgegat("demo", "file")
    assert (said.code, "cannot be written" in said.err) == (2, True)
