"""Graphs and inputs on which every backend is held to the paper."""

from __future__ import annotations

from collections.abc import Callable

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
    "hub of 500": lambda: hub_graph(500),
    "hub of 2000": lambda: hub_graph(2000),
    "simple star of 2000": lambda: simple_star(2000),
    "two nodes, one edge": lambda: Stars.build(torch.tensor([[0], [1]]), 2),
    "two nodes, 40 parallel edges": lambda: Stars.build(torch.tensor([[0, 1] * 20, [1, 0] * 20]), 2),
    "one node, self-loops only": lambda: Stars.build(torch.zeros(2, 7, dtype=torch.long), 1),
    "no edges": no_edges,
    "path": lambda: Stars.build(torch.stack([torch.arange(9), torch.arange(1, 10)]), 10),
}


KINDS = ("plain", "wide", "dominated", "ties")

# Heads and channels. Some backends compile their kernels for each pair, so not all pairs of odd numbers are here.
ODD_SIZES = [(1, 33), (3, 16), (7, 7), (16, 1), (33, 3), (2, 100)]


def cases() -> list[tuple[str, str, int, int]]:
    """Graph, kind of logits, heads and channels.

    Large graphs have few of them, or listing their pairs would take long. Graphs of few edges have many, or
    all their softmaxes might be saturated, with no gradient left that an error could be relative to.
    """
    few_edges = [(8, 4), (16, 3)]
    shapes = {
        "hub of 500": [(8, 4)],
        "hub of 2000": [(1, 1)],
        "simple star of 2000": [(1, 2)],
        "two nodes, 40 parallel edges": few_edges,
        "one node, self-loops only": few_edges,
        "path": few_edges,
    }
    every = [(1, 1), (8, 4), (3, 7)]
    return [(graph, kind, K, F) for graph in GRAPHS for kind in KINDS for K, F in shapes.get(graph, every)]


def star_inputs(
    stars: Stars, K: int, F: int, dtype: torch.dtype = torch.float64, kind: str = "plain", seed: int = 0
) -> dict[str, Tensor]:
    """The inputs of ``star_attention`` by name.

    ``plain``: standard normal logits; ``wide``: spread over ±100; ``dominated``: one key of each star stands
    e⁶⁰ above the others; ``ties``: small whole numbers, so that keys are equal and logits are exactly zero.
    """
    I, M = stars.num_incidences, stars.num_edges
    normal, logits = _generators(kind, seed)
    query, key, self_logit = logits((I, K), 0.5), logits((I, K), 0.5), logits((M, K), 1.0)
    if kind == "dominated" and I:
        key[stars.ptr[:-1][stars.degree > 0]] += 60.0
    inputs = {"query": query, "key": key, "value": normal((M, K, F)), "self_logit": self_logit}
    return {name: t.to(dtype) for name, t in inputs.items()}


def node_inputs(
    stars: Stars, K: int, F: int, dtype: torch.dtype = torch.float64, kind: str = "plain", seed: int = 0
) -> dict[str, Tensor]:
    """The inputs of ``node_attention`` by name, ``keep`` included, which drops three tenths; kinds as above.

    Edges have one channel more than nodes.
    """
    N, M, I = stars.num_nodes, stars.num_edges, stars.num_incidences
    normal, logits = _generators(kind, seed)
    query, key, edge_logit = logits((N, K), 0.3), logits((N, K), 0.3), logits((M, K), 0.4)
    if kind == "dominated" and I:
        edge_logit[stars.edge[stars.ptr[:-1][stars.degree > 0]]] += 60.0
    keep = (normal((I, K)) > -0.52).double() / 0.7
    inputs = {"query": query, "key": key, "edge_logit": edge_logit}
    inputs |= {"node_value": normal((N, K, F)), "edge_value": normal((M, K, F + 1)), "keep": keep}
    return {name: t.to(dtype) for name, t in inputs.items()}


def _generators(
    kind: str, seed: int
) -> tuple[Callable[[tuple[int, ...]], Tensor], Callable[[tuple[int, ...], float], Tensor]]:
    g = torch.Generator().manual_seed(seed)

    def normal(shape: tuple[int, ...]) -> Tensor:
        return torch.randn(shape, generator=g, dtype=torch.float64)

    def logits(shape: tuple[int, ...], part: float) -> Tensor:
        if kind == "wide":
            return (torch.rand(shape, generator=g, dtype=torch.float64) * 200 - 100) * part
        if kind == "ties":
            return torch.randint(-2, 3, shape, generator=g).double()
        return normal(shape)

    return normal, logits
