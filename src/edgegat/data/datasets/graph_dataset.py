"""What the data sets have in common: one graph, its ids, and the habits of PyG's data sets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from edgegat.data.errors import DataError
from edgegat.graph import EdgeGraph

HOME = "EDGEGAT_DATA"


class GraphDataset:
    """A data set of one graph: ``dataset[0]``, as PyG's have it, or ``dataset.graph``.

    Attributes:
        graph: the graph.
        ids: ``[N]`` what the source calls each node.
        name: of the data set.

    Example:
        >>> import torch
        >>> graph = EdgeGraph(
        ...     x=torch.eye(2),
        ...     edge_index=torch.tensor([[0], [1]]),
        ...     edge_attr=torch.ones(1, 3),
        ...     y=torch.tensor([0, 1]),
        ... )
        >>> dataset = GraphDataset("Pair", graph, np.array([7, 8]))
        >>> len(dataset), dataset[0] is graph, dataset.num_classes, dataset.num_edge_features
        (1, True, 2, 3)
    """

    def __init__(self, name: str, graph: EdgeGraph, ids: NDArray[np.int64]) -> None:
        self.name = name
        self.graph = graph
        self.ids = ids

    @property
    def num_classes(self) -> int:
        """How many classes there are."""
        return self.graph.num_classes

    @property
    def num_node_features(self) -> int:
        """``F``."""
        return self.graph.x.size(1)

    @property
    def num_edge_features(self) -> int:
        """``D``."""
        return self.graph.edge_attr.size(1)

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> EdgeGraph:
        if index not in (0, -1):
            raise IndexError(f"{self.name} has one graph, number 0, and no number {index}.")
        return self.graph

    def __iter__(self) -> Iterator[EdgeGraph]:
        return iter([self.graph])

    def __repr__(self) -> str:
        return f"{self.name}({self.graph!r})"


def find_folder(root: str | PathLike[str] | None, name: str) -> Path:
    """The folder that was named, or else ``$EDGEGAT_DATA/name``; whether it exists is another question."""
    if root is not None:
        return Path(root)
    home = os.environ.get(HOME)
    if not home:
        raise DataError(
            f"no folder is given and the environment variable {HOME} is not set. Give the folder as root=, or "
            f"set {HOME} to the folder that has {name}/ in it."
        )
    return Path(home) / name
