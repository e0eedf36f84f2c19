from __future__ import annotations

import os
import random
from pathlib import Path

import polars as pl
import pytest

from tests.cli.run import as_nobody, edgegat

pytestmark = pytest.mark.usefixtures("trained")

TABLES = ["customers.csv", "transfers.csv"]


def test_a_table_of_scores():
    said = edgegat("predict", "model", *TABLES)
    assert (said.code, "Wrote scores.csv." in said.out) == (0, True)
    scores = pl.read_csv("scores.csv")
    assert scores["id"].to_list() == pl.read_csv("customers.csv")["account"].to_list()
    best = scores.sort("score", descending=True)["id"][0]
    header = said.out.splitlines().index(next(line for line in said.out.splitlines() if line.startswith("id ")))
    assert said.out.splitlines()[header + 1].split()[0] == best


def test_new_tables_in_another_order_and_format():
    customers = pl.read_csv("customers.csv").drop("label").reverse()
    customers[0, "segment"] = "never seen"
    customers.select(reversed(customers.columns)).write_parquet("june.parquet")
    pl.read_csv("transfers.csv").sample(fraction=1, shuffle=True, seed=1).write_csv("june.csv")
    said = edgegat("predict", "model", "june.parquet", "june.csv", "-o", "june-scores.parquet", "--json")
    assert said.json["files"] == ["june-scores.parquet"]
    assert said.json["nodes"] == 60
    assert any("segment" in note for note in said.json["notes"])
    edgegat("predict", "model", *TABLES)
    before, after = (
        frame.sort("id")["score"].to_numpy()
        for frame in (pl.read_csv("scores.csv"), pl.read_parquet("june-scores.parquet"))
    )
    assert sum(abs(before - after) < 1e-5) >= 30  # but not near the one whose segment nobody knows


def test_embeddings_of_nodes_and_edges():
    assert edgegat("predict", "model", *TABLES, "--embeddings", "--quiet") == (0, "", "")
    assert pl.read_csv("scores.nodes.csv").height == 60
    edges = pl.read_csv("scores.edges.csv")
    assert (edges.height, edges.columns[:3]) == (
        pl.read_csv("transfers.csv").height,
        ["source", "target", "row"],
    )


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["nowhere", *TABLES], 2, "nowhere is not there, but a saved model is a folder"),
        (["model", "customers.cvs", "transfers.csv"], 2, "Did you mean 'customers.csv'?"),
        (["model", "transfers.csv", "customers.csv"], 2, "has no column 'account', named in nodes.id"),
        (["model", *TABLES, "-o", "scores.xls"], 2, "scores are written as .csv or .parquet"),
        (["model", *TABLES, "-o", "nowhere/scores.csv"], 2, "there is no folder nowhere. Make it first."),
        (["model", *TABLES, "-o", "./customers.csv"], 2, "customers.csv is one of the tables"),
        (["model", *TABLES, "--device", "gpu"], 1, "device is 'gpu', but here there is only 'cpu'"),
        (["model"], 2, "Missing argument 'NODES'"),
    ],
)
def test_what_does_not_work(arguments, code, says):
    before = Path("customers.csv").read_bytes()
    said = edgegat("predict", *arguments)
    assert (said.code, said.out, says in said.err) == (code, "", True), said.err
    assert Path("customers.csv").read_bytes() == before
    assert not list(Path().glob("scores*"))


def test_a_broken_model_is_refused_by_every_command_that_reads_it():
    draws = random.Random(0)
    for file in sorted(Path("model").glob("*.*")):
        whole = file.read_bytes()
        for broken in (b"", whole[: draws.randrange(len(whole))], bytes([whole[0] ^ 1]) + whole[1:], None):
            if broken is None:
                file.unlink()
            else:
                file.write_bytes(broken)
            said = edgegat("info", "model")
            assert (said.code, said.out, said.err.startswith("Error: model")) == (2, "", True), (file, said)
            file.write_bytes(whole)
    Path("model/model.safetensors").write_bytes(b"")
    for command in ("predict", "evaluate"):
        said = edgegat(command, "model", *TABLES)
        assert (said.code, said.out, "damaged" in said.err) == (2, "", True)


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_without_permission():
    Path("shut").mkdir()
    with as_nobody():
        Path("shut").chmod(0o555)
        said = edgegat("predict", "model", *TABLES, "-o", "shut/scores.csv")
    assert said.code == 1
    assert said.err.startswith("Error: shut/scores.csv cannot be written: ")
