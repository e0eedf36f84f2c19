"""Progress appears on a terminal, after a second, and is gone at the end."""

from __future__ import annotations

import sys
import time
from typing import Any

import pytest

from edgegat.data import progress
from edgegat.data.progress import ignore_progress, terminal_progress


class Bar:
    """Remembers what was shown."""

    def __init__(self, *_: object, **__: object) -> None:
        self.events: list[Any] = []
        bars.append(self)

    def add_task(self, *_: object, **__: object) -> int:
        return 0

    def start(self) -> None:
        self.events.append("start")

    def update(self, _: int, **shown: object) -> None:
        self.events.append((shown["description"], shown["completed"], shown["total"]))

    def stop(self) -> None:
        self.events.append("stop")


bars: list[Bar] = []


def test_nothing_is_shown_where_nobody_watches(capfd: pytest.CaptureFixture[str]) -> None:
    with terminal_progress() as show:
        assert show is ignore_progress
        show("Reading", 0, 2)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("patience", "begins"), [(0.0, True), (60.0, False)])
def test_the_bar_begins_when_patience_ends_and_is_gone_at_the_end(
    monkeypatch: pytest.MonkeyPatch, patience: float, begins: bool
) -> None:
    monkeypatch.setattr("rich.progress.Progress", Bar)
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    bars.clear()
    with terminal_progress() as show:
        show("Reading the edges", 3, 5)
        deadline = time.monotonic() + 5
        while begins and "start" not in bars[0].events and time.monotonic() < deadline:
            time.sleep(0.01)
    events = bars[0].events
    assert ("Reading the edges", 3, 5) in events
    assert ("start" in events) == begins
    assert events[-1] == "stop"
