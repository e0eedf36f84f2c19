r"""EGNN(A) of Gong & Cheng (*Exploiting Edge Features for Graph Neural Networks*, arXiv 1809.02709), with attention.

Each edge feature is a channel of weights between nodes. In channel ``p`` of a layer

.. math::
    \hat\alpha_{ijp} &= \exp(\mathrm{LeakyReLU}(a^T [W x_i \| W x_j])) \, e_{ijp}, \qquad
    \alpha_p = \mathrm{DS}(\hat\alpha_p) \\
    x'_i &= \sigma\Big( \big\Vert_p \sum_j \alpha_{ijp} W x_j \Big), \qquad e'_{ijp} = \alpha_{ijp}

where DS makes rows and columns sum to one:

.. math::
    \tilde\alpha_{ij} = \hat\alpha_{ij} / \sum_k \hat\alpha_{ik}, \qquad
    \mathrm{DS}(\hat\alpha)_{ij} = \sum_k \tilde\alpha_{ik} \tilde\alpha_{jk} / \sum_v \tilde\alpha_{vk}

So nodes that are all the same stay the same, whatever the edge features: what the paper's motivation criticises.

DS couples nodes two steps apart. What it does to ``x`` is computed exactly, without these pairs. What it hands to the
next layer as ``e'`` is exact, too, but kept for the graph's own edges and for each node with itself only.

Features are moved to 0.05 to 1 (weights are not negative) and have their reverse channel beside them if not
``undirected``. A node is joined to itself with weight 1. Settings: ``hidden_channels`` (per channel), ``dropout``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from edgegat.graph import EdgeGraph
from experiments.answer import Answer
from experiments.methods.network import Network, learn


class Pairs(NamedTuple):
    """Whom a node looks at: ``[A]`` each, sorted; and the triangles ``ij, ik, jk`` of such pairs, ``[T]`` each."""

    i: Tensor
    j: Tensor
    ij: Tensor
    ik: Tensor
    jk: Tensor
    num_nodes: int


def answer(graph: EdgeGraph, settings: dict[str, Any], seed: int, device: str) -> Answer:
    def network(there: EdgeGraph) -> Network:
        pairs, e = channels(there, bool(settings.get("undirected")))
        hidden = settings.get("hidden_channels", 8)
        module = EGNN(there.x.size(1), hidden, there.num_classes, e.size(1), settings.get("dropout", 0.0))
        module = module.to(there.x.device)
        return Network(module, lambda: module(there.x, e, pairs))

    return learn(graph, network, settings, seed, device)


class EGNN(nn.Module):
    """Two layers; the channels of the first are concatenated, those of the second averaged."""

    def __init__(self, in_channels: int, hidden: int, classes: int, P: int, dropout: float) -> None:
        super().__init__()
        self.dropout = dropout
        self.first, self.second = Layer(in_channels, hidden), Layer(P * hidden, classes)

    def forward(self, x: Tensor, e: Tensor, pairs: Pairs) -> Tensor:
        x, e = self.first(F.dropout(x, self.dropout, self.training), e, pairs, passes_on=True)
        x = F.dropout(F.elu(x.flatten(1)), self.dropout, self.training)
        logits, _ = self.second(x, e, pairs, passes_on=False)
        return logits.mean(1)


class Layer(nn.Module):
    """``x [N, F]``, ``e [A, P]`` to ``[N, P, F']`` and ``[A, P]``."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.W = nn.Linear(in_channels, out_channels, bias=False)
        self.a = nn.Linear(out_channels, 2, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, x: Tensor, e: Tensor, pairs: Pairs, passes_on: bool) -> tuple[Tensor, Tensor]:
        h = self.W(x)
        of_i, of_j = self.a(h).unbind(1)
        logit = F.leaky_relu(of_i[pairs.i] + of_j[pairs.j], 0.2)
        weight = (logit - logit.max()).exp().unsqueeze(1) * e
        rows, columns = normalised(weight, pairs)
        out = weighted_sums(h, rows, columns, pairs) + self.bias
        return out, on_pairs(rows, columns, pairs) if passes_on else e


def normalised(weight: Tensor, pairs: Pairs) -> tuple[Tensor, Tensor]:
    """DS in two factors: rows that sum to one, ``[A, P]``, and the sums of their columns, ``[N, P]``."""
    zeros = weight.new_zeros(pairs.num_nodes, weight.size(1))
    rows = weight / zeros.index_add(0, pairs.i, weight).clamp(min=1e-30)[pairs.i]
    return rows, zeros.index_add(0, pairs.j, rows).clamp(min=1e-30)


def weighted_sums(h: Tensor, rows: Tensor, columns: Tensor, pairs: Pairs) -> Tensor:
    """``[N, P, F]``: DS times ``h [N, F]``, in each channel."""
    zeros = h.new_zeros(pairs.num_nodes, rows.size(1), h.size(1))
    at_k = zeros.index_add(0, pairs.j, rows.unsqueeze(2) * h[pairs.i].unsqueeze(1)) / columns.unsqueeze(2)
    return zeros.index_add(0, pairs.i, rows.unsqueeze(2) * at_k[pairs.j])


def on_pairs(rows: Tensor, columns: Tensor, pairs: Pairs) -> Tensor:
    """``[A, P]``: the entries of DS at the given pairs."""
    terms = rows[pairs.ik] * rows[pairs.jk] / columns[pairs.j[pairs.ik]]
    return torch.zeros_like(rows).index_add(0, pairs.ij, terms)


def channels(graph: EdgeGraph, undirected: bool) -> tuple[Pairs, Tensor]:
    """All pairs and their weights ``[A, P]``; parallel edges are averaged."""
    N, source, target = graph.num_nodes, *graph.edge_index
    low, high = graph.edge_attr.amin(0), graph.edge_attr.amax(0)
    e = 0.05 + 0.95 * (graph.edge_attr - low) / (high - low).clamp(min=1e-9)
    forth, back = (e, e) if undirected else (F.pad(e, (0, e.size(1))), F.pad(e, (e.size(1), 0)))
    loops = torch.arange(N, device=source.device)
    key = torch.cat([source * N + target, target * N + source, loops * (N + 1)])
    weights = torch.cat([forth, back, torch.ones(N, forth.size(1), device=e.device)])
    keys, place, count = torch.unique(key, return_inverse=True, return_counts=True)
    weights = weights.new_zeros(len(keys), weights.size(1)).index_add(0, place, weights) / count.unsqueeze(1)
    i, j = keys // N, keys % N
    return Pairs(i, j, *triangles(i, j, keys, N), N), weights


def triangles(i: Tensor, j: Tensor, keys: Tensor, N: int) -> tuple[Tensor, Tensor, Tensor]:
    """All ``(ij, ik, jk)`` of pairs that exist, as numbers of pairs; each pair asks its end with fewer neighbours."""
    degree = torch.bincount(i, minlength=N)
    first = degree.cumsum(0) - degree
    swap = degree[j] < degree[i]
    few, many = torch.where(swap, j, i), torch.where(swap, i, j)
    ij = torch.repeat_interleave(torch.arange(len(i), device=i.device), degree[few])
    begins = torch.repeat_interleave(degree[few].cumsum(0) - degree[few], degree[few])
    near = first[few[ij]] + torch.arange(len(ij), device=i.device) - begins
    wanted = many[ij] * N + j[near]
    far = torch.searchsorted(keys, wanted).clamp(max=len(keys) - 1)
    exists = keys[far] == wanted
    ij, near, far = ij[exists], near[exists], far[exists]
    return ij, torch.where(swap[ij], far, near), torch.where(swap[ij], near, far)
