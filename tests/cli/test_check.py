from __future__ import annotations

from pathlib import Path

from tests.cli.run import edgegat, write_bank


def test_nothing_wrong(tmp_path):
    nodes, edges = write_bank(tmp_path)
    edgegat("init", nodes, edges)
    said = edgegat("check", nodes, edges)
    assert said.code == 0
    assert said.out.startswith("Nothing is wrong with these tables.\n")
    assert f"edgegat train {nodes} {edges}\n" in said.out


def test_an_error_has_number_place_advice_and_exit_code(tmp_path):
    nodes, edges = write_bank(tmp_path)
    edgegat("init", nodes, edges)
    lines = edges.read_text().splitlines()
    lines[3] = lines[3].replace(lines[3].split(",")[2], "n.a.")
    edges.write_text("\n".join(lines))
    said = edgegat("check", nodes, edges)
    assert said.code == 2
    assert "EG009 error" in said.out
    assert "line 4: 'n.a.'" in said.out
    assert "1 error, 0 warnings." in said.out
    said = edgegat("check", nodes, edges, "--json")
    assert (said.code, said.json["errors"], said.json["findings"][0]["code"]) == (2, 1, "EG009")
    assert edgegat("check", nodes, edges, "--quiet") == (2, "", "")


def test_a_warning_is_no_error(tmp_path):
    nodes, edges = write_bank(tmp_path)
    edgegat("init", nodes, edges)
    lines = edges.read_text().splitlines()
    edges.write_text("\n".join([*lines, lines[-1]]))
    said = edgegat("check", nodes, edges)
    assert (said.code, "EG022 warning" in said.out, "0 errors, 1 warning." in said.out) == (0, True, True)


def test_a_column_that_is_not_there(tmp_path):
    nodes, edges = write_bank(tmp_path)
    edgegat("init", nodes, edges)
    text = Path("edgegat.toml").read_text(encoding="utf-8")
    Path("edgegat.toml").write_text(text.replace('"payee"', '"payed"'), encoding="utf-8")
    said = edgegat("check", nodes, edges)
    assert (said.code, "EG001" in said.out, "'payed'" in said.out) == (2, True, True)


def test_without_a_schema_it_says_how_to_get_one(tmp_path):
    nodes, edges = write_bank(tmp_path)
    said = edgegat("check", nodes, edges)
    assert said.code == 2
    assert said.err.endswith(f"columns mean. edgegat init {nodes} {edges} drafts one.\n")
    Path("bank").mkdir()
    Path("bank/edgegat.toml").write_text("")
    said = edgegat("check", nodes, "bank/transfers.csv")
    assert said.err.endswith("There is one beside the tables: --schema bank/edgegat.toml.\n")


def test_a_schema_with_mistakes(tmp_path):
    nodes, edges = write_bank(tmp_path)
    Path("bank.toml").write_text('[edges]\nsource = "payer"\nderected = true\n')
    said = edgegat("check", nodes, edges, "-s", "bank.toml")
    assert (said.code, "bank.toml has 2 mistakes" in said.err, "derected" in said.err) == (2, True, True)
