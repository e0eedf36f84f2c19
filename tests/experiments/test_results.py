"""What is committed, shown, drawn and written about."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import plots, results
from experiments.show import TABLES, as_markdown
from experiments.table import Row, Table

ROOT = Path(__file__).parents[2]
COMMITTED = [name for name in TABLES if (results.FOLDER / f"{name}.json").is_file()]


@pytest.mark.parametrize("name", COMMITTED)
def test_the_page_has_the_committed_figures(name):
    table = importlib.import_module(f"experiments.{name}").TABLE
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8").splitlines()
    missing = [
        line for line in as_markdown(table, results.read(results.FOLDER / f"{name}.json")) if line not in page
    ]
    assert not missing, f"python -m experiments.show {name} --markdown prints what docs/results.md lacks"


@pytest.mark.parametrize("name", COMMITTED)
def test_committed_results_say_how_they_came_about(name):
    found = results.read(results.FOLDER / f"{name}.json")
    for cell in found["cells"]:
        runs = len(cell["seeds"])
        assert runs > 0
        assert len(set(cell["seeds"])) == runs
        assert all(len(values) == runs for part in ("test", "val") for values in cell[part].values())
        environment = found["environments"][cell["environment"]]
        assert environment["date"]
        assert environment["machine"]
        assert {"torch", "python"} <= set(environment["versions"])


def test_tables_are_printed():
    done = subprocess.run([sys.executable, "-m", "experiments.show"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in TABLES:
        table = importlib.import_module(f"experiments.{name}").TABLE
        assert (table.title if name in COMMITTED else f"{name} has no committed results") in done.stdout
    wrong = subprocess.run(
        [sys.executable, "-m", "experiments.show", "table9"], cwd=ROOT, capture_output=True, text=True
    )
    assert wrong.returncode == 2
    assert "there is no table 'table9'; there are table1" in wrong.stderr


def test_a_table_is_drawn_with_a_dot_for_every_seed(tmp_path):
    table = Table("toy", "a toy", [Row("A", "a", {"Cora": "81.0 ± 0.1"}), Row("EGAT", "b")], {"Cora": ["cora"]})
    values = [0.8, 0.82, 0.84]
    cell = {"row": "A", "column": "Cora", "seeds": [0, 1, 2], "test": {"accuracy": values}}
    found = results.merge({"environments": [], "cells": []}, [cell], {})
    drawn = []
    keep = plots.save_figure

    def save(figure, path):
        drawn.append(figure)
        return keep(figure, path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plots, "save_figure", save)
        path = plots.draw(table, found, tmp_path)
    assert path == tmp_path / "toy.svg"
    dots, mean, published = (line.get_xdata().tolist() for line in _marks(drawn[0].axes[0]))
    assert dots == pytest.approx([80, 82, 84])
    assert mean == pytest.approx([82])
    assert published == [81]


def _marks(axes):
    """The seeds, the mean without its bar, and what was published."""
    return [line for line in axes.lines if line.get_marker() in (".", "o", "D")]
