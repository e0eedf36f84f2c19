"""The draft is a schema that works, says why, and is honest when it cannot guess."""

from __future__ import annotations

import tomllib
from typing import Any

import polars as pl
import pytest

from edgegat.data import DataError, GraphEncoder, Schema, draft_schema
from edgegat.data.checks import check_tables
from tests.data.bank import customers, transfers


def draft(nodes: pl.DataFrame | None, edges: pl.DataFrame) -> dict[str, Any]:
    text = draft_schema(nodes, edges)
    Schema.from_text(text)
    return tomllib.loads(text)


def test_a_draft_of_two_tables_trains_as_it_is() -> None:
    text = draft_schema(customers(), transfers())
    assert tomllib.loads(text) == {
        "nodes": {
            "id": "account",
            "label": "label",
            "features": {"age": "number", "income": "amount", "segment": "category", "opened": "time"},
        },
        "edges": {
            "source": "payer",
            "target": "payee",
            "time": "booked",
            "currency": "currency",
            "directed": True,
            "parallel": "keep",
            "features": {"amount": "amount", "channel": "category"},
        },
        "split": {"ratio": [3, 1, 1], "seed": 0},
    }
    schema = Schema.from_text(text)
    assert check_tables(customers(), transfers(), schema) == []
    assert GraphEncoder.fit(customers(), transfers(), schema)[1].graph.num_edges == 300


def test_every_guess_has_its_reason_behind_it_and_what_is_left_out_is_one_sign_away() -> None:
    nodes = customers().with_columns(remark=pl.Series([f"remark {i}" for i in range(60)]))
    lines = draft_schema(nodes, transfers()).split("\n")
    settings = [line for line in lines if " = " in line]
    assert all(line.count("# ") >= 1 for line in settings)
    (left_out,) = [line for line in lines if "remark" in line]
    assert left_out.startswith('# remark = "category"')
    assert "left out: names or free text" in left_out
    with_remark = "\n".join(line.removeprefix("# ") if line is left_out else line for line in lines)
    features = Schema.from_text(with_remark).nodes
    assert features is not None
    assert "remark" in (features.features or {})


def test_ids_are_found_by_what_they_share_whatever_they_are_called() -> None:
    nodes = pl.DataFrame({"a": ["1", "2", "3"], "b": ["x", "y", "z"], "is_fraud": [0, 1, None]})
    edges = pl.DataFrame({"c": [7, 8], "d": ["x", "y"], "e": ["y", "z"]})
    found = draft(nodes, edges)
    assert (found["nodes"]["id"], found["edges"]["source"], found["edges"]["target"]) == ("b", "d", "e")
    assert found["nodes"]["label"] == "is_fraud"


def test_names_decide_which_end_is_which() -> None:
    nodes = pl.DataFrame({"iban": ["x", "y", "z"]})
    edges = pl.DataFrame({"beneficiary": ["x", "y"], "sender": ["y", "z"]})
    found = draft(nodes, edges)["edges"]
    assert (found["source"], found["target"]) == ("sender", "beneficiary")


def test_splits_flags_and_labels_that_count_are_found() -> None:
    nodes = customers().with_columns(
        has_label=pl.lit(True) & pl.col("label").is_not_null(),
        is_train=pl.Series([i < 40 for i in range(60)]),
        is_test=pl.Series([i >= 40 for i in range(60)]),
    )
    found = draft(nodes, transfers())
    assert found["nodes"]["labelled"] == "has_label"
    assert found["split"] == {"train": "is_train", "test": "is_test", "ratio": [3, 1, 1], "seed": 0}
    nodes = customers().with_columns(part=pl.Series(["train", "test", "val"] * 20))
    found = draft(nodes, transfers())
    assert found["split"]["column"] == "part"
    assert "part" not in found["nodes"]["features"]


def test_repeated_pairs_are_aggregated() -> None:
    edges = pl.concat([transfers(), transfers()])
    found = draft(customers(), edges)["edges"]
    assert found["parallel"] == "aggregate"
    assert found["features"]["amount"] == {"type": "amount", "aggregate": ["sum"]}


def test_without_a_node_table_ends_are_found_by_names_or_by_what_they_share() -> None:
    assert draft(None, transfers())["edges"]["source"] == "payer"
    edges = pl.DataFrame({"a": ["x", "y", "z"], "b": ["y", "z", "x"], "note": ["one", "two", "three"]})
    found = draft(None, edges)
    assert {found["edges"]["source"], found["edges"]["target"]} == {"a", "b"}
    assert "nodes" not in found


def test_commas_in_numbers_and_days_before_months_are_found() -> None:
    edges = pl.DataFrame(
        {"von": ["a", "b"], "nach": ["b", "c"], "betrag": ["1,50", "20"], "datum": ["31.03.2024", "01.04.2024"]}
    )
    found = draft(None, edges)
    assert (found["decimal"], found["time_format"]) == (",", "%d.%m.%Y")
    assert (found["edges"]["source"], found["edges"]["time"]) == ("von", "datum")
    assert found["edges"]["features"] == {"betrag": "amount"}


@pytest.mark.parametrize("name", ['a "quoted" name', "tab\tnew\nline", "Zoë = #1", "a.b", "\x7f", "[x]", "'"])
def test_any_column_name_can_stand_in_the_draft(name: str) -> None:
    nodes = customers().rename({"income": name, "segment": name + "2"})
    assert {name, name + "2"} <= set(draft(nodes, transfers())["nodes"]["features"])


def test_when_nothing_is_shared_it_says_what_it_looked_at_and_what_to_write() -> None:
    nodes = pl.DataFrame({"id": ["007", "008", "009"]})
    edges = pl.DataFrame({"from": ["7", "8"], "to": ["8", "9"]})
    with pytest.raises(DataError) as refused:
        draft_schema(nodes, edges)
    said = str(refused.value)
    assert "'id' of the node table, like '007', '008'" in said
    assert "'from' of the edge table, like '7', '8': 0% of its values are found in one of those" in said
    assert '[nodes] id = "...", [edges] source = "...", target = "..."' in said


def test_when_no_column_can_be_an_id_it_says_so() -> None:
    with pytest.raises(DataError, match="has no column in which every value is a different one"):
        draft_schema(pl.DataFrame({"id": ["a", "a"]}), transfers())
    with pytest.raises(DataError, match="an edge needs two columns of ids"):
        draft_schema(None, pl.DataFrame({"a": ["x"], "b": [True]}))
    with pytest.raises(DataError, match="cannot tell which two columns are the ends of an edge"):
        draft_schema(None, pl.DataFrame({"a": ["x"], "b": ["y"]}))
