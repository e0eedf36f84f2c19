"""What is checked is read as far as it can be read."""

from __future__ import annotations

import polars as pl

from edgegat.data import Schema, open_table
from edgegat.data.checks.subject import Subject


def test_a_node_is_its_first_row_and_a_row_without_id_is_none() -> None:
    nodes = pl.DataFrame({"id": ["a", "", "a", "b", None, "c"], "label": ["x", "y", "y", "y", "x", None]})
    edges = pl.DataFrame({"from": ["a", "b", "d", None], "to": ["b", "b", "a", "a"]})
    schema = Schema.from_dict(
        {"nodes": {"id": "id", "label": "label"}, "edges": {"source": "from", "target": "to"}}
    )
    subject = Subject(open_table(nodes), open_table(edges), schema)
    assert subject.node_rows.tolist() == [0, 3, 5]
    assert subject.numbering.ids.to_list() == ["a", "b", "c", "d"]
    assert subject.numbering.in_table == 3
    assert subject.numbering.source.tolist() == [0, 1, 3, -1]
    assert subject.complete.tolist() == [True, True, True, False]
    assert subject.degrees.tolist() == [2, 2, 0, 1]
    assert subject.y.tolist() == [0, 1, -1, -1]


def test_cells_that_cannot_be_read_are_null_and_listed() -> None:
    edges = pl.DataFrame({"from": ["a", "b"], "to": ["b", "c"], "paid": ["1.5", "x"]})
    schema = Schema.from_dict({"edges": {"source": "from", "target": "to", "features": {"paid": "amount"}}})
    cells = Subject(None, open_table(edges), schema).edge_cells
    assert cells.values["paid"].to_list() == [1.5, None]
    assert cells.unreadable["paid"].to_list() == [1]
