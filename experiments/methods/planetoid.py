r"""Planetoid (Yang et al., 2016): a classifier reads a node's features and an embedding that predicts its contexts.

.. math:: \mathrm{logits}_i = W [\mathrm{ReLU}(W_1 x_i) \,\Vert\, e_i]

Contexts are nodes met on short walks, and training nodes of the same class. In the transductive variant every node
has an embedding of its own; in the inductive one it is computed from the features. It is trained on contexts alone
first, then on both.

Settings: ``variant`` ("transductive" or "inductive"), ``channels``, ``hidden_channels``, ``strength`` (of contexts
beside labels), ``window``, ``before`` (steps on contexts alone), ``dropout``.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from edgegat.graph import EdgeGraph
from experiments.answer import Answer
from experiments.methods.contexts import Walker, context_loss, minimise
from experiments.methods.network import Network, both_ways, learn


def answer(graph: EdgeGraph, settings: dict[str, Any], seed: int, device: str) -> Answer:
    def network(there: EdgeGraph) -> Network:
        model = Planetoid(there, settings).to(there.x.device)
        walker = Walker(both_ways(there), there.num_nodes)
        window = settings.get("window", 3)

        def contexts() -> Tensor:
            near = torch.cat([walker.contexts(200, 10, window), same_class(there, 400)], 1)
            return context_loss(model.embedding(), model.contexts, near)

        before = min(settings.get("before", 400), settings.get("epochs", 400))
        minimise(contexts, model.parameters(), before, 0.01)
        strength = settings.get("strength", 1.0)
        return Network(model, model, lambda: strength * contexts())

    return learn(graph, network, settings, seed, device)


class Planetoid(nn.Module):
    """Both variants."""

    def __init__(self, graph: EdgeGraph, settings: dict[str, Any]) -> None:
        super().__init__()
        N, F_in = graph.x.shape
        channels, hidden = settings.get("channels", 50), settings.get("hidden_channels", 50)
        self.x = graph.x
        self.dropout = settings.get("dropout", 0.5)
        self.own = (
            nn.Parameter(0.1 * torch.randn(N, channels)) if settings["variant"] == "transductive" else None
        )
        self.of_features = nn.Linear(F_in, channels) if self.own is None else None
        self.contexts = nn.Parameter(0.1 * torch.randn(N, channels))
        self.hidden = nn.Linear(F_in, hidden)
        self.out = nn.Linear(hidden + channels, graph.num_classes)

    def embedding(self) -> Tensor:
        """``[N, channels]``."""
        if self.of_features is None:
            assert self.own is not None
            return self.own
        e: Tensor = self.of_features(F.dropout(self.x, self.dropout, self.training))
        return e

    def forward(self) -> Tensor:
        x = F.dropout(self.x, self.dropout, self.training)
        both = torch.cat([F.relu(self.hidden(x)), self.embedding()], 1)
        logits: Tensor = self.out(F.dropout(both, self.dropout, self.training))
        return logits


def same_class(graph: EdgeGraph, number: int) -> Tensor:
    """``[2, P]``: drawn pairs of training nodes, of which those of one class are kept."""
    assert graph.y is not None
    assert graph.train_mask is not None
    known = graph.train_mask.nonzero().squeeze(1)
    pairs = known[torch.randint(known.numel(), (2, number), device=known.device)]
    return pairs[:, graph.y[pairs[0]] == graph.y[pairs[1]]]
