"""Is there something to learn, and something to judge it by?"""

from __future__ import annotations

import numpy as np
import polars as pl

from edgegat.data._words import count, listing, show
from edgegat.data.cells import cell_is_missing
from edgegat.data.checks.finding import EXAMPLES, Findings, show_cells
from edgegat.data.checks.subject import Subject
from edgegat.data.errors import DataError
from edgegat.data.partition import NodeTimes, Partition, divide
from edgegat.data.reading import as_text
from edgegat.data.splits import PARTS, SPELLINGS


def check_classes(subject: Subject, findings: Findings) -> None:
    """EG015 and EG016."""
    labels = subject.labels
    if labels is None or subject.nodes is None or subject.schema.nodes is None or subject.classes:
        return
    column, found = subject.schema.nodes.label, labels.drop_nulls().unique()
    if len(found) > 1:
        said = f"{count(len(found), 'different label')}, like {listing(found.sort().head(3))}"
        findings.add("EG016", subject.nodes, column, said, number=len(found))
    else:
        said = f"all labels are {show(found[0])}" if len(found) else "no node is labelled"
        findings.add("EG015", subject.nodes, column, said, number=len(labels.drop_nulls()))


def check_parts(subject: Subject, findings: Findings) -> None:
    """EG017, EG018, EG019 and EG020."""
    numbers = subject.schema.labels_on == "nodes" and subject.schema.kind == "number"
    if subject.nodes is None or (subject.labels is None and not numbers):
        return
    _check_words(subject, findings)
    _check_twice(subject, findings)
    if not subject.classes or findings.codes() & {"EG002", "EG003", "EG018", "EG019"}:
        return
    times = _times(subject)
    if times is None or set(subject.schema.split.flags.values()) & set(subject.node_cells.unreadable):
        return
    try:
        partition = divide(subject.resolved, subject.nodes, subject.numbering.ids, subject.y, times.read)
    except DataError as error:
        findings.add("EG020", subject.nodes, None, str(error).split(": ", 1)[-1].rstrip("."))
        return
    _check_sizes(subject, partition, findings)


def _times(subject: Subject) -> NodeTimes | None:
    """``None`` if they are needed and cannot be read."""
    nodes, edges = subject.schema.nodes, subject.schema.edges
    if nodes is not None and nodes.time in subject.node_cells.unreadable:
        return None
    edge_times = None
    if edges.time is not None:
        edge_times = subject.edge_cells.values[edges.time].fill_null(np.nan).to_numpy()
    return NodeTimes(subject.resolved, subject.nodes, subject.numbering, edge_times)


def _check_words(subject: Subject, findings: Findings) -> None:
    column = subject.schema.split.column
    if column is None or subject.nodes is None:
        return
    words = _words(subject, column)
    rows = (~words.is_in(list(SPELLINGS)) & words.is_not_null()).arg_true()
    if len(rows):
        said = f"{count(len(rows), 'cell')} beside {listing(SPELLINGS, 20)}"
        findings.add("EG019", subject.nodes, column, said, rows, show_cells(words.gather(rows.head(EXAMPLES))))


def _check_twice(subject: Subject, findings: Findings) -> None:
    """Two flags of a row are set, or two rows of a node say different things."""
    assert subject.nodes is not None
    split = subject.schema.split
    parts = {column: _words(subject, column).replace(_FIRST_SPELLING) for column in [split.column] if column}
    for part, column in split.flags.items():
        is_set = (subject.node_cells.values[column] == 1.0).fill_null(False)
        parts[column] = pl.select(pl.when(is_set).then(pl.lit(part))).to_series()
    if not parts:
        return
    numbered = {f"{number}": said for number, said in enumerate(parts.values())}
    rows = pl.DataFrame({"id": subject.node_ids, **numbered}).with_row_index("row")
    said = rows.unpivot(list(numbered), index=["row", "id"], value_name="part").drop_nulls(["id", "part"])
    twice = (
        said.group_by("id")
        .agg(pl.col("part").unique().sort(), pl.col("row").max())
        .filter(pl.col("part").list.len() > 1)
        .sort("row")
    )
    if twice.height:
        findings.add(
            "EG018",
            subject.nodes,
            ", ".join(parts),
            f"{count(twice.height, 'node')} in more than one part",
            twice["row"],
            (
                f"{show(node)} is in {' and '.join(both)}"
                for node, both in zip(twice["id"], twice["part"], strict=True)
            ),
        )


_FIRST_SPELLING = {word: PARTS[part] for word, part in SPELLINGS.items()}


def _words(subject: Subject, column: str) -> pl.Series:
    assert subject.nodes is not None
    dtype = subject.nodes.dtypes[column]
    missing = cell_is_missing(column, dtype, "category", subject.schema.spelling)
    word = as_text(pl.col(column), dtype).str.strip_chars().str.to_lowercase()
    return subject.nodes.read(pl.when(~missing).then(word).alias(column))[column]


def _check_sizes(subject: Subject, partition: Partition, findings: Findings) -> None:
    assert subject.nodes is not None
    for part, name in enumerate(PARTS):
        in_part = (partition.parts == part) & (subject.y >= 0)
        if not in_part.any() and partition.kind in ("random", "time") and subject.schema.split.ratio[part] == 0:
            continue
        sizes = np.bincount(subject.y[in_part], minlength=len(subject.classes))
        few = {label: int(size) for label, size in zip(subject.classes, sizes, strict=True) if size < 2}
        if few:
            said = ", ".join(f"{show(label)} has {size}" for label, size in few.items())
            findings.add(
                "EG017",
                subject.nodes,
                subject.schema.nodes.label if subject.schema.nodes else None,
                f"in the {name} part of {count(int(in_part.sum()), 'labelled node')}, {said}",
                number=len(few),
            )
