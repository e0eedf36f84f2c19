"""Running commands: in this process, or as a user does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from typer.testing import CliRunner

from edgegat.cli.app import app
from tests.data import bank


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def edgegat(*arguments: object) -> Said:
    """In this process. Nothing that a command does may escape as an exception."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="edgegat")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return Said(result.exit_code, result.stdout, result.stderr)


def edgegat_process(*arguments: object, folder: Path | None = None, **options: Any) -> Said:
    """In a process of its own, its output in pipes."""
    command = [sys.executable, "-m", "edgegat", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, **options)
    return Said(done.returncode, done.stdout, done.stderr)


def write_bank(folder: Path) -> tuple[Path, Path]:
    """A small bank's two tables."""
    nodes, edges = folder / "customers.csv", folder / "transfers.csv"
    bank.customers().write_csv(nodes)
    bank.transfers().write_csv(edges)
    return nodes, edges


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may do everything: give that up for a while, keeping the current folder and what is in it."""
    if os.geteuid() != 0:
        yield
        return
    nobody = 65534
    for path in [Path.cwd(), *Path.cwd().iterdir()]:
        os.chown(path, nobody, -1)
    os.seteuid(nobody)
    try:
        yield
    finally:
        os.seteuid(0)
