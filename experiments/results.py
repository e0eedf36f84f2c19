"""The files in ``experiments/results``: every seed's figures, how they came about, and where."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import torch

FOLDER = Path(__file__).parent / "results"
_PACKAGES = ("torch", "torch-geometric", "numpy", "scikit-learn", "numba", "triton")


def read(path: Path) -> dict[str, Any]:
    """The results of a table; none yet if there is no file."""
    if not path.is_file():
        return {"environments": [], "cells": []}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def merge(old: dict[str, Any], cells: Sequence[dict[str, Any]], environment: dict[str, Any]) -> dict[str, Any]:
    """The old results with these cells in place of theirs; each cell names its environment by number."""
    place = len(old["environments"])
    new = {(cell["row"], cell["column"]): cell | {"environment": place} for cell in cells if cell["seeds"]}
    kept = {(cell["row"], cell["column"]): cell for cell in old["cells"]}
    return _without_unused(
        {"environments": [*old["environments"], environment], "cells": list((kept | new).values())}
    )


def write(path: Path, results: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_pretty(results) + "\n", encoding="utf-8")


def cell_of(results: dict[str, Any], row: str, column: str) -> dict[str, Any] | None:
    return next((c for c in results["cells"] if c["row"] == row and c["column"] == column), None)


def mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """The mean and the sample's standard deviation (0 for one value)."""
    return fmean(values), stdev(values) if len(values) > 1 else 0.0


def environment(device: str, workers: int) -> dict[str, Any]:
    """Where and when, in words."""
    machine = f"{platform.machine()}, {os.cpu_count()} CPU cores"
    if device.startswith("cuda"):
        machine += f", {torch.cuda.get_device_name(device)}"
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    versions["torch"] = torch.__version__
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": machine,
        "device": device,
        "workers": workers,
        "versions": versions,
    }


def _without_unused(results: dict[str, Any]) -> dict[str, Any]:
    used = sorted({cell["environment"] for cell in results["cells"]})
    for cell in results["cells"]:
        cell["environment"] = used.index(cell["environment"])
    return {"environments": [results["environments"][place] for place in used], "cells": results["cells"]}


def _pretty(value: Any, indent: str = "") -> str:
    """JSON in which whatever fits is one line, so that a person can read it and a diff is short."""
    line = json.dumps(_rounded(value), ensure_ascii=False)
    if len(line) + len(indent) <= 110 or not isinstance(value, dict | list) or not value:
        return line
    if isinstance(value, list) and not any(isinstance(entry, dict | list) for entry in value):
        return line
    deeper = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_pretty(entry, deeper)}" for key, entry in value.items()]
    else:
        parts = [_pretty(entry, deeper) for entry in value]
    inside = f",\n{deeper}".join(parts)
    start, end = "{}" if isinstance(value, dict) else "[]"
    return f"{start}\n{deeper}{inside}\n{indent}{end}"


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {key: _rounded(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(entry) for entry in value]
    return value
