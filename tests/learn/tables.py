"""Two tables whose edges decide, as a user has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tests.learn.graphs import edges_decide

SCHEMA: dict[str, Any] = {
    "nodes": {"id": "customer", "label": "verdict"},
    "edges": {"source": "payer", "target": "payee", "features": {"amount": "number", "channel": "category"}},
    "split": {"ratio": [3, 1, 1], "seed": 0},
}


class Bank(NamedTuple):
    """Frames of customers and of transfers."""

    customers: pl.DataFrame
    transfers: pl.DataFrame

    def write(self, folder: Path) -> tuple[str, str]:
        """Both as CSV: the paths."""
        paths = folder / "customers.csv", folder / "transfers.csv"
        for frame, path in zip(self, paths, strict=True):
            frame.write_csv(path)
        return str(paths[0]), str(paths[1])


def bank(
    customers: int = 90, seed: int = 0, classes: int = 2, labelled: float = 1.0, noise: float = 0.2
) -> Bank:
    """Customers of ``edges_decide``; the first ones are labelled."""
    graph = edges_decide(nodes=customers, seed=seed, classes=classes, noise=noise)
    assert graph.y is not None
    names = ["cleared", "reported", "unclear"]
    ids = [f"Kunde {number:04d}" for number in range(customers)]
    known = round(customers * labelled)
    verdicts = [names[c] if number < known else None for number, c in enumerate(graph.y.tolist())]
    source, target = graph.edge_index.tolist()
    transfers = pl.DataFrame(
        {
            "payer": [ids[i] for i in source],
            "payee": [ids[i] for i in target],
            "amount": graph.edge_attr[:, 0].tolist(),
            "channel": ["web" if value > 0 else "branch" for value in graph.edge_attr[:, 1].tolist()],
        }
    )
    frame = pl.DataFrame(
        {"customer": ids, "age": [20 + 7 * n % 50 for n in range(customers)], "verdict": verdicts}
    )
    return Bank(frame, transfers)
