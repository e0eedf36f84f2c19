"""Iterative classification (Lu and Getoor, 2003): a logistic regression reads features and neighbours' labels.

A first regression reads the features alone. Then, some times over: count what the neighbours are thought to be
(training nodes are known), learn from features and shares of the labels, and decide again.

Settings: ``strength`` (C of scikit-learn), ``rounds``, ``weight`` (of the neighbours' shares beside the features).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from scipy.sparse import csr_array, hstack
from sklearn.linear_model import LogisticRegression
from torch import Tensor

from edgegat.graph import EdgeGraph
from experiments.answer import Answer
from experiments.methods.network import both_ways


def answer(graph: EdgeGraph, settings: dict[str, Any], seed: int, device: str) -> Answer:
    assert graph.y is not None
    assert graph.train_mask is not None
    known, weight = graph.train_mask, settings.get("weight", 1.0)
    truth = F.one_hot(graph.y.clamp(min=0), graph.num_classes).float()
    features = csr_array(graph.x.numpy())
    probabilities = _regression(features, graph, settings)
    for _ in range(settings.get("rounds", 10)):
        labels = F.one_hot(probabilities.argmax(1), graph.num_classes).float()
        shares = shares_of_neighbours(graph, torch.where(known.unsqueeze(1), truth, labels))
        probabilities = _regression(
            hstack([features, csr_array(weight * shares.numpy())]).tocsr(), graph, settings
        )
    return Answer(probabilities.clamp(min=1e-9).log())


def shares_of_neighbours(graph: EdgeGraph, labels: Tensor) -> Tensor:
    """``[N, C]``: which part of a node's neighbours has which label."""
    source, target = both_ways(graph)
    counts = torch.zeros_like(labels).index_add_(0, target, labels[source])
    return counts / counts.sum(1, keepdim=True).clamp(min=1)


def _regression(features: csr_array, graph: EdgeGraph, settings: dict[str, Any]) -> Tensor:
    """``[N, C]``, learned from the training nodes."""
    assert graph.y is not None
    assert graph.train_mask is not None
    rows = graph.train_mask.numpy()
    model = LogisticRegression(C=settings.get("strength", 100.0), max_iter=300)
    model.fit(features[np.flatnonzero(rows)], graph.y.numpy()[rows])
    probabilities = torch.zeros(graph.num_nodes, graph.num_classes)
    probabilities[:, torch.from_numpy(model.classes_)] = torch.from_numpy(model.predict_proba(features)).float()
    return probabilities
