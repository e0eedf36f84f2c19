"""Which columns are ids, ends of edges, labels, times and splits: by their names, contents and what they share."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import permutations

import polars as pl

from edgegat.data._guess_label import GuessedLabel, guess_label
from edgegat.data._sample import first_rows, matches, present
from edgegat.data._words import listing, show
from edgegat.data.cells import FALSE_WORDS, TRUE_WORDS, Spelling
from edgegat.data.errors import DataError
from edgegat.data.reading import Table, as_text
from edgegat.data.splits import SPELLINGS

_SOURCE_NAMES = re.compile(
    r"source|src|from|send|payer|payor|debtor|debit|orig|giver|buyer|caller|start|head|citing|von|absender"
)
_TARGET_NAMES = re.compile(
    r"target|dst|dest|^to$|^to_|_to$|receiv|recip|payee|creditor|credit|benef|taker|seller|callee|counter|end|tail"
    r"|cited|nach|empf"
)
_ID_NAMES = re.compile(r"^id$|_id$|id$|account|acct|customer|client|iban|node|key|konto|kunde")
_LABELLED_NAMES = re.compile(r"has_label|labell?ed|is_known|label_known")
_CURRENCY_NAMES = re.compile(r"currency|^ccy|_ccy|^curr|waehrung|währung|devise")
_FLAG_NAMES = {"train": re.compile(r"train"), "val": re.compile(r"val|dev"), "test": re.compile(r"test")}
_MOST_CANDIDATES = 12
_MOST_ENDS = 50
_WORTH = 0.05


@dataclass(frozen=True)
class GuessedEdges:
    """The columns of an edge table that are no features."""

    source: str
    target: str
    id: str | None
    reasons: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class GuessedNodes:
    """The columns of a node table that are no features: by role, and why."""

    id: str
    label: GuessedLabel | None = None
    labelled: str | None = None
    split: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)


def guess_edges(nodes: Table | None, edges: Table) -> GuessedEdges:
    """The two ends, and the node table's column that they name."""
    likely = sorted(_id_like(edges), key=lambda name: -_name_score(name, name) - matches(_ID_NAMES, name))
    ends = _texts(edges, likely[:_MOST_ENDS])
    if len(ends) < 2:
        raise DataError(
            f"{edges.name}: an edge needs two columns of ids, text or whole numbers, but of its columns "
            f"({listing(edges.columns)}) only {listing(ends) or 'none'} can be one."
        )
    return _ends_alone(edges, ends) if nodes is None else _ends_of(nodes, edges, ends)


def guess_nodes(nodes: Table, id_column: str, spelling: Spelling) -> GuessedNodes:
    """Label and split."""
    columns = [column for column in nodes.columns if column != id_column and _is_plain(nodes, column)]
    texts = _texts(nodes, columns)
    reasons: dict[str, str] = {}
    split = _guess_split(texts, reasons)
    rest = {name: cells for name, cells in texts.items() if name not in split.values()}
    labelled = next((name for name, c in rest.items() if matches(_LABELLED_NAMES, name) and _is_flag(c)), None)
    label = guess_label({name: cells for name, cells in rest.items() if name != labelled}, spelling)
    if label is not None and labelled is not None:
        reasons["labelled"] = "a flag, by the name: without it, the label is ignored"
    return GuessedNodes(id_column, label, labelled if label else None, split if label else {}, reasons)


def guess_edge_label(edges: Table, taken: Collection[str | None], spelling: Spelling) -> GuessedLabel | None:
    """The label of the edges, for tables whose nodes have none."""
    flags = [column for column, dtype in edges.dtypes.items() if dtype == pl.Boolean]
    rest = [column for column in [*_id_like(edges), *flags] if column not in taken]
    return guess_label(_texts(edges, rest), spelling)


def guess_currency(edges: Table) -> str | None:
    """The column that says in which currency amounts are."""
    return next(
        (c for c in edges.columns if matches(_CURRENCY_NAMES, c) and edges.dtypes[c] == pl.String), None
    )


def _ends_of(nodes: Table, edges: Table, ends: dict[str, pl.Series]) -> GuessedEdges:
    ids = _id_candidates(nodes)
    if not ids:
        raise DataError(
            f"{nodes.name} has no column in which every value is a different one, so none can be the id: looked at "
            f"{listing(nodes.columns, 20)}. Remove repeated rows, or write the schema by hand: [nodes] id = ..."
        )
    best: tuple[float, str, str, str] | None = None
    shares = {(id_column, end): _share(ends[end], values) for id_column, values in ids.items() for end in ends}
    for id_column in ids:
        for source, target in permutations(ends, 2):
            found = shares[id_column, source], shares[id_column, target]
            if min(found) < _WORTH:
                continue
            score = sum(found) + _name_score(source, target) + 0.5 * matches(_ID_NAMES, id_column)
            if best is None or score > best[0]:
                best = score, id_column, source, target
    if best is None:
        raise DataError(_say_nothing_shared(nodes, edges, ids, ends, shares))
    _, id_column, source, target = best
    return GuessedEdges(
        source,
        target,
        id_column,
        {
            "id": f"all different; {shares[id_column, source]:.0%} of {show(source)} in the edges is found here",
            "source": f"{shares[id_column, source]:.0%} of its values are ids of nodes",
            "target": f"{shares[id_column, target]:.0%} of its values are ids of nodes",
        },
    )


def _ends_alone(edges: Table, ends: dict[str, pl.Series]) -> GuessedEdges:
    def score(pair: tuple[str, str]) -> tuple[float, float]:
        source, target = pair
        return _name_score(source, target), min(
            _share(ends[source], ends[target]), _share(ends[target], ends[source])
        )

    source, target = max(permutations(ends, 2), key=lambda pair: sum(score(pair)))
    by_name, shared = score((source, target))
    if by_name < 2 and shared < _WORTH:
        raise DataError(
            f"{edges.name}: cannot tell which two columns are the ends of an edge. None of {listing(ends)} is called "
            "like source and target, and no two of them share values. Write the schema by hand: [edges] "
            'source = "...", target = "...".'
        )
    reason = "by the name" if by_name >= 2 else f"shares {shared:.0%} of its values with the other end"
    return GuessedEdges(source, target, None, {"source": reason, "target": reason})


def _say_nothing_shared(
    nodes: Table,
    edges: Table,
    ids: dict[str, pl.Series],
    ends: dict[str, pl.Series],
    shares: dict[tuple[str, str], float],
) -> str:
    looked = [f"  {show(name)} of {nodes.name}, like {listing(values.head(2))}" for name, values in ids.items()]
    looked += [
        f"  {show(name)} of {edges.name}, like {listing(values.head(2))}: "
        f"{max(shares[id_column, name] for id_column in ids):.0%} of its values are found in one of those"
        for name, values in ends.items()
    ]
    return (
        f"cannot tell which columns of {edges.name} name the nodes of {nodes.name}: two of them should hold values "
        "that stand in an id column. Looked at\n"
        + "\n".join(looked)
        + '\nWrite the same ids in both tables (as text, "007" and "7" are different), or write the schema by hand: '
        '[nodes] id = "...", [edges] source = "...", target = "...".'
    )


def _guess_split(texts: dict[str, pl.Series], reasons: dict[str, str]) -> dict[str, str]:
    for name, cells in texts.items():
        words = present(cells).str.to_lowercase()
        if words.n_unique() > 1 and words.is_in(list(SPELLINGS)).all() and (words == "train").any():
            reasons["split"] = f"it says {listing(words.unique().sort())}"
            return {"column": name}
    flags = {
        part: column
        for part, pattern in _FLAG_NAMES.items()
        if (column := next((n for n, c in texts.items() if matches(pattern, n) and _is_flag(c)), None))
    }
    if "train" not in flags or len(set(flags.values())) < len(flags):
        return {}
    reasons["split"] = "flags, by their names"
    return flags


def _id_like(table: Table) -> list[str]:
    return [
        column
        for column, dtype in table.dtypes.items()
        if dtype == pl.String or dtype.is_integer() or dtype.is_float()
    ]


def _id_candidates(nodes: Table) -> dict[str, pl.Series]:
    """Columns without a repeated or an empty cell, the likeliest names first, whole."""
    head = _texts(nodes, _id_like(nodes))
    unique = [
        name
        for name, cells in head.items()
        if len(present(cells)) == len(cells) == cells.n_unique()
        and not cells.str.contains(r"^-?\d+\.\d*[1-9]").any()
    ]
    unique.sort(key=lambda name: not matches(_ID_NAMES, name))
    return {name: nodes.read(nodes.text(name).alias(name))[name] for name in unique[:_MOST_CANDIDATES]}


def _texts(table: Table, columns: list[str]) -> dict[str, pl.Series]:
    head = first_rows(table, columns)
    return {name: head.select(as_text(pl.col(name), table.dtypes[name]))[name] for name in columns}


def _is_flag(cells: pl.Series) -> bool:
    words = present(cells).str.to_lowercase()
    return bool(len(words) and words.is_in(TRUE_WORDS + FALSE_WORDS).all())


def _is_plain(table: Table, column: str) -> bool:
    dtype = table.dtypes[column]
    return not (dtype.is_nested() or dtype == pl.Binary)


def _share(cells: pl.Series, among: pl.Series) -> float:
    """How many of the cells' distinct values stand in the other column."""
    distinct = present(cells).unique()
    return float(distinct.is_in(among.implode()).mean() or 0.0) if len(distinct) else 0.0  # type: ignore[arg-type]


def _name_score(source: str, target: str) -> int:
    return matches(_SOURCE_NAMES, source) + matches(_TARGET_NAMES, target)
