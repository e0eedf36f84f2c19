"""Random walks, and which nodes are met within a few steps: what DeepWalk and Planetoid learn embeddings from."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Walker:
    """Walks over a graph whose edges ``[2, M]`` go both ways; who has no neighbour stays where he is."""

    def __init__(self, both_ways: Tensor, num_nodes: int) -> None:
        order = both_ways[0].argsort(stable=True)
        stay = torch.arange(num_nodes, device=both_ways.device)
        self.degree = torch.bincount(both_ways[0], minlength=num_nodes)
        self._first = self.degree.cumsum(0) - self.degree
        self._neighbours = torch.cat([both_ways[1][order], stay])
        self._itself = both_ways.size(1) + stay

    def walk(self, starts: Tensor, length: int) -> Tensor:
        """``[W, length + 1]``: each step goes to a neighbour, all of them equally likely."""
        path = [starts]
        for _ in range(length):
            here = path[-1]
            step = (torch.rand(here.shape, device=here.device) * self.degree[here]).long()
            place = torch.where(self.degree[here] > 0, self._first[here] + step, self._itself[here])
            path.append(self._neighbours[place])
        return torch.stack(path, 1)

    def contexts(self, walks: int, length: int, window: int) -> Tensor:
        """``[2, P]``: pairs that so many walks from anywhere meet within ``window`` steps of each other."""
        starts = torch.randint(self.degree.numel(), (walks,), device=self.degree.device)
        path = self.walk(starts, length)
        pairs = [
            torch.stack([path[:, :-distance].flatten(), path[:, distance:].flatten()])
            for distance in range(1, window + 1)
        ]
        one_way = torch.cat(pairs, 1)
        return torch.cat([one_way, one_way.flip(0)], 1)


def context_loss(e: Tensor, w: Tensor, pairs: Tensor) -> Tensor:
    r"""Skip-gram with one negative sample: the mean :math:`-\ln\sigma(w_c \cdot e_i) - \ln\sigma(-w_{c'} \cdot e_i)`.

    ``e [N, F]`` are embeddings, ``w [N, F]`` those of contexts, and ``c'`` is any node.
    """
    here = e[pairs[0]]
    strangers = torch.randint(w.size(0), (pairs.size(1),), device=e.device)
    near = F.logsigmoid((here * w[pairs[1]]).sum(1))
    far = F.logsigmoid(-(here * w[strangers]).sum(1))
    return -(near + far).mean()


def minimise(loss: Callable[[], Tensor], parameters: Iterable[nn.Parameter], steps: int, rate: float) -> None:
    """So many steps of Adam."""
    optimizer = torch.optim.Adam(parameters, rate)
    for _ in range(steps):
        optimizer.zero_grad()
        loss().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
