from __future__ import annotations

import os
from pathlib import Path

import pytest

from edgegat.data import Schema
from tests.cli.run import as_nobody, edgegat, write_bank


def test_drafts_what_it_prints(tmp_path):
    nodes, edges = write_bank(tmp_path)
    said = edgegat("init", nodes, edges)
    assert said.code == 0
    text = Path("edgegat.toml").read_text(encoding="utf-8")
    assert said.out.startswith(text)
    assert f"edgegat check {nodes} {edges}\n" in said.out
    schema = Schema.load("edgegat.toml")
    assert (schema.nodes.id, schema.nodes.label, schema.edges.source) == ("account", "label", "payer")


def test_without_a_node_table(tmp_path):
    _, edges = write_bank(tmp_path)
    assert edgegat("init", "-", edges, "--quiet") == (0, "", "")
    assert Schema.load("edgegat.toml").nodes is None


def test_several_edge_files_are_one_table(tmp_path):
    nodes, edges = write_bank(tmp_path)
    edges.rename("transfers-1.csv")
    Path("transfers-2.csv").write_bytes(Path("transfers-1.csv").read_bytes())
    assert edgegat("init", nodes, "transfers-1.csv", "transfers-2.csv").code == 0
    assert edgegat("init", nodes, "transfers-*.csv", "--output", "other.toml").code == 0
    assert Path("other.toml").read_bytes() == Path("edgegat.toml").read_bytes()


def test_replaces_nothing_unless_told(tmp_path):
    nodes, edges = write_bank(tmp_path)
    Path("edgegat.toml").write_text("mine")
    said = edgegat("init", nodes, edges)
    assert (said.code, "edgegat.toml is there already. --force" in said.err) == (2, True)
    assert Path("edgegat.toml").read_text() == "mine"
    assert edgegat("init", nodes, edges, "--force").code == 0
    assert Path("edgegat.toml").read_text(encoding="utf-8").startswith("#")


def test_json(tmp_path):
    nodes, edges = write_bank(tmp_path)
    said = edgegat("init", nodes, edges, "--output", "bank.toml", "--json")
    assert said.json["file"] == "bank.toml"
    assert said.json["schema"] == Schema.load("bank.toml").model_dump(mode="json", exclude_none=True)


def test_tables_that_are_none(tmp_path):
    nodes, edges = write_bank(tmp_path)
    assert edgegat("init", nodes, "transfer.csv").err == (
        "Error: there is no file transfer.csv. Did you mean 'transfers.csv'?\n"
    )
    Path("empty.csv").write_text("")
    said = edgegat("init", nodes, "empty.csv")
    assert (said.code, "empty.csv" in said.err) == (2, True)
    assert edgegat("init", tmp_path, edges).code == 2
    assert not Path("edgegat.toml").exists()


def test_where_it_cannot_write(tmp_path):
    nodes, edges = write_bank(tmp_path)
    said = edgegat("init", nodes, edges, "--output", "nowhere/edgegat.toml")
    assert said == (2, "", "Error: nowhere/edgegat.toml cannot be written: No such file or directory.\n")


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_without_permission(tmp_path):
    write_bank(tmp_path)
    assert edgegat("init", "customers.csv", "transfers.csv").code == 0  # everything is imported now
    with as_nobody():
        Path("customers.csv").chmod(0o000)
        said = edgegat("init", "customers.csv", "transfers.csv", "--force")
        assert said == (2, "", "Error: no permission to read customers.csv. Ask its owner, or copy it.\n")
        Path("customers.csv").chmod(0o644)
        Path().chmod(0o555)
        said = edgegat("init", "customers.csv", "transfers.csv", "--output", "new.toml")
        assert said == (2, "", "Error: new.toml cannot be written: Permission denied.\n")
