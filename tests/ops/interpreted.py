"""The Triton kernels on a CPU: what ``test_triton.py`` runs in processes of its own, with TRITON_INTERPRET=1.

The interpreter takes milliseconds a program, so graphs are small; and so are the bounds between the paths, or
small graphs would not reach them.
"""

from __future__ import annotations

from functools import partial

import pytest
import torch
from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops import _plan, edge_attention, node_attention, record_kernels, star_attention
from edgegat.ops.star import _triton_schedule as schedule
from tests.ops.compare import TOLERANCE, Results, assert_close, run, to
from tests.ops.graphs import KINDS, hub_graph, no_edges, node_inputs, random_graph, simple_star, star_inputs
from tests.ops.test_edge_attention import LOGITS as EDGE_LOGITS
from tests.ops.test_edge_attention import inputs_of
from tests.ops.test_node_parts import LOGITS as PART_LOGITS
from tests.ops.test_node_parts import part_inputs, parts
from tests.ops.truth import NODE_LOGITS, STAR_LOGITS

HUB, CHUNK, SEGMENT = 6, 4, 4

GRAPHS = {
    "random": lambda: random_graph(12, 40),
    "hub": lambda: hub_graph(24, num_nodes=6),
    "two hubs": lambda: Stars.build(torch.tensor([[0, 1] * 10 + [2, 3], [1, 0] * 10 + [3, 4]]), 6),
    "self-loops only": lambda: Stars.build(torch.zeros(2, 7, dtype=torch.long), 1),
    "one edge": lambda: Stars.build(torch.tensor([[0], [1]]), 3),
    "no edges": no_edges,
    "no nodes": lambda: no_edges(0),
}

CASES = [(graph, kind, torch.float64) for graph in GRAPHS for kind in KINDS]
CASES += [(graph, kind, torch.float32) for graph in ("random", "hub") for kind in KINDS]

each_case = pytest.mark.parametrize(("graph", "kind", "dtype"), CASES)
each_kind = pytest.mark.parametrize("kind", KINDS)
each_type = pytest.mark.parametrize("dtype", TOLERANCE, ids=str)


@pytest.fixture(autouse=True)
def near_bounds(monkeypatch):
    monkeypatch.setattr(schedule, "HUB", HUB)
    monkeypatch.setattr(schedule, "CHUNK", CHUNK)
    monkeypatch.setattr(_plan, "SEGMENT", SEGMENT)


def star(stars: Stars, inputs: dict[str, Tensor], backend: str = "triton", slope: float = 0.2) -> Results:
    return run(partial(star_attention, stars=stars, negative_slope=slope, backend=backend), inputs)


def edge(stars: Stars, inputs: dict[str, Tensor], backend: str = "triton", slope: float = 0.2) -> Results:
    return run(partial(edge_attention, stars=stars, negative_slope=slope, backend=backend), inputs)


def node(stars: Stars, inputs: dict[str, Tensor], backend: str = "triton", slope: float = 0.2) -> Results:
    return run(partial(node_attention, stars=stars, negative_slope=slope, backend=backend), inputs)


def exactly(inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """In float64, but numbers that float32 holds."""
    return to(torch.float64, to(torch.float32, inputs))


@each_case
def test_star_by_incidence(graph, kind, dtype):
    stars = GRAPHS[graph]()
    inputs = exactly(star_inputs(stars, 2, 3, kind=kind))
    got = star(stars, to(dtype, inputs))
    assert all(t.dtype == dtype for t in got.values())
    assert_close(got, star(stars, inputs, "naive"), TOLERANCE[dtype], STAR_LOGITS)


@pytest.mark.parametrize("graph", ["random", "two hubs", "no edges"])
@each_kind
@each_type
def test_star_by_edge(graph, kind, dtype):
    stars = GRAPHS[graph]()
    inputs = inputs_of(stars, 2, 3, kind)
    got = edge(stars, to(dtype, inputs))
    assert_close(got, edge(stars, inputs, "naive"), TOLERANCE[dtype], EDGE_LOGITS)


@pytest.mark.parametrize("graph", ["random", "two hubs", "self-loops only", "no edges"])
@each_kind
@each_type
def test_elu_of_the_answer(graph, kind, dtype):
    stars = GRAPHS[graph]()
    inputs = inputs_of(stars, 2, 3, kind)
    operation = partial(edge_attention, stars=stars, elu=True)
    truth = run(partial(operation, backend="naive"), inputs)
    assert_close(
        run(partial(operation, backend="triton"), to(dtype, inputs)), truth, TOLERANCE[dtype], EDGE_LOGITS
    )


def test_gradients_where_softmaxes_are_saturated(monkeypatch):
    """Most keys are heard by nobody, the largest by all: what is left of large sums must not be their rounding."""
    monkeypatch.setattr(schedule, "HUB", 256)
    stars = random_graph(6, 240, seed=1)
    inputs = {name: t.float() for name, t in star_inputs(stars, 2, 4).items()}
    inputs |= {name: 30 * inputs[name] for name in ("query", "key", "self_logit")}
    truth = star(stars, to(torch.float64, inputs), "torch")
    ours, torchs = (_relative(star(stars, inputs, backend), truth) for backend in ("triton", "torch"))
    worse = {name: (ours[name], torchs[name]) for name in truth if ours[name] > 2 * torchs[name] + 2e-7}
    assert not worse


def _relative(got: Results, truth: Results) -> dict[str, float]:
    return {name: float((got[name].double() - t).norm() / t.norm()) for name, t in truth.items()}


def test_node_attention_of_nothing():
    outputs = node_attention(**node_inputs(no_edges(0), 2, 3), stars=no_edges(0), backend="triton")
    assert [tuple(out.shape) for out in outputs] == [(0, 2, 3), (0, 2, 4)]


@pytest.mark.parametrize(("graph", "kind", "dtype"), [case for case in CASES if case[0] != "no nodes"])
def test_node(graph, kind, dtype):
    stars = GRAPHS[graph]()
    inputs = exactly(node_inputs(stars, 2, 3, kind=kind))
    got = node(stars, to(dtype, inputs))
    assert all(t.dtype == dtype for t in got.values())
    assert_close(got, node(stars, inputs, "naive"), TOLERANCE[dtype], NODE_LOGITS)


@pytest.mark.parametrize("graph", ["random", "hub", "self-loops only", "no edges"])
@each_kind
@each_type
def test_node_parts(graph, kind, dtype):
    stars = GRAPHS[graph]()
    inputs = exactly(part_inputs(stars, 2, 3, kind))
    got, truth = (parts(stars, i, b) for i, b in ((to(dtype, inputs), "triton"), (inputs, "naive")))
    assert_close(got, truth, TOLERANCE[dtype], PART_LOGITS)


@pytest.mark.parametrize(
    "degree", [1, 2, CHUNK, CHUNK + 1, HUB - 1, HUB, HUB + 1, 2 * CHUNK - 1, 2 * CHUNK, 13]
)
def test_star_at_every_boundary(degree):
    stars = simple_star(degree)
    inputs = star_inputs(stars, 2, 3)
    with record_kernels() as ran:
        got = star(stars, inputs)
    assert_close(got, star(stars, inputs, "naive"), 1e-10, STAR_LOGITS)
    # The leaves go pair by pair in any case: nobody is there to read.
    hubs = {"star/triton/hubs", "star/triton/hubs_backward"} if degree > HUB else set()
    assert set(ran) == {"star/triton", "star/triton/pairs", "star/triton/pairs_backward"} | hubs


@pytest.mark.parametrize("degree", [1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT - 1, 2 * SEGMENT, 13])
def test_node_at_every_boundary(degree):
    stars = simple_star(degree)
    inputs = node_inputs(stars, 2, 3)
    with record_kernels() as ran:
        got = node(stars, inputs)
    assert_close(got, node(stars, inputs, "naive"), 1e-10, NODE_LOGITS)
    cut = {"node/triton/cut_stars"} if degree > SEGMENT else set()
    walks = {"node/triton/walks", "node/triton/walks_backward", "node/triton/edges_backward"}
    assert set(ran) == {"node/triton"} | walks | cut


@pytest.mark.parametrize(("K", "F"), [(1, 33), (33, 1), (3, 7), (7, 3), (16, 16), (1, 1)])
def test_any_number_of_heads_and_channels(K, F):
    stars = random_graph(4, 12)
    inputs = star_inputs(stars, K, F)
    with record_kernels() as ran:
        got = star(stars, inputs)
    assert "star/triton/hubs" in ran
    assert_close(got, star(stars, inputs, "naive"), 1e-10, STAR_LOGITS)
    inputs = node_inputs(stars, K, F)
    assert_close(node(stars, inputs), node(stars, inputs, "naive"), 1e-10, NODE_LOGITS)


@pytest.mark.parametrize("slope", [0.0, 1.0])
@each_kind
def test_slopes_at_the_ends(slope, kind):
    stars = random_graph(5, 16)
    inputs = star_inputs(stars, 2, 3, kind=kind)
    assert_close(star(stars, inputs, slope=slope), star(stars, inputs, "naive", slope), 1e-10, STAR_LOGITS)
    inputs = node_inputs(stars, 2, 3, kind=kind)
    assert_close(node(stars, inputs, slope=slope), node(stars, inputs, "naive", slope), 1e-10, NODE_LOGITS)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_half_precision_rounds_the_result_not_the_sums(dtype):
    stars = GRAPHS["hub"]()
    for operation, inputs, logits in (
        (star, star_inputs(stars, 2, 3, dtype), STAR_LOGITS),
        (node, node_inputs(stars, 2, 3, dtype), NODE_LOGITS),
    ):
        got = operation(stars, inputs)
        assert all(t.dtype == dtype for t in got.values())
        truth = operation(stars, to(torch.float64, inputs), "naive")
        assert_close(got, truth, 2 * torch.finfo(dtype).eps, logits)


@each_kind
def test_dropped_keys(kind):
    """Keys dropped as dropout does: nobody reads those edges, whichever path their star takes."""
    stars = GRAPHS["random"]()
    inputs = star_inputs(stars, 2, 3, kind=kind)
    dropped = torch.rand(inputs["key"].shape, generator=torch.Generator().manual_seed(1)) < 0.4
    inputs["key"] = inputs["key"].masked_fill(dropped, torch.finfo(torch.float64).min / 4)
    got = star(stars, inputs)
    assert not got["dkey"][dropped].any()
    assert_close(got, star(stars, inputs, "naive"), 1e-10, STAR_LOGITS)


@each_type
def test_twice_the_same_bits_whatever_scratch_memory_holds(dtype):
    stars = GRAPHS["random"]()
    cases = (
        (star, star_inputs(stars, 3, 5, dtype, "wide")),
        (edge, to(dtype, inputs_of(stars, 3, 5, "wide"))),
        (node, node_inputs(stars, 3, 5, dtype, "wide")),
    )
    for operation, inputs in cases:
        first = operation(stars, inputs)
        torch.use_deterministic_algorithms(True)  # fills what torch.empty returns with NaN
        try:
            second = operation(stars, inputs)
        finally:
            torch.use_deterministic_algorithms(False)
        assert all(torch.equal(first[name], second[name]) for name in first)


def test_without_keep_and_with_rows_of_any_stride():
    stars = GRAPHS["random"]()
    inputs = {name: t for name, t in node_inputs(stars, 2, 3).items() if name != "keep"}
    wider = {name: torch.stack([t, torch.full_like(t, torch.nan)], -1)[..., 0] for name, t in inputs.items()}
    assert_close(node(stars, wider), node(stars, inputs, "naive"), 1e-10, NODE_LOGITS)
    inputs = inputs_of(stars, 2, 3, "plain")
    columns = torch.stack(
        [inputs["from_reader"], inputs["from_source"]], 1
    )  # as one matrix product leaves them
    beside = inputs | {"from_reader": columns[:, 0], "from_source": columns[:, 1]}
    assert_close(edge(stars, beside), edge(stars, inputs, "naive"), 1e-10, EDGE_LOGITS)


@pytest.mark.parametrize("operator", ["star", "edge", "node"])
def test_torch_accepts_the_operators(operator):
    """Schema, fake tensors and autograd as ``torch.compile`` needs them."""
    from edgegat.ops.node._operator import _OPERATORS as NODE_OPERATORS
    from edgegat.ops.node._operator import NodeCall
    from edgegat.ops.star._operator import _OPERATORS as STAR_OPERATORS
    from edgegat.ops.star._operator import StarCall

    stars = random_graph(4, 9)
    graph = (stars.ptr, stars.edge, stars.node)
    if operator == "node":
        inputs = [t.requires_grad_() for t in node_inputs(stars, 2, 3, torch.float32).values()]
        call = NodeCall(*inputs, *graph, stars.other, stars.slot, 0.2, False)
        op = NODE_OPERATORS["triton"]
    else:
        given = star_inputs(stars, 2, 3, torch.float32)
        query, key, value, own = (t.requires_grad_() for t in given.values())
        call = StarCall(query, key, None, value, own, *graph, stars.slot, 0.2, False)
        if operator == "edge":
            r, s, t, V = (t.float().requires_grad_() for t in inputs_of(stars, 2, 3, "plain").values())
            call = StarCall(r, s, t, V, None, *graph, stars.slot, 0.2, True)
        op = STAR_OPERATORS["triton"]
    checks = "test_schema", "test_autograd_registration", "test_faketensor"
    result = torch.library.opcheck(op, tuple(call), test_utils=checks)
    assert set(result.values()) == {"SUCCESS"}


def test_a_table_beyond_32_bits_is_refused():
    from edgegat.ops._launch import check_size

    check_size(2**30, "a table")
    with pytest.raises(
        ValueError, match=r"a table is 2,147,483,648 numbers, but the Triton kernels count to 2³¹"
    ):
        check_size(2**31, "a table")


def test_upstream_gradients_of_stride_zero():
    stars = GRAPHS["random"]()
    inputs = star_inputs(stars, 2, 3)
    one = torch.ones((), dtype=torch.float64).expand_as(inputs["value"])
    operation = partial(star_attention, stars=stars, backend="triton")
    assert_close(run(operation, inputs, [one]), run(operation, inputs, [one.contiguous()]), 1e-14, STAR_LOGITS)
