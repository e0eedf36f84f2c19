"""Every backend of ``star_attention`` says what the paper says: outputs and every gradient."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops import record_kernels, star_attention
from tests.ops.backends import each_backend, each_other_than_torch
from tests.ops.compare import TOLERANCE, Results, assert_close, errors, normal_like, run, to
from tests.ops.drawn import drawn_graphs, relabelled_graphs
from tests.ops.graphs import KINDS, ODD_SIZES, cases, hub_graph, random_graph, star_inputs
from tests.ops.truth import STAR_LOGITS, star_truth

each_type = pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
each_case = pytest.mark.parametrize(("graph", "kind", "K", "F"), cases())


def results(stars: Stars, inputs: dict[str, Tensor], backend: str, slope: float = 0.2) -> Results:
    return run(partial(star_attention, stars=stars, negative_slope=slope, backend=backend), inputs)


@each_backend
@each_type
@each_case
def test_agrees_with_the_listed_pairs(graph, kind, K, F, dtype, backend):
    stars, inputs, truth = star_truth(graph, kind, K, F)
    got = results(stars, to(dtype, inputs), backend)
    assert all(t.dtype == dtype for t in got.values())
    assert_close(got, truth, TOLERANCE[dtype], together=STAR_LOGITS)


@each_other_than_torch
@each_case
def test_float32_error_is_at_most_twice_that_of_torch(graph, kind, K, F, backend):
    stars, inputs, truth = star_truth(graph, kind, K, F)
    inputs = to(torch.float32, inputs)
    ours, torchs = (errors(results(stars, inputs, name), truth, STAR_LOGITS) for name in (backend, "torch"))
    floor = 2 * torch.finfo(torch.float32).eps  # where torch happens to be exact
    worse = {name: (ours[name], torchs[name]) for name in ours if ours[name] > 2 * torchs[name] + floor}
    assert not worse, f"{backend} and torch: {worse}"


@each_backend
@each_type
@pytest.mark.parametrize("slope", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_every_slope_from_zero_to_one(kind, slope, dtype, backend):
    stars, inputs, truth = star_truth("random", kind, 2, 3, slope)
    assert_close(results(stars, to(dtype, inputs), backend, slope), truth, TOLERANCE[dtype], STAR_LOGITS)


@each_backend
@pytest.mark.parametrize(("K", "F"), ODD_SIZES)
def test_any_number_of_heads_and_channels(K, F, backend):
    stars = random_graph(8, 24)
    inputs = star_inputs(stars, K, F)
    assert_close(results(stars, inputs, backend), results(stars, inputs, "naive"), 1e-10, STAR_LOGITS)


@each_backend
@pytest.mark.parametrize("slope", [0.0, 0.2, 1.0])
def test_gradcheck(slope, backend):
    stars = random_graph(5, 9, seed=3)
    inputs = {name: t.requires_grad_() for name, t in star_inputs(stars, 2, 3).items()}

    def operation(*tensors: Tensor) -> Tensor:
        return star_attention(*tensors, stars, slope, backend=backend)

    assert torch.autograd.gradcheck(operation, tuple(inputs.values()))


@each_backend
@given(graph=drawn_graphs(), kind=st.sampled_from(KINDS), seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_agrees_on_any_graph(graph, kind, seed, backend):
    stars = Stars.build(*graph)
    inputs = star_inputs(stars, 2, 2, kind=kind, seed=seed)
    got, truth = results(stars, inputs, backend), results(stars, inputs, "naive")
    assert_close(got, truth, 1e-10, STAR_LOGITS, smallest_scale=1.0)


@each_backend
@given(graph=relabelled_graphs(), kind=st.sampled_from(KINDS))
@settings(max_examples=40, deadline=None)
def test_renaming_nodes_and_reordering_edges_permutes_the_result(graph, kind, backend):
    """And turning edges around changes nothing at all."""
    origin = {"query": graph.incidence, "key": graph.incidence, "value": graph.edge, "self_logit": graph.edge}
    inputs = star_inputs(graph.old, 2, 2, kind=kind)
    g = normal_like(inputs["value"])
    before = run(partial(star_attention, stars=graph.old, backend=backend), inputs, [g])
    moved = {name: t[origin[name]] for name, t in inputs.items()}
    after = run(partial(star_attention, stars=graph.new, backend=backend), moved, [g[graph.edge]])
    origin = {f"d{name}": rows for name, rows in origin.items()} | {"out0": graph.edge}
    expected = {name: t[origin[name]] for name, t in before.items()}
    assert_close(after, expected, 1e-10, STAR_LOGITS, smallest_scale=1.0)


@each_backend
@each_type
@pytest.mark.parametrize("kind", KINDS)
def test_the_smallest_keys_drop_edges(kind, dtype, backend):
    """Keys dropped as dropout does: nobody reads those edges, they read the others, gradients are finite."""
    stars = random_graph(30, 60)
    inputs = to(torch.float64, star_inputs(stars, 2, 3, torch.float32, kind))
    dropped = torch.rand(inputs["key"].shape, generator=torch.Generator().manual_seed(1)) < 0.4
    # -inf would say the same, but not to the gradients: the naive backend takes what float64 has instead.
    key = inputs["key"].masked_fill(dropped, torch.finfo(torch.float64).min / 4)
    truth = results(stars, inputs | {"key": key}, "naive")
    assert not truth["dkey"][dropped].any()

    inputs = to(dtype, inputs)
    inputs["key"] = inputs["key"].masked_fill(dropped, torch.finfo(dtype).min / 4)
    got = results(stars, inputs, backend)
    assert not got["dkey"][dropped].any()
    assert_close(got, truth, TOLERANCE[dtype], STAR_LOGITS)


@pytest.mark.parametrize("backend", ["naive", "torch"])
def test_an_edge_dropped_at_both_ends_might_as_well_not_be_there(backend):
    edge_index = torch.tensor([[0, 1, 1, 2, 3], [1, 2, 2, 3, 3]])
    stars, without = Stars.build(edge_index, 4), Stars.build(edge_index[:, :-1], 4)
    inputs = star_inputs(stars, 2, 3)
    last = stars.edge == 4
    inputs["key"][last] = torch.finfo(torch.float64).min / 4
    fewer = {name: t[~last] if len(t) == len(last) else t[:-1] for name, t in inputs.items()}
    out = star_attention(**inputs, stars=stars, backend=backend)
    torch.testing.assert_close(out[:-1], star_attention(**fewer, stars=without, backend=backend))
    assert (out[-1] - inputs["value"][-1]).abs().amin() > 0.01  # it still reads the others


@each_backend
@each_type
def test_the_same_bit_for_bit_when_run_twice(dtype, backend):
    """Also with uninitialised memory full of NaN; and the inputs stay as they are."""
    stars = hub_graph(3000)
    inputs = star_inputs(stars, 8, 4, dtype, "wide")
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
    inputs = star_inputs(stars, 3, 4)
    upstream = normal_like(inputs["value"])
    run_it = partial(run, partial(star_attention, stars=stars, backend=backend))
    truth = run_it(inputs, [upstream])

    def every_second(t: Tensor) -> Tensor:
        return torch.stack([t, torch.full_like(t, torch.nan)], -1)[..., 0]

    def last_first(t: Tensor) -> Tensor:
        return t.transpose(0, -1).contiguous().transpose(0, -1)

    for strided in (every_second, last_first):
        odd = {name: strided(t) for name, t in inputs.items()}
        assert not any(t.is_contiguous() for t in odd.values())
        assert_close(run_it(odd, [strided(upstream)]), truth, 1e-14, STAR_LOGITS)


@each_backend
def test_a_gradient_of_stride_zero(backend):
    """What ``out.sum()`` sends back: one 1, expanded."""
    stars = random_graph(20, 50)
    inputs = star_inputs(stars, 3, 4)
    one = torch.ones((), dtype=torch.float64).expand_as(inputs["value"])
    run_it = partial(run, partial(star_attention, stars=stars, backend=backend), inputs)
    assert_close(run_it([one]), run_it([one.contiguous()]), 1e-14, STAR_LOGITS)


@each_backend
@pytest.mark.parametrize("name", ["query", "key", "value", "self_logit"])
def test_the_gradient_of_one_input_alone(name, backend):
    stars = random_graph(20, 50)
    inputs = star_inputs(stars, 3, 4)
    truth = results(stars, inputs, backend)
    leaf = inputs[name].clone().requires_grad_()
    out = star_attention(**inputs | {name: leaf}, stars=stars, backend=backend)
    out.backward(normal_like(out))
    assert all(t.grad is None for other, t in inputs.items() if other != name)
    torch.testing.assert_close(leaf.grad, truth[f"d{name}"], rtol=1e-12, atol=1e-14)


@each_backend
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("graph", ["hub of 500", "random"])
def test_half_precision_rounds_the_result_not_the_sums(graph, dtype, backend):
    """One rounding of what is returned and one of what the backward pass was given; no sum of 500 halves."""
    stars = star_truth(graph, "plain", 8, 4).stars
    inputs = star_inputs(stars, 8, 4, dtype)
    upstream = normal_like(inputs["value"])
    got = run(partial(star_attention, stars=stars, backend=backend), inputs, [upstream])
    naive = partial(star_attention, stars=stars, backend="naive")
    truth = run(naive, to(torch.float64, inputs), [upstream.double()])
    assert all(t.dtype == dtype for t in got.values())
    assert_close(got, truth, torch.finfo(dtype).eps, STAR_LOGITS)


@each_backend
def test_which_kernel_ran(backend):
    stars = random_graph(5, 9)
    with record_kernels() as ran:
        results(stars, star_inputs(stars, 2, 3), backend)
    assert ran[0] == f"star/{backend}"
    assert {kernel.split("/")[1] for kernel in ran} == {backend}


@each_backend
def test_no_nodes_at_all(backend):
    stars = Stars.build(torch.zeros(2, 0, dtype=torch.long), 0)
    got = results(stars, star_inputs(stars, 2, 3), backend)
    assert {name: tuple(t.shape) for name, t in got.items()} == {
        "out0": (0, 2, 3),
        "dquery": (0, 2),
        "dkey": (0, 2),
        "dvalue": (0, 2, 3),
        "dself_logit": (0, 2),
    }
