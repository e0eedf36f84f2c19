"""Graphs and inputs on which every backend is held to the paper."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from edgegat.graph import Stars


def random_graph(num_nodes: int, num_edges: int, seed: int = 0) -> Stars:
    """Any columns at all: self-loops, parallel edges and isolated nodes come along."""
    generator = torch.Generator().manual_seed(seed)
    return Stars.build(torch.randint(num_nodes, (2, num_edges), generator=generator), num_nodes)


def hub_graph(num_edges: int, num_nodes: int = 50, seed: int = 0) -> Stars:
    """Every edge touches node 0."""
    generator = torch.Generator().manual_seed(seed)
    ends = torch.randint(num_nodes, (num_edges,), generator=generator)
    return Stars.build(torch.stack([torch.zeros_like(ends), ends]), num_nodes)


def simple_star(degree: int) -> Stars:
    """One centre and ``degree`` leaves: one star of exactly that degree, all others of degree one."""
    leaves = torch.arange(1, degree + 1)
    return Stars.build(torch.stack([torch.zeros_like(leaves), leaves]), degree + 1)


def no_edges(num_nodes: int = 5) -> Stars:
    return Stars.build(torch.zeros(2, 0, dtype=torch.long), num_nodes)


GRAPHS = {
    "random": lambda: random_graph(60, 200),
    "sparse, many isolated": lambda: random_graph(500, 300, seed=1),
    "star of 3000": lambda: hub_graph(3000),
    "simple star of 2000": lambda: simple_star(2000),
    "two nodes, one edge": lambda: Stars.build(torch.tensor([[0], [1]]), 2),
    "two nodes, 40 parallel edges": lambda: Stars.build(torch.tensor([[0, 1] * 20, [1, 0] * 20]), 2),
    "one node, self-loops only": lambda: Stars.build(torch.zeros(2, 7, dtype=torch.long), 1),
    "no edges": no_edges,
    "path": lambda: Stars.build(torch.stack([torch.arange(9), torch.arange(1, 10)]), 10),
}


@dataclass
class StarInputs:
    query: Tensor
    key: Tensor
    value: Tensor
    self_logit: Tensor

    def __iter__(self):
        return iter((self.query, self.key, self.value, self.self_logit))


def star_inputs(
    stars: Stars, K: int, F: int, dtype: torch.dtype, kind: str = "plain", seed: int = 0
) -> StarInputs:
    """``plain``: standard normal logits; ``wide``: spread over ±100; ``dominated``: one key of each star
    stands e⁶⁰ above the others."""
    g = torch.Generator().manual_seed(seed)
    I, M = stars.num_incidences, stars.num_edges

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=g, dtype=torch.float64)

    query, key, value, self_logit = normal(I, K), normal(I, K), normal(M, K, F), normal(M, K)
    if kind == "wide":
        query, key = (torch.rand(I, K, generator=g, dtype=torch.float64) * 100 - 50 for _ in range(2))
        self_logit = torch.rand(M, K, generator=g, dtype=torch.float64) * 200 - 100
    if kind == "dominated" and I:
        key[stars.ptr[:-1][stars.degree > 0]] += 60.0
    return StarInputs(*(t.to(dtype) for t in (query, key, value, self_logit)))
