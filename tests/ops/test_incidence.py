"""``at_incidences``: an edge's row plus a node's, wherever they meet."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from edgegat.graph import Stars
from edgegat.ops import at_incidences, at_roles, record_kernels
from tests.ops.backends import each_backend
from tests.ops.compare import TOLERANCE, assert_close, normal_like, run, to
from tests.ops.graphs import GRAPHS, hub_graph, random_graph


def rows(stars: Stars, K: int) -> dict[str, torch.Tensor]:
    """Numbers that float32 holds."""
    g = torch.Generator().manual_seed(0)
    per_edge, per_node = (torch.randn(n, K, generator=g) for n in (stars.num_edges, stars.num_nodes))
    return {"per_edge": per_edge.double(), "per_node": per_node.double()}


@each_backend
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("K", [1, 8])
@pytest.mark.parametrize("graph", GRAPHS)
def test_agrees_with_indexing(graph, K, dtype, backend):
    stars = GRAPHS[graph]()
    inputs = rows(stars, K)
    for given in (inputs, {"per_edge": inputs["per_edge"]}):
        nothing = {} if "per_node" in given else {"per_node": None}
        truth = run(partial(at_incidences, stars=stars, backend="naive", **nothing), given)
        got = run(partial(at_incidences, stars=stars, backend=backend, **nothing), to(dtype, given))
        assert all(t.dtype == dtype for t in got.values())
        assert_close(got, truth, TOLERANCE[dtype])


def test_the_naive_backend_by_hand():
    stars = Stars.build(torch.tensor([[0, 2, 1], [1, 2, 0]]), 4)  # 0-1, 2-2, 1-0: a loop and a parallel pair
    per_edge, per_node = torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([[10.0], [20.0], [30.0], [40.0]])
    out = at_incidences(per_edge, per_node, stars, backend="naive").flatten().tolist()
    assert out == [11.0, 13.0, 21.0, 23.0, 32.0]


@each_backend
@pytest.mark.parametrize("only", ["per_edge", "per_node"])
def test_gradcheck_and_one_input_alone(only, backend):
    stars = random_graph(5, 9, seed=3)
    inputs = rows(stars, 2)
    assert torch.autograd.gradcheck(
        lambda t: at_incidences(**inputs | {only: t}, stars=stars, backend=backend),
        inputs[only].requires_grad_(),
    )


@each_backend
def test_a_gradient_of_stride_zero_and_any_strides(backend):
    stars = random_graph(20, 50)
    inputs = rows(stars, 3)
    odd = {name: torch.stack([t, t], -1)[..., 0] for name, t in inputs.items()}
    operation = partial(at_incidences, stars=stars, backend=backend)
    ones = torch.ones((), dtype=torch.float64).expand(stars.num_incidences, 3)
    assert_close(run(operation, odd, [ones]), run(operation, inputs, [ones.contiguous()]), 1e-14)


@each_backend
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_half_precision_rounds_the_result_not_the_sums(dtype, backend):
    stars = hub_graph(500)
    inputs = to(dtype, rows(stars, 4))
    upstream = normal_like(at_incidences(**inputs, stars=stars))
    got = run(partial(at_incidences, stars=stars, backend=backend), inputs, [upstream])
    wide = to(torch.float64, inputs)
    truth = run(partial(at_incidences, stars=stars, backend="naive"), wide, [upstream.double()])
    assert_close(got, truth, torch.finfo(dtype).eps)


@each_backend
def test_the_same_bit_for_bit_when_run_twice(backend):
    stars = hub_graph(3000)
    inputs = to(torch.float32, rows(stars, 8))
    first, second = (run(partial(at_incidences, stars=stars, backend=backend), inputs) for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


@each_backend
def test_what_is_not_a_number_stays_at_its_node(backend):
    """Prefix sums over the whole list would carry it to every node behind."""
    stars = random_graph(20, 50)
    inputs = rows(stars, 1)
    upstream = torch.ones(stars.num_incidences, 1, dtype=torch.float64).masked_fill(
        stars.node.view(-1, 1) == 3, torch.nan
    )
    leaf = inputs["per_node"].requires_grad_()
    at_incidences(**inputs, stars=stars, backend=backend).backward(upstream)
    assert leaf.grad.isnan().flatten().nonzero().flatten().tolist() == [3]


@pytest.mark.parametrize("backend", ["naive", "torch"])
def test_which_kernel_ran(backend):
    stars = random_graph(5, 9)
    with record_kernels() as ran:
        at_incidences(**rows(stars, 2), stars=stars, backend=backend)
    assert ran == [f"incidence/{backend}"]


@each_backend
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("graph", ["random", "hub of 500", "one node, self-loops only", "no edges"])
def test_at_roles_agrees_with_indexing(graph, dtype, backend):
    """What an edge and a node say in the role that the edge has there: both, or the edge alone."""
    stars = GRAPHS[graph]()
    g = torch.Generator().manual_seed(0)
    both = {
        name: torch.randn(rows, 3, 2, generator=g).double()
        for name, rows in (("per_edge", stars.num_edges), ("per_node", stars.num_nodes))
    }
    for given in (both, {"per_edge": both["per_edge"]}):
        nothing = {} if "per_node" in given else {"per_node": None}
        options = {"role": stars.role, "stars": stars, **nothing}
        truth = run(partial(at_roles, backend="naive", **options), given)
        got = run(partial(at_roles, backend=backend, **options), to(dtype, given))
        assert_close(got, truth, TOLERANCE[dtype])


def test_at_roles_by_hand():
    stars = Stars.build(torch.tensor([[0, 2, 1], [1, 2, 0]]), 3)  # 0 to 1, a loop at 2, 1 to 0
    per_edge = torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [100.0, 200.0, 300.0]]).unsqueeze(2)
    out = at_roles(per_edge, None, stars.role, stars, backend="naive").flatten().tolist()
    assert out == [1.0, 200.0, 2.0, 100.0, 30.0]  # leaves 0, enters 0, enters 1, leaves 1, stays at 2
