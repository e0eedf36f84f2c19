"""Ids of any kind become node numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from edgegat.data._words import count, show
from edgegat.data.errors import DataError
from edgegat.data.reading import Table

_EXAMPLES = 5


@dataclass(frozen=True)
class Numbering:
    """Which number each id got, and what the edges say in numbers.

    Attributes:
        ids: ``[N]``, text: the node table's in order, then those that only edges name, as they first appear.
        source, target: ``[rows]`` of the edge table, node numbers.
        in_table: how many nodes the node table has.
    """

    ids: pl.Series
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    in_table: int


def number_nodes(nodes: Table | None, id_column: str | None, edges: Table, ends: tuple[str, str]) -> Numbering:
    """Number the nodes of two tables. Ids are compared as text: ``"007"`` and ``"7"`` are two nodes.

    Example:
        >>> from edgegat.data import open_table
        >>> people = open_table(pl.DataFrame({"name": ["Zoë", "Ali"]}))
        >>> calls = open_table(pl.DataFrame({"from": ["Ali", "7"], "to": ["Zoë", "007"]}))
        >>> numbering = number_nodes(people, "name", calls, ("from", "to"))
        >>> numbering.ids.to_list(), numbering.source.tolist(), numbering.target.tolist()
        (['Zoë', 'Ali', '7', '007'], [1, 2], [0, 3])
    """
    known = _node_ids(nodes, id_column) if nodes is not None and id_column is not None else no_ids()
    pairs = read_pairs(edges, ends)
    for name, column in zip(pairs.columns, ends, strict=True):
        _refuse_missing(edges, pairs[name], column)
    return number_ids(known, pairs)


def read_pairs(edges: Table, ends: tuple[str, str]) -> pl.DataFrame:
    """The ids of both ends, ``s`` and ``t``, as text."""
    return edges.read(*(edges.text(column).alias(name) for column, name in zip(ends, ("s", "t"), strict=True)))


def number_ids(known: pl.Series, pairs: pl.DataFrame) -> Numbering:
    """The same from ids that were read; an end without an id gets ``-1``."""
    numbers = {end: _look_up(pairs[end], known) for end in pairs.columns}
    strange = [
        pairs.select(id=end, position=2 * pl.int_range(pl.len(), dtype=pl.Int64) + side)
        .filter(numbers[end] < 0)
        .drop_nulls()
        for side, end in enumerate(pairs.columns)
    ]
    new = pl.concat(strange).group_by("id").agg(pl.col("position").min()).sort("position")["id"]
    for end, rows in zip(pairs.columns, strange, strict=True):
        numbers[end][rows["position"].to_numpy() // 2] = len(known) + _look_up(rows["id"], new)
    return Numbering(pl.concat([known, new]), numbers["s"], numbers["t"], len(known))


def _look_up(ids: pl.Series, known: pl.Series) -> NDArray[np.int64]:
    """The place of each id among the known ones, ``-1`` for others."""
    if not len(known):
        return np.full(len(ids), -1)
    places = pl.DataFrame({"id": known, "place": pl.arange(len(known), dtype=pl.Int64, eager=True)})
    found = ids.to_frame("id").join(places, on="id", how="left", maintain_order="left")
    return found["place"].fill_null(-1).to_numpy(writable=True)


def no_ids() -> pl.Series:
    """Of no node table."""
    return pl.Series("id", [], pl.String)


def _node_ids(nodes: Table, column: str) -> pl.Series:
    ids = nodes.read(nodes.text(column).alias("id"))["id"]
    _refuse_missing(nodes, ids, column)
    repeated = ids.is_duplicated()
    if repeated.any():
        again = (repeated & ~ids.is_first_distinct()).arg_true()
        row = int(again[0])
        first = int((ids == ids[row]).arg_true()[0])
        places = nodes.places([first, row])
        raise DataError(
            f"{nodes.name}, column {column!r}: {count(len(again), 'row')} repeat the id of an earlier one. "
            f"{show(ids[row])} stands at {places[0]} and at {places[1]}. A node has one row: remove others "
            "or name another column as id."
        )
    return ids


def id_is_missing(ids: pl.Series) -> pl.Series:
    """Nothing but spaces is no id."""
    return ids.is_null() | (ids.str.strip_chars() == "")


def _refuse_missing(table: Table, ids: pl.Series, column: str) -> None:
    missing = id_is_missing(ids).arg_true()
    if len(missing):
        places = "; ".join(table.places(missing.head(_EXAMPLES).to_list()))
        raise DataError(
            f"{table.name}, column {column!r}: {count(len(missing), 'row')} without an id ({places}). Fill in "
            "the ids, or remove the rows."
        )
