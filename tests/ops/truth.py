"""What the naive backend says in float64, computed once and shared by all backends and types.

The inputs are numbers that float32 holds exactly, so that float32 and float64 answer the same question.
"""

from __future__ import annotations

from functools import cache, partial
from typing import NamedTuple

import torch
from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops import node_attention, star_attention
from tests.ops.compare import Results, run, to
from tests.ops.graphs import GRAPHS, node_inputs, star_inputs

# The gradients that belong to the logits of one softmax: see tests.ops.compare.errors.
STAR_LOGITS = ("dquery", "dkey", "dself_logit")
NODE_LOGITS = ("dquery", "dkey", "dedge_logit")


class Truth(NamedTuple):
    stars: Stars
    inputs: dict[str, Tensor]
    results: Results


@cache
def star_truth(graph: str, kind: str, K: int, F: int, slope: float = 0.2) -> Truth:
    stars = GRAPHS[graph]()
    inputs = to(torch.float64, star_inputs(stars, K, F, torch.float32, kind))
    naive = partial(star_attention, stars=stars, negative_slope=slope, backend="naive")
    return Truth(stars, inputs, run(naive, inputs))


@cache
def node_truth(graph: str, kind: str, K: int, F: int, slope: float = 0.2) -> Truth:
    stars = GRAPHS[graph]()
    inputs = to(torch.float64, node_inputs(stars, K, F, torch.float32, kind))
    naive = partial(node_attention, stars=stars, negative_slope=slope, backend="naive")
    return Truth(stars, inputs, run(naive, inputs))
