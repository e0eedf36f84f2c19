"""Does a single feature already say what is to be learned?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from edgegat.data._words import show
from edgegat.data.checks.finding import Findings
from edgegat.data.checks.subject import Cells, Subject

_TELLS_ALL = 0.97
_FEWEST = 5
_MOST_CATEGORIES = 10

Scores = NDArray[np.float64]


def check_node_leaks(subject: Subject, findings: Findings) -> None:
    """EG025."""
    if subject.nodes is None or not subject.classes:
        return
    labelled = np.flatnonzero(subject.y >= 0)
    rows = subject.node_rows[labelled]
    for column, type_ in subject.node_cells.types.items():
        if column in _roles_of_nodes(subject):
            continue
        cells = subject.node_cells.values[column].gather(rows)
        found = _strongest(subject, subject.y[labelled], _views(cells, type_ == "category"))
        if found is not None:
            findings.add("EG025", subject.nodes, column, found, number=len(labelled))


def check_edge_leaks(subject: Subject, findings: Findings) -> None:
    """EG026: what stands on the edges of each labelled node, summed up."""
    if not subject.classes:
        return
    numbering, y = subject.numbering, subject.y
    ends = np.concatenate([numbering.source, numbering.target])
    rows = np.tile(np.arange(len(numbering.source)), 2)
    kept = np.flatnonzero((ends >= 0) & (y[ends] >= 0))
    ends, rows = ends[kept], rows[kept]
    with_edges = np.unique(ends)
    for column, type_ in _edge_features(subject):
        cells = subject.edge_cells.values[column].gather(rows)
        views = _views_of_edges(ends, cells, type_ == "category")
        found = _strongest(subject, y[with_edges], views)
        if found is not None:
            findings.add("EG026", subject.edges, column, found, number=len(with_edges))


def _strongest(subject: Subject, y: NDArray[np.int64], views: Iterator[tuple[str, Scores]]) -> str | None:
    """Which view tells a class from the others nearly without error, in words."""
    best = 0.0
    said = None
    for name, scores in views:
        for number, label in enumerate(subject.classes):
            is_it = y == number
            if min(is_it.sum(), (~is_it).sum()) < _FEWEST:
                continue
            auc = area_under_curve(scores, is_it)
            if max(auc, 1 - auc) > max(best, _TELLS_ALL):
                best = max(auc, 1 - auc)
                said = (
                    f"{name} alone tells class {show(label)} from the others (area under the ROC curve {best:.3f}, "
                    f"{len(y):,} labelled nodes)"
                )
    return said


def area_under_curve(scores: Scores, is_it: NDArray[np.bool_]) -> float:
    """The probability that a node of the class has the higher score; ties count half.

    Example:
        >>> area_under_curve(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, False, True, True]))
        0.875
    """
    ranks = pl.Series(scores).rank("average").to_numpy()
    ones = int(is_it.sum())
    return float((ranks[is_it].sum() - ones * (ones + 1) / 2) / (ones * (len(is_it) - ones)))


def _views(cells: pl.Series, is_category: bool) -> Iterator[tuple[str, Scores]]:
    missing = cells.is_null().to_numpy()
    if missing.any():
        yield "whether the cell is empty", missing.astype(np.float64)
    if is_category:
        for category in _frequent(cells):
            yield (
                f"the value {show(category)}",
                (cells == category).fill_null(False).to_numpy().astype(np.float64),
            )
    elif not missing.all():
        yield "the value", cells.fill_null(cells.median()).to_numpy()


def _views_of_edges(
    ends: NDArray[np.int64], cells: pl.Series, is_category: bool
) -> Iterator[tuple[str, Scores]]:
    """One score per labelled node that has edges, in the order of node numbers."""
    nodes = pl.DataFrame({"node": ends, "value": cells})
    if is_category:
        shares = {
            f"the share of {show(c)}": (pl.col("value") == c).fill_null(False).mean() for c in _frequent(cells)
        }
    else:
        value = pl.col("value")
        shares = {f"the {how} per node": getattr(value, how)() for how in ("mean", "sum", "min", "max")}
    if not shares:
        return
    summed = nodes.group_by("node").agg(*(view.alias(name) for name, view in shares.items())).sort("node")
    for name in shares:
        scores = summed[name].cast(pl.Float64)
        if not scores.is_null().all():
            yield name, scores.fill_null(scores.median()).to_numpy()


def _frequent(cells: pl.Series) -> list[str]:
    counts = cells.drop_nulls().to_frame("c").group_by("c").len().sort("len", "c", descending=[True, False])
    return counts["c"].head(_MOST_CATEGORIES).to_list()


def _roles_of_nodes(subject: Subject) -> set[str | None]:
    """Columns that are read, but are no features."""
    roles = subject.schema.nodes
    features = subject.resolved.nodes.features if subject.resolved.nodes is not None else None
    return (
        set()
        if roles is None
        else {roles.labelled, roles.time, *subject.schema.split.columns} - set(features or {})
    )


def _edge_features(subject: Subject) -> Iterator[tuple[str, str]]:
    cells: Cells = subject.edge_cells
    for column in subject.resolved.edges.features or {}:
        yield column, cells.types[column]
