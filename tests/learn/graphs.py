"""A graph whose edges decide: of a customer's transfers, large ones make the one class, small ones the other."""

from __future__ import annotations

import torch

from edgegat import EdgeGraph


def edges_decide(nodes: int = 60, seed: int = 0, classes: int = 2, noise: float = 0.3) -> EdgeGraph:
    """Everybody looks alike; each class has its own size of transfers, and half of the nodes train."""
    draws = torch.Generator().manual_seed(seed)
    y = torch.arange(nodes) % classes
    source = torch.arange(nodes).repeat(3)
    hop = torch.randint(1, nodes // classes, (3 * nodes,), generator=draws) * classes
    edge_index = torch.stack([source, (source + hop) % nodes])
    amount = (y[edge_index[0]].float() - (classes - 1) / 2) + noise * torch.randn(3 * nodes, generator=draws)
    part = torch.randperm(nodes, generator=draws)
    masks = [
        torch.zeros(nodes, dtype=torch.bool).index_fill(0, p, True)
        for p in part.tensor_split([nodes // 2, 3 * nodes // 4])
    ]
    return EdgeGraph(
        x=torch.ones(nodes, 1),
        edge_index=edge_index,
        edge_attr=torch.stack([amount, torch.randn(3 * nodes, generator=draws)], 1),
        y=y,
        train_mask=masks[0],
        val_mask=masks[1],
        test_mask=masks[2],
    )
