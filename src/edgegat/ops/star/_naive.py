"""Edge attention as the paper writes it (equations 4 and 5): every pair of adjacent edges listed.

Time and memory grow with ``Σ d²``. This is the truth that every other backend is tested against; it is never
optimised.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat.graph import Stars


def list_pairs(stars: Stars) -> tuple[Tensor, Tensor]:
    """All ordered pairs of different incidences in one star: ``[P]`` readers and ``[P]`` those they read."""
    readers, sources = [], []
    for start, end in zip(stars.ptr[:-1].tolist(), stars.ptr[1:].tolist(), strict=True):
        star = torch.arange(start, end, device=stars.device)
        reader, source = torch.meshgrid(star, star, indexing="ij")
        different = reader != source
        readers.append(reader[different])
        sources.append(source[different])
    nothing = torch.zeros(0, dtype=torch.long, device=stars.device)
    return torch.cat([nothing, *readers]), torch.cat([nothing, *sources])


def star_attention(
    query: Tensor, key: Tensor, value: Tensor, self_logit: Tensor, stars: Stars, negative_slope: float
) -> Tensor:
    """Same contract as :func:`edgegat.ops.star_attention`."""
    M = stars.num_edges
    reader, source = list_pairs(stars)
    every_edge = torch.arange(M, device=stars.device)
    # The pairs (p, q) at each shared node, then the pair of each edge with itself.
    p = torch.cat([stars.edge[reader], every_edge])
    q = torch.cat([stars.edge[source], every_edge])
    logit = F.leaky_relu(torch.cat([query[reader] + key[source], self_logit]), negative_slope)

    p_by_head = p.unsqueeze(1).expand_as(logit)
    largest = torch.full_like(self_logit, -torch.inf).scatter_reduce(0, p_by_head, logit.detach(), "amax")
    weight = (logit - largest[p]).exp()
    total = torch.zeros_like(self_logit).index_add(0, p, weight)
    beta = weight / total[p]
    return torch.zeros_like(value).index_add(0, p, beta.unsqueeze(-1) * value[q])
