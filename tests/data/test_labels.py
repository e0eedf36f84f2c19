"""Labels of any kind become class numbers, the same ones in a cleaner file."""

from __future__ import annotations

import polars as pl
import pytest

from edgegat.data import DataError, open_table
from edgegat.data.cells import Spelling
from edgegat.data.labels import find_classes, number_labels, read_labels
from edgegat.data.roles import NodeRoles


def read(labels: list[object], missing: tuple[str, ...] = (), **more: list[object]) -> list[str | None]:
    table = open_table(pl.DataFrame({"id": range(len(labels)), "label": labels, **more}, strict=False))
    roles = NodeRoles(id="id", label="label", labelled="checked" if more else None)
    return read_labels(table, roles, Spelling(missing=missing)).to_list()


def test_any_values_are_labels_and_an_empty_cell_is_none() -> None:
    assert read(["fraud", None, "", "ok", "NA"]) == ["fraud", None, None, "ok", "NA"]
    assert read(["fraud", "?", "ok"], missing=("?",)) == ["fraud", None, "ok"]
    assert read([1, 0, None]) == ["1", "0", None]
    assert read([True, False]) == ["true", "false"]


def test_integers_that_became_decimals_among_missing_ones_are_the_same_labels() -> None:
    assert read([1.0, None, 0.0]) == ["1", None, "0"]
    assert read(["1.0", "", "0.0"]) == ["1", None, "0"]
    assert read(["1.0", "x"]) == ["1.0", "x"]
    assert read(["1.5", "1.0"]) == ["1.5", "1.0"]


def test_a_flag_says_where_the_label_counts() -> None:
    assert read(["a", "b", "a", "b"], checked=["yes", "no", None, "1"]) == ["a", None, None, "b"]


def test_classes_are_in_order_of_size_or_of_the_alphabet() -> None:
    assert find_classes(pl.Series(["10", "9", "-1", None]), "t") == ["-1", "9", "10"]
    assert find_classes(pl.Series(["b", "Z", "a", "b"]), "t") == ["Z", "a", "b"]
    assert find_classes(pl.Series(["10", "9", "x"]), "t") == ["10", "9", "x"]


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["a", "a", None], "t has only 'a': two classes at least are needed"),
        ([None, None], "t has no label at all: two classes at least are needed"),
        ([str(i) for i in range(1001)], "t has 1,001 different labels, like '0', '1', '10' and 998 more"),
    ],
)
def test_what_is_no_set_of_classes_is_refused(labels: list[str | None], said: str) -> None:
    with pytest.raises(DataError) as refused:
        find_classes(pl.Series(labels, dtype=pl.String), "t")
    assert said in str(refused.value)


def test_numbers_of_labels_and_an_unknown_one_with_its_place() -> None:
    table = open_table(pl.DataFrame({"id": [1, 2, 3]}), "people")
    labels = pl.Series(["b", None, "a"])
    assert number_labels(labels, ["a", "b"], table, "label").tolist() == [1, -1, 0]
    with pytest.raises(
        DataError, match=r"people, row 0 .*: 'label' is 'b', which is no class that was learned"
    ):
        number_labels(labels, ["a", "c"], table, "label")
