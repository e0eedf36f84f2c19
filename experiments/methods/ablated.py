"""EGAT with a part taken away.

Settings: those of `egat`, and ``without``: ``"edge block"`` (an edge attends to itself alone), ``"earlier layers"``
(the merge layer reads the last layer's ``H_m``) or ``"self-loops"`` (no virtual ones are added).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from torch import Tensor, nn

from edgegat import EGAT, EGATConv
from edgegat.graph import EdgeGraph, Stars
from edgegat.learn import ModelOptions
from edgegat.learn.receptive_field import ReceptiveField
from edgegat.nn.activations import ACTIVATIONS
from experiments.answer import Answer
from experiments.methods.egat import prepared
from experiments.methods.network import Network, learn


def answer(graph: EdgeGraph, settings: dict[str, Any], seed: int, device: str) -> Answer:
    def network(there: EdgeGraph) -> Network:
        seen = there if without == "self-loops" else there.with_virtual_self_loops()
        model = EGAT(there.x.size(1), there.edge_attr.size(1), there.num_classes, **sizes.to_dict())
        if without == "edge block":
            leave_out_edge_blocks(model)
        elif without == "earlier layers":
            model.merge = LastLayer(there.num_classes, sizes)  # type: ignore[assignment]
        model = model.to(there.x.device)

        def seen_from(nodes: Tensor) -> Callable[[], Tensor]:
            field = ReceptiveField.of(seen, nodes, sizes.num_layers)
            return lambda: field.logits(model)

        return Network(model, lambda: model(seen.x, seen.stars, seen.edge_attr), seen_from=seen_from)

    names, without = ModelOptions.names(), settings["without"]
    sizes = ModelOptions(**{name: value for name, value in settings.items() if name in names})
    graph = replace(graph, edge_attr=prepared(graph.edge_attr, settings.get("edge_feature", "plain")))
    return learn(graph, network, settings, seed, device)


def leave_out_edge_blocks(model: EGAT) -> None:
    """Every layer but the last, which has none anyway, passes edges on as each sees itself: ``e' = σ(W_E e)``."""
    for place, layer in enumerate(list(model.layers)[:-1]):
        assert isinstance(layer, EGATConv)
        model.layers[place] = NodesOnly(
            layer.in_channels,
            layer.out_channels,
            layer.edge_dim,
            layer.edge_out_channels,
            layer.heads,
            negative_slope=layer.negative_slope,
            independent_heads=layer.independent_heads,
            edge_attention=None,
            activation=layer.activation,
            attention_dropout=layer.attention_dropout,
        )


class NodesOnly(EGATConv):
    """The node block alone."""

    def forward(self, x: Tensor, edge_index: Tensor | Stars, edge_attr: Tensor, **also: Any) -> Any:
        h, _, merged = super().forward(x, edge_index, edge_attr, **also)
        e = ACTIVATIONS[self.activation](self.project(edge_attr, self.W_E))
        return h, e.flatten(1), merged


class LastLayer(nn.Module):
    """A merge layer that reads, of every head, the last layer's part of ``h* [N, K * L * F]``."""

    def __init__(self, classes: int, sizes: ModelOptions) -> None:
        super().__init__()
        self._layers = (sizes.heads, sizes.num_layers)
        self.out = nn.Linear(sizes.heads * (sizes.hidden_channels + sizes.edge_hidden_channels), classes)

    def forward(self, h_star: Tensor) -> Tensor:
        last = h_star.view(h_star.size(0), *self._layers, -1)[:, :, -1]
        logits: Tensor = self.out(last.flatten(1))
        return logits
