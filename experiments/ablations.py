"""Ablations: what each part of EGAT is worth. One thing is changed at a time, with the settings the tables chose.

python -m experiments.ablations --only "4 heads" --dataset cora --seeds 2     # a piece, half a minute on a CPU
"""

from __future__ import annotations

from typing import Any

from experiments import results, table1, table2, table3
from experiments.command import main
from experiments.search import Settings
from experiments.table import Row, Table

COLUMNS = {"Cora": ["cora"], "Trade-B": ["trade-b-0"], "Trade-M": ["trade-m-0"], "Ethereum": ["ethereum"]}
_WHERE_EGAT_STANDS = {
    "Cora": (table1.TABLE, "EGAT"),
    "Trade-B": (table2.TABLE, "EGAT 8:4"),
    "Trade-M": (table2.TABLE, "EGAT 8:4"),
    "Ethereum": (table3.TABLE, "EGAT"),
}


def chosen(column: str) -> Settings:
    """EGAT's settings in the committed table with this column, or those with which its search would begin."""
    table, name = _WHERE_EGAT_STANDS[column]
    cell = results.cell_of(results.read(results.FOLDER / f"{table.name}.json"), name, column)
    row = next(row for row in table.rows if row.name == name)
    settings: Settings = cell["settings"] if cell else row.choices(column, 1)[0]
    return {"unscaled": row.method == "egat", **settings}


def changed(name: str, then: str = "egat", **change: Any) -> Row:
    first = {column: chosen(column) | {"then": then} | change for column in COLUMNS}
    return Row(name, "edge_inputs", first=first)


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
