"""The first version of the TOML file, for a person to correct."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from edgegat.data._guess_label import GuessedLabel
from edgegat.data._guess_roles import (
    GuessedEdges,
    GuessedNodes,
    guess_currency,
    guess_edge_label,
    guess_edges,
    guess_nodes,
)
from edgegat.data._guess_spelling import guess_spelling
from edgegat.data._sample import first_rows
from edgegat.data.cells import Spelling
from edgegat.data.infer import Guess, infer_types
from edgegat.data.reading import Table, TableSource
from edgegat.data.roles import DEFAULT_AGGREGATIONS
from edgegat.data.two_tables import open_both

_HEAD = """\
# What the columns of two tables mean: a draft, guessed from their names and first rows. Correct it where it is wrong.
# A line that begins with # does nothing. Types: number, amount (money), count, category, flag, time."""
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_REPEATED = 0.05
_COMMENT_AT = 43


def draft_schema(nodes: TableSource | None, edges: TableSource) -> str:
    """The text of a TOML file for these two tables, each guess with its reason behind it.

    Ids, labels and splits are guessed from names, contents and from which columns hold the same values in both
    tables; features from their first 100,000 rows. :meth:`edgegat.data.Schema.from_text` takes the text as it is.

    Raises:
        DataError: no two columns can be the ends of an edge; it says what was looked at and what to write.

    Example:
        >>> import polars as pl
        >>> people = pl.DataFrame({"account": ["a1", "a2", "a3"], "fraud": [1, None, 0]})
        >>> transfers = pl.DataFrame({"payer": ["a1", "a2"], "payee": ["a3", "a1"], "amount": [5.0, 7.5]})
        >>> print(draft_schema(people, transfers))
        # What the columns of two tables mean: a draft, ...
        [nodes]
        id = "account"                              # all different; 100% of 'payer' in the edges is found here
        label = "fraud"                             # 2 classes; 1 of the first 3 cells are empty: unlabelled
        ...
    """
    node_table, edge_table = open_both(nodes, edges)
    ends = guess_edges(node_table, edge_table)
    spelling = guess_spelling(node_table, edge_table)
    lines = [_HEAD, "", *_spelling_lines(spelling)]
    roles, without_label = None, True
    if node_table is not None and ends.id is not None:
        roles = guess_nodes(node_table, ends.id, spelling)
        without_label = roles.label is None
        lines += [*_node_lines(node_table, roles, ends, spelling), ""]
    lines += [*_edge_lines(edge_table, ends, spelling, without_label), "", *_split_lines(roles)]
    return "\n".join(lines) + "\n"


def _spelling_lines(spelling: Spelling) -> Iterator[str]:
    if spelling.decimal != ".":
        yield _line("decimal", spelling.decimal, "numbers are written like 1,5")
    if spelling.time_format is not None:
        day_first = spelling.time_format.startswith("%d/")
        doubt = ": or is the month first, '%m/%d/%Y'?" if day_first else ""
        yield _line("time_format", spelling.time_format, f"how times are written{doubt}")
    if spelling != Spelling():
        yield ""


def _node_lines(nodes: Table, roles: GuessedNodes, ends: GuessedEdges, spelling: Spelling) -> Iterator[str]:
    yield "[nodes]"
    yield _line("id", roles.id, ends.reasons["id"])
    if roles.label is not None:
        yield from _label_lines(roles.label)
    else:
        yield _comment('# label = "..."', "no column looks like a label: name the one to learn")
    if roles.labelled is not None:
        yield _line("labelled", roles.labelled, roles.reasons["labelled"])
    taken = [roles.id, roles.label.column if roles.label else None, roles.labelled, *roles.split.values()]
    yield from _feature_lines("nodes", nodes, taken, spelling, aggregate=False)


def _label_lines(label: GuessedLabel) -> Iterator[str]:
    yield _line("label", label.column, label.reason)
    if label.kind == "number":
        yield _line("kind", "number", 'or "class": any values are classes')


def _edge_lines(edges: Table, ends: GuessedEdges, spelling: Spelling, with_label: bool) -> Iterator[str]:
    currency = guess_currency(edges)
    taken = [ends.source, ends.target, currency]
    label = guess_edge_label(edges, taken, spelling) if with_label else None
    taken.append(label.column if label else None)
    others = infer_types(edges, [c for c in edges.columns if c not in taken], spelling)
    time = next((column for column, guess in others.items() if guess.type == "time"), None)
    pairs = first_rows(edges, [ends.source, ends.target])
    repeated = pairs.height - pairs.n_unique()
    aggregate = label is None and repeated > _REPEATED * pairs.height
    yield "[edges]"
    yield _line("source", ends.source, ends.reasons["source"])
    yield _line("target", ends.target, ends.reasons["target"])
    if label is not None:
        yield from _label_lines(label)
    if time is not None:
        yield _line("time", time, "when it happened; a feature only if it is listed below, too")
    if currency is not None:
        yield _line("currency", currency, "by the name; checked to be one and the same")
    yield _comment("directed = true", "false: a to b and b to a are the same thing")
    reason = f"{repeated:,} of the first {pairs.height:,} rows repeat a pair of nodes"
    yield _line("parallel", "aggregate" if aggregate else "keep", f"{reason}; keep or aggregate")
    yield from _feature_lines("edges", edges, [*taken, time], spelling, aggregate)
    if time is not None:
        yield "# " + _feature(
            time, Guess("time", "left out: times of past data often tell how it was collected"), aggregate
        )


def _feature_lines(
    section: str, table: Table, taken: list[str | None], spelling: Spelling, aggregate: bool
) -> Iterator[str]:
    yield ""
    yield f"[{section}.features]"
    for column, guess in infer_types(table, [c for c in table.columns if c not in taken], spelling).items():
        if guess.type is None:
            left_out = Guess("category", f"left out: {guess.reason}")
            yield "# " + _feature(column, left_out, aggregate)
        else:
            yield _feature(column, guess, aggregate)


def _feature(column: str, guess: Guess, aggregate: bool) -> str:
    assert guess.type is not None
    if not aggregate:
        return _line(column, guess.type, guess.reason)
    kept = ", ".join(_quote(how) for how in DEFAULT_AGGREGATIONS[guess.type])
    return _comment(f"{_key(column)} = {{ type = {_quote(guess.type)}, aggregate = [{kept}] }}", guess.reason)


def _split_lines(roles: GuessedNodes | None) -> Iterator[str]:
    yield "[split]"
    if roles is not None and roles.split:
        for key, column in roles.split.items():
            yield _line(key, column, roles.reasons["split"])
    yield _comment("ratio = [3, 1, 1]", "training, validation, test, drawn where no column says it")
    yield _comment("seed = 0", "of the draw")


def _line(key: str, value: str, comment: str) -> str:
    return _comment(f"{_key(key)} = {_quote(value)}", comment)


def _comment(setting: str, comment: str) -> str:
    return f"{setting:{_COMMENT_AT}} # {_CONTROL.sub('?', comment)}"


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _quote(name)


def _quote(text: str) -> str:
    """A TOML string: as in JSON, which leaves one character as it is that TOML does not."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
