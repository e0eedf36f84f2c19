"""The compiled CPU kernels: each way through them is taken, at every boundary, whatever memory holds before."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import torch

from edgegat.graph import Stars
from edgegat.ops import (
    _numba_arrays,
    _numba_plan,
    available_backends,
    edge_attention,
    node_attention,
    record_kernels,
    star_attention,
)
from tests.ops.compare import TOLERANCE, Results, assert_close, run, to
from tests.ops.graphs import hub_graph, node_inputs, random_graph, simple_star, star_inputs
from tests.ops.truth import NODE_LOGITS, STAR_LOGITS

pytestmark = pytest.mark.skipif("numba" not in available_backends(), reason="Numba is not installed")

PAIRS = {"star/numba/pairs", "star/numba/pairs_backward"}
HUBS = {"star/numba/hubs", "star/numba/hubs_backward"}
APART = {"star/numba/apart", "star/numba/apart_backward"}


@pytest.fixture(params=[False, True], ids=["any memory", "memory full of NaN"])
def _memory(request, monkeypatch):
    monkeypatch.setattr(_numba_arrays, "FILL_WITH_NAN", request.param)


def star(stars: Stars, inputs: dict[str, torch.Tensor], backend: str) -> Results:
    return run(partial(star_attention, stars=stars, backend=backend), inputs)


def node(stars: Stars, inputs: dict[str, torch.Tensor], backend: str) -> Results:
    return run(partial(node_attention, stars=stars, backend=backend), inputs)


@pytest.mark.usefixtures("_memory")
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize(("degree", "path"), [(6, PAIRS), (7, PAIRS), (8, PAIRS | HUBS), (9, PAIRS | HUBS)])
def test_stars_above_the_boundary_are_sorted(degree, path, dtype, monkeypatch):
    """Boundary 7. The leaves have one edge each and always go pair by pair."""
    monkeypatch.setattr(_numba_plan, "HUB", 7)
    stars = simple_star(degree)
    for kind in ("plain", "wide", "dominated", "ties"):
        inputs = to(torch.float64, star_inputs(stars, 2, 3, torch.float32, kind))
        with record_kernels() as ran:
            got = star(stars, to(dtype, inputs), "numba")
        assert set(ran) - APART == {"star/numba", *path}
        # One star of saturated softmaxes has gradients near zero.
        truth = star(stars, inputs, "naive")
        assert_close(got, truth, TOLERANCE[dtype], STAR_LOGITS, smallest_scale=0.1)


@pytest.mark.usefixtures("_memory")
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("batch", [1, 60, 1 << 18])
def test_hubs_in_batches_of_any_size(batch, dtype, monkeypatch):
    """Self-loops, parallel edges, hubs of all sizes, and the logits of edges and nodes."""
    monkeypatch.setattr(_numba_plan, "HUB", 2)
    monkeypatch.setattr(_numba_plan, "BATCH", batch)
    stars = random_graph(30, 120)
    generator = torch.Generator().manual_seed(0)
    shapes = {"from_reader": (120, 2), "from_source": (120, 2), "from_node": (30, 2), "value": (120, 2, 3)}
    inputs = {name: torch.randn(shape, generator=generator).double() for name, shape in shapes.items()}
    with record_kernels() as ran:
        got = run(partial(edge_attention, stars=stars, backend="numba"), to(dtype, inputs))
    truth = run(partial(edge_attention, stars=stars, backend="naive"), inputs)
    assert_close(got, truth, TOLERANCE[dtype], ("dfrom_reader", "dfrom_source", "dfrom_node"))
    hubs = int((stars.degree > 2).sum())
    batches = ran.count("star/numba/hubs")
    assert ran.count("star/numba/hubs_backward") == batches
    assert {1: batches == hubs, 60: 1 < batches < hubs, 1 << 18: batches == 1}[batch]
    assert set(ran) >= HUBS | PAIRS


@pytest.mark.usefixtures("_memory")
@pytest.mark.parametrize(("dtype", "above"), [(torch.float32, 150.0), (torch.float64, 900.0)], ids=str)
@pytest.mark.parametrize(("hub", "path"), [(64, PAIRS | APART), (2, HUBS)])
def test_a_key_so_far_above_all_others_that_factors_would_vanish(hub, path, dtype, above, monkeypatch):
    monkeypatch.setattr(_numba_plan, "HUB", hub)
    stars = hub_graph(40, num_nodes=6)
    inputs = to(torch.float64, star_inputs(stars, 2, 3, torch.float32))
    inputs["key"][stars.ptr[:-1], 0] += above
    with record_kernels() as ran:
        got = star(stars, to(dtype, inputs), "numba")
    assert set(ran) == {"star/numba", *path}
    assert_close(got, star(stars, inputs, "naive"), TOLERANCE[dtype], STAR_LOGITS)


@pytest.mark.usefixtures("_memory")
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("degree", [7, 8, 9, 16, 17])
def test_sums_of_short_and_of_long_stars(degree, dtype):
    stars = simple_star(degree)
    inputs = to(torch.float64, node_inputs(stars, 2, 3, torch.float32))
    with record_kernels() as ran:
        got = node(stars, to(dtype, inputs), "numba")
    assert set(ran) == {"node/numba", "node/numba/forward", "node/numba/backward"}
    assert_close(got, node(stars, inputs, "naive"), TOLERANCE[dtype], NODE_LOGITS, smallest_scale=0.1)


@pytest.mark.parametrize(("K", "F"), [(9, 7), (13, 5), (2, 65), (64, 1)])
def test_more_heads_and_channels_than_a_kernel_takes(K, F):
    """One below, at and above 64 of them in the edge block; 65 channels of one head are two pieces."""
    stars = random_graph(8, 24)
    inputs = star_inputs(stars, K, F)
    assert_close(star(stars, inputs, "numba"), star(stars, inputs, "naive"), 1e-10, STAR_LOGITS)


@pytest.mark.parametrize("operation", [star, node])
def test_the_same_bits_on_any_number_of_threads(operation, monkeypatch):
    monkeypatch.setattr(_numba_plan, "HUB", 20)
    for name in ("_PAIRS_A_TASK", "_EDGES_A_TASK", "_ROWS_A_TASK"):
        monkeypatch.setattr(_numba_plan, name, 10)
    stars = hub_graph(3000)
    make = star_inputs if operation is star else node_inputs
    inputs = make(stars, 2, 3, torch.float32)
    threads = torch.get_num_threads()
    try:
        results = []
        for number in (1, 2, 5):
            torch.set_num_threads(number)
            results.append(operation(stars, inputs, "numba"))
    finally:
        torch.set_num_threads(threads)
    for name, first in results[0].items():
        assert torch.equal(first, results[1][name]), name
        assert torch.equal(first, results[2][name]), name


@pytest.mark.parametrize("form", ["by incidence", "by edge"])
def test_the_edge_block_is_an_operator_that_torch_can_trace(form):
    stars = random_graph(6, 12)
    g = torch.Generator().manual_seed(0)
    rows = stars.num_incidences if form == "by incidence" else 12
    logits = [torch.randn(rows, 2, generator=g).requires_grad_() for _ in range(2)]
    value = torch.randn(12, 2, 3, generator=g).requires_grad_()
    own = torch.randn(12, 2, generator=g).requires_grad_() if form == "by incidence" else None
    at_node = None if own is not None else torch.randn(6, 2, generator=g).requires_grad_()
    star_attention(**star_inputs(stars, 2, 3), stars=stars, backend="numba")  # defines the operator
    call = (*logits, at_node, value, own, stars.ptr, stars.edge, stars.node, stars.slot, 0.2, False)
    torch.library.opcheck(torch.ops.edgegat.star_numba.default, call)


@pytest.mark.parametrize("by_incidence", [False, True])
def test_the_node_block_is_an_operator_that_torch_can_trace(by_incidence):
    stars = random_graph(6, 12)
    given = node_inputs(stars, 2, 3)
    node_attention(**given, stars=stars, backend="numba")  # defines the operator
    if by_incidence:
        given["edge_logit"] = given["edge_logit"][stars.edge]
    inputs = [t.requires_grad_() for t in given.values()]
    call = (*inputs, stars.ptr, stars.edge, stars.node, stars.other, stars.slot, 0.2, by_incidence)
    torch.library.opcheck(torch.ops.edgegat.node_numba.default, call)


def test_compiled_programs_see_one_node():
    stars = random_graph(6, 12)
    inputs = {name: t.requires_grad_() for name, t in star_inputs(stars, 2, 3).items()}
    graphs = []

    def look(graph, example_inputs):
        graphs.append(graph)
        return graph.forward

    compiled = torch.compile(
        partial(star_attention, stars=stars, backend="numba"), backend=look, fullgraph=True
    )
    assert torch.equal(compiled(**inputs), star_attention(**inputs, stars=stars, backend="numba"))
    calls = [
        str(n.target) for n in graphs[0].graph.nodes if n.op == "call_function" and "edgegat" in str(n.target)
    ]
    assert calls == ["edgegat.star_numba.default"]


PROGRAM = """
import logging, sys, torch
logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
from edgegat.graph import Stars
from edgegat.ops import star_attention
stars = Stars.build(torch.tensor([[0, 1], [1, 2]]), 3)
zeros, value = torch.zeros(4, 1), torch.tensor([[[2.0]], [[4.0]]])
print(star_attention(zeros, zeros, value, torch.zeros(2, 1), stars).flatten().tolist())
"""


def run_program(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**{k: v for k, v in os.environ.items() if k != "EDGEGAT_BACKEND"}, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_kernels_are_compiled_once_announced_and_kept_on_disk(tmp_path):
    said = "edgegat compiles its CPU kernels for this machine: a few seconds, once; the result is kept.\n"
    first, second = (run_program(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert first == said + "[3.0, 3.0]\n"
    assert second == "[3.0, 3.0]\n"
    assert list(tmp_path.rglob("*.nbc"))


def test_without_numba_one_line_says_what_is_slower():
    out = run_program("import sys; sys.modules['numba'] = None" + PROGRAM)
    assert "[3.0, 3.0]" in out
    assert out.count("RuntimeWarning") == 1
    assert "Numba is not installed: pip install numba." in out
    asked = run_program("import sys; sys.modules['numba'] = None" + PROGRAM, EDGEGAT_BACKEND="torch")
    assert asked == "[3.0, 3.0]\n"


def test_sorting_ranks_numbers_of_either_sign():
    from edgegat.ops import _numba_sort

    rng = np.random.default_rng(0)
    for d in (1, 2, 255, 5000):
        values = np.concatenate([rng.normal(size=d), [0.0, -0.0, 1e30, -1e30, 1e-40]]).astype(np.float32)
        order = np.empty(values.size, np.int32)
        words = np.empty(values.size, np.uint64), np.empty(values.size, np.uint64)
        _numba_sort._radix(order, values.view(np.uint32), *words)
        assert sorted(order.tolist()) == list(range(values.size))
        assert (np.diff(values[order]) >= 0).all()
