"""``edge_attention`` is ``star_attention`` with logits from edges and nodes, on every backend."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops import edge_attention, record_kernels
from tests.ops.backends import each_backend
from tests.ops.compare import TOLERANCE, assert_close, run, to
from tests.ops.graphs import GRAPHS, KINDS, random_graph

LOGITS = ("dfrom_reader", "dfrom_source", "dfrom_node")


def inputs_of(stars: Stars, K: int, F: int, kind: str) -> dict[str, Tensor]:
    """Numbers that float32 holds; the logits are sums of three, so they are drawn in thirds."""
    g = torch.Generator().manual_seed(0)
    M, N = stars.num_edges, stars.num_nodes
    shapes = {"from_reader": (M, K), "from_source": (M, K), "from_node": (N, K), "value": (M, K, F)}
    inputs = {name: torch.randn(shape, generator=g) for name, shape in shapes.items()}
    for name, t in inputs.items():
        if kind == "wide" and name != "value":
            inputs[name] = (torch.rand(t.shape, generator=g) * 200 - 100) / 3
        if kind == "ties" and name != "value":
            inputs[name] = torch.randint(-2, 3, t.shape, generator=g).float()
    if kind == "dominated" and M:
        inputs["from_source"][:: max(1, M // 10)] += 60.0
    return to(torch.float64, inputs)


@each_backend
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("graph", [name for name in GRAPHS if "2000" not in name])
def test_agrees_with_the_naive_backend(graph, kind, dtype, backend):
    stars = GRAPHS[graph]()
    inputs = inputs_of(stars, 8, 3, kind)
    truth = run(partial(edge_attention, stars=stars, backend="naive"), inputs)
    got = run(partial(edge_attention, stars=stars, backend=backend), to(dtype, inputs))
    assert_close(got, truth, TOLERANCE[dtype], LOGITS)


def test_the_naive_backend_adds_up_what_meets():
    """Two edges that meet at node 1 and one elsewhere, by hand."""
    stars = Stars.build(torch.tensor([[0, 1, 3], [1, 2, 4]]), 5)
    r, s, t = torch.tensor([[1.0], [-2.0], [5.0]]), torch.tensor([[0.5], [0.25], [5.0]]), torch.zeros(5, 1)
    t[1] = 3.0
    value = torch.tensor([[[1.0]], [[10.0]], [[100.0]]])
    out = edge_attention(r, s, t, value, stars, backend="naive").flatten()

    # Reader 0: LeakyReLU(1 + 0.25 + 3) for edge 1 and LeakyReLU(1 + 0.5) for itself.
    other, own = torch.tensor([4.25, 1.5]).softmax(0)
    torch.testing.assert_close(out[0], 10.0 * other + 1.0 * own)
    # Reader 1: LeakyReLU(-2 + 0.5 + 3) for edge 0 and LeakyReLU(-2 + 0.25) for itself.
    other, own = torch.tensor([1.5, 0.2 * -1.75]).softmax(0)
    torch.testing.assert_close(out[1], 1.0 * other + 10.0 * own)
    assert out[2] == 100.0


@each_backend
def test_which_kernel_ran(backend):
    stars = random_graph(5, 9)
    with record_kernels() as ran:
        edge_attention(**inputs_of(stars, 2, 3, "plain"), stars=stars, backend=backend)
    assert f"star/{backend}" in ran


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("from_reader", "[9, K]: one row per edge, one column per head."),
        ("from_source", "[9, 2]: one row per edge, one column per head."),
        ("from_node", "[5, 2]: one row per node, one column per head."),
        ("value", "[9, 2, F]: one row per edge, then heads, then channels."),
    ],
)
def test_a_wrong_shape_is_refused(name, wanted):
    stars = random_graph(5, 9)
    wrong = inputs_of(stars, 2, 3, "plain") | {name: torch.zeros(7, dtype=torch.float64)}
    with pytest.raises(ValueError) as refusal:  # noqa: PT011, the whole message is compared
        edge_attention(**wrong, stars=stars)
    assert str(refusal.value) == f"{name} has shape (7,), but it must be {wanted}"


def test_a_slope_above_one_is_refused():
    stars = random_graph(5, 9)
    with pytest.raises(ValueError, match=r"negative_slope is 1\.5, but it must be between 0 and 1"):
        edge_attention(**inputs_of(stars, 2, 3, "plain"), stars=stars, negative_slope=1.5)
