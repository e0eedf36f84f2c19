r"""ManiReg and SemiEmb: an MLP whose answers, or whose hidden layer, is to differ little along edges.

Manifold regularisation (Belkin et al., 2006) adds the graph Laplacian's quadratic form of the answers,

.. math:: \lambda \, \tfrac{1}{M} \sum_{(i,j)} \Vert f_i - f_j \Vert^2,

semi-supervised embedding (Weston et al., 2012) pulls the hidden layer of neighbours together and pushes that of other
pairs, drawn anew in each step, apart by a margin of one:

.. math:: \lambda \Big( \tfrac{1}{M} \sum_{(i,j)} \Vert z_i - z_j \Vert^2
          + \tfrac{1}{M} \sum_{(i,j)\ \mathrm{drawn}} \max(0, 1 - \Vert z_i - z_j \Vert)^2 \Big)

Settings: ``what`` ("answers" or "embedding"), ``strength`` (lambda), ``hidden_channels``, ``dropout``.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from edgegat.graph import EdgeGraph
from experiments.answer import Answer
from experiments.methods.convolution import TwoLayers
from experiments.methods.network import Network, learn


def answer(graph: EdgeGraph, settings: dict[str, Any], seed: int, device: str) -> Answer:
    def network(there: EdgeGraph) -> Network:
        hidden = settings.get("hidden_channels", 64)
        module = TwoLayers(
            nn.Linear(there.x.size(1), hidden),
            nn.Linear(hidden, there.num_classes),
            settings.get("dropout", 0.5),
        ).to(there.x.device)
        seen: dict[str, Tensor] = {}

        def logits() -> Tensor:
            seen["embedding"] = module.hidden(there.x)
            seen["answers"] = module.out(seen["embedding"])
            return seen["answers"]

        def penalty() -> Tensor:
            if settings["what"] == "answers":
                return strength * distances(seen["answers"].softmax(1), there.edge_index).square().mean()
            return strength * embedding_loss(seen["embedding"], there.edge_index)

        return Network(module, logits, penalty)

    strength = settings.get("strength", 1.0)
    return learn(graph, network, settings, seed, device)


def embedding_loss(z: Tensor, edges: Tensor) -> Tensor:
    """Neighbours together, strangers apart."""
    strangers = torch.randint(z.size(0), edges.shape, device=z.device)
    apart = (1 - distances(z, strangers)).clamp(min=0).square().mean()
    return distances(z, edges).square().mean() + apart


def distances(z: Tensor, pairs: Tensor) -> Tensor:
    """``[P]`` of the pairs ``[2, P]``; the smallest is not quite zero, where a root has no slope."""
    return ((z[pairs[0]] - z[pairs[1]]).square().sum(1) + 1e-12).sqrt()
