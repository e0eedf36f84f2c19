"""docs/training.md says what is true."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from edgegat.learn import ModelOptions, TrainingOptions
from edgegat.learn.metrics import SHARES
from tests.learn.tables import bank
from tests.learn.test_numbers import bank as numbers

PAGE = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")
TOML = """
[nodes]
id = "customer"
label = "verdict"

[edges]
source = "payer"
target = "payee"
"""


@pytest.mark.parametrize("options", [ModelOptions(), TrainingOptions()])
def test_every_option_is_there_with_its_default(options):
    rows = dict(re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (\S+) \|", PAGE, re.MULTILINE))
    said = {name: value for names, value in rows.items() for name in re.findall(r"\w+", names)}
    for field in fields(options):
        value = getattr(options, field.name)
        shown = said[field.name].strip("`")
        assert (
            (shown == "off" if value is False else float(shown) == value)
            if not isinstance(value, str)
            else (json.loads(shown) == value)
        ), field.name


def test_the_program_runs(tmp_path, monkeypatch):
    bank().write(tmp_path)
    (tmp_path / "edgegat.toml").write_text(TOML)
    monkeypatch.chdir(tmp_path)
    program, _ = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(program, "docs/training.md", "exec"), names)
    assert names["scores"].columns == re.findall(r"# (.*)$", program, re.MULTILINE)[0].split(", ")
    files = re.findall(r"^\| `([\w.]+)` \|", PAGE[PAGE.index("## The saved folder") :], re.MULTILINE)
    written = sorted(path.name for path in (tmp_path / "model").iterdir())
    assert sorted(name for name in files if "." in name) == written


def test_the_program_about_numbers_runs(tmp_path, monkeypatch):
    for frame, name in zip(numbers(), ("accounts.csv", "transfers.csv"), strict=True):
        frame.write_csv(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    _, program = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(
        compile(program.replace("directed=True", "directed=True, epochs=3"), "docs/training.md", "exec"), names
    )
    assert names["regressor"].model_.scale is not None


def test_the_highest_shares_are_those_it_names():
    assert "highest " + ", ".join(f"{share * 100:g}" for share in SHARES[:-1]) in PAGE
    assert (
        f"and {SHARES[-1] * 100:g}\n% of the scores" in PAGE
        or f"and {SHARES[-1] * 100:g} % of the scores" in PAGE
    )
    assert "](tables.md)" in PAGE
