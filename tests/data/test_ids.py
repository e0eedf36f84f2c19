"""Ids of any kind become node numbers, and nothing is lost or joined on the way."""

from __future__ import annotations

import uuid
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegat.data import DataError, open_table
from edgegat.data.ids import Numbering, number_nodes

IDS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=6).filter(str.strip)


def number(nodes: list[object] | None, source: list[object], target: list[object]) -> Numbering:
    people = None if nodes is None else open_table(pl.DataFrame({"id": nodes}, strict=False), "people")
    calls = open_table(pl.DataFrame({"from": source, "to": target}, strict=False), "calls")
    return number_nodes(people, "id" if people else None, calls, ("from", "to"))


def back(numbering: Numbering) -> list[tuple[str, str]]:
    names = numbering.ids.to_list()
    return [(names[s], names[t]) for s, t in zip(numbering.source, numbering.target, strict=True)]


@pytest.mark.parametrize(
    "ids",
    [
        ["a", "A", "b"],
        [3, 1, 2],
        [str(uuid.UUID(int=i)) for i in range(3)],
        ["007", "7", "07"],
        ["a b", " a b", "a  b"],
        ["Zoë", "Ζωή", "زوي"],
        ["é", "e\u0301", "e"],
        ["1.0", "1", "1e0"],
        ["DE89 3704 0044", "a,b;c", "\U0001f600"],
        [2**63 - 1, -1, 0],
    ],
    ids=["case", "integers", "uuids", "zeros", "spaces", "alphabets", "accents", "decimals", "marks", "large"],
)
def test_ids_of_any_kind_are_kept_apart_and_in_order(ids: list[object]) -> None:
    a, b, c = ids
    numbering = number([a, b], [c, a, b], [a, b, c])
    names = [str(i) for i in ids]
    assert numbering.ids.to_list() == names
    assert numbering.in_table == 2
    assert numbering.source.tolist() == [2, 0, 1]
    assert numbering.target.tolist() == [0, 1, 2]


def test_whole_floats_are_the_integers_they_were() -> None:
    assert back(number([1, 2], [1.0, 2.0], [2.0, 9.0])) == [("1", "2"), ("2", "9")]


@given(st.lists(IDS, max_size=8, unique=True), st.lists(st.tuples(IDS, IDS), min_size=1, max_size=12))
def test_table_to_numbers_to_table_keeps_all(nodes: list[str], pairs: list[tuple[str, str]]) -> None:
    source, target = [s for s, _ in pairs], [t for _, t in pairs]
    numbering = number(list(nodes) or None, list(source), list(target))
    assert back(numbering) == pairs
    in_order = dict.fromkeys([*nodes, *(name for pair in pairs for name in pair)])
    assert numbering.ids.to_list() == list(in_order)
    assert numbering.in_table == len(nodes)


def test_a_repeated_id_is_told_with_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("id\na\nb\na\nb\na\n")
    calls = open_table(pl.DataFrame({"from": ["a"], "to": ["b"]}))
    with pytest.raises(
        DataError, match=r"3 rows repeat the id of an earlier one. 'a' stands at .*line 2 and at .*line 4"
    ):
        number_nodes(open_table(path), "id", calls, ("from", "to"))


@pytest.mark.parametrize("empty", [None, "", "  "])
def test_a_missing_id_is_told_with_its_rows(empty: str | None) -> None:
    with pytest.raises(DataError, match=r"people, column 'id': 1 row without an id \(people, row 1 "):
        number(["a", empty], ["a"], ["a"])
    with pytest.raises(
        DataError, match=r"calls, column 'to': 2 rows without an id \(calls, row 0 .*; calls, row 2 "
    ):
        number(None, ["a", "b", "c"], [empty, "d", empty])
