"""The README, tried: its commands as a user types them, and its Python from top to bottom as one program."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import torch

from tests.cli.run import edgegat

README = Path(__file__).parent.parent / "README.md"
# Times differ from run to run; so may the last digit of a score from machine to machine.
CHANGING = re.compile(r"^(EGAT|gradient boosting|GAT without|XT\d{16}|Of the )")


def blocks(language: str) -> list[str]:
    text = README.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def console() -> list[tuple[list[str], list[str]]]:
    """Every command, as words, with the lines that it prints."""
    entries = [
        entry.splitlines() for block in blocks("console") for entry in re.split(r"^\$ ", block, flags=re.M)
    ]
    return [(shlex.split(lines[0]), lines[1:]) for lines in entries if lines]


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """A folder in which all commands of the README ran, in order, and what they printed."""
    folder = tmp_path_factory.mktemp("readme")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        said = [edgegat(*words[1:]) for words, _ in console()]
    return folder, said


def test_the_commands_run_and_print_what_the_readme_shows(story):
    folder, said = story
    assert [words[:2] for words, _ in console()] == [
        ["edgegat", name] for name in ("generate", "init", "check", "train", "predict", "evaluate", "info")
    ]
    for (words, shown), result in zip(console(), said, strict=True):
        assert (result.code, result.err) == (0, ""), words
        printed = [line.rstrip() for line in result.out.splitlines()]
        expected = [line for line in shown if line != "..." and not CHANGING.match(line)]
        assert [line for line in expected if line not in printed] == [], words
        if shown and "..." not in shown:
            assert len(printed) == len(shown), words
    assert len((folder / "scores.csv").read_text().splitlines()) == 1 + 3907


def test_the_python_runs(story, capsys, monkeypatch):
    monkeypatch.chdir(story[0])
    torch.manual_seed(0)
    programs = blocks("python")
    assert len(programs) == 6
    names: dict[str, object] = {}
    for program in programs:
        exec(compile(program, str(README), "exec"), names)

    merged, gat, egat = capsys.readouterr().out.splitlines()
    assert merged == "4 columns became 2 edges: 2 pairs of equal opposite columns merged"
    assert max(json.loads(gat)) < 1e-6
    assert min(json.loads(egat)) > 1e-2


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)]+)\)", README.read_text(encoding="utf-8"))
    assert targets
    for target in targets:
        assert (README.parent / target).exists(), target
