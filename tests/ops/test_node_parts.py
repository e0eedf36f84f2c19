"""Stars cut into parts, and joined again: the same numbers as the whole, forward and backward, on every backend."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops import join_shares, node_attention, node_attention_parts
from tests.ops.backends import each_backend
from tests.ops.compare import TOLERANCE, Results, assert_close, run, to
from tests.ops.graphs import GRAPHS, KINDS, node_inputs, random_graph

LOGITS = ("dquery", "dkey", "dincidence_logit")


def part_inputs(stars: Stars, K: int, F: int, kind: str = "plain") -> dict[str, Tensor]:
    inputs = node_inputs(stars, K, F, kind=kind)
    per_edge = inputs.pop("edge_logit")
    side = torch.where(torch.arange(stars.num_incidences) % 2 == 0, 1.0, -0.5).double()
    return inputs | {"incidence_logit": per_edge[stars.edge] * side.unsqueeze(1)}


def parts(stars: Stars, inputs: dict[str, Tensor], backend: str) -> Results:
    """An empty star's logarithm is minus infinity: it is compared as zero, with no gradient."""

    def operation(**tensors: Tensor) -> tuple[Tensor, ...]:
        nodes, edges, lse = node_attention_parts(**tensors, stars=stars, backend=backend)
        assert lse.dtype == torch.float64
        assert torch.equal(lse.isneginf().any(1), stars.degree == 0)
        return nodes, edges, torch.where(stars.degree.unsqueeze(1) > 0, lse, 0.0)

    return run(operation, inputs)


@each_backend
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("graph", ["random", "hub of 500", "one node, self-loops only", "no edges"])
def test_agrees_with_naive(graph, kind, dtype, backend):
    stars = GRAPHS[graph]()
    inputs = to(torch.float64, to(torch.float32, part_inputs(stars, 3, 2, kind)))
    got, truth = parts(stars, to(dtype, inputs), backend), parts(stars, inputs, "naive")
    assert_close(got, truth, TOLERANCE[dtype], LOGITS)


@each_backend
def test_gradcheck(backend):
    stars = random_graph(5, 9, seed=3)
    inputs = {name: t.requires_grad_() for name, t in part_inputs(stars, 2, 3).items()}
    heard = stars.degree > 0

    def operation(*tensors: Tensor) -> tuple[Tensor, ...]:
        named = dict(zip(inputs, tensors, strict=True))
        nodes, edges, lse = node_attention_parts(**named, stars=stars, backend=backend)
        return nodes, edges, lse[heard]

    assert torch.autograd.gradcheck(operation, tuple(inputs.values()))


@each_backend
@pytest.mark.parametrize("kind", KINDS)
def test_two_parts_joined_are_the_whole(kind, backend):
    """Every node twice: what leaves it, and what enters it or stays."""
    N = 20
    edge_index = torch.randint(N, (2, 70), generator=torch.Generator().manual_seed(0))
    whole = Stars.build(edge_index, N)
    loop = edge_index[0] == edge_index[1]
    cut = Stars.build(torch.stack([edge_index[0] + torch.where(loop, N, 0), edge_index[1] + N]), 2 * N)
    inputs = {name: t for name, t in node_inputs(whole, 2, 3, kind=kind).items() if name != "keep"}

    def joined(query: Tensor, key: Tensor, edge_logit: Tensor, node_value: Tensor, edge_value: Tensor):
        twice = [torch.cat([t, t]) for t in (query, key, node_value)]
        found = node_attention_parts(
            *twice[:2], edge_logit[cut.edge], twice[2], edge_value, cut, backend=backend
        )
        share = join_shares(found.lse.view(2, N, 2)).unsqueeze(-1)
        return tuple((share * sums.view(2, N, 2, -1)).sum(0) for sums in found[:2])

    truth = run(partial(node_attention, stars=whole, backend="naive"), inputs)
    assert_close(run(joined, inputs), truth, 1e-10, ("dquery", "dkey", "dedge_logit"))


def test_logits_by_edge_are_refused():
    stars = random_graph(5, 9)
    inputs = part_inputs(stars, 2, 3)
    inputs["incidence_logit"] = inputs["incidence_logit"][:9]
    with pytest.raises(ValueError, match=r"incidence_logit has shape \(9, 2\).*one row per incidence"):
        node_attention_parts(**inputs, stars=stars)
