r"""Label propagation (Zhu et al., 2003): labels flow along edges until they stand still.

.. math:: F \leftarrow \alpha D^{-1} A F + (1 - \alpha) Y, \qquad F_i = Y_i \text{ for training nodes}

With :math:`\alpha = 1` it is the harmonic solution. Nodes that no label reaches get the classes' shares. Node and
edge features are not read; nothing is drawn at random.

Settings: ``alpha``, ``steps``.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from edgegat.graph import EdgeGraph
from experiments.answer import Answer
from experiments.methods.network import both_ways


def answer(graph: EdgeGraph, settings: dict[str, Any], seed: int, device: str) -> Answer:
    assert graph.y is not None
    assert graph.train_mask is not None
    alpha, known = settings.get("alpha", 1.0), graph.train_mask
    source, target = both_ways(graph)
    degree = torch.bincount(target, minlength=graph.num_nodes).clamp(min=1).unsqueeze(1)
    given = torch.zeros(graph.num_nodes, graph.num_classes)
    given[known] = F.one_hot(graph.y[known], graph.num_classes).float()
    flow = given
    for _ in range(settings.get("steps", 100)):
        flow = alpha * torch.zeros_like(flow).index_add_(0, target, flow[source]) / degree + (1 - alpha) * given
        flow[known] = given[known]
    share = given[known].mean(0)
    reached = flow.sum(1, keepdim=True)
    return Answer(torch.where(reached > 0, flow / reached.clamp(min=1e-30), share).clamp(min=1e-9).log())
