"""The two preparations of a graph as PyG transforms: callables from ``Data`` to ``Data``.

They take ``Data`` as PyG users have it, with two columns per undirected edge, and keep every column where it
is. For models with ``directed=True`` every column is an edge: give the transforms ``directed=True``, too. They
need no base class, so that this module imports without PyG.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from edgegat.graph.merging import merge_reciprocal
from edgegat.graph.self_loops import add_virtual_self_loops
from edgegat.graph.stars import Stars
from edgegat.graph.topology import count_adjacent_edges

if TYPE_CHECKING:
    from torch_geometric.data import Data


class AddTopologicalEdgeFeature:
    """Append the number of adjacent edges to ``edge_attr``: see :func:`edgegat.graph.count_adjacent_edges`.

    Example:
        >>> from torch_geometric.data import Data
        >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
        >>> AddTopologicalEdgeFeature()(path).edge_attr.flatten().tolist()
        [1.0, 1.0, 1.0, 1.0]
    """

    def __init__(self, directed: bool = False) -> None:
        self.directed = directed

    def __call__(self, data: Data) -> Data:
        """Return a copy of ``data`` with one more column in ``edge_attr``."""
        edge_attr = _edge_attr(data)
        merged = merge_reciprocal(data.edge_index, edge_attr, directed=self.directed)
        count = count_adjacent_edges(Stars.build(merged.edge_index, int(data.num_nodes)))
        data = copy.copy(data)
        data.edge_attr = torch.cat([edge_attr, count[merged.row_of].unsqueeze(1)], 1)
        return data

    def __repr__(self) -> str:
        return f"AddTopologicalEdgeFeature({'directed=True' * self.directed})"


class AddVirtualSelfLoops:
    """Append the paper's virtual self-loops: see :func:`edgegat.graph.add_virtual_self_loops`.

    Example:
        >>> from torch_geometric.data import Data
        >>> pair = Data(
        ...     edge_index=torch.tensor([[0, 1], [1, 0]]), edge_attr=torch.full((2, 1), 3.0), num_nodes=2
        ... )
        >>> pair = AddVirtualSelfLoops()(pair)
        >>> pair.edge_index.tolist(), pair.edge_attr.flatten().tolist()
        ([[0, 1, 0, 1], [1, 0, 0, 1]], [3.0, 3.0, 3.0, 3.0])
    """

    def __init__(self, directed: bool = False) -> None:
        self.directed = directed

    def __call__(self, data: Data) -> Data:
        """Return a copy of ``data`` with one more column per node that had no self-loop."""
        edge_attr = _edge_attr(data)
        merged = merge_reciprocal(data.edge_index, edge_attr, directed=self.directed)
        M = merged.edge_index.size(1)
        loops, features = add_virtual_self_loops(merged.edge_index, merged.edge_attr, int(data.num_nodes))
        data = copy.copy(data)
        data.edge_index = torch.cat([data.edge_index, loops[:, M:]], 1)
        data.edge_attr = torch.cat([edge_attr, features[M:]])
        return data

    def __repr__(self) -> str:
        return f"AddVirtualSelfLoops({'directed=True' * self.directed})"


def _edge_attr(data: Data) -> Tensor:
    if data.edge_index is None:
        raise ValueError("the Data object has no edge_index.")
    if data.edge_attr is None:
        return torch.zeros(data.edge_index.size(1), 0, device=data.edge_index.device)
    edge_attr: Tensor = data.edge_attr
    return edge_attr.unsqueeze(1) if edge_attr.dim() == 1 else edge_attr
