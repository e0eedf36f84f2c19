"""Stars: for each node the edges that touch it, as compressed rows."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import torch
from torch import Tensor

from edgegat.graph.pairs import Pairs
from edgegat.graph.roles import part_by_role, roles


@dataclass(frozen=True, eq=False)
class Stars:
    """The incidences of a graph, ordered by node: row ``r`` says "edge ``edge[r]`` touches node ``node[r]``".

    An edge between two nodes has two incidences, a self-loop one, so ``I = 2M - (number of self-loops)``.
    The star of node ``v`` is the rows ``ptr[v] : ptr[v + 1]``; inside it the edges stand in ascending order.
    Edges themselves are never reordered: edge ``e`` is column ``e`` of the ``edge_index`` it was built from.

    Attributes:
        ptr: ``[N + 1]``, where each star begins and ends.
        edge: ``[I]``, the edge of each incidence.
        node: ``[I]``, the node of each incidence, ascending.
        other: ``[I]``, the node at the far end of that edge (the node itself for a self-loop).
        slot: ``[2, M]``, the way back: ``slot[0, e]`` is the incidence of edge ``e`` at its first node and
            ``slot[1, e]`` the one at its second, ``-1`` where ``e`` is a self-loop. So ``role`` knows which
            incidences leave their node and which enter it.

    Example:
        >>> stars = Stars.build(torch.tensor([[0, 1, 1], [1, 2, 1]]), num_nodes=4)  # 0-1, 1-2, 1-1
        >>> stars.ptr.tolist()
        [0, 1, 4, 5, 5]
        >>> stars.edge.tolist(), stars.other.tolist()
        ([0, 0, 1, 2, 1], [1, 0, 2, 1, 1])
        >>> stars.slot.tolist()
        [[0, 2, 3], [1, 4, -1]]
        >>> stars
        Stars(num_nodes=4, num_edges=3, num_incidences=5, device='cpu')
    """

    ptr: Tensor
    edge: Tensor
    node: Tensor
    other: Tensor
    slot: Tensor

    @classmethod
    def build(cls, edge_index: Tensor, num_nodes: int) -> Stars:
        """Sort the incidences of ``edge_index [2, M]`` by node: ``O(M log M)`` once, then never again."""
        check_edge_index(edge_index, num_nodes)
        M, device = edge_index.size(1), edge_index.device
        # Two slots an edge, in edge order: first node, second node, first node of the next edge, ...
        ends = edge_index.t().reshape(-1)
        others = edge_index.flip(0).t().reshape(-1)
        is_second_end_of_loop = torch.zeros_like(edge_index, dtype=torch.bool)
        is_second_end_of_loop[1] = edge_index[0] == edge_index[1]
        kept = (~is_second_end_of_loop.t().reshape(-1)).nonzero().squeeze(1)

        node, by_node = torch.sort(ends[kept], stable=True)
        origin = kept[by_node]
        counts = torch.zeros(num_nodes, dtype=torch.long, device=device)
        counts.scatter_add_(0, node, torch.ones_like(node))
        ptr = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
        slot = torch.full((2 * M,), -1, dtype=torch.long, device=device)
        slot[origin] = torch.arange(origin.numel(), device=device)
        return cls(
            ptr=ptr,
            edge=origin.div(2, rounding_mode="floor"),
            node=node,
            other=others[origin],
            slot=slot.view(M, 2).t().contiguous(),
        )

    @property
    def num_nodes(self) -> int:
        """Number of nodes ``N``, those without edges included."""
        return self.ptr.numel() - 1

    @property
    def num_edges(self) -> int:
        """Number of edges ``M``."""
        return self.slot.size(1)

    @property
    def num_incidences(self) -> int:
        """Number of incidences ``I = 2M - (number of self-loops)``."""
        return self.edge.numel()

    @property
    def device(self) -> torch.device:
        """Where the tensors live."""
        return self.ptr.device

    @property
    def degree(self) -> Tensor:
        """``[N]``, the number of edges at each node, a self-loop counted once."""
        return self.ptr[1:] - self.ptr[:-1]

    @cached_property
    def role(self) -> Tensor:
        """``[I]``: 0 where the edge leaves the node, 1 where it enters, 2 for a self-loop. Made once."""
        return roles(self)

    @cached_property
    def num_neighbours(self) -> Tensor:
        """``[N]``: how many different other nodes each node's edges lead to. Counted once."""
        apart = self.other != self.node
        pair = (self.node * self.num_nodes + self.other)[apart].sort().values
        first = torch.ones_like(pair)
        first[1:] = (pair[1:] != pair[:-1]).long()
        node = pair.div(max(self.num_nodes, 1), rounding_mode="floor")
        return torch.zeros_like(self.degree).scatter_add_(0, node, first)

    @cached_property
    def by_role(self) -> Stars:
        """The stars of ``3N`` parts of nodes, see :func:`edgegat.graph.roles.part_by_role`. Made once."""
        return part_by_role(self)

    @cached_property
    def pairs(self) -> Pairs:
        """The different pairs of nodes that the edges join. Made once."""
        return Pairs.of(self, directed=False)

    @cached_property
    def directed_pairs(self) -> Pairs:
        """The same where ``a`` to ``b`` and ``b`` to ``a`` are two pairs. Made once."""
        return Pairs.of(self, directed=True)

    def to(self, device: torch.device | str) -> Stars:
        """The same stars on another device."""
        return Stars(*(getattr(self, field.name).to(device) for field in fields(self)))

    def __repr__(self) -> str:
        return (
            f"Stars(num_nodes={self.num_nodes}, num_edges={self.num_edges}, "
            f"num_incidences={self.num_incidences}, device='{self.device}')"
        )


def check_edge_index(edge_index: Tensor, num_nodes: int) -> None:
    """Refuse an ``edge_index`` that is not ``[2, M]`` whole numbers in ``0 .. num_nodes - 1``."""
    if not isinstance(edge_index, Tensor):
        raise TypeError(
            f"edge_index is a {type(edge_index).__name__}, but it must be a tensor [2, M]: one column per edge. "
            "For a list of pairs, torch.tensor(pairs).t()."
        )
    if edge_index.dim() != 2 or edge_index.size(0) != 2:
        raise ValueError(
            f"edge_index has shape {tuple(edge_index.shape)}, but it must be [2, M]: "
            "one column per edge, the first row its one node, the second row the other."
        )
    if edge_index.dtype != torch.long:
        raise TypeError(
            f"edge_index holds {edge_index.dtype}, but node numbers must be torch.int64: "
            "call edge_index.long()."
        )
    if torch.compiler.is_compiling() or edge_index.numel() == 0:
        return
    low, high = (int(bound) for bound in edge_index.aminmax())
    if low < 0 or high >= num_nodes:
        wrong = low if low < 0 else high
        row, column = (int(i) for i in (edge_index == wrong).nonzero()[0])
        nodes = f"{num_nodes} nodes, numbered 0 to {num_nodes - 1}" if num_nodes else "no nodes"
        raise IndexError(
            f"edge_index[{row}, {column}] is {wrong}, but the graph has {nodes}. Add the missing rows to x, or "
            "correct the edge."
        )
