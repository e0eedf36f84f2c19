"""The paper once more, equation by equation, in loops over single nodes, edges and heads.

Nothing of edgegat is used here but the numbers of a model's weights. A graph is a list of edges ``(i, j)``
without parallel ones; features are rows of float64 tensors.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

Edge = tuple[int, int]


def leaky_relu(z: float, slope: float = 0.2) -> float:
    return z if z > 0 else slope * z


def sigma(z: Tensor) -> Tensor:
    """The non-linearity: an ELU."""
    return torch.where(z > 0, z, z.exp() - 1)


def softmax(logits: dict[int, float]) -> dict[int, float]:
    largest = max(logits.values())
    weights = {name: math.exp(logit - largest) for name, logit in logits.items()}
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


def with_virtual_self_loops(N: int, edges: list[Edge], E: Tensor) -> tuple[list[Edge], Tensor]:
    """Section 4.2: a node without a self-loop gets one with the mean of its adjacent edges' features."""
    edges, rows = list(edges), list(E)
    for i in range(N):
        if (i, i) in edges:
            continue
        adjacent = [E[p] for p, edge in enumerate(edges[: len(E)]) if i in edge]
        rows.append(torch.stack(adjacent).mean(0) if adjacent else torch.zeros_like(E[0]))
        edges.append((i, i))
    return edges, torch.stack(rows)


def node_block(H: Tensor, E: Tensor, edges: list[Edge], a: Tensor) -> tuple[Tensor, Tensor]:
    """Equations 1 to 3: ``H'`` and ``H_m``."""
    h_new, m_new = [], []
    for i in range(len(H)):
        e = {j: E[p] for p, (u, v) in enumerate(edges) for j in ({u: v, v: u}.get(i),) if j is not None}
        alpha = softmax({j: leaky_relu(float(a @ torch.cat([H[i], H[j], e[j]]))) for j in e})
        h_new.append(sigma(sum(alpha[j] * H[j] for j in e)))
        m_new.append(sigma(sum(alpha[j] * torch.cat([H[j], e[j]]) for j in e)))
    return torch.stack(h_new), torch.stack(m_new)


def edge_block(H: Tensor, E: Tensor, edges: list[Edge], b: Tensor) -> Tensor:
    """Equations 4 and 5: ``E'``."""
    e_new = []
    for p, ends in enumerate(edges):
        logits = {p: leaky_relu(float(b @ torch.cat([E[p], E[p], torch.zeros_like(H[0])])))}
        for q, other_ends in enumerate(edges):
            shared = set(ends) & set(other_ends)
            if p != q and shared:
                (node,) = shared
                logits[q] = leaky_relu(float(b @ torch.cat([E[p], E[q], H[node]])))
        beta = softmax(logits)
        e_new.append(sigma(sum(beta[q] * E[q] for q in beta)))
    return torch.stack(e_new)


def egat(weights: dict[str, Tensor], K: int, L: int, X: Tensor, edges: list[Edge], E: Tensor) -> Tensor:
    """Figure 1 (b): ``K`` independent stacks of ``L`` layers, equation 6, and the merge layer's logits."""
    edges, E_with_loops = with_virtual_self_loops(len(X), edges, E)
    m: dict[tuple[int, int], Tensor] = {}
    for k in range(K):
        H_k, E_k = X, E_with_loops
        for layer in range(L):
            W_H, W_E, a = (weights[f"layers.{layer}.{name}"][k] for name in ("W_H", "W_E", "a"))
            H_k, E_k = H_k @ W_H, E_k @ W_E
            H_next, m[k, layer] = node_block(H_k, E_k, edges, a)
            if layer < L - 1:
                E_k = edge_block(H_k, E_k, edges, weights[f"layers.{layer}.b"][k])
            H_k = H_next
    logits = []
    for i in range(len(X)):
        h_star = torch.cat([torch.cat([m[k, layer][i] for layer in range(L)]) for k in range(K)])
        logits.append(weights["merge.weight"] @ h_star + weights["merge.bias"])
    return torch.stack(logits)
