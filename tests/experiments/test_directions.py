"""The page on the options shows the committed figures of real transfers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from edgegat.learn import ModelOptions
from experiments import results
from experiments.directions import TABLE
from experiments.show import say

COMMITTED = results.read(results.FOLDER / "directions.json")
PAGE = (Path(__file__).parents[2] / "docs" / "which.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("row", TABLE.rows, ids=lambda row: row.name)
def test_the_page_shows_the_committed_figures(row):
    (shown,) = re.findall(rf"^\| {re.escape(row.name)} \| (.*±.*) \|$", PAGE, re.MULTILINE)
    cells = [results.cell_of(COMMITTED, row.name, column) for column in TABLE.columns]
    assert shown.split(" | ") == [say(c, metric) for c in cells for metric in ("accuracy", "roc_auc", "pr_auc")]
    for cell in cells:
        assert cell["settings"] == row.settings
        assert not cell["failed"]


def test_every_option_is_one_of_the_library():
    for row in TABLE.rows:
        assert ModelOptions(**{name: on for name, on in row.settings.items() if name in ModelOptions.names()})
        assert set(row.settings) - set(ModelOptions.names()) == {"edge_feature"}
