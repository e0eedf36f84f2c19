"""What a column can be: the sections of the TOML file, one class each."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from edgegat.data._words import listing
from edgegat.data.gaps import GAPS

FeatureType = Literal["number", "amount", "category", "flag", "time", "count"]
Aggregation = Literal["sum", "mean", "min", "max", "first", "last"]
LabelKind = Literal["class", "number"]

NUMERIC_AGGREGATIONS: tuple[Aggregation, ...] = ("sum", "mean", "min", "max", "first", "last")
AGGREGATIONS: dict[FeatureType, tuple[Aggregation, ...]] = {
    "number": NUMERIC_AGGREGATIONS,
    "amount": NUMERIC_AGGREGATIONS,
    "count": NUMERIC_AGGREGATIONS,
    "flag": ("sum", "mean", "min", "max", "first", "last"),
    "category": ("first", "last"),
    "time": ("first", "last", "min", "max", "mean"),
}
DEFAULT_AGGREGATIONS: dict[FeatureType, list[Aggregation]] = {
    "number": ["mean"],
    "amount": ["sum"],
    "count": ["sum"],
    "flag": ["mean"],
    "category": ["last"],
    "time": ["last"],
}


class Section(BaseModel):
    """A table of the TOML file: no unknown keys, no silent conversions."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Column = Annotated[str, Field(min_length=1)]


class Feature(Section):
    """How one column becomes numbers. In the file, ``amount = "amount"`` is short for ``{type = "amount"}``.

    Attributes:
        type: ``number`` (any quantity), ``amount`` (money: a logarithmic scale that takes zeros and negatives),
            ``count`` (0, 1, 2, ...), ``category`` (a few values that repeat), ``flag`` (yes or no), ``time``.
        aggregate: of edge features, with ``parallel = "aggregate"``: what is kept of all rows of a pair. The number
            of rows is always kept, under the name ``count``. ``first`` and ``last`` go by the edges' time.
    """

    type: FeatureType
    aggregate: list[Aggregation] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        allowed = AGGREGATIONS[self.type]
        wrong = [name for name in self.aggregate or [] if name not in allowed]
        if wrong:
            raise ValueError(f"type {self.type!r} has no {listing(wrong)}; it has {listing(allowed)}")
        if self.aggregate == []:
            raise ValueError(f"aggregate is empty; choose some of {listing(allowed)}, or leave the column out")
        return self


def _spell_out(value: object) -> object:
    return {"type": value} if isinstance(value, str) else value


Features = dict[str, Annotated[Feature, BeforeValidator(_spell_out)]]


class NodeRoles(Section):
    """The columns of the node table.

    Attributes:
        id: what the edges call a node.
        label: what is to be learned; an empty cell means unlabelled.
        kind: of the label: any values are classes, or a ``number`` is to be predicted.
        labelled: a flag; where it is not set, the label is ignored.
        time: when the node became known; a split by time goes by it.
        features: by column. Without it, every column that has no other role, its type inferred.
    """

    id: Column
    label: Column | None = None
    kind: LabelKind = "class"
    labelled: Column | None = None
    time: Column | None = None
    features: Features | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        roles = {"id": self.id, "label": self.label, "labelled": self.labelled}
        mistakes = _check_roles(roles, self.features)
        if self.labelled and not self.label:
            mistakes.append("'labelled' says where the label counts, but there is no 'label'")
        if self.kind == "number" and not self.label:
            mistakes.append("'kind' says what the label is, but there is no 'label'")
        mistakes += [
            f"features.{name}: 'aggregate' is for edges; a node has one row"
            for name, feature in (self.features or {}).items()
            if feature.aggregate is not None
        ]
        _raise(mistakes)
        return self


class EdgeRoles(Section):
    """The columns of the edge table.

    Attributes:
        source, target: the ids of the two nodes.
        label: what is to be learned, if it is about edges and not about nodes; an empty cell means unlabelled.
        kind: of the label: any values are classes, or a ``number`` is to be predicted.
        labelled: a flag; where it is not set, the label is ignored.
        time: when it happened. It is no feature unless ``features`` lists it, too.
        gaps: adds four features to every edge: the seconds since the last and until the next transfer at its source,
            and at its target. Needs ``time`` and ``parallel = "keep"``.
        currency: in which the amounts are; checked to be one and the same, never converted.
        directed: whether ``a → b`` and ``b → a`` are different things.
        parallel: ``"keep"`` several rows of one pair as parallel edges, or ``"aggregate"`` them to one edge. It
            always gets the number of its rows, as the feature ``count``.
        features: by column. Without it, every column that has no other role, its type inferred.
    """

    source: Column
    target: Column
    label: Column | None = None
    kind: LabelKind = "class"
    labelled: Column | None = None
    time: Column | None = None
    gaps: bool = False
    currency: Column | None = None
    directed: bool = True
    parallel: Literal["keep", "aggregate"] = "keep"
    features: Features | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        roles = {"source": self.source, "target": self.target, "label": self.label, "labelled": self.labelled}
        mistakes = _check_roles(roles, self.features)
        if self.labelled and not self.label:
            mistakes.append("'labelled' says where the label counts, but there is no 'label'")
        if self.kind == "number" and not self.label:
            mistakes.append("'kind' says what the label is, but there is no 'label'")
        if self.label and self.parallel == "aggregate":
            mistakes.append('the label belongs to single edges: it needs parallel = "keep"')
        if (
            self.time is not None
            and (feature := (self.features or {}).get(self.time))
            and feature.type != "time"
        ):
            mistakes.append(
                f"column {self.time!r} is the time of the edges; as a feature its type is 'time', too"
            )
        if self.gaps and self.time is None:
            mistakes.append(
                "'gaps' are differences of times, but there is no 'time': name the column, time = \"...\""
            )
        if self.gaps and self.parallel == "aggregate":
            mistakes.append("'gaps' belong to single transfers: they need parallel = \"keep\"")
        if self.gaps:
            taken = [name for name in self.features or {} if name in GAPS]
            mistakes += [
                f"features.{name}: 'gaps' makes a feature of this name; rename the column" for name in taken
            ]
        if self.parallel == "keep":
            mistakes += [
                f"features.{name}: 'aggregate' needs parallel = \"aggregate\""
                for name, feature in (self.features or {}).items()
                if feature.aggregate is not None
            ]
        _raise(mistakes)
        return self


class Split(Section):
    """Which labelled nodes train, which choose (validation) and which judge (test).

    At most one of ``column``, the flags and ``by_time``; without any, it is drawn at random, with the same
    share of each class in every part. If a column or the flags name no validation part, it is drawn from the
    training part.

    Attributes:
        column: a node column with ``train``, ``val`` (``valid``, ``validation``, ``dev``) and ``test`` in it.
        train, val, test: node columns with flags.
        by_time: train on the past: labelled nodes in order of the nodes' ``time``, or else of their first edge.
        ratio: of the three parts. The paper's is 3:1:1.
        seed: of the draw.
    """

    column: Column | None = None
    train: Column | None = None
    val: Column | None = None
    test: Column | None = None
    by_time: bool = False
    ratio: Annotated[list[Annotated[float, Field(ge=0)]], Field(min_length=3, max_length=3)] = Field(
        default=[3, 1, 1]
    )
    seed: Annotated[int, Field(ge=0)] = 0

    @property
    def flags(self) -> dict[str, str]:
        """The flag columns that are named, by part."""
        named = {"train": self.train, "val": self.val, "test": self.test}
        return {part: column for part, column in named.items() if column}

    @property
    def columns(self) -> list[str]:
        """All node columns that this split reads."""
        return [self.column] if self.column else list(self.flags.values())

    @model_validator(mode="after")
    def _check(self) -> Self:
        mistakes = []
        ways = [
            name
            for name, used in (("column", self.column), ("flags", self.flags), ("by_time", self.by_time))
            if used
        ]
        if len(ways) > 1:
            mistakes.append(f"{listing(ways)} are different ways to split; keep one")
        if self.flags and not self.train:
            mistakes.append("the flags need 'train', the column that is true for training nodes")
        if not self.ratio[0] > 0:
            mistakes.append(f"ratio is {self.ratio}: the first number, the training part, must be above 0")
        _raise(mistakes)
        return self


def _check_roles(roles: dict[str, str | None], features: Features | None) -> list[str]:
    """One column has one role; only times and currencies may be features, too."""
    mistakes = []
    seen: dict[str, str] = {}
    for role, column in roles.items():
        if column is None:
            continue
        if column in seen:
            mistakes.append(f"column {column!r} is both {seen[column]!r} and {role!r}; each needs its own")
        elif column in (features or {}):
            mistakes.append(f"column {column!r} is {role!r} and cannot be a feature, too")
        seen[column] = role
    return mistakes


def _raise(mistakes: list[str]) -> None:
    if mistakes:
        raise ValueError("\n".join(mistakes))
