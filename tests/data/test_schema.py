"""The TOML file is read strictly, and all its mistakes are told at once."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from edgegat.data import DataError, Schema, open_table

GOOD = """
decimal = ","
missing = ["-", "unknown"]
time_format = "%d.%m.%Y"

[nodes]
id = "account"
label = "label"
labelled = "checked"
time = "opened"
[nodes.features]
age = "number"
"name with spaces" = { type = "category" }

[edges]
source = "from"
target = "to"
time = "booked"
currency = "ccy"
directed = false
parallel = "aggregate"
[edges.features]
amount = { type = "amount", aggregate = ["sum", "max"] }
booked = { type = "time", aggregate = ["first", "last"] }

[split]
by_time = true
ratio = [8, 1, 1]
seed = 3
"""


def mistakes(text: str) -> list[str]:
    with pytest.raises(DataError) as refused:
        Schema.from_text(text, "bank.toml")
    head, *lines = str(refused.value).split("\n")
    assert head == f"bank.toml has {len(lines)} mistake{'s' if len(lines) > 1 else ''}:"
    return [line.strip() for line in lines]


def test_everything_that_can_be_said() -> None:
    schema = Schema.from_text(GOOD)
    assert schema.nodes is not None
    assert schema.nodes.features is not None
    assert {name: feature.type for name, feature in schema.nodes.features.items()} == {
        "age": "number",
        "name with spaces": "category",
    }
    assert schema.spelling.missing == ("-", "unknown")
    assert (schema.edges.directed, schema.edges.parallel, schema.split.ratio) == (False, "aggregate", [8, 1, 1])
    assert Schema.from_dict(schema.model_dump(mode="json")) == schema


def test_all_mistakes_at_once_with_their_paths_and_what_is_allowed() -> None:
    found = mistakes(
        """
decimal = "'"
colour = "blue"
[nodes]
id = 7
lable = "x"
[nodes.features]
age = "nummer"
[edges]
source = "from"
directed = "no"
parallel = "agregate"
[edges.features]
amount = { type = "amount", agregate = ["sum"] }
[split]
ratio = [3, 1]
seed = 1.5
"""
    )
    for said in (
        "decimal is \"'\", but it must be one of '.', ','.",
        "colour: unknown key. Known here are 'nodes', 'edges', 'split', 'missing', 'decimal', 'time_format'.",
        "nodes.id is 7, but it must be text in double quotes.",
        "nodes.lable: unknown key. Did you mean 'label'?",
        "nodes.features.age.type is 'nummer', but it must be one of 'number', 'amount',",
        "edges.target: missing. Name the column that holds the id of the node an edge reaches.",
        "edges.directed is 'no', but it must be true or false.",
        "edges.parallel is 'agregate', but it must be one of 'keep', 'aggregate'. Did you mean 'aggregate'?",
        "edges.features.amount.agregate: unknown key. Did you mean 'aggregate'?",
        "split.ratio is [3, 1]",
        "split.seed is 1.5",
    ):
        assert any(line.startswith(said) for line in found), (said, found)
    assert len(found) == 11


EDGES = '[edges]\nsource = "a"\ntarget = "b"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[edges]\nsource = "a"\ntarget = "a"',
            "edges: column 'a' is both 'source' and 'target'; each needs its own.",
        ),
        (
            EDGES + '[edges.features]\na = "number"',
            "edges: column 'a' is 'source' and cannot be a feature, too.",
        ),
        (
            EDGES + 'time = "t"\n[edges.features]\nt = "number"',
            "edges: column 't' is the time of the edges; as a feature its type is 'time', too.",
        ),
        (
            EDGES + '[edges.features]\nx = { type = "amount", aggregate = ["sum"] }',
            "edges: features.x: 'aggregate' needs parallel = \"aggregate\".",
        ),
        (
            EDGES + 'parallel = "aggregate"\n[edges.features]\nx = { type = "category", aggregate = ["sum"] }',
            "edges.features.x: type 'category' has no 'sum'; it has 'first', 'last'.",
        ),
        (
            EDGES + 'parallel = "aggregate"\n[edges.features]\nx = { type = "amount", aggregate = [] }',
            "edges.features.x: aggregate is empty; choose some of 'sum', 'mean', 'min', 'max', 'first', 'last', or "
            "leave the column out.",
        ),
        (
            EDGES + '[nodes]\nid = "i"\n[nodes.features]\nx = { type = "amount", aggregate = ["sum"] }',
            "nodes: features.x: 'aggregate' is for edges; a node has one row.",
        ),
        (
            EDGES + '[nodes]\nid = "i"\nlabelled = "l"',
            "nodes: 'labelled' says where the label counts, but there is no",
        ),
        (
            EDGES + '[split]\ncolumn = "s"',
            "file: split names columns, but there is no label in [nodes] or [edges] to split.",
        ),
        (
            EDGES + '[nodes]\nid = "i"\nlabel = "l"\n[nodes.features]\ns = "category"\n[split]\ncolumn = "s"',
            "file: column 's' says the split and cannot be a feature, too.",
        ),
        (EDGES + "[split]\nby_time = true", "file: split.by_time needs a 'time' in [nodes] or in [edges]."),
        (
            EDGES + '[nodes]\nid = "i"\nlabel = "l"\n[split]\ncolumn = "s"\ntrain = "t"',
            "split: 'column', 'flags' are different ways to split; keep one.",
        ),
        (
            EDGES + '[split]\ntest = "t"',
            "split: the flags need 'train', the column that is true for training nodes.",
        ),
        (EDGES + "[split]\nratio = [0, 1, 1]", "split: ratio is [0.0, 1.0, 1.0]: the first number"),
        ("", "edges: missing. Write a section [edges] with the columns 'source' and 'target'."),
    ],
)
def test_what_does_not_fit_together_is_told(text: str, said: str) -> None:
    (line,) = mistakes(text)
    assert line.replace("[0, 1, 1]", "[0.0, 1.0, 1.0]").startswith(said)


def test_files_that_are_no_toml_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "bank.toml"
    with pytest.raises(DataError, match=r"there is no file .*bank.toml. edgegat.data.draft_schema drafts one"):
        Schema.load(path)
    path.write_text("[edges]\nsource = from")
    with pytest.raises(
        DataError, match=r"bank.toml is not TOML: .*line 2.* Text values stand in double quotes"
    ):
        Schema.load(path)
    path.write_bytes(b"\xff\xfe[")
    with pytest.raises(DataError, match="is not UTF-8 text"):
        Schema.load(path)
    with pytest.raises(DataError, match=f"{tmp_path} cannot be read"):
        Schema.load(tmp_path)


def test_all_missing_columns_at_once() -> None:
    schema = Schema.from_text(GOOD)
    nodes = open_table(pl.DataFrame({"acount": ["a"], "age": [1]}), "people")
    edges = open_table(pl.DataFrame({"from": ["a"], "to": ["b"], "amount": [1]}), "calls")
    with pytest.raises(DataError) as refused:
        schema.check_columns(nodes, edges)
    said = str(refused.value)
    assert "people has no column 'acount'" not in said
    for column, path in (("account", "nodes.id"), ("label", "nodes.label"), ("opened", "nodes.time")):
        assert f"people has no column '{column}', named in {path}." in said
    assert "Did you mean 'acount'?" in said
    assert "calls has no column 'booked', named in edges.time." in said
    assert "Its columns are 'acount', 'age'." in said
