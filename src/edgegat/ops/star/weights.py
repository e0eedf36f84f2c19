"""The attention weights of a few chosen edges, listed."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat.graph import Stars


class EdgeWeights(NamedTuple):
    """``weight[i, k]`` is ``β``, how much edge ``reader[i]`` listens to edge ``source[i]`` in head ``k``."""

    reader: Tensor  # [P]
    source: Tensor  # [P]
    weight: Tensor  # [P, K]


def star_attention_weights(
    query: Tensor, key: Tensor, self_logit: Tensor, stars: Stars, edges: Tensor, negative_slope: float = 0.2
) -> EdgeWeights:
    """The ``β`` of equation 4 for the chosen ``edges`` only: as many rows as they have adjacent edges, and one
    more for each of them itself. Listing all edges' weights would be the line graph.

    Arguments as in :func:`edgegat.ops.star_attention`; ``edges [C]`` are edge numbers. The rows of one reader
    stand together, itself first; a source that shares both nodes with it appears twice. In float32 at least.

    Example:
        >>> stars = Stars.build(torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
        >>> zeros = torch.zeros(4, 1)
        >>> chosen = star_attention_weights(zeros, zeros, torch.zeros(2, 1), stars, torch.tensor([1]))
        >>> chosen.source.tolist(), chosen.weight.flatten().tolist()
        ([1, 0], [0.5, 0.5])
    """
    if edges.dtype != torch.long or edges.dim() != 1:
        raise TypeError(
            f"edges is {edges.dtype} {list(edges.shape)}, but it must be a list of edge numbers, int64."
        )
    wrong = edges[(edges < 0) | (edges >= stars.num_edges)].tolist()
    if wrong:
        raise IndexError(f"edges holds {wrong[0]}, but the graph has {stars.num_edges} edges, numbered from 0.")
    sources = [edges[:0]]
    weights = [self_logit[:0].to(torch.promote_types(self_logit.dtype, torch.float32))]
    for p in edges.tolist():
        neighbours = [edges.new_tensor([p])]
        logits = [self_logit[p : p + 1].double()]
        for incidence in stars.slot[:, p].tolist():
            if incidence < 0:  # a self-loop has one end
                continue
            v = int(stars.node[incidence])
            star = torch.arange(int(stars.ptr[v]), int(stars.ptr[v + 1]), device=stars.device)
            others = star[star != incidence]
            neighbours.append(stars.edge[others])
            logits.append(query[incidence].double() + key[others].double())
        sources.append(torch.cat(neighbours))
        weights.append(F.leaky_relu(torch.cat(logits), negative_slope).softmax(0).to(weights[0].dtype))
    counts = torch.tensor([source.numel() for source in sources[1:]], dtype=torch.long, device=edges.device)
    return EdgeWeights(edges.repeat_interleave(counts), torch.cat(sources), torch.cat(weights))
