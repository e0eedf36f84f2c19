"""All findings there are, by number."""

from __future__ import annotations

from typing import Literal, NamedTuple

Level = Literal["error", "warning"]


class Code(NamedTuple):
    """What a finding is called, and what to do about it.

    An error stops training, or makes its result worthless; a warning may be meant so.
    """

    level: Level
    title: str
    advice: str


CODES: dict[str, Code] = {
    "EG001": Code("error", "missing column", "Correct the name in the schema, or add the column."),
    "EG002": Code("error", "row without id", "Fill in the ids, or remove the rows."),
    "EG003": Code(
        "error", "duplicate node id", "A node has one row: remove the others, or name another id column."
    ),
    "EG004": Code(
        "warning",
        "edge to an unknown node",
        "Add the nodes to the node table; else all their features are missing.",
    ),
    "EG005": Code(
        "error",
        "no edge names a known node",
        "Write the ids in the same way in both tables, or name other columns: ids are compared as text.",
    ),
    "EG006": Code(
        "warning",
        "ids that look the same",
        "If they are one node, write them in the same way; if not, leave them as they are.",
    ),
    "EG007": Code(
        "warning", "empty column", "Leave the column out of the features, or find out where its cells went."
    ),
    "EG008": Code(
        "warning", "constant column", "Leave the column out of the features: it tells no row from another."
    ),
    "EG009": Code(
        "error",
        "unreadable cell",
        "Correct the cells, empty them, give the column another type, or add the word to 'missing' in the schema.",
    ),
    "EG010": Code("error", "non-finite value", "Empty the cells, or write the number that is meant."),
    "EG011": Code(
        "error", "mixed types", "Correct the odd cells, empty them, or declare the type of the column."
    ),
    "EG012": Code(
        "warning",
        "negative amount",
        "If the sign says the direction, swap source and target and drop the sign; bookings that were reversed "
        "are better removed together with their reversal.",
    ),
    "EG013": Code(
        "warning", "time in the future", "Correct the times, or set time_format if day and month are mixed up."
    ),
    "EG014": Code(
        "error", "mixed currencies", "Convert all amounts to one currency, or make one table for each."
    ),
    "EG015": Code(
        "error", "fewer than two classes", "Label nodes of two classes at least, or name another label column."
    ),
    "EG016": Code(
        "error", "too many classes", "Classes repeat: name another label column, or put its values into groups."
    ),
    "EG017": Code(
        "warning",
        "fewer than two labels of a class in a part",
        "Label more nodes of this class, join it to another one, or divide the nodes in another ratio.",
    ),
    "EG018": Code(
        "error", "node in two parts", "Leave each node in one part: what a model trained on cannot judge it."
    ),
    "EG019": Code("error", "unknown part", "Write train, val or test, or leave the cell empty."),
    "EG020": Code(
        "error", "no training part", "Put labelled nodes in the training part, or leave the split to be drawn."
    ),
    "EG021": Code(
        "warning", "transfer to oneself", "If they are mistakes, remove them; if not, they stay as self-loops."
    ),
    "EG022": Code("warning", "duplicate row", "Remove rows that were exported twice: they count twice."),
    "EG023": Code(
        "warning",
        "labelled node without edges",
        "Look whether the edge table is complete: only its own features can tell what such a node is.",
    ),
    "EG024": Code(
        "warning",
        "hub",
        "If it is not a customer but a technical account (fees, suspense, the bank itself), remove its rows.",
    ),
    "EG025": Code(
        "warning",
        "feature that gives the label away",
        "Ask whether the value is known before the label is; if it was written because of the label, leave it out.",
    ),
    "EG026": Code(
        "warning",
        "edge feature that gives the label away",
        "Ask whether the value is known before the label is, and whether the labelled nodes were chosen by it.",
    ),
}
"""The page ``docs/findings.md`` explains each."""
