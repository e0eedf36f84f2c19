"""Telling whoever waits what is being done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[str, int, int], None]
"""Called at the start of each step: what it does, its number from 0, and how many there are."""

_PATIENCE = 1.0


def ignore_progress(step: str, number: int, total: int) -> None:
    """Nobody watches."""


@contextmanager
def terminal_progress() -> Iterator[Progress]:
    """A bar on stderr, from the second second on; nothing if stderr is no terminal. It is gone at the end."""
    if not sys.stderr.isatty():
        yield ignore_progress
        return
    from threading import Timer

    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("Reading", total=1)
    timer = Timer(_PATIENCE, bar.start)
    timer.daemon = True

    def show(step: str, number: int, total: int) -> None:
        bar.update(task, description=step, completed=number, total=total)

    timer.start()
    try:
        yield show
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
