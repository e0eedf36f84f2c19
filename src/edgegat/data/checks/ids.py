"""Do ids name nodes, each exactly one?"""

from __future__ import annotations

import polars as pl

from edgegat.data._words import count, listing, show
from edgegat.data.checks.finding import EXAMPLES, Findings, show_cells
from edgegat.data.checks.subject import Subject
from edgegat.data.ids import id_is_missing


def check_missing_ids(subject: Subject, findings: Findings) -> None:
    """EG002."""
    if subject.nodes is not None and subject.schema.nodes is not None:
        rows = id_is_missing(subject.node_ids).arg_true()
        if len(rows):
            column = subject.schema.nodes.id
            findings.add("EG002", subject.nodes, column, f"{count(len(rows), 'row')} without an id", rows)
    roles = subject.schema.edges
    for end, column in (("s", roles.source), ("t", roles.target)):
        rows = subject.pairs[end].is_null().arg_true()
        if len(rows):
            findings.add("EG002", subject.edges, column, f"{count(len(rows), 'row')} without an id", rows)


def check_duplicate_ids(subject: Subject, findings: Findings) -> None:
    """EG003."""
    if subject.nodes is None or subject.schema.nodes is None:
        return
    ids = subject.node_ids
    again = (~ids.is_first_distinct() & ~id_is_missing(ids)).arg_true()
    if len(again):
        findings.add(
            "EG003",
            subject.nodes,
            subject.schema.nodes.id,
            f"{count(len(again), 'row')} with the id of an earlier one",
            again,
            show_cells(ids.gather(again.head(EXAMPLES))),
        )


def check_unknown_nodes(subject: Subject, findings: Findings) -> None:
    """EG004 and EG005."""
    numbering = subject.numbering
    if subject.nodes is None or subject.schema.nodes is None or not subject.complete.any():
        return
    unknown = (numbering.source >= numbering.in_table) | (numbering.target >= numbering.in_table)
    rows = pl.Series(unknown & subject.complete).arg_true()
    strangers = len(numbering.ids) - numbering.in_table
    if not strangers:
        return
    first = [
        show(numbering.ids[int(max(numbering.source[row], numbering.target[row]))])
        for row in rows.head(EXAMPLES)
    ]
    ends = f"{subject.schema.edges.source!r} and {subject.schema.edges.target!r}"
    if (subject.degrees[: numbering.in_table] == 0).all():
        findings.add(
            "EG005",
            subject.edges,
            None,
            f"none of the {count(strangers, 'id')} in {ends} stands in column {subject.schema.nodes.id!r} of "
            f"{subject.nodes.name}, where ids are written like {listing(numbering.ids.head(2))}",
            rows,
            first,
        )
        return
    findings.add(
        "EG004",
        subject.edges,
        None,
        f"{count(strangers, 'id')} in {ends} ({count(len(rows), 'row')}) not in the node table",
        rows,
        first,
    )


def check_similar_ids(subject: Subject, findings: Findings) -> None:
    """EG006."""
    ids = subject.numbering.ids
    plain = ids.str.strip_chars().str.to_lowercase()
    again = plain.is_duplicated()
    if not again.any():
        return
    groups = pl.DataFrame({"id": ids, "plain": plain}).filter(again)
    examples = groups.group_by("plain", maintain_order=True).agg("id").head(EXAMPLES)["id"]
    in_nodes = subject.nodes is not None and subject.schema.nodes is not None
    findings.add(
        "EG006",
        subject.nodes if subject.nodes is not None else subject.edges,
        subject.schema.nodes.id if in_nodes and subject.schema.nodes is not None else None,
        f"{groups.height:,} ids differ from another one only in capitals or in spaces around them: "
        + "; ".join(listing(same, 3) for same in examples),
        number=groups.height,
    )
