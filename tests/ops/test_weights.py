"""The attention weights that are handed out are those that the outputs were made with."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops import node_attention, node_attention_weights, star_attention, star_attention_weights
from tests.ops.backends import each_backend
from tests.ops.graphs import GRAPHS, KINDS, node_inputs, random_graph, star_inputs

SMALL = [name for name in GRAPHS if "00" not in name]
each_small_graph = pytest.mark.parametrize("graph", SMALL)
each_kind = pytest.mark.parametrize("kind", KINDS)


def without(left_out: str, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: t for name, t in inputs.items() if name not in left_out.split()}


@each_backend
@each_kind
@pytest.mark.parametrize("slope", [0.0, 0.2])
@each_small_graph
def test_star_weights_reproduce_the_output(graph, slope, kind, backend):
    stars = GRAPHS[graph]()
    inputs = star_inputs(stars, 3, 2, kind=kind)
    everyone = torch.arange(stars.num_edges)
    reader, source, beta = star_attention_weights(
        **without("value", inputs), stars=stars, edges=everyone, negative_slope=slope
    )
    read = torch.zeros_like(inputs["value"]).index_add(0, reader, beta.unsqueeze(-1) * inputs["value"][source])
    out = star_attention(**inputs, stars=stars, negative_slope=slope, backend=backend)
    torch.testing.assert_close(read, out, rtol=0, atol=1e-11)


@each_small_graph
def test_star_weights_of_a_reader_are_shares(graph):
    stars = GRAPHS[graph]()
    inputs = without("value", star_inputs(stars, 3, 2))
    reader, _, beta = star_attention_weights(**inputs, stars=stars, edges=torch.arange(stars.num_edges))
    assert (beta > 0).all()
    total = torch.zeros(stars.num_edges, 3, dtype=torch.float64).index_add(0, reader, beta)
    torch.testing.assert_close(total, torch.ones_like(total))


def test_star_weights_list_the_chosen_readers_in_their_order_each_itself_first():
    stars = Stars.build(torch.tensor([[0, 1, 1, 3], [1, 2, 0, 3]]), 4)  # 0-1, 1-2, 1-0 again, 3-3
    inputs = without("value", star_inputs(stars, 2, 1))
    reader, source, beta = star_attention_weights(**inputs, stars=stars, edges=torch.tensor([3, 0, 1]))
    assert reader.tolist() == [3, 0, 0, 0, 0, 1, 1, 1]
    assert source.tolist() == [3, 0, 2, 1, 2, 1, 0, 2]  # edge 2 shares both nodes with edge 0: it comes twice
    assert beta.shape == (8, 2)
    assert beta[0].tolist() == [1.0, 1.0]


def test_no_star_weights_for_no_edges():
    stars = random_graph(5, 9)
    inputs = without("value", star_inputs(stars, 2, 1))
    reader, source, beta = star_attention_weights(**inputs, stars=stars, edges=torch.zeros(0, dtype=torch.long))
    assert (reader.shape, source.shape, beta.shape) == ((0,), (0,), (0, 2))


@pytest.mark.parametrize(
    ("edges", "error", "message"),
    [
        (torch.tensor([0, 9]), IndexError, "edges holds 9, but the graph has 9 edges, numbered from 0."),
        (torch.tensor([-1]), IndexError, "edges holds -1, but the graph has 9 edges, numbered from 0."),
        (
            torch.tensor([0.0]),
            TypeError,
            "edges is torch.float32 [1], but it must be a list of edge numbers, int64.",
        ),
        (
            torch.tensor([[0]]),
            TypeError,
            "edges is torch.int64 [1, 1], but it must be a list of edge numbers, int64.",
        ),
    ],
)
def test_star_weights_refuse_edges_that_do_not_exist(edges, error, message):
    stars = random_graph(5, 9)
    with pytest.raises(error) as refusal:
        star_attention_weights(**without("value", star_inputs(stars, 2, 1)), stars=stars, edges=edges)
    assert str(refusal.value) == message


@each_backend
@each_kind
@pytest.mark.parametrize("slope", [0.0, 0.2])
@each_small_graph
def test_node_weights_reproduce_the_output(graph, slope, kind, backend):
    stars = GRAPHS[graph]()
    inputs = node_inputs(stars, 3, 2, kind=kind)
    logits = without("node_value edge_value keep", inputs)
    alpha = node_attention_weights(**logits, stars=stars, negative_slope=slope)
    assert (alpha >= 0).all()
    kept = (alpha * inputs["keep"]).unsqueeze(-1)
    nodes, edges = node_attention(**inputs, stars=stars, negative_slope=slope, backend=backend)
    for out, read in ((nodes, inputs["node_value"][stars.other]), (edges, inputs["edge_value"][stars.edge])):
        expected = torch.zeros_like(out).index_add(0, stars.node, kept * read)
        torch.testing.assert_close(expected, out, rtol=0, atol=1e-11)


@each_small_graph
def test_node_weights_of_a_star_are_shares(graph):
    stars = GRAPHS[graph]()
    logits = without("node_value edge_value keep", node_inputs(stars, 3, 2))
    alpha = node_attention_weights(**logits, stars=stars)
    total = torch.zeros(stars.num_nodes, 3, dtype=torch.float64).index_add(0, stars.node, alpha)
    torch.testing.assert_close(total, (stars.degree > 0).double().unsqueeze(1).expand_as(total))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
def test_weights_are_float32_at_least(dtype):
    stars = random_graph(5, 9)
    star, node = star_inputs(stars, 2, 1, dtype), node_inputs(stars, 2, 1, dtype)
    beta = star_attention_weights(**without("value", star), stars=stars, edges=torch.tensor([0])).weight
    alpha = node_attention_weights(**without("node_value edge_value keep", node), stars=stars)
    assert beta.dtype == alpha.dtype == torch.float32
