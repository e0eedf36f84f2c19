"""What the methods are compared on: a graph as tensors, and for each seed its training, validation and test nodes.

- cora, citeseer, pubmed: citations; the edge feature is the number of adjacent edges. Public parts.
- trade-b-0 ... trade-m-9: invented banks, named with their generator's seed; edges have ln of the number and of the
  total of payments, nodes the risk level. 3:1:1 of the labelled nodes of each class, drawn by seed.
- ethereum, ethereum-time: accounts, and one edge for the transfers of two, whichever way they went, as in the paper;
  edges have ln of the amount and of the number (and the last time in years), nodes have a one. The published test
  part; a quarter of the training part, drawn by seed, validates.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch

from edgegat.graph import EdgeGraph

CITATIONS = {"cora": "Cora", "citeseer": "CiteSeer", "pubmed": "PubMed"}
BANKS = tuple(f"{bank}-{seed}" for bank in ("trade-b", "trade-m") for seed in range(10))
TRANSFERS = ("ethereum", "ethereum-time")
NAMES = (*CITATIONS, *BANKS, *TRANSFERS)
_TENSORS = ("x", "edge_index", "edge_attr", "y", "train_mask", "val_mask", "test_mask")


def load(name: str, folder: Path | None = None, seed: int = 0) -> EdgeGraph:
    """The graph with its parts for this seed, from tensors that `experiments.prepare` wrote, or from the data."""
    graph = _whole(name, folder)
    if name in CITATIONS:
        return graph
    draws = np.random.default_rng(seed)
    if name in BANKS:
        return with_parts(graph, draws)
    return with_validation(graph, draws)


def with_parts(graph: EdgeGraph, draws: np.random.Generator) -> EdgeGraph:
    """Three fifths of each class's labelled nodes train, a fifth validates, the rest is tested on."""
    assert graph.y is not None
    masks = {name: torch.zeros(graph.num_nodes, dtype=torch.bool) for name in _TENSORS[4:]}
    for nodes in _by_class(graph.y.numpy()):
        ends = np.round(np.array([0.6, 0.8]) * len(nodes)).astype(int)
        for mask, part in zip(masks.values(), np.split(draws.permutation(nodes), ends), strict=True):
            mask[torch.from_numpy(part)] = True
    return replace(graph, **masks)


def with_validation(graph: EdgeGraph, draws: np.random.Generator) -> EdgeGraph:
    """A quarter of each class of the training and validation nodes validates."""
    assert graph.y is not None
    assert graph.train_mask is not None
    assert graph.val_mask is not None
    known = graph.train_mask | graph.val_mask
    val = torch.zeros_like(known)
    for nodes in _by_class(torch.where(known, graph.y, -1).numpy()):
        val[torch.from_numpy(draws.permutation(nodes)[: round(0.25 * len(nodes))])] = True
    return replace(graph, train_mask=known & ~val, val_mask=val)


def write(folder: Path, name: str, graph: EdgeGraph) -> Path:
    path = folder / f"{name}.npz"
    arrays = {key: getattr(graph, key).numpy() for key in _TENSORS if getattr(graph, key) is not None}
    np.savez_compressed(path, **arrays)
    return path


@lru_cache(maxsize=4)
def _whole(name: str, folder: Path | None) -> EdgeGraph:
    if folder is None:
        from experiments.prepare import from_data  # needs the tables' readers, which a bare machine may lack

        return from_data(name)
    path = folder / f"{name}.npz"
    if not path.is_file():
        raise FileNotFoundError(
            2, f"there is no such file; python -m experiments.prepare {folder} writes it", str(path)
        )
    with np.load(path) as arrays:
        return EdgeGraph(**{key: torch.from_numpy(arrays[key]) for key in arrays})


def _by_class(y: np.ndarray) -> list[np.ndarray]:
    return [np.flatnonzero(y == number) for number in range(int(y.max()) + 1)]
