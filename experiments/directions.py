"""What each option past the paper brings on real transfers, one at a time and together.

python -m experiments.directions --only "directed" --seeds 2

The settings are the library's defaults in every row, so that nothing but the option differs; none was searched.
"""

from __future__ import annotations

from typing import Any

from experiments.command import main
from experiments.table import Row, Table

COLUMNS = {"Ethereum": ["ethereum"], "Ethereum with time": ["ethereum-time"]}


def option(name: str, **options: Any) -> Row:
    return Row(name, "egat", settings={"edge_feature": "scaled", **options})


TABLE = Table(
    name="directions",
    title="Options past the paper: mean ± standard deviation (seeds) on the test accounts, in percent",
    columns=COLUMNS,
    metrics=("accuracy", "macro_f1", "roc_auc", "pr_auc"),
    seeds=10,
    rows=[
        option("EGAT"),
        option("directed", directed=True),
        option("counting", summaries=True),
        option("two levels", pairs=True),
        option("directed and counting", directed=True, summaries=True),
        option("all three", directed=True, summaries=True, pairs=True),
    ],
)

if __name__ == "__main__":
    main(TABLE)
