"""DeepWalk (Perozzi et al., 2014): embeddings from random walks, and a logistic regression on them.

Skip-gram is trained by negative sampling. Node and edge features are not read.

Settings: ``channels``, ``walks`` (a step), ``length``, ``window``, ``steps``, ``learning_rate``, ``strength`` (C of
scikit-learn's logistic regression).
"""

from __future__ import annotations

from typing import Any

import torch
from sklearn.linear_model import LogisticRegression
from torch import nn

from edgegat.graph import EdgeGraph
from edgegat.learn.device import choose_device, seeded, threads_for
from experiments.answer import Answer
from experiments.methods.contexts import Walker, context_loss, minimise
from experiments.methods.network import both_ways


def answer(graph: EdgeGraph, settings: dict[str, Any], seed: int, device: str) -> Answer:
    assert graph.y is not None
    assert graph.train_mask is not None
    place = choose_device(device)
    walks, length, window = settings.get("walks", 1024), settings.get("length", 10), settings.get("window", 5)
    steps = min(settings.get("steps", 200), settings.get("epochs", 200))
    with seeded(seed, place), threads_for(graph.num_edges):
        walker = Walker(both_ways(graph).to(place), graph.num_nodes)
        e, w = (
            nn.Parameter(torch.randn(graph.num_nodes, settings.get("channels", 64), device=place) * 0.1)
            for _ in "ew"
        )
        minimise(
            lambda: context_loss(e, w, walker.contexts(walks, length, window)),
            (e, w),
            steps,
            settings.get("learning_rate", 0.02),
        )
    embedding = e.detach().cpu().numpy()
    rows = graph.train_mask.numpy()
    model = LogisticRegression(C=settings.get("strength", 1.0), max_iter=300).fit(
        embedding[rows], graph.y.numpy()[rows]
    )
    logits = torch.full((graph.num_nodes, graph.num_classes), -20.0)
    probabilities = torch.from_numpy(model.predict_proba(embedding)).float()
    logits[:, torch.from_numpy(model.classes_)] = probabilities.clamp(min=1e-9).log()
    return Answer(logits, steps)
