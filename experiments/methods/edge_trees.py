"""Gradient boosting and random forests of scikit-learn, on node features and on aggregates of each node's edges.

The aggregates are those of `edgegat.learn.aggregates`, of the edge features and of what they are the logarithms of.
Settings: ``trees`` ("boosting", "forest"), ``undirected`` (no aggregates of one direction alone), and scikit-learn's
own ``learning_rate``, ``max_leaf_nodes``, ``l2_regularization``, ``min_samples_leaf`` and ``max_features``. Boosting
chooses the number of its rounds, up to 300, by the loss on the validation nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from edgegat.graph import EdgeGraph
from edgegat.learn.aggregates import incident_aggregates
from edgegat.learn.device import threads_for
from edgegat.learn.metrics import score
from experiments.answer import Answer

_ROUNDS = 300
_OPTIONS = {
    "boosting": ("learning_rate", "max_leaf_nodes", "l2_regularization", "min_samples_leaf"),
    "forest": ("min_samples_leaf", "max_features"),
}


def answer(graph: EdgeGraph, settings: dict[str, Any], seed: int, device: str) -> Answer:
    assert graph.y is not None
    assert graph.train_mask is not None
    assert graph.val_mask is not None
    columns, y = table(graph, bool(settings.get("undirected"))), graph.y.numpy()
    train, val = ((mask & (graph.y >= 0)).numpy() for mask in (graph.train_mask, graph.val_mask))
    kind = settings["trees"]
    options = {name: settings[name] for name in _OPTIONS[kind] if name in settings}
    with threads_for(int(train.sum())):
        if kind == "forest":
            forest = RandomForestClassifier(500, random_state=seed, n_jobs=1, **options).fit(
                columns[train], y[train]
            )
            return Answer(_logits(forest.predict_proba(columns)), 500)
        boosting = HistGradientBoostingClassifier(
            max_iter=_ROUNDS, early_stopping=False, random_state=seed, **options
        ).fit(columns[train], y[train])
        rounds = _best(y[val], boosting.staged_predict_proba(columns[val]))
        staged = enumerate(boosting.staged_predict_proba(columns), 1)
        return Answer(_logits(next(p for number, p in staged if number == rounds)), rounds)


def table(graph: EdgeGraph, undirected: bool) -> np.ndarray:
    """One row for each node; what is missing, where a node has no edge, lies below everything else."""
    x, ln = graph.x.double(), graph.edge_attr.double()
    aggregates, names = incident_aggregates(EdgeGraph(x, graph.edge_index, torch.cat([ln, ln.exp()], 1)))
    wanted = [place for place, name in enumerate(names) if not undirected or " both" in name]
    return np.concatenate([x.numpy(), np.nan_to_num(aggregates[:, wanted], nan=-1e9)], 1)


def _best(y: np.ndarray, staged: Iterable[np.ndarray]) -> int:
    return int(np.argmin([score("log_loss", y, p) for p in staged])) + 1


def _logits(probabilities: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.log(probabilities.clip(1e-12)))
