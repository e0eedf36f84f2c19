"""Each finding is found where it is, and nothing is found in tables in which nothing is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

from edgegat.data import DataError
from edgegat.data.checks import CODES, check_tables
from tests.data.bank import change, customers, schema, transfers

PAGE = Path(__file__).parents[3] / "docs" / "findings.md"
Tables = tuple[pl.DataFrame | None, pl.DataFrame, dict[str, Any]]
Edit = Callable[[pl.DataFrame], pl.DataFrame]


def tables(
    nodes: Edit = lambda frame: frame,
    edges: Edit = lambda frame: frame,
    node_roles: dict[str, Any] | None = None,
    edge_roles: dict[str, Any] | None = None,
    **others: Any,
) -> Tables:
    roles = schema(nodes=node_roles or {}, edges=edge_roles or {}, **others)
    return nodes(customers()), edges(transfers()), roles


def set_cells(column: str, cells: dict[int, object]) -> Edit:
    return lambda frame: change(frame, column, cells)


def set_column(column: str, value: object, dtype: Any = None) -> Edit:
    return lambda frame: frame.with_columns(pl.lit(value, dtype).alias(column))


def repeat_first(**cells: object) -> Edit:
    """The first row once more at the end, with these cells."""
    return lambda frame: pl.concat([frame, frame[:1].with_columns(**{k: pl.lit(v) for k, v in cells.items()})])


def with_parts(cells: dict[int, str] | None = None) -> Edit:
    """A column ``part`` in which all three parts have nodes of both classes."""

    def edit(frame: pl.DataFrame) -> pl.DataFrame:
        parts = [("train", "val", "test", "train", "train")[i // 4 % 5] for i in range(frame.height)]
        return change(frame.with_columns(part=pl.Series("part", parts)), "part", dict(cells or {}))

    return edit


def with_flags(also_test: list[int]) -> Edit:
    def edit(frame: pl.DataFrame) -> pl.DataFrame:
        rows = range(frame.height)
        train, test = [i < 40 for i in rows], [i >= 40 or i in also_test for i in rows]
        return frame.with_columns(in_train=pl.Series(train), in_test=pl.Series(test))

    return edit


def into_one(frame: pl.DataFrame) -> pl.DataFrame:
    """Half of all transfers go to one customer."""
    return change(frame, "payee", dict.fromkeys(range(150, 300), "C0005")).filter(
        pl.col("payer") != pl.col("payee")
    )


def telling_income(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(income=pl.col("income") + 1e7 * (pl.col("label") == "fraud").fill_null(False))


def telling_amounts(frame: pl.DataFrame) -> pl.DataFrame:
    """Transfers between frauds are large, and frauds have no others."""
    frauds = [f"C{i:04}" for i in range(0, 60, 4)]
    payer, payee = pl.col("payer").is_in(frauds), pl.col("payee").is_in(frauds)
    return frame.filter(payer == payee).with_columns(amount=pl.col("amount") + 1e6 * payer.fill_null(False))


def many_labels(frame: pl.DataFrame) -> pl.DataFrame:
    numbered = pl.Series([f"L{i:04}" for i in range(1200)])
    more = pl.concat([frame] * 20)
    ids = pl.Series([f"C{i:04}" for i in range(1200)])
    return more.with_columns(account=ids, label=numbered)


def row(number: int, said: str = "") -> str:
    return f"row {number} (counting from 0)" + (f": {said}" if said else "")


class Case(NamedTuple):
    """Tables in which something is wrong, and what is to be said about it."""

    code: str
    tables: Tables
    table: str
    column: str | None
    count: int
    first: str
    """Stands in the first example; empty if there is none."""
    also: frozenset[str] = frozenset()
    """What is found beside it, because of the same."""


AGE = {"features": {"age": "number"}}
PART, FLAGS = {"column": "part"}, {"train": "in_train", "test": "in_test"}
FEW = with_parts(dict.fromkeys((4, 24, 8, 28, 48), ""))
NODES, EDGES = "node", "edge"
CASES = [
    Case("EG001", tables(nodes=lambda n: n.drop("label")), NODES, "label", 0, ""),
    Case("EG001", tables(edge_roles={"features": {"amuont": "amount"}}), EDGES, "amuont", 0, ""),
    Case("EG001", tables(edges=lambda e: e.drop("payer")), EDGES, "payer", 0, ""),
    Case("EG002", tables(edges=set_cells("payee", {70: None, 90: " "})), EDGES, "payee", 2, row(70)),
    Case("EG002", tables(nodes=repeat_first(account="")), NODES, "account", 1, row(60)),
    Case("EG003", tables(nodes=repeat_first()), NODES, "account", 1, row(60, "'C0000'")),
    Case("EG004", tables(edges=set_cells("payee", {70: "X1", 90: "X1"})), EDGES, None, 2, row(70, "'X1'")),
    Case(
        "EG005",
        tables(nodes=lambda n: n.with_columns(account="K" + pl.col("account"))),
        EDGES,
        None,
        300,
        row(0, "'C00"),
        frozenset({"EG023"}),
    ),
    Case(
        "EG006",
        tables(edges=set_cells("payee", {70: "c0001", 90: "C0002 "})),
        NODES,
        "account",
        4,
        "",
        frozenset({"EG004"}),
    ),
    Case("EG007", tables(nodes=set_column("age", None, pl.Int64)), NODES, "age", 60, ""),
    Case("EG008", tables(edges=set_column("channel", "web")), EDGES, "channel", 300, ""),
    Case(
        "EG009",
        tables(set_cells("age", {2: "old", 3: "12 y"}), node_roles=AGE),
        NODES,
        "age",
        2,
        row(2, "'old'"),
    ),
    Case("EG010", tables(nodes=set_cells("income", {5: np.inf})), NODES, "income", 1, row(5, "'inf'")),
    Case(
        "EG010",
        tables(set_cells("age", {5: "1e999", 6: "-Infinity"}), node_roles=AGE),
        NODES,
        "age",
        2,
        row(5, "'1e999'"),
    ),
    Case("EG011", tables(nodes=set_cells("age", {9: "ca. 40"})), NODES, "age", 1, row(9, "'ca. 40'")),
    Case("EG012", tables(edges=set_cells("amount", {11: -3.5})), EDGES, "amount", 1, row(11, "'-3.5'")),
    Case(
        "EG013",
        tables(edges=set_cells("booked", {12: "2199-01-01"})),
        EDGES,
        "booked",
        1,
        row(12, "'2199-01-01'"),
    ),
    Case("EG014", tables(edges=set_cells("currency", {13: "USD"})), EDGES, "currency", 1, row(13, "'USD'")),
    Case("EG015", tables(nodes=set_column("label", "ok")), NODES, "label", 60, ""),
    Case("EG015", tables(nodes=set_column("label", None, pl.String)), NODES, "label", 0, ""),
    Case("EG016", tables(nodes=many_labels), NODES, "label", 1200, ""),
    Case("EG017", tables(nodes=FEW, split=PART), NODES, "label", 1, ""),
    Case(
        "EG018",
        tables(nodes=with_flags([4]), split=FLAGS),
        NODES,
        "in_train, in_test",
        1,
        row(4, "'C0004' is in test and train"),
    ),
    Case(
        "EG018",
        tables(nodes=lambda n: repeat_first(part="test")(with_parts()(n)), split=PART),
        NODES,
        "part",
        1,
        row(60, "'C0000' is in test and train"),
        frozenset({"EG003"}),
    ),
    Case("EG019", tables(nodes=with_parts({1: "judge"}), split=PART), NODES, "part", 1, row(1, "'judge'")),
    Case("EG020", tables(nodes=set_column("part", "test"), split=PART), NODES, None, 0, ""),
    Case("EG021", tables(edges=repeat_first(payee="C0000")), EDGES, None, 1, row(300, "'C0000'")),
    Case("EG022", tables(edges=repeat_first()), EDGES, None, 1, row(300, "'C0000' to 'C00")),
    Case("EG023", tables(nodes=repeat_first(account="C9999")), NODES, None, 1, row(60, "'C9999'")),
    Case("EG024", tables(edges=into_one), EDGES, None, 1, "'C0005' has"),
    Case("EG025", tables(nodes=telling_income), NODES, "income", 45, ""),
    Case("EG026", tables(edges=telling_amounts), EDGES, "amount", 43, "", frozenset({"EG023"})),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_is_found_where_it_is(case: Case) -> None:
    found = check_tables(*case.tables)
    assert {finding.code for finding in found} - case.also == {case.code}, "\n".join(map(str, found))
    finding = next(finding for finding in found if finding.code == case.code)
    assert (finding.level, finding.advice) == (CODES[case.code].level, CODES[case.code].advice)
    assert (finding.file, finding.column, finding.count) == (f"the {case.table} table", case.column, case.count)
    assert len(finding.examples) == (min(5, finding.count) if case.first else 0)
    assert not case.first or case.first in finding.examples[0]
    assert str(finding).startswith(f"{case.code} {finding.level}: {finding.file}")


@pytest.mark.parametrize(
    "good",
    [
        tables(),
        tables(nodes=with_parts(), split=PART),
        tables(nodes=with_flags([]), split=FLAGS),
        tables(split={"by_time": True}),
        tables(edge_roles={"parallel": "aggregate", "directed": False}),
        (None, transfers(), {"edges": schema()["edges"]}),
    ],
    ids=["drawn", "column", "flags", "time", "aggregate", "no nodes"],
)
def test_nothing_is_found_where_nothing_is_wrong(good: Tables) -> None:
    assert check_tables(*good) == []


def test_every_number_has_a_test() -> None:
    assert {case.code for case in CASES} == set(CODES)


def test_every_number_has_a_section_of_the_page_with_its_name_and_level() -> None:
    sections = re.findall(
        r"^## (EG\d{3}): (.+) \((error|warning)\)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sections == [(code, about.title, about.level) for code, about in CODES.items()]


def test_numbers_have_no_gap() -> None:
    assert list(CODES) == [f"EG{number:03}" for number in range(1, len(CODES) + 1)]


def test_all_findings_come_at_once_with_the_lines_of_the_files(tmp_path: Path) -> None:
    nodes = change(repeat_first()(customers()), "income", {1: "much", 3: "1e999"})
    edges = change(change(transfers(), "amount", {0: "-5"}), "payee", {2: None, 4: "C0004"})
    nodes.write_csv(tmp_path / "customers.csv")
    text = edges.write_csv().split("\n")
    (tmp_path / "transfers.csv").write_text(
        "\n".join([*text[:1], "", *text[1:]])
    )  # a blank line below the header
    roles = schema(nodes={"features": {"income": "amount"}}, edges={"features": {"amount": "amount"}})
    found = check_tables(tmp_path / "customers.csv", tmp_path / "transfers.csv", roles)
    places = {finding.code: finding.examples[0] for finding in found}
    assert places == {
        "EG002": f"{tmp_path / 'transfers.csv'}, line 5",
        "EG003": f"{tmp_path / 'customers.csv'}, line 62: 'C0000'",
        "EG009": f"{tmp_path / 'customers.csv'}, line 3: 'much'",
        "EG010": f"{tmp_path / 'customers.csv'}, line 5: '1e999'",
        "EG012": f"{tmp_path / 'transfers.csv'}, line 3: '-5'",
        "EG021": f"{tmp_path / 'transfers.csv'}, line 7: 'C0004'",
    }


def test_every_part_with_few_labels_is_told_with_its_classes() -> None:
    found = check_tables(*tables(nodes=FEW, split=PART))
    assert [finding.message for finding in found] == [
        "in the val part of 7 labelled nodes, 'fraud' has 1",
        "in the test part of 6 labelled nodes, 'fraud' has 0",
    ]


def test_five_examples_of_many() -> None:
    nodes, edges, roles = tables(edges=lambda e: e.with_columns(-pl.col("amount")))
    (finding,) = check_tables(nodes, edges, roles)
    assert finding.count == 300
    assert [example.split(":")[0] for example in finding.examples] == [
        f"the edge table, {row(i)}" for i in range(5)
    ]


def test_time_in_the_future_is_one_after_tomorrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edgegat.data.checks.check.time.time", lambda: 1_700_000_000.0)  # 14 November 2023
    edges = pl.DataFrame(
        {"payer": ["a", "b"], "payee": ["b", "c"], "booked": ["2023-11-15 10:00:00", "2023-11-16 10:00:00"]}
    )
    roles = {"edges": {"source": "payer", "target": "payee", "time": "booked"}}
    (finding,) = check_tables(None, edges, roles)
    assert (finding.code, finding.count) == ("EG013", 1)
    assert "2023-11-16" in finding.examples[0]


@pytest.mark.parametrize(("at_hub", "found"), [(190, []), (210, ["EG024"])])
def test_a_hub_has_a_tenth_of_all_edges(at_hub: int, found: list[str]) -> None:
    ring = [(f"r{i}", f"r{i + 1}") for i in range(2000 - at_hub)]
    edges = pl.DataFrame(
        [*ring, *((f"r{i}", "hub") for i in range(at_hub))], schema=["payer", "payee"], orient="row"
    )
    findings = check_tables(None, edges, {"edges": {"source": "payer", "target": "payee"}})
    assert [finding.code for finding in findings] == found


def test_steps_are_told() -> None:
    steps: list[tuple[str, int, int]] = []
    check_tables(*tables(), progress=lambda *step: steps.append(step))
    assert [number for _, number, _ in steps] == list(range(len(steps)))
    assert {total for *_, total in steps} == {len(steps)}


def test_a_label_without_a_node_table_is_refused() -> None:
    with pytest.raises(DataError, match="no node table is given"):
        check_tables(None, transfers(), schema())
