"""Does the graph look like one?"""

from __future__ import annotations

import numpy as np
import polars as pl

from edgegat.data._words import count, show
from edgegat.data.checks.finding import EXAMPLES, Findings, show_cells
from edgegat.data.checks.subject import Subject

_HUB_DEGREE = 100
_HUB_SHARE = 0.1


def check_self_transfers(subject: Subject, findings: Findings) -> None:
    """EG021."""
    numbering = subject.numbering
    rows = pl.Series((numbering.source == numbering.target) & subject.complete).arg_true()
    if len(rows):
        shown = show_cells(subject.pairs["s"].gather(rows.head(EXAMPLES)))
        said = f"{count(len(rows), 'edge')} from a node to itself"
        findings.add("EG021", subject.edges, None, said, rows, shown)


def check_duplicate_rows(subject: Subject, findings: Findings) -> None:
    """EG022: rows that are equal in every column, by a 64-bit hash of the whole row."""
    edges = subject.edges
    plain = [column for column, dtype in edges.dtypes.items() if not dtype.is_nested()]
    rows = (~edges.read(pl.struct(plain).hash().alias("row"))["row"].is_first_distinct()).arg_true()
    if len(rows):
        said = f"{count(len(rows), 'row')} equal to an earlier one in every column"
        pairs = subject.pairs[rows.head(EXAMPLES)]
        findings.add(
            "EG022", edges, None, said, rows, (f"{show(s)} to {show(t)}" for s, t in pairs.iter_rows())
        )


def check_isolated(subject: Subject, findings: Findings) -> None:
    """EG023."""
    if subject.nodes is None:
        return
    alone = np.flatnonzero((subject.degrees == 0) & (subject.y >= 0))
    if len(alone):
        findings.add(
            "EG023",
            subject.nodes,
            None,
            f"{count(len(alone), 'labelled node')} of {int((subject.y >= 0).sum()):,} without any edge",
            subject.node_rows[alone].tolist(),
            show_cells(subject.numbering.ids.gather(alone[:EXAMPLES])),
        )


def check_hubs(subject: Subject, findings: Findings) -> None:
    """EG024: a node with a tenth of all edges, and a hundred at least."""
    total = int(subject.complete.sum())
    hubs = np.flatnonzero(subject.degrees >= max(_HUB_DEGREE, _HUB_SHARE * total))
    hubs = hubs[np.argsort(-subject.degrees[hubs], kind="stable")]
    if len(hubs):
        numbering = subject.numbering
        shown = hubs[:EXAMPLES]
        rows = [int(np.argmax((numbering.source == hub) | (numbering.target == hub))) for hub in shown]
        said = (
            f"{show(numbering.ids[int(hub)])} has {subject.degrees[hub]:,} of {total:,} edges, the first here"
            for hub in shown
        )
        message = f"{count(len(hubs), 'node')} with at least a tenth of all edges each"
        findings.add("EG024", subject.edges, None, message, rows, said, number=len(hubs))
