"""Ablations: what each part of EGAT is worth. One thing is changed at a time, with the tables' chosen settings.

python -m experiments.ablations --only "4 heads" --dataset cora --seeds 2
"""

from __future__ import annotations

from typing import Any

from experiments import results
from experiments.command import main
from experiments.search import Settings
from experiments.table import Row, Table

COLUMNS = {"Cora": ["cora"], "Trade-B": ["trade-b-0"], "Trade-M": ["trade-m-0"], "Ethereum": ["ethereum"]}
_CHOSEN_IN = {"Cora": "table1", "Trade-B": "table2", "Trade-M": "table2", "Ethereum": "table3"}
_UNCHOSEN: dict[str, Settings] = {
    "Cora": {
        "dropout": 0.6,
        "attention_dropout": 0.6,
        "learning_rate": 0.005,
        "class_weights": "none",
        "epochs": 2000,
    }
}


def chosen(column: str) -> Settings:
    """EGAT's settings in the committed table with this column, or the library's defaults."""
    found = results.read(results.FOLDER / f"{_CHOSEN_IN[column]}.json")
    cell = results.cell_of(found, "EGAT", column)
    return {"edge_feature": "scaled", **(cell["settings"] if cell else _UNCHOSEN.get(column, {}))}


def changed(name: str, method: str = "egat", **change: Any) -> Row:
    return Row(name, method, first={column: chosen(column) | change for column in COLUMNS})


TABLE = Table(
    name="ablations",
    title="Ablations: accuracy in percent, mean ± standard deviation (seeds), one thing changed at a time",
    columns=COLUMNS,
    seeds=5,
    rows=[
        changed("EGAT"),
        changed("without the edge block", "ablated", without="edge block"),
        changed("H_m of the last layer alone", "ablated", without="earlier layers"),
        changed("without virtual self-loops", "ablated", without="self-loops"),
        changed("transit instead of star", edge_attention="transit"),
        changed("GAT with edge features", "gat", reads_edges=True),
        *(changed(f"{heads} head{'s' * (heads > 1)}", heads=heads) for heads in (1, 2, 4, 16)),
        *(changed(f"{layers} layer{'s' * (layers > 1)}", num_layers=layers) for layers in (1, 3, 4)),
        *(
            changed(f"{h}:{e} channels", hidden_channels=h, edge_hidden_channels=e)
            for h, e in ((10, 2), (6, 6), (4, 8))
        ),
    ],
)

if __name__ == "__main__":
    main(TABLE)
