"""What tells one graph from another."""

from __future__ import annotations

import hashlib

import torch

from edgegat.graph import EdgeGraph


def fingerprint(graph: EdgeGraph) -> str:
    """32 hexadecimal digits of everything a model learns from: features, edges, labels and masks.

    Example:
        >>> graph = EdgeGraph(torch.ones(2, 1), torch.tensor([[0], [1]]), torch.ones(1, 1))
        >>> fingerprint(graph) == fingerprint(graph.with_virtual_self_loops())
        False
        >>> len(fingerprint(graph))
        32
    """
    content = hashlib.sha256()
    for name in ("x", "edge_index", "edge_attr", "y", "train_mask", "val_mask", "test_mask"):
        tensor = getattr(graph, name)
        if tensor is None:
            continue
        content.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        content.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return content.hexdigest()[:32]
