"""The patterns' committed results, and a small piece of them run again."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean

import pytest

from edgegat.data.patterns import ANSWERS
from experiments import patterns, results
from experiments.patterns import METHODS, OURS, Run, carry_out, draw, write

COMMITTED = results.read(patterns.PATH)
PAGE = (Path(__file__).parents[2] / "docs" / "which.md").read_text(encoding="utf-8")


def committed(method: str, pattern: str) -> list[float]:
    return [r["macro_f1"] for r in COMMITTED["runs"] if (r["method"], r["pattern"]) == (method, pattern)]


@pytest.mark.parametrize("pattern", ANSWERS)
def test_ours_is_committed_at_95_percent_or_more(pattern):
    assert min(committed(OURS, pattern)) >= 0.95


def test_the_committed_runs_are_those_of_these_settings():
    settings = COMMITTED["settings"]
    assert settings["training"] == patterns.TRAINING
    assert settings["methods"] == METHODS
    assert settings["layers"] == patterns.LAYERS
    assert {run["questions"] for run in COMMITTED["runs"]} == {patterns.QUESTIONS}
    assert COMMITTED["environment"]["versions"]["torch"]


def test_the_page_shows_the_committed_figures():
    rows = re.findall(r"^\| ([a-z0-9 -]+) \| ([\d. |]+) \|$", PAGE, re.MULTILINE)
    shown = {name: [float(cell) for cell in cells.split(" | ")] for name, cells in rows if name in ANSWERS}
    assert set(shown) == set(ANSWERS)
    order = ["GAT", "GINE", "GINE, told the direction", "EGAT, the paper's", OURS]
    for pattern, cells in shown.items():
        assert cells == [round(100 * fmean(committed(method, pattern)), 1) for method in order], pattern


def test_a_piece_run_again_says_the_same():
    """On a sixth of the networks for a third of the epochs: within ten points of the committed figure."""
    ours, gat = (carry_out(Run(method, "fan-out", 0, questions=400, epochs=60)) for method in (OURS, "GAT"))
    assert ours["macro_f1"] > fmean(committed(OURS, "fan-out")) - 0.1
    assert gat["macro_f1"] < 0.8


def test_results_are_kept_beside_the_old_ones_and_drawn(tmp_path):
    run = {"method": OURS, "pattern": "fan-in", "seed": 0, "macro_f1": 0.5}
    path = tmp_path / "patterns.json"
    write(path, [run, {**run, "seed": 1}], {"machine": "one"})
    write(path, [{**run, "macro_f1": 0.75}], {"machine": "another"})
    kept = results.read(path)
    assert [r["macro_f1"] for r in kept["runs"]] == [0.75, 0.5]
    picture = draw(kept["runs"], tmp_path / "patterns.svg").read_text(encoding="utf-8")
    assert "fan-in" in picture
    assert "cycle" not in picture
