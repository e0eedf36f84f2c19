"""Two tables as a graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from edgegat.data.partition import SplitKind

if TYPE_CHECKING:
    from edgegat.graph import EdgeGraph


@dataclass(frozen=True, eq=False)
class EncodedGraph:
    """A graph, and the way back to the tables it was made of.

    Attributes:
        graph: float32 features; ``edge_index`` has the source first; ``y`` is ``-1`` where unlabelled, or NaN
            if it is a number. Without
            virtual self-loops. ``y`` and the masks are ``None`` where labels or splits were not read.
        ids: ``[N]`` text, what the tables call each node: the rows of the node table in order, then nodes that
            only edges name, as they first appear.
        in_table: how many nodes the node table has.
        edge_rows: ``[M]`` row (from 0) of the edge table; the first row of an aggregated pair.
        classes: what the class numbers mean.
        notes: what was guessed, left out, filled in or never seen in training, in words.
        edge_ids: ``[M]`` text that tells edges apart, if edges are what is labelled.
        split_kind: where the masks come from: ``"column"``, ``"flags"``, ``"time"``, ``"random"``, or ``"none"``.
    """

    graph: EdgeGraph
    ids: pl.Series
    in_table: int
    edge_rows: NDArray[np.int64]
    classes: list[str]
    notes: list[str] = field(default_factory=list)
    split_kind: SplitKind = "none"
    edge_ids: pl.Series | None = None

    @property
    def labelled_ids(self) -> pl.Series:
        """What the rows of ``y`` are called: nodes, or edges."""
        return self.ids if self.edge_ids is None else self.edge_ids
