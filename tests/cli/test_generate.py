from __future__ import annotations

from pathlib import Path

from edgegat.data import open_table
from tests.cli.run import edgegat


def test_a_bank_that_can_be_checked_as_it_says():
    said = edgegat("generate", "bank", "--customers", 1000)
    assert said.code == 0
    command = said.out.splitlines()[-1].split()
    assert command[:2] == ["edgegat", "check"]
    assert edgegat(*command[1:]).code == 0


def test_options_and_json():
    said = edgegat(
        "generate", "m", "--bank", "trade-m", "--customers", 2000, "--seed", 3, "--format", "parquet", "--json"
    )
    assert said.json == {
        "customers": "m/customers.parquet",
        "transactions": "m/transactions.parquet",
        "schema": "m/edgegat.toml",
    }
    table = open_table("m/customers.parquet")
    assert table.num_rows == 2000
    assert set(table.read("label")["label"].drop_nulls()) == {"cleared", "placement", "layering"}


def test_what_cannot_be_generated():
    for arguments, says in (
        (["--bank", "trade-x"], "there is no bank 'trade-x'"),
        (["--customers", "12"], "customers is 12"),
        (["--format", "xls"], "format is 'xls'"),
        (["--seed", "-1"], "seed is -1"),
    ):
        said = edgegat("generate", "bank", *arguments)
        assert (said.code, says in said.err) == (2, True), said
    assert not Path("bank").exists()


def test_overwrites_nothing():
    Path("bank").mkdir()
    Path("bank/customers.csv").write_text("mine")
    said = edgegat("generate", "bank")
    assert (said.code, "bank already has customers.csv" in said.err) == (2, True)
    assert Path("bank/customers.csv").read_text() == "mine"


def test_where_it_cannot_write():
    Path("file").write_text("")
    said = edgegat("generate", "file/bank")
    assert (said.code, "cannot be written" in said.err) == (2, True)
