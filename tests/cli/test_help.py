"""Help: quick, complete, with examples, and plain in a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from time import perf_counter

import pytest

from edgegat.cli import main
from tests.cli.run import edgegat, edgegat_process

COMMANDS = ["demo", "init", "check", "train", "evaluate", "predict", "generate", "info"]
HEAVY = {"torch", "polars", "torch_geometric", "numpy", "sklearn", "matplotlib", "numba", "edgegat.data"}


def test_all_commands_are_listed():
    said = edgegat("--help")
    assert said.code == 0
    assert [name for name in COMMANDS if f" {name} " not in said.out] == []
    assert "Exit codes: 0 fine, 1 failed, 2 wrong use" in said.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_by_examples(command):
    said = edgegat(command, "--help")
    assert said.code == 0
    assert "Examples" in said.out
    assert f"  edgegat {command}" in said.out.split("Examples")[1]
    for option in ("--quiet", "--json", "--debug"):
        assert option in said.out


@pytest.mark.parametrize("arguments", [["--help"], ["train", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments):
    code = (
        f"import sys; sys.argv[1:] = {arguments!r}\n"
        "from edgegat.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('IMPORTED', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(done.stdout.split("IMPORTED")[1].split())
    assert "edgegat.cli.app" in imported
    assert imported & HEAVY == set()
    assert "pydantic" not in imported or arguments != ["--help"]  # typer has its own use for it


def test_help_takes_little_more_than_starting_python():
    def best_of_three(*arguments):
        times = []
        for _ in range(3):
            started = perf_counter()
            subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
            times.append(perf_counter() - started)
        return min(times)

    # 0.16 s against 0.03 s on an idle machine; what is heavy takes a second or more.
    assert best_of_three("-m", "edgegat", "--help") < 20 * best_of_three("-c", "pass")


def test_nothing_but_plain_text_in_pipes():
    for arguments in (["--help"], ["init", "--help"], ["chek"], ["check", "a.csv", "b.csv"]):
        said = edgegat_process(*arguments)
        assert not {c for c in said.out + said.err if ord(c) < 32} - {"\n"}


def test_wrong_commands_and_options():
    said = edgegat("chek")
    assert (said.code, "No such command 'chek'" in said.err) == (2, True)
    said = edgegat("check", "a.csv", "b.csv", "--shema", "x.toml")
    assert (said.code, "--shema" in said.err, "--schema" in said.err) == (2, True, True)
    said = edgegat("check", "a.csv")
    assert (said.code, "EDGES" in said.err) == (2, True)
    assert edgegat("generate", "bank", "--customers", "many").code == 2


def test_waiting_threads_sleep_unless_told_otherwise(monkeypatch):
    for told, used in ((None, "PASSIVE"), ("ACTIVE", "ACTIVE")):
        monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
        if told:
            monkeypatch.setenv("OMP_WAIT_POLICY", told)
        monkeypatch.setattr(sys, "argv", ["edgegat", "--version"])
        with pytest.raises(SystemExit):
            main()
        assert os.environ["OMP_WAIT_POLICY"] == used
        monkeypatch.delenv("OMP_WAIT_POLICY")


def test_the_command_is_the_one_that_is_installed():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["scripts"] == {"edgegat": f"{main.__module__}:{main.__name__}"}
