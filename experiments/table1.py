"""Table 1: accuracy on citation graphs (Cora, Citeseer, Pubmed), public splits.

python -m experiments.table1 --only egat --dataset cora --seeds 3     # a piece, about a minute on a CPU
"""

from __future__ import annotations

from experiments.command import main
from experiments.search import Space
from experiments.table import Row, Table

COLUMNS = {"Cora": ["cora"], "Citeseer": ["citeseer"], "Pubmed": ["pubmed"]}


def published(*figures: str) -> dict[str, str]:
    return dict(zip(COLUMNS, figures, strict=True))


_TRAINING = {"epochs": 2000, "patience": 100, "class_weights": "none", "metric": "accuracy"}
_ATTENTION: Space = {
    "learning_rate": [0.005, 0.01, 0.02],
    "weight_decay": [0.0005, 0.001, 0.002, 0.005],
    "dropout": [0.6, 0.4, 0.5, 0.7, 0.8],
    "attention_dropout": [0.6, 0.0, 0.3],
    "metric": ["accuracy", "log_loss"],
}
_PUBMED = {"Pubmed": {"learning_rate": 0.01, "weight_decay": 0.001}}

TABLE = Table(
    name="table1",
    title="Table 1: accuracy on citation graphs, public splits, in percent: mean ± standard deviation (seeds)",
    columns=COLUMNS,
    rows=[
        Row(
            "SP-GAT",
            "gat",
            published("82.5 ± 0.4", "70.8 ± 0.5", "78.1 ± 0.4"),
            _TRAINING,
            _ATTENTION,
            {"Pubmed": {**_PUBMED["Pubmed"], "out_heads": 8}},
            seeds=100,
        ),
        Row(
            "EGAT",
            "egat",
            published("82.1 ± 0.7", "70.3 ± 0.5", "78.1 ± 0.4"),
            _TRAINING,
            {**_ATTENTION, "edge_feature": ["scaled", "log", "plain"]},
            _PUBMED,
            seeds=100,
        ),
    ],
)

if __name__ == "__main__":
    main(TABLE)
