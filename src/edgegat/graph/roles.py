"""What an edge does at each of its ends: it leaves its first node and enters its second."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from edgegat.graph.stars import Stars

LEAVES, ENTERS, STAYS = range(3)
NUM_ROLES = 3


def roles(stars: Stars) -> Tensor:
    """``[I]``: at each incidence 0 if the edge leaves the node there, 1 if it enters, 2 if it is a self-loop.

    Example:
        >>> from edgegat.graph import Stars
        >>> stars = Stars.build(torch.tensor([[0, 1, 1], [1, 2, 1]]), num_nodes=3)  # 0 to 1, 1 to 2, 1 to 1
        >>> stars.node.tolist(), roles(stars).tolist()
        ([0, 1, 1, 1, 2], [0, 1, 0, 2, 1])
    """
    at_second = stars.slot[1][stars.edge] == torch.arange(stars.num_incidences, device=stars.device)
    return torch.where(stars.other == stars.node, STAYS, at_second.long())


def part_by_role(stars: Stars) -> Stars:
    """Every star in three, by role: node ``v`` becomes ``v`` for what leaves it, ``N + v`` for what enters it and
    ``2N + v`` for its self-loops. Edges keep their numbers.

    Example:
        >>> from edgegat.graph import Stars
        >>> stars = Stars.build(torch.tensor([[0, 1, 1], [1, 2, 1]]), num_nodes=3)
        >>> part_by_role(stars).node.tolist(), part_by_role(stars).edge.tolist()
        ([0, 1, 4, 5, 7], [0, 1, 0, 1, 2])
    """
    N = stars.num_nodes
    first, second = stars.node[stars.slot[0]], stars.other[stars.slot[0]]
    loop = first == second
    ends = torch.stack(
        [torch.where(loop, first + STAYS * N, first), second + torch.where(loop, STAYS, ENTERS) * N]
    )
    return type(stars).build(ends, NUM_ROLES * N)
