"""From a model and a graph to scores: exact, for all nodes at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from edgegat.graph import EdgeGraph, Stars
from edgegat.learn.calibration import Calibration
from edgegat.learn.scale import Scale
from edgegat.nn import EGAT, Embeddings


class Scores(NamedTuple):
    """What a model says of every node, or of every edge."""

    probabilities: NDArray[np.float64]
    """``[N, C]``, calibrated."""
    decided: NDArray[np.int64]
    """``[N]`` the class with the largest logit. With class weights it need not be the likeliest: that is what
    the weights are for."""


def predict(model: EGAT, graph: EdgeGraph, calibration: Calibration | None = None) -> Scores:
    """Score all nodes of a graph (all edges, if the model reads out edges), on the device of the model.

    Nothing is sampled and no pair of edges is listed: the memory grows with nodes and edges times heads.

    Example:
        >>> graph = EdgeGraph(torch.ones(3, 1), torch.tensor([[0, 1], [1, 2]]), torch.ones(2, 2))
        >>> scores = predict(EGAT(in_channels=1, edge_dim=2, out_channels=4), graph)
        >>> scores.probabilities.shape, scores.decided.shape
        ((3, 4), (3,))
    """
    logits = outputs_of(model, graph).numpy()
    return Scores((calibration or Calibration()).probabilities(logits), logits.argmax(1))


def predict_numbers(model: EGAT, graph: EdgeGraph, scale: Scale) -> NDArray[np.float64]:
    """``[N]`` the numbers of all nodes of a graph, or ``[M]`` of all edges, from a model that has learned numbers.

    Example:
        >>> graph = EdgeGraph(torch.ones(3, 1), torch.tensor([[0, 1], [1, 2]]), torch.ones(2, 2))
        >>> predict_numbers(EGAT(in_channels=1, edge_dim=2, out_channels=1), graph, Scale(5.0, 2.0)).shape
        (3,)
    """
    return scale.numbers(outputs_of(model, graph))


def outputs_of(model: EGAT, graph: EdgeGraph) -> Tensor:
    """``[N, C]`` the outputs for all nodes, or ``[M, C]`` for all edges, in 64 bits on the CPU."""
    model.eval()
    with torch.no_grad():
        rows = graph.num_nodes if model.readout == "nodes" else graph.num_edges
        outputs: Tensor = model(*_looped(model, graph))[:rows].double().cpu()
    return outputs


def embed(model: EGAT, graph: EdgeGraph) -> Embeddings:
    """The learned features of all nodes and all edges, on the CPU, in the order of the graph.

    Example:
        >>> graph = EdgeGraph(torch.ones(3, 1), torch.tensor([[0, 1], [1, 2]]), torch.ones(2, 2))
        >>> nodes, edges = embed(EGAT(in_channels=1, edge_dim=2, out_channels=4), graph)
        >>> nodes.shape, edges.shape
        (torch.Size([3, 192]), torch.Size([2, 32]))
    """
    model.eval()
    with torch.no_grad():
        nodes, edges = model.embed(*_looped(model, graph))
    return Embeddings(nodes.cpu(), edges[: graph.num_edges].cpu())


def _looped(model: EGAT, graph: EdgeGraph) -> tuple[Tensor, Stars, Tensor]:
    weight = next(model.parameters())
    looped = graph.with_virtual_self_loops().to(weight.device)
    return looped.x.to(weight.dtype), looped.stars, looped.edge_attr.to(weight.dtype)
