"""Small pieces of sentences for error messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def count(number: int, noun: str) -> str:
    """A number with its noun.

    Example:
        >>> count(1, "row"), count(12000, "row")
        ('1 row', '12,000 rows')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def show(value: object, longest: int = 40) -> str:
    """A value in quotes, cut where it gets long.

    Example:
        >>> show("n/a"), show(7), show("x" * 100)
        ("'n/a'", '7', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'")
    """
    text = value if isinstance(value, str) else str(value)
    cut = text if len(text) <= longest else text[:longest] + "..."
    return repr(cut) if isinstance(value, str) else cut


def listing(values: Iterable[object], longest: int = 12) -> str:
    """Values in quotes with commas, the first few of many.

    Example:
        >>> listing(["a", "b"]), listing(range(30), 3)
        ("'a', 'b'", '0, 1, 2 and 27 more')
    """
    values = list(values)
    shown = ", ".join(show(value) for value in values[:longest])
    return shown if len(values) <= longest else f"{shown} and {len(values) - longest:,} more"


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """A question for the likeliest misspelling, ready to be put behind a sentence; empty without one.

    Example:
        >>> did_you_mean("amonut", ["amount", "time"])
        " Did you mean 'amount'?"
        >>> did_you_mean("zebra", ["amount", "time"])
        ''
    """
    by_lower = {name.strip().lower(): name for name in reversed(known)}
    close = get_close_matches(word.strip().lower(), list(by_lower), n=1, cutoff=0.6)
    return f" Did you mean {by_lower[close[0]]!r}?" if close else ""
