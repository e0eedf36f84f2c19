from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from edgegat.learn import load_model
from tests.cli.run import as_nobody, edgegat, edgegat_process, write_bank

TABLES = ["customers.csv", "transfers.csv"]
PICTURES = ["comparison", "confusion", "learning_curves", "ranking", "reliability", "scores"]


@pytest.fixture
def bank(tmp_path):
    write_bank(tmp_path)
    assert edgegat("init", *TABLES).code == 0


def test_a_model_a_table_of_results_and_pictures(bank):
    said = edgegat("train", *TABLES, "--epochs", 5, "--seed", 7, "--set", "heads=2", "--set", "metric=roc_auc")
    assert said.code == 0
    lines = said.out.splitlines()
    header = next(number for number, line in enumerate(lines) if "accuracy" in line)
    assert lines[header].split()[:3] == ["accuracy", "macro", "F1"]
    names = [line[: line.index("  ")] for line in lines[header + 1 : header + 4]]
    assert names == ["EGAT", "gradient boosting", "GAT without edge features"]
    assert lines[-1] == "  edgegat predict model customers.csv transfers.csv"
    saved = load_model("model")
    assert (saved.model_options.heads, saved.training_options.seed, saved.history.metric) == (2, 7, "roc_auc")
    assert sorted(path.stem for path in Path("model/pictures").iterdir()) == PICTURES


def test_json_of_several_runs_alone(bank):
    said = edgegat("train", *TABLES, "--epochs", 2, "--repeat", 2, "--no-baselines", "--no-pictures", "--json")
    assert list(said.json["methods"]) == ["EGAT"]
    assert len(said.json["methods"]["EGAT"]["runs"]["accuracy"]["values"]) == 2
    assert (said.json["folder"], said.json["pictures"]) == ("model", [])
    assert not Path("model/pictures").exists()


def test_a_warning_about_the_tables_is_told(bank):
    lines = Path("transfers.csv").read_text().splitlines()
    Path("transfers.csv").write_text("\n".join([*lines, lines[-1]]))
    said = edgegat("train", *TABLES, "--epochs", 1, "--no-baselines", "--no-pictures")
    assert (said.code, "EG022 warning: transfers.csv" in said.out) == (0, True)


def test_the_same_command_gives_the_same_model(bank):
    quick = ["--epochs", 3, "--no-baselines", "--no-pictures", "--quiet"]
    edgegat("train", *TABLES, *quick)
    edgegat("train", *TABLES, *quick, "-o", "again")
    assert Path("model/model.safetensors").read_bytes() == Path("again/model.safetensors").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--set", "haeds=4"], 2, "--set haeds: there is no such option. Did you mean 'heads'?"),
        (["--set", "heads"], 2, "--set heads: write NAME=VALUE"),
        (["--set", "heads=0"], 2, "heads is 0, but it must be a whole number from 1 to 256."),
        (["--epochs", "0"], 2, "epochs is 0, but it must be"),
        (["--repeat", "0"], 2, "--repeat"),
        (["--device", "cuda:99"], 1, "device is 'cuda:99', but here there is only"),
        (["--schema", "bank.toml"], 2, "there is no file bank.toml"),
        (["--output", "customers.csv"], 2, "customers.csv is a file, but a model is saved in a folder"),
        (["--output", "."], 2, "there is 'customers.csv' in it. Name a new folder"),
    ],
)
def test_what_does_not_work(bank, arguments, code, says):
    said = edgegat("train", *TABLES, *arguments)
    assert (said.code, said.out, says in said.err) == (code, "", True), said.err
    assert not Path("model").exists()


def test_tables_with_errors_are_not_trained_on(bank):
    text = Path("customers.csv").read_text()
    Path("customers.csv").write_text(text.replace("C0001,", "C0002,"))
    said = edgegat("train", *TABLES)
    assert (said.code, "EG003 error: customers.csv" in said.err) == (2, True)
    said = edgegat("train", "-", "transfers.csv")
    assert (said.code, "no node table is given" in said.err) == (2, True)


def test_a_foreign_configuration_is_left_alone(bank):
    Path("model").mkdir()
    Path("model/config.json").write_text("{}")
    assert edgegat("train", *TABLES, "--epochs", 1).code == 2
    assert Path("model/config.json").read_text() == "{}"


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_without_permission(bank):
    Path("shut").mkdir()
    with as_nobody():
        Path("shut").chmod(0o555)
        said = edgegat("train", *TABLES, "--epochs", 1, "--no-baselines", "-o", "shut/model")
    assert (said.code, said.out, "shut/model" in said.err, "Permission denied" in said.err) == (
        1,
        "",
        True,
        True,
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for children")
def test_ctrl_c_says_how_to_go_on_and_going_on_works(bank, tmp_path):
    arguments = ["train", *TABLES, "--no-baselines", "--no-pictures", "--epochs", "1000"]
    arguments += ["--set", "patience=1000", "--set", "checkpoint_seconds=0"]
    command = [sys.executable, "-m", "edgegat", *arguments]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not list(Path("model").glob("**/*.safetensors")) and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, ""), err
    assert err.startswith("Error: Stopped after epoch ")
    following = err.splitlines()[-1].split()
    assert following == ["edgegat", *arguments, "--resume"]
    assert not Path("model/config.json").exists()
    said = edgegat_process(*following[1:], "--seed", 1)
    assert (said.code, "seed was 0 and is 1" in said.err) == (2, True), said.err
    said = edgegat_process(*following[1:])
    assert (said.code, load_model("model").history.epochs) == (0, 1000), said.err
