"""Every backend of ``node_attention`` says what the paper says: both outputs and every gradient."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops import node_attention, record_kernels
from tests.ops.backends import each_backend, each_other_than_torch
from tests.ops.compare import TOLERANCE, Results, assert_close, errors, normal_like, run, to
from tests.ops.drawn import drawn_graphs, relabelled_graphs
from tests.ops.graphs import KINDS, ODD_SIZES, cases, hub_graph, node_inputs, random_graph, simple_star
from tests.ops.truth import NODE_LOGITS, node_truth

INPUTS = ("query", "key", "edge_logit", "node_value", "edge_value", "keep")

each_type = pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
each_case = pytest.mark.parametrize(("graph", "kind", "K", "F"), cases())


def results(stars: Stars, inputs: dict[str, Tensor], backend: str, slope: float = 0.2) -> Results:
    return run(partial(node_attention, stars=stars, negative_slope=slope, backend=backend), inputs)


@each_backend
@each_type
@each_case
def test_agrees_with_the_paper_node_by_node(graph, kind, K, F, dtype, backend):
    stars, inputs, truth = node_truth(graph, kind, K, F)
    got = results(stars, to(dtype, inputs), backend)
    assert all(t.dtype == dtype for t in got.values())
    assert_close(got, truth, TOLERANCE[dtype], NODE_LOGITS)


@each_other_than_torch
@each_case
def test_float32_error_is_at_most_twice_that_of_torch(graph, kind, K, F, backend):
    stars, inputs, truth = node_truth(graph, kind, K, F)
    inputs = to(torch.float32, inputs)
    ours, torchs = (errors(results(stars, inputs, name), truth, NODE_LOGITS) for name in (backend, "torch"))
    floor = 2 * torch.finfo(torch.float32).eps  # where torch happens to be exact
    worse = {name: (ours[name], torchs[name]) for name in ours if ours[name] > 2 * torchs[name] + floor}
    assert not worse, f"{backend} and torch: {worse}"


@each_backend
@each_type
@pytest.mark.parametrize("slope", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_every_slope(kind, slope, dtype, backend):
    stars, inputs, truth = node_truth("random", kind, 2, 3, slope)
    assert_close(results(stars, to(dtype, inputs), backend, slope), truth, TOLERANCE[dtype], NODE_LOGITS)


@each_backend
@pytest.mark.parametrize(("K", "F"), ODD_SIZES)
def test_any_number_of_heads_and_channels(K, F, backend):
    stars = random_graph(8, 24)
    inputs = node_inputs(stars, K, F)
    assert_close(results(stars, inputs, backend), results(stars, inputs, "naive"), 1e-10, NODE_LOGITS)


@each_backend
@pytest.mark.parametrize("graph", ["random", "no edges"])
def test_without_keep_everything_is_kept(graph, backend):
    stars, inputs, _ = node_truth(graph, "plain", 3, 7)
    ones = inputs | {"keep": torch.ones_like(inputs["keep"])}
    without = {name: t for name, t in inputs.items() if name != "keep"}
    truth = {name: t for name, t in results(stars, ones, "naive").items() if name != "dkeep"}
    assert_close(results(stars, without, backend), truth, 1e-10, NODE_LOGITS)


@each_backend
def test_a_node_that_keeps_nothing_hears_nothing(backend):
    stars = random_graph(20, 50)
    inputs = node_inputs(stars, 2, 3)
    inputs["keep"][stars.node == 7] = 0.0
    nodes, edges = node_attention(**inputs, stars=stars, backend=backend)
    assert not nodes[7].any()
    assert not edges[7].any()
    assert nodes[8].any()


@each_backend
def test_a_node_without_edges_hears_nothing(backend):
    stars = Stars.build(torch.tensor([[0, 3], [1, 3]]), 5)
    nodes, edges = node_attention(**node_inputs(stars, 2, 3) | {"keep": None}, stars=stars, backend=backend)
    assert nodes.any(dim=(1, 2)).tolist() == edges.any(dim=(1, 2)).tolist() == [True, True, False, True, False]


@each_backend
@pytest.mark.parametrize("slope", [0.0, 0.2, 1.0])
def test_gradcheck(slope, backend):
    stars = random_graph(5, 9, seed=3)
    inputs = {name: t.requires_grad_() for name, t in node_inputs(stars, 2, 3).items()}

    def operation(query: Tensor, key: Tensor, edge_logit: Tensor, h: Tensor, e: Tensor, keep: Tensor):
        return node_attention(query, key, edge_logit, h, e, stars, slope, keep, backend=backend)

    assert torch.autograd.gradcheck(operation, tuple(inputs.values()))


@each_backend
@given(graph=drawn_graphs(), kind=st.sampled_from(KINDS), seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_agrees_on_any_graph(graph, kind, seed, backend):
    stars = Stars.build(*graph)
    inputs = node_inputs(stars, 2, 2, kind=kind, seed=seed)
    got, truth = results(stars, inputs, backend), results(stars, inputs, "naive")
    assert_close(got, truth, 1e-10, NODE_LOGITS, smallest_scale=1.0)


@each_backend
@given(graph=relabelled_graphs(), kind=st.sampled_from(KINDS))
@settings(max_examples=40, deadline=None)
def test_renaming_nodes_and_reordering_edges_permutes_the_result(graph, kind, backend):
    """And turning edges around changes nothing at all."""
    rows = (graph.node, graph.node, graph.edge, graph.node, graph.edge, graph.incidence)
    origin = dict(zip(INPUTS, rows, strict=True))
    inputs = node_inputs(graph.old, 2, 2, kind=kind)
    upstream = [normal_like(inputs["node_value"]), normal_like(torch.zeros(graph.old.num_nodes, 2, 3).double())]
    before = run(partial(node_attention, stars=graph.old, backend=backend), inputs, upstream)
    moved = {name: t[origin[name]] for name, t in inputs.items()}
    after = run(
        partial(node_attention, stars=graph.new, backend=backend), moved, [g[graph.node] for g in upstream]
    )
    origin = {f"d{name}": rows for name, rows in origin.items()} | {"out0": graph.node, "out1": graph.node}
    expected = {name: t[origin[name]] for name, t in before.items()}
    assert_close(after, expected, 1e-10, NODE_LOGITS, smallest_scale=1.0)


@each_backend
@each_type
def test_the_same_bit_for_bit_when_run_twice(dtype, backend):
    """Also with uninitialised memory full of NaN; and the inputs stay as they are."""
    stars = hub_graph(3000)
    inputs = node_inputs(stars, 8, 4, dtype, "wide")
    copies = {name: t.clone() for name, t in inputs.items()}
    first = results(stars, inputs, backend)
    torch.use_deterministic_algorithms(True)  # fills what torch.empty returns with NaN
    try:
        second = results(stars, inputs, backend)
    finally:
        torch.use_deterministic_algorithms(False)
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert all(torch.equal(inputs[name], copies[name]) for name in inputs)


@each_backend
def test_any_strides(backend):
    stars = random_graph(20, 50)
    inputs = node_inputs(stars, 3, 4)
    upstream = [normal_like(torch.zeros(20, 3, channels).double()) for channels in (4, 5)]
    run_it = partial(run, partial(node_attention, stars=stars, backend=backend))
    truth = run_it(inputs, upstream)

    def every_second(t: Tensor) -> Tensor:
        return torch.stack([t, torch.full_like(t, torch.nan)], -1)[..., 0]

    def last_first(t: Tensor) -> Tensor:
        return t.transpose(0, -1).contiguous().transpose(0, -1)

    for strided in (every_second, last_first):
        odd = {name: strided(t) for name, t in inputs.items()}
        assert not any(t.is_contiguous() for t in odd.values())
        assert_close(run_it(odd, [strided(g) for g in upstream]), truth, 1e-14, NODE_LOGITS)


@each_backend
def test_gradients_of_stride_zero(backend):
    """What ``nodes.sum() + edges.sum()`` sends back: one 1, expanded."""
    stars = random_graph(20, 50)
    ones = [torch.ones((), dtype=torch.float64).expand(20, 3, channels) for channels in (4, 5)]
    run_it = partial(run, partial(node_attention, stars=stars, backend=backend), node_inputs(stars, 3, 4))
    assert_close(run_it(ones), run_it([one.contiguous() for one in ones]), 1e-14, NODE_LOGITS)


@each_backend
@pytest.mark.parametrize("used", [0, 1])
def test_the_gradient_of_one_output_alone(used, backend):
    """The last layer's loss sees ``H_m``, another one perhaps only the nodes."""
    stars = random_graph(20, 50)
    inputs = node_inputs(stars, 3, 4)

    def one_output(name: str, tensors: dict[str, Tensor]) -> Tensor:
        return node_attention(**tensors, stars=stars, backend=name)[used]

    got, truth = (run(lambda **t: one_output(name, t), inputs) for name in (backend, "naive"))  # noqa: B023
    assert_close(got, truth, 1e-10, NODE_LOGITS)


@each_backend
@pytest.mark.parametrize("name", INPUTS)
def test_the_gradient_of_one_input_alone(name, backend):
    stars = random_graph(20, 50)
    inputs = node_inputs(stars, 3, 4)
    truth = results(stars, inputs, backend)
    leaf = inputs[name].clone().requires_grad_()
    nodes, edges = node_attention(**inputs | {name: leaf}, stars=stars, backend=backend)
    grads = [normal_like(nodes, seed=99), normal_like(edges, seed=100)]
    outputs = [(out, g) for out, g in zip((nodes, edges), grads, strict=True) if out.requires_grad]
    torch.autograd.backward(*zip(*outputs, strict=True))
    assert all(t.grad is None for other, t in inputs.items() if other != name)
    torch.testing.assert_close(leaf.grad, truth[f"d{name}"], rtol=1e-12, atol=1e-14)


@each_backend
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("graph", ["hub of 500", "random"])
def test_half_precision_rounds_the_result_not_the_sums(graph, dtype, backend):
    """One rounding of what is returned and one of what the backward pass was given; no sum of 500 halves."""
    stars = node_truth(graph, "plain", 8, 4).stars
    inputs = node_inputs(stars, 8, 4, dtype)
    upstream = [normal_like(t) for t in node_attention(**inputs, stars=stars, backend=backend)]
    got = run(partial(node_attention, stars=stars, backend=backend), inputs, upstream)
    naive = partial(node_attention, stars=stars, backend="naive")
    truth = run(naive, to(torch.float64, inputs), [g.double() for g in upstream])
    assert all(t.dtype == dtype for t in got.values())
    assert_close(got, truth, torch.finfo(dtype).eps, NODE_LOGITS)


@each_backend
def test_a_star_of_100000_edges(backend):
    """All logits zero: the centre hears the mean of all leaves, in float32, and each leaf hears the centre."""
    d = 100_000
    stars = simple_star(d)
    inputs = to(torch.float32, node_inputs(stars, 1, 2))
    inputs |= {name: torch.zeros_like(inputs[name]) for name in ("query", "key", "edge_logit")}
    nodes, edges = node_attention(**inputs | {"keep": None}, stars=stars, backend=backend)
    h, e = inputs["node_value"], inputs["edge_value"]
    torch.testing.assert_close(nodes[0].double(), h[1:].double().mean(0), rtol=0, atol=1e-5)
    torch.testing.assert_close(edges[0].double(), e.double().mean(0), rtol=0, atol=1e-5)
    torch.testing.assert_close(nodes[1:], h[:1].expand(d, 1, 2), rtol=1e-6, atol=0)
    torch.testing.assert_close(edges[1:], e, rtol=1e-6, atol=0)


@each_backend
def test_which_kernel_ran(backend):
    stars = random_graph(5, 9)
    with record_kernels() as ran:
        results(stars, node_inputs(stars, 2, 3), backend)
    assert ran[0] == f"node/{backend}"
    assert {kernel.split("/")[1] for kernel in ran} == {backend}


@each_backend
def test_no_nodes_at_all(backend):
    stars = Stars.build(torch.zeros(2, 0, dtype=torch.long), 0)
    nodes, edges = node_attention(**node_inputs(stars, 2, 3), stars=stars, backend=backend)
    assert nodes.shape == (0, 2, 3)
    assert edges.shape == (0, 2, 4)
