"""The TOML file that says what the columns of two tables mean."""

from __future__ import annotations

import tomllib
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from edgegat.data._schema_errors import say_mistakes
from edgegat.data._words import count, did_you_mean, listing, show
from edgegat.data.cells import Spelling
from edgegat.data.errors import DataError
from edgegat.data.reading import Table
from edgegat.data.roles import EdgeRoles, LabelKind, NodeRoles, Section, Split


class Schema(Section):
    """Everything that the TOML file says.

    Attributes:
        nodes: the node table's roles; ``None`` if there is no node table.
        edges: the edge table's roles.
        split: how labelled nodes are divided.
        missing: cell contents that mean "nothing is known", beside the empty cell, in features and labels.
        decimal: the decimal mark of numbers that are written as text.
        time_format: how times are written (``"%d.%m.%Y"``), if it is neither ISO 8601 nor seconds since 1970.

    Example:
        >>> schema = Schema.from_text('''
        ... [nodes]
        ... id = "customer"
        ... label = "fraud"
        ...
        ... [edges]
        ... source = "payer"
        ... target = "payee"
        ... parallel = "aggregate"
        ... directed = false
        ...
        ... [edges.features]
        ... amount = { type = "amount", aggregate = ["sum", "max"] }
        ... ''')
        >>> schema.edges.features["amount"].aggregate, schema.split.ratio
        (['sum', 'max'], [3, 1, 1])
    """

    nodes: NodeRoles | None = None
    edges: EdgeRoles
    split: Split = Split()
    missing: list[str] = Field(default=[])
    decimal: Literal[".", ","] = "."
    time_format: str | None = None

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read the file; a ``DataError`` lists all mistakes at once."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise DataError(
                f"there is no file {path}. edgegat.data.draft_schema drafts one from two tables."
            ) from None
        except UnicodeDecodeError:
            raise DataError(f"{path} is not UTF-8 text. Save it as UTF-8.") from None
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None
        return cls.from_text(text, str(path))

    @classmethod
    def from_text(cls, text: str, name: str = "the schema") -> Self:
        """The same from the file's text; ``name`` is what error messages call it."""
        try:
            return cls.from_dict(tomllib.loads(text), name)
        except tomllib.TOMLDecodeError as error:
            raise DataError(f"{name} is not TOML: {error}. Text values stand in double quotes.") from None

    @classmethod
    def from_dict(cls, content: dict[str, Any], name: str = "the schema") -> Self:
        """The same from the file's content."""
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            mistakes = say_mistakes(error, cls)
            raise DataError(
                f"{name} has {count(len(mistakes), 'mistake')}:\n" + "\n".join(f"  {m}" for m in mistakes)
            ) from None

    @classmethod
    def of(cls, source: Self | str | PathLike[str] | dict[str, Any]) -> Self:
        """A schema as it is, from a file or from its content."""
        if isinstance(source, cls):
            return source
        if isinstance(source, dict):
            return cls.from_dict(source)
        if isinstance(source, str | PathLike):
            return cls.load(source)
        raise DataError(f"a schema is a Schema, a path or a dictionary, but this is a {type(source).__name__}.")

    @property
    def spelling(self) -> Spelling:
        """How cells are written."""
        return Spelling(tuple(self.missing), self.decimal, self.time_format)

    @property
    def labels_on(self) -> Literal["nodes", "edges", ""]:
        """Which table says what is to be learned; neither, without a label."""
        if self.edges.label:
            return "edges"
        return "nodes" if self.nodes is not None and self.nodes.label else ""

    @property
    def kind(self) -> LabelKind:
        """Whether classes are to be learned or a number."""
        numbers = self.edges.kind == "number" or (self.nodes is not None and self.nodes.kind == "number")
        return "number" if numbers else "class"

    @model_validator(mode="after")
    def _check(self) -> Self:
        mistakes = []
        if self.edges.label and self.nodes is not None and self.nodes.label:
            mistakes.append("[nodes] and [edges] both have a label: a model decides about one of the two")
        if self.split.columns and not self.labels_on:
            mistakes.append("split names columns, but there is no label in [nodes] or [edges] to split")
        labelled = self.edges if self.labels_on == "edges" else self.nodes
        for column in self.split.columns:
            if labelled is not None and column in (labelled.features or {}):
                mistakes.append(f"column {column!r} says the split and cannot be a feature, too")
        if self.split.by_time and self.edges.time is None and (self.nodes is None or self.nodes.time is None):
            mistakes.append("split.by_time needs a 'time' in [nodes] or in [edges]")
        if mistakes:
            raise ValueError("\n".join(mistakes))
        return self

    def check_columns(self, nodes: Table | None, edges: Table, training: bool = True) -> None:
        """Refuse tables that lack a column this schema names; all that are missing, at once.

        Args:
            nodes: the node table, if there is one.
            edges: the edge table.
            training: whether all is needed, or only ids and features.
        """
        if nodes is not None and self.nodes is None:
            raise DataError(f"{nodes.name} is given as node table, but the schema has no [nodes] section.")
        if nodes is None and training and self.nodes is not None and self.nodes.label:
            raise DataError("the schema's label is a column of the node table, but no node table is given.")
        more = ("label", "labelled", "time", "currency") if training else ()
        of_edges = _named(self.edges, "edges", ("source", "target", *more))
        if training and self.labels_on == "edges":
            of_edges += [("split", column) for column in self.split.columns]
        mistakes = _missing_columns(edges, of_edges)
        if nodes is not None and self.nodes is not None:
            roles = ("id", "label", "labelled", "time") if training else ("id",)
            named = _named(self.nodes, "nodes", roles)
            if training and self.labels_on == "nodes":
                named += [("split", column) for column in self.split.columns]
            mistakes += _missing_columns(nodes, named)
        if mistakes:
            raise DataError("\n".join(mistakes))


def _named(section: NodeRoles | EdgeRoles, title: str, roles: tuple[str, ...]) -> list[tuple[str, str]]:
    """``(TOML path, column)`` of everything that the section names."""
    named = [(f"{title}.{role}", column) for role in roles if (column := getattr(section, role))]
    return named + [(f"{title}.features", column) for column in section.features or {}]


def _missing_columns(table: Table, named: list[tuple[str, str]]) -> list[str]:
    missing = [(path, column) for path, column in named if column not in table.dtypes]
    if not missing:
        return []
    lines = [
        f"{table.name} has no column {show(column)}, named in {path}.{did_you_mean(column, table.columns)}"
        for path, column in missing
    ]
    return [*lines, f"Its columns are {listing(table.columns, 30)}."]
