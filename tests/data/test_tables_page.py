"""``docs/tables.md`` shows every key, type and aggregation that there is, and no other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import torch

from edgegat.data import Schema, draft_schema
from edgegat.data.reading import MAX_COLUMNS
from edgegat.data.roles import AGGREGATIONS, DEFAULT_AGGREGATIONS, EdgeRoles, NodeRoles, Split
from tests.data.bank import customers, transfers

PAGE = (Path(__file__).parents[2] / "docs" / "tables.md").read_text(encoding="utf-8")
TOML = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0]


def test_the_file_shows_every_key() -> None:
    shown = tomllib.loads(TOML)
    assert set(shown) == set(Schema.model_fields)
    assert set(shown["nodes"]) == set(NodeRoles.model_fields)
    assert set(shown["edges"]) == set(EdgeRoles.model_fields)
    assert set(shown["split"]) == set(Split.model_fields)


def test_with_one_kind_of_split_it_is_a_schema() -> None:
    kinds = (r"column = .*\n", r"(train|val|test) = .*\n", r"by_time = .*\n")
    for kept in kinds:
        text = re.sub(r'label = "suspicious".*\nlabelled = "looked_at".*\n', "", TOML)  # the other label
        for kind in kinds:
            if kind != kept:
                text = re.sub(rf"^{kind}", "", text, flags=re.MULTILINE)
        assert Schema.from_text(text).split.columns or Schema.from_text(text).split.by_time


def rows(*first: str) -> list[list[str]]:
    """The rows of the table whose header has these cells."""
    lines = PAGE.split("\n")
    begin = next(number for number, line in enumerate(lines) if line.startswith("| " + " | ".join(first)))
    found = []
    for line in lines[begin + 2 :]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def test_the_programs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for month in ("may", "june"):
        (tmp_path / month).mkdir()
        customers().write_csv(f"{month}/customers.csv")
        transfers().write_csv(f"{month}/transfers-1.csv")
    Path("bank.toml").write_text(draft_schema(customers(), transfers()))
    first, second = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names = {"nodes": customers(), "edges": transfers(), "schema": "bank.toml"}
    exec(first, names)
    assert Schema.from_text(names["text"]) == Schema.load("bank.toml")
    assert torch.equal(names["later"].graph.x, names["encoded"].graph.x)
    exec(second, names)
    assert torch.equal(names["test"].graph.x, names["encoded"].graph.x)


def test_every_type_is_explained() -> None:
    assert {cells[0].strip("`") for cells in rows("type", "cells")} == set(AGGREGATIONS)


def test_every_aggregation_is_listed() -> None:
    ways: list[str] = []
    listed, defaults = {}, {}
    for types, allowed, default in rows("type", "may keep"):
        ways = ways if allowed == "the same" else re.findall(r"`(\w+)`", allowed)
        for type_ in re.findall(r"`(\w+)`", types):
            listed[type_] = set(ways)
            defaults[type_] = re.findall(r"`(\w+)`", default)
    assert listed == {type_: set(ways) for type_, ways in AGGREGATIONS.items()}
    assert defaults == DEFAULT_AGGREGATIONS


def test_limits_are_those_of_the_code() -> None:
    from edgegat.data.encoders.category import FEWEST_ROWS, MOST

    assert f"At most {MAX_COLUMNS:,} columns" in PAGE
    assert f"each of the {MOST} most frequent with {FEWEST_ROWS} rows at least" in PAGE
