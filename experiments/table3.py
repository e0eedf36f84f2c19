"""Table 3: phishing accounts of the Ethereum network, on the published split, without and with timestamps.

python -m experiments.table3 --only "gradient boosting" --dataset ethereum --seeds 2     # a piece, some seconds

The seed draws the validation part out of the training part, and the weights. The published figures are those of the
repository KazumaYamamoto2023/DSC180B-Q2-Project, means of 10 runs on the same split, on node features of its own.
All methods get the ln of each account's edges out and in as node features, but for the row that is called EGAT alone.
GCN, GraphSAGE and TAGCN, which read no edges, get sums of the edge features, too. Settings are searched without
timestamps.
"""

from __future__ import annotations

from typing import Any

from experiments.command import main
from experiments.search import Settings, Space
from experiments.table import Row, Table

COLUMNS = {"Ethereum": ["ethereum"], "Ethereum, time": ["ethereum-time"]}

_TRAINING: Settings = {"degrees": True, "epochs": 400, "patience": 80, "metric": "log_loss"}
_SPACE: Space = {
    "dropout": [0.1, 0.05, 0.2, 0.4],
    "learning_rate": [0.01, 0.005, 0.02],
    "weight_decay": [0.0005, 0.0001, 0.002],
}
_HEADS: Space = {**_SPACE, "attention_dropout": [0.0, 0.1, 0.3]}
_WIDTH: Space = {**_SPACE, "hidden_channels": [64, 32, 128]}


def network(name: str, then: str, space: Space, published: str = "", **fixed: Any) -> Row:
    settings = {"then": then, **_TRAINING, **fixed}
    return Row(name, "edge_inputs", {"Ethereum": published}, settings, space)


def trees(name: str, kind: str, space: Space, published: str = "") -> Row:
    settings = {"then": "edge_trees", "trees": kind, "unscaled": True, "degrees": True}
    return Row(name, "edge_inputs", {"Ethereum": published}, settings, space)


TABLE = Table(
    name="table3",
    title="Table 3: phishing accounts of Ethereum, in percent: mean ± standard deviation (runs)",
    columns=COLUMNS,
    metrics=("accuracy", "macro_f1", "roc_auc", "pr_auc"),
    chosen_by="log_loss",
    searched_on={name: ["ethereum"] for name in COLUMNS},
    finalists=3,
    rows=[
        network("GCN", "edge_layers", _WIDTH, "79.6", layer="gcn", pool="sum"),
        network("SP-GAT", "gat", _HEADS, "78.5", out_heads=8),
        network("SP-GAT-sum", "gat", _HEADS, out_heads=8, pool="sum"),
        network("SP-GAT-avg", "gat", _HEADS, out_heads=8, pool="avg"),
        network("SP-GAT-max", "gat", _HEADS, out_heads=8, pool="max"),
        network("GraphSAGE", "edge_layers", _WIDTH, "81.9", layer="sage", pool="sum"),
        network("TAGCN", "edge_layers", _WIDTH, "82.2", layer="tagcn", pool="sum"),
        trees(
            "gradient boosting",
            "boosting",
            {
                "min_samples_leaf": [20, 5, 10],
                "learning_rate": [0.1, 0.03, 0.05],
                "max_leaf_nodes": [31, 4, 8],
                "l2_regularization": [0.0, 1.0],
            },
            "81.6",
        ),
        trees(
            "random forest", "forest", {"min_samples_leaf": [1, 2, 3, 5], "max_features": ["sqrt", 0.2, 0.5]}
        ),
        network("GATv2", "edge_layers", _HEADS, layer="gatv2", heads=8, hidden_channels=8),
        network("GINE", "edge_layers", _WIDTH, layer="gine"),
        network("R-GCN on bins", "edge_layers", {**_WIDTH, "bins": [3, 2]}, layer="rgcn"),
        network("EGNN", "edge_egnn", {**_SPACE, "hidden_channels": [16, 8, 32]}),
        network("EGAT", "egat", _HEADS, degrees=False),
        network("EGAT, degrees", "egat", _HEADS),
        network("EGAT 16:16, degrees", "egat", _HEADS, hidden_channels=16, edge_hidden_channels=16),
    ],
)

if __name__ == "__main__":
    main(TABLE)
