"""Table 1: accuracy on citation graphs (Cora, Citeseer, Pubmed), public splits.

python -m experiments.table1 --only egat --dataset cora --seeds 3     # a piece, a minute or two on a CPU
"""

from __future__ import annotations

from experiments.command import main
from experiments.search import Space
from experiments.table import Row, Table

COLUMNS = {"Cora": ["cora"], "Citeseer": ["citeseer"], "Pubmed": ["pubmed"]}


def published(*figures: str) -> dict[str, str]:
    return dict(zip(COLUMNS, figures, strict=True))


# The GAT paper's training: Adam with an L2 penalty, and an end when validation has not become better for a while.
# There a smaller loss prolongs it, too; here the accuracy decides, and how long is waited for it is searched. The
# lists are short because few settings can be tried; each has the literature's value and one at the other end.
_TRAINING = {"epochs": 600, "class_weights": "none", "metric": "accuracy"}
_RATES: Space = {"learning_rate": [0.01, 0.005], "weight_decay": [0.0005, 0.002], "patience": [100, 300]}
_CONVOLUTION: Space = {**_RATES, "dropout": [0.5, 0.8], "hidden_channels": [16, 64]}
_ATTENTION: Space = {
    **_RATES,
    "learning_rate": [0.005, 0.01],
    "dropout": [0.6, 0.8],
    "attention_dropout": [0.6, 0.0],
}
_PUBMED = {"learning_rate": 0.01, "weight_decay": 0.001}

TABLE = Table(
    name="table1",
    title="Table 1: accuracy on citation graphs, public splits, in percent: mean ± standard deviation (seeds)",
    columns=COLUMNS,
    finalists=4,
    rows=[
        Row(
            "MLP",
            "convolution",
            published("55.1", "46.5", "71.4"),
            {**_TRAINING, "layer": "mlp"},
            _CONVOLUTION,
        ),
        Row(
            "ManiReg",
            "smooth",
            published("59.5", "60.1", "70.7"),
            {**_TRAINING, "what": "answers"},
            {**_CONVOLUTION, "strength": [1.0, 0.1, 0.3, 3.0, 10.0]},
        ),
        Row(
            "SemiEmb",
            "smooth",
            published("59.0", "59.6", "71.7"),
            {**_TRAINING, "what": "embedding"},
            {**_CONVOLUTION, "strength": [1.0, 0.1, 0.3, 3.0, 10.0]},
        ),
        Row(
            "LP",
            "propagation",
            published("68.0", "45.3", "63.0"),
            space={"alpha": [1.0, 0.99, 0.95, 0.9, 0.8, 0.6], "steps": [100, 10, 30, 300]},
        ),
        Row(
            "DeepWalk",
            "deepwalk",
            published("67.2", "43.2", "65.3"),
            space={
                "window": [5, 3, 8],
                "steps": [200, 100],
                "channels": [64, 32, 128],
                "learning_rate": [0.02, 0.01, 0.05],
                "strength": [1.0, 0.01, 0.1, 10.0],
            },
        ),
        Row(
            "ICA",
            "iterative",
            published("75.1", "69.1", "73.9"),
            space={
                "strength": [100.0, 1.0, 10.0, 1000.0],
                "rounds": [10, 3, 30],
                "weight": [1.0, 0.1, 0.3, 3.0],
            },
        ),
        Row(
            "Planetoid",
            "planetoid",
            published("75.7", "64.7", "77.2"),
            _TRAINING,
            {
                **_CONVOLUTION,
                "variant": ["transductive", "inductive"],
                "strength": [1.0, 0.1, 0.3, 3.0],
                "before": [400, 100, 200],
            },
        ),
        Row(
            "Chebyshev",
            "convolution",
            published("81.2", "69.8", "74.4"),
            {**_TRAINING, "layer": "chebyshev"},
            {**_CONVOLUTION, "order": [3, 2]},
        ),
        Row(
            "GCN",
            "convolution",
            published("81.5", "70.3", "79.0"),
            {**_TRAINING, "layer": "gcn"},
            _CONVOLUTION,
        ),
        Row(
            "MoNet",
            "convolution",
            published("81.7", "", "78.8"),
            {**_TRAINING, "layer": "monet"},
            {**_CONVOLUTION, "kernels": [2, 1, 3]},
        ),
        Row(
            "SP-GAT",
            "gat",
            published("82.5 ± 0.4", "70.8 ± 0.5", "78.1 ± 0.4"),
            _TRAINING,
            {**_ATTENTION, "out_heads": [1, 8]},
            {"Pubmed": {**_PUBMED, "out_heads": 8}},
            seeds=100,
        ),
        Row(
            "EGAT",
            "egat",
            published("82.1 ± 0.7", "70.3 ± 0.5", "78.1 ± 0.4"),
            _TRAINING,
            {**_ATTENTION, "edge_feature": ["scaled", "faint"]},
            {"Pubmed": _PUBMED},
            seeds=100,
        ),
    ],
)

if __name__ == "__main__":
    main(TABLE)
