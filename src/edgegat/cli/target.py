"""Places that a command may write to: its own earlier output, or nothing yet."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

_OURS = {"checkpoints", "pictures"}


def check_model_folder(folder: Path) -> None:
    """Refuse a folder with other things in it than an earlier model or a stopped training."""
    from edgegat.data import DataError

    if not folder.exists():
        return
    if not folder.is_dir():
        raise DataError(f"{folder} is a file, but a model is saved in a folder: name another one.")
    if _is_model(folder):
        return
    others = sorted(file.name for file in folder.iterdir() if file.name not in _OURS and file.suffix != ".new")
    if others:
        raise DataError(
            f"{folder} is no model's folder: there is {others[0]!r} in it. Name a new folder with --output."
        )


def check_scores_file(file: Path, tables: Iterable[str]) -> None:
    """Refuse to write over the tables that are read."""
    from edgegat.data import DataError

    for table in map(Path, tables):
        if file.exists() and table.exists() and file.samefile(table):
            raise DataError(f"{file} is one of the tables: name another file with --output.")


def _is_model(folder: Path) -> bool:
    try:
        content = json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("format") == "edgegat model"
