"""EGAT, trained as the library trains it.

Settings: all model and training options, and ``edge_feature``: what is done to each edge feature before. ``"plain"``
leaves it alone, ``"scaled"`` brings it to mean 0 and variance 1, ``"log"`` does so to its logarithm, and ``"faint"``
brings it to mean 0 and a tenth of the deviation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torch import Tensor

from edgegat.graph import EdgeGraph
from edgegat.learn import ModelOptions, fit
from experiments.answer import Answer
from experiments.methods.network import training_options


def answer(graph: EdgeGraph, settings: dict[str, Any], seed: int, device: str) -> Answer:
    names = ModelOptions.names()
    sizes = ModelOptions(**{name: value for name, value in settings.items() if name in names})
    graph = replace(graph, edge_attr=prepared(graph.edge_attr, settings.get("edge_feature", "plain")))
    fitted = fit(graph, sizes, training_options(settings, seed, device))
    return Answer(fitted.logits, fitted.history.epochs)


def prepared(edge_attr: Tensor, how: str) -> Tensor:
    if how == "plain":
        return edge_attr
    values = edge_attr.log1p() if how == "log" else edge_attr
    deviation = values.std(0, correction=0).clamp(min=1e-9) * (10 if how == "faint" else 1)
    return (values - values.mean(0)) / deviation
