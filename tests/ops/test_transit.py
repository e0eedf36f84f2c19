"""``transit_attention`` against a loop over the edges."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops import transit_attention
from tests.ops.compare import TOLERANCE, assert_close, run, to
from tests.ops.graphs import GRAPHS, no_edges

LOGITS = ("dquery", "dnode_key", "dself_logit")
SMALL = ("random", "two nodes, one edge", "two nodes, 40 parallel edges", "one node, self-loops only", "path")


def inputs_of(stars: Stars, K: int, F: int) -> dict[str, Tensor]:
    """Numbers that float32 holds."""
    g = torch.Generator().manual_seed(0)
    N, M = stars.num_nodes, stars.num_edges
    shapes = {
        "query": (M, K),
        "node_key": (N, K),
        "value": (M, K, F),
        "node_value": (N, K, F),
        "self_logit": (M, K),
    }
    return {name: torch.randn(shape, generator=g).double() for name, shape in shapes.items()}


def edge_by_edge(
    query: Tensor,
    node_key: Tensor,
    value: Tensor,
    node_value: Tensor,
    self_logit: Tensor,
    stars: Stars,
    slope: float,
) -> Tensor:
    out = []
    for p in range(stars.num_edges):
        ends = [int(stars.node[slot]) for slot in stars.slot[:, p].tolist() if slot >= 0]
        logits = torch.stack([*(query[p] + node_key[v] for v in ends), self_logit[p]])
        beta = torch.where(logits > 0, logits, slope * logits).softmax(0)
        read = torch.stack([*(node_value[v] for v in ends), value[p]])
        out.append((beta.unsqueeze(-1) * read).sum(0))
    return torch.stack(out)


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("slope", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("graph", SMALL)
def test_agrees_with_the_loop(graph, slope, dtype):
    stars = GRAPHS[graph]()
    inputs = inputs_of(stars, 3, 4)
    truth = run(partial(edge_by_edge, stars=stars, slope=slope), inputs)
    got = run(partial(transit_attention, stars=stars, negative_slope=slope), to(dtype, inputs))
    assert all(t.dtype == dtype for t in got.values())
    assert_close(got, truth, TOLERANCE[dtype], LOGITS)


def test_gradcheck():
    stars = Stars.build(torch.tensor([[0, 1, 1, 3, 0], [1, 2, 0, 3, 3]]), 4)
    inputs = [t.requires_grad_() for t in inputs_of(stars, 2, 3).values()]
    assert torch.autograd.gradcheck(lambda *tensors: transit_attention(*tensors, stars), inputs)


def test_no_edges():
    assert transit_attention(**inputs_of(no_edges(), 2, 3), stars=no_edges()).shape == (0, 2, 3)
