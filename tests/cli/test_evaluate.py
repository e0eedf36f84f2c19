from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tests.cli.run import edgegat

pytestmark = pytest.mark.usefixtures("trained")

TABLES = ["customers.csv", "transfers.csv"]


def test_parts_are_told_apart():
    said = edgegat("evaluate", "model", *TABLES)
    assert said.code == 0
    content = edgegat("evaluate", "model", *TABLES, "--json").json
    assert list(content["parts"]) == ["train", "val", "test"]
    for part, name in (("train", "training"), ("val", "validation"), ("test", "test")):
        row = next(line for line in said.out.splitlines() if line.startswith(name)).split()
        metrics = content["parts"][part]
        assert row[1:3] == [str(metrics["count"]), f"{metrics['accuracy']:.3f}"]
    assert "said fraud" in said.out
    assert content["unseen"]["count"] == content["parts"]["test"]["count"]


def test_training_nodes_alone_judge_nothing():
    test = pl.read_csv("customers.csv")
    known = edgegat("info", "model", "--json").json
    assert known["classes"] == ["fraud", "ok"]
    split = __import__("json").loads(Path("model/split.json").read_text())
    test.filter(pl.col("account").is_in(split["train"])).write_csv("train.csv")
    said = edgegat("evaluate", "model", "train.csv", "transfers.csv")
    assert (said.code, "this does not say how good it is" in said.out) == (0, True)


def test_without_labels():
    customers = pl.read_csv("customers.csv")
    customers.drop("label").write_csv("customers.csv")
    said = edgegat("evaluate", "model", *TABLES)
    assert (said.code, "has no column 'label'" in said.err) == (2, True)
    customers.with_columns(label=pl.lit("", pl.String)).write_csv("customers.csv")
    said = edgegat("evaluate", "model", *TABLES)
    assert (said.code, said.out) == (2, "")
    said = edgegat("evaluate", "model", "-", "transfers.csv")
    assert (said.code, "no node table" in said.err) == (2, True)


def test_a_class_that_is_new():
    text = Path("customers.csv").read_text()
    Path("customers.csv").write_text(text.replace(",ok\n", ",fine\n"))
    said = edgegat("evaluate", "model", *TABLES)
    assert (said.code, said.out, "'fine'" in said.err) == (2, "", True)


def test_what_does_not_work():
    for arguments in (["customers.csv", *TABLES], ["model", "nobody.csv", "transfers.csv"]):
        assert edgegat("evaluate", *arguments).code == 2
