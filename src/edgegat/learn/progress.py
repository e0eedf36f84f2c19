"""Telling whoever waits how far it is. The same calls as those of :mod:`edgegat.data.progress`."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called at each step: what it does or what came of the last one, its number from 0, and how many there are."""


def ignore_progress(step: str, number: int, total: int) -> None:
    """Nobody watches."""
