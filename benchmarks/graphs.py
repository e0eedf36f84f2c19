"""The graphs that are measured. An undirected edge is one column; no virtual self-loops."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import torch
from torch import Tensor


def power_law(num_nodes: int, num_edges: int, seed: int = 0) -> Tensor:
    """``[2, M]``: both ends drawn with probability proportional to ``rank^-0.6``, parallel edges kept.

    Expected degrees fall as ``2M (1 - 0.6) rank^-0.6 / N^0.4``: with ten edges a node, 100 k nodes have a hub
    of 8,000 edges and ``Σ d² = 3e8``, a million nodes one of 32,000 and ``Σ d² = 5e9``. Names are shuffled, so
    that hubs are not neighbours in memory. A column that would be a self-loop moves its second end by one.
    """
    generator = torch.Generator().manual_seed(seed)
    weight = torch.arange(1, num_nodes + 1, dtype=torch.float64).pow(-0.6)
    cumulative = weight.cumsum(0) / weight.sum()
    draws = torch.rand(2, num_edges, generator=generator, dtype=torch.float64)
    rank = torch.searchsorted(cumulative, draws).clamp_(max=num_nodes - 1)
    name = torch.randperm(num_nodes, generator=generator)
    ends = name[rank]
    ends[1] = torch.where(ends[0] == ends[1], (ends[1] + 1) % num_nodes, ends[1])
    return ends


def even(num_nodes: int, num_edges: int, seed: int = 0) -> Tensor:
    """``[2, M]``: both ends drawn uniformly."""
    generator = torch.Generator().manual_seed(seed)
    ends = torch.randint(num_nodes, (2, num_edges), generator=generator)
    ends[1] = torch.where(ends[0] == ends[1], (ends[1] + 1) % num_nodes, ends[1])
    return ends


def one_star(num_edges: int) -> Tensor:
    """``[2, M]``: every edge joins node 0 with a node of its own."""
    leaves = torch.arange(1, num_edges + 1)
    return torch.stack([torch.zeros_like(leaves), leaves])


def data_folder() -> Path:
    """Where the real data lies: the environment's ``EDGEGAT_DATA``."""
    folder = os.environ.get("EDGEGAT_DATA")
    if not folder:
        raise SystemExit("Set EDGEGAT_DATA to the folder that holds planetoid/ and ethereum-phishing/.")
    return Path(folder)


def ethereum() -> tuple[Tensor, int]:
    """The transfers of the Ethereum phishing graph, one column each, and its number of accounts."""
    with (data_folder() / "ethereum-phishing" / "edges.csv").open(newline="") as file:
        rows = csv.DictReader(file)
        columns = [(int(row["from"]) - 1, int(row["to"]) - 1) for row in rows]
    edge_index = torch.tensor(columns).t().contiguous()
    return edge_index, int(edge_index.max()) + 1


def planetoid(name: str) -> tuple[Tensor, int]:
    """Cora, CiteSeer or PubMed: undirected edges, one column each, and the number of papers."""
    from torch_geometric.datasets import Planetoid

    from edgegat import EdgeGraph

    data = Planetoid(str(_writable_copy(name)), name)[0]
    return EdgeGraph.from_pyg(data).edge_index, int(data.num_nodes)


def _writable_copy(name: str) -> Path:
    """PyG writes its processed form beside the raw files, and the data folder may be read-only."""
    import shutil
    import tempfile

    target = Path(tempfile.gettempdir()) / "edgegat-planetoid"
    if not (target / name / "raw").exists():
        shutil.copytree(data_folder() / "planetoid" / name / "raw", target / name / "raw")
    return target
