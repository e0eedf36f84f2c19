"""A small bank in which nothing is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl


def customers(number: int = 60) -> pl.DataFrame:
    generator = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "account": [f"C{i:04}" for i in range(number)],
            "age": generator.integers(18, 80, number),
            "income": generator.lognormal(8, 1, number).round(2),
            "segment": generator.choice(["retail", "business", "private"], number),
            "opened": [
                f"20{generator.integers(10, 24):02}-0{generator.integers(1, 10)}-15" for _ in range(number)
            ],
            "label": [("fraud", "ok", "ok", None)[i % 4] for i in range(number)],
        }
    )


def transfers(number: int = 300, of: int = 60) -> pl.DataFrame:
    generator = np.random.default_rng(2)
    source = generator.integers(0, of, number)
    source[:of] = np.arange(of)
    target = (source + generator.integers(1, of, number)) % of
    return pl.DataFrame(
        {
            "payer": [f"C{i:04}" for i in source],
            "payee": [f"C{i:04}" for i in target],
            "amount": generator.lognormal(4, 1, number).round(2),
            "booked": [f"2024-0{1 + i % 9}-{1 + i % 28:02} {i % 24:02}:{i % 60:02}:00" for i in range(number)],
            "currency": ["EUR"] * number,
            "channel": generator.choice(["web", "branch"], number),
        }
    )


def schema(**changes: Any) -> dict[str, Any]:
    """The roles of these tables; ``nodes`` and ``edges`` add to their sections."""
    nodes = {"id": "account", "label": "label"} | changes.pop("nodes", {})
    edges = {"source": "payer", "target": "payee", "time": "booked", "currency": "currency"}
    return {"nodes": nodes, "edges": edges | changes.pop("edges", {}), **changes}


def change(frame: pl.DataFrame, column: str, cells: dict[int, object]) -> pl.DataFrame:
    """The same frame with other cells in these rows; a column that gets text becomes text."""
    values = frame[column].to_list()
    for row, cell in cells.items():
        values[row] = cell
    if any(isinstance(cell, str) for cell in cells.values()):
        values = [None if value is None else str(value) for value in values]
    return frame.with_columns(pl.Series(column, values))
