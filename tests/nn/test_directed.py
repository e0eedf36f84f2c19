"""Direction: an edge leaves its first node and enters its second; with equal weights for both, nothing changes."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from tests.ops.drawn import relabelled_graphs
from torch import Tensor
from torch_geometric.explain import Explainer, GNNExplainer

from edgegat import EGAT, EdgeGraph, EGATConv
from edgegat.graph import Stars, add_virtual_self_loops
from edgegat.ops import available_backends

N, M = 12, 40


def inputs(seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Loops and parallel edges among them."""
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(N, 6, generator=g, dtype=torch.float64)
    return x, torch.randint(N, (2, M), generator=g), torch.randn(M, 4, generator=g, dtype=torch.float64)


def conv(directed: bool = True, **options) -> EGATConv:
    torch.manual_seed(0)
    return EGATConv(6, 5, 4, 3, heads=2, directed=directed, **options).double()


def tied(undirected: EGATConv, **options) -> EGATConv:
    """A directed layer that does not look at roles: the numbers of ``undirected``."""
    layer = conv(**options)
    roles = layer.roles
    with torch.no_grad():
        for name in ("W_H", "W_E"):
            getattr(layer, name).copy_(getattr(undirected, name))
        roles.a.copy_(undirected.a.expand_as(roles.a))
        roles.a_0.zero_()
        for mix, times in ((roles.C_H, 1.0), (roles.C_E, 1.0), (roles.D, 0.5)):
            mix.copy_(times * torch.eye(mix.size(-1)).expand_as(mix))
        roles.b.copy_(undirected.b.expand_as(roles.b))
        roles.b_0.zero_()
        roles.b_1.zero_()
        roles.b_own.copy_((undirected.b[:, :3] + undirected.b[:, 3:6]).expand_as(roles.b_own))
    return layer


@pytest.mark.parametrize("backend", available_backends())
def test_tied_roles_are_the_undirected_layer(backend):
    x, edge_index, edge_attr = inputs()
    plain = conv(directed=False, backend=backend)
    gradients = []
    outputs = []
    for layer in (plain, tied(plain, backend=backend)):
        leaves = [x.clone().requires_grad_(), edge_attr.clone().requires_grad_(), layer.W_H, layer.W_E]
        out = layer(leaves[0], edge_index, leaves[1])
        outputs.append(out)
        upstream = [torch.randn(t.shape, generator=torch.Generator().manual_seed(7)).double() for t in out]
        gradients.append(torch.autograd.grad(out, leaves, upstream))
    for pair in (*zip(*outputs, strict=True), *zip(*gradients, strict=True)):
        torch.testing.assert_close(*pair, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("backend", available_backends())
def test_backends_agree_on_outputs_and_gradients(backend):
    x, edge_index, edge_attr = inputs()
    results = []
    for name in ("naive", backend):
        layer = conv(backend=name)
        out = layer(x, edge_index, edge_attr)
        upstream = [torch.randn(t.shape, generator=torch.Generator().manual_seed(7)).double() for t in out]
        results.append([*out, *torch.autograd.grad(out, list(layer.parameters()), upstream)])
    for got, truth in zip(*results, strict=True):
        torch.testing.assert_close(got, truth, rtol=1e-9, atol=1e-11)


def test_every_parameter_gets_a_gradient():
    layer = conv()
    outputs = layer(*inputs())
    sum(t.square().sum() for t in outputs).backward()
    for name, parameter in layer.named_parameters():
        assert float(parameter.grad.abs().max()) > 0, name


def test_an_undirected_layer_does_not_see_which_end_is_first():
    x, edge_index, edge_attr = inputs()
    turned = edge_index.clone()
    turned[:, 3] = turned[:, 3].flip(0)
    assert turned[0, 3] != turned[1, 3]
    plain, layer = conv(directed=False), conv()
    for before, after in zip(plain(x, edge_index, edge_attr), plain(x, turned, edge_attr), strict=True):
        torch.testing.assert_close(before, after)
    for before, after in zip(layer(x, edge_index, edge_attr), layer(x, turned, edge_attr), strict=True):
        assert not torch.allclose(before, after)


def test_in_then_out_is_not_in_and_in():
    """Edge 0 enters node 1. Edge 1 leaves that node, or enters it too; all features are equal."""
    x, edge_attr = torch.ones(3, 6).double(), torch.ones(2, 4).double()
    through, against = torch.tensor([[0, 1], [1, 2]]), torch.tensor([[0, 2], [1, 1]])
    other = torch.tensor([[1, 1], [0, 2]])  # both leave
    plain, layer = conv(directed=False), conv()
    edge_attr[1] = 2.0
    for graph in (against, other):
        assert torch.allclose(plain(x, through, edge_attr)[1], plain(x, graph, edge_attr)[1])
        assert not torch.allclose(layer(x, through, edge_attr)[1][0], layer(x, graph, edge_attr)[1][0])
    nodes = [layer(x, graph, edge_attr)[0][1] for graph in (through, against, other)]
    assert not any(torch.allclose(nodes[i], nodes[j]) for i, j in ((0, 1), (0, 2), (1, 2)))


@pytest.mark.parametrize(
    "wanted", ["upstream", "siblings at the source", "siblings at the target", "downstream"]
)
def test_a_head_can_read_one_relation_and_no_other(wanted):
    """Reader 0 goes from 1 to 2. The biases of one reading alone pick each of the four relations."""
    edge_index = torch.tensor([[1, 0, 1, 3, 2], [2, 1, 4, 2, 5]])
    related = {"upstream": 1, "siblings at the source": 2, "siblings at the target": 3, "downstream": 4}
    at_source = wanted in ("upstream", "siblings at the source")
    source_leaves = wanted in ("downstream", "siblings at the source")
    layer = conv(activation="none")
    roles = layer.roles
    with torch.no_grad():
        roles.b.zero_()
        roles.b_own.zero_()
        roles.b_0.zero_()
        roles.b_1.zero_()
        roles.b_0[0, 0 if at_source else 1] = 30.0
        roles.b_1[0, 0 if source_leaves else 1] = 30.0
    g = torch.Generator().manual_seed(1)
    x, edge_attr = torch.randn(6, 6, generator=g).double(), torch.randn(5, 4, generator=g).double()
    _, attention = layer(x, edge_index, edge_attr, return_attention_weights=True)
    weights = attention.beta(torch.tensor([0]))
    first_reading = weights.weight[:, :2]
    heard = first_reading[weights.source == related[wanted]]
    assert float(heard.detach().min()) > 0.999


@settings(max_examples=30, deadline=None)
@given(drawn=relabelled_graphs(turned=False))
def test_names_and_order_do_not_matter(drawn):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(drawn.old.num_nodes, 6, generator=g).double()
    edge_attr = torch.randn(drawn.old.num_edges, 4, generator=g).double()
    layer = conv(backend="torch")
    h, e, m = layer(x, drawn.old, edge_attr)
    h_new, e_new, m_new = layer(x[drawn.node], drawn.new, edge_attr[drawn.edge])
    for got, expected in ((h_new, h[drawn.node]), (e_new, e[drawn.edge]), (m_new, m[drawn.node])):
        torch.testing.assert_close(got, expected, rtol=1e-9, atol=1e-11)


def test_attention_weights_explain_the_outputs():
    x, edge_index, edge_attr = inputs()
    plain = conv(directed=False, activation="none")
    layer = tied(plain, activation="none")
    _, expected = plain(x, edge_index, edge_attr, return_attention_weights=True)
    _, got = layer(x, edge_index, edge_attr, return_attention_weights=True)
    torch.testing.assert_close(got.alpha, expected.alpha)
    edges = torch.arange(5)
    twice = torch.cat([expected.beta(edges).weight] * 2, 1)
    torch.testing.assert_close(got.beta(edges).weight, twice)


def test_key_and_attention_dropout_draw_anew_and_rest_in_evaluation():
    layer = conv(key_dropout=0.5, attention_dropout=0.5)
    first, second = layer(*inputs()), layer(*inputs())
    assert not any(torch.allclose(a, b) for a, b in zip(first, second, strict=True))
    layer.eval()
    for a, b in zip(layer(*inputs()), conv()(*inputs()), strict=True):
        torch.testing.assert_close(a, b)


def test_a_masked_edge_is_not_heard():
    x, edge_index, edge_attr = inputs()
    edge_index, edge_attr = add_virtual_self_loops(edge_index, edge_attr, N)
    layer = conv()
    with torch.no_grad():  # weights that do not depend on the edges: only what is summed is left
        for logits in (layer.roles.a, layer.roles.b, layer.roles.b_own):
            logits.zero_()
    layer.gate._edge_mask = torch.ones(M).double().index_fill(0, torch.tensor([3]), 0.0)
    edge_attr.requires_grad_()
    h, e, m = layer(x, edge_index, edge_attr)
    (gradient,) = torch.autograd.grad(h.sum() + e.sum() + m.sum(), edge_attr)
    assert float(gradient[3].abs().max()) == 0
    assert float(gradient[4:].abs().amax(1).min()) > 0


def test_graphs_without_edges_or_nodes():
    for nodes in (0, 3):
        x, edge_attr = torch.ones(nodes, 6).double(), torch.ones(0, 4).double()
        h, e, m = conv()(x, Stars.build(torch.zeros(2, 0, dtype=torch.long), nodes), edge_attr)
        assert not h.any()
        assert (h.shape, e.shape, m.shape) == ((nodes, 10), (0, 6), (nodes, 16))


def test_transit_has_no_direction():
    with pytest.raises(
        ValueError, match=r"'transit' reads both ends.*edge_attention='star' with directed=True"
    ):
        conv(edge_attention="transit")


def test_the_model_takes_it_explains_it_and_exports_it():
    x, edge_index, edge_attr = (t.float() if t.is_floating_point() else t for t in inputs())
    torch.manual_seed(0)
    model = EGAT(6, 4, 3, directed=True).eval()
    graph = EdgeGraph(x, edge_index, edge_attr).with_virtual_self_loops()
    logits = model(x, edge_index, edge_attr)
    torch.testing.assert_close(model(graph.x, graph.stars, graph.edge_attr), logits)

    nodes, edges = torch.export.Dim("nodes"), torch.export.Dim("edges")
    shapes = {"x": {0: nodes}, "edge_index": {1: edges}, "edge_attr": {0: edges}}
    exported = torch.export.export(model, (x, edge_index, edge_attr), dynamic_shapes=shapes).module()
    smaller = x[:9], edge_index[:, (edge_index < 9).all(0)], edge_attr[(edge_index < 9).all(0)]
    torch.testing.assert_close(exported(*smaller), model(*smaller))

    explainer = Explainer(
        model,
        GNNExplainer(epochs=3),
        explanation_type="model",
        node_mask_type="attributes",
        edge_mask_type="object",
        model_config={"mode": "multiclass_classification", "task_level": "node", "return_type": "raw"},
    )
    explanation = explainer(x, edge_index, edge_attr=edge_attr, index=0)
    assert explanation.edge_mask.shape == (M,)
    torch.testing.assert_close(model(x, edge_index, edge_attr), logits)


def role_of(edge: tuple[int, int], node: int) -> int:
    return 2 if edge[0] == edge[1] else int(edge[1] == node)


def softmax(logits: list[Tensor]) -> Tensor:
    return torch.nn.functional.leaky_relu(torch.stack(logits), 0.2).softmax(0)


def test_both_blocks_in_loops_over_nodes_and_edges():
    """The formulas of ``DirectedBlocks``, written down once more; loops and parallel edges among them."""
    x, edge_index, edge_attr = inputs()
    layer = conv(activation="none")
    roles, edges = layer.roles, [tuple(column) for column in edge_index.t().tolist()]
    h_got, e_got, m_got = (t.unflatten(1, (2, -1)) for t in layer(x, edge_index, edge_attr))
    for k in range(2):
        h, e = x @ layer.W_H[k], edge_attr @ layer.W_E[k]
        for i in range(N):
            at = [p for p, edge in enumerate(edges) if i in edge]
            far = [sum(edges[p]) - i for p in at]
            rho = [role_of(edges[p], i) for p in at]
            logits = [
                roles.a[r, k] @ torch.cat([h[i], h[j], e[p]]) + roles.a_0[r, k]
                for p, j, r in zip(at, far, rho, strict=True)
            ]
            alpha = softmax(logits)
            node = sum(w * h[j] @ roles.C_H[r, k] for w, j, r in zip(alpha, far, rho, strict=True))
            edge = sum(w * e[p] @ roles.C_E[r, k] for w, p, r in zip(alpha, at, rho, strict=True))
            torch.testing.assert_close(h_got[i, k], node)
            torch.testing.assert_close(m_got[i, k], torch.cat([node, edge]))
        for p, ends in enumerate(edges):
            answer = torch.zeros(3).double()
            for g in range(2):
                sources, logits = [p], [e[p] @ roles.b_own[g, k]]
                for v in sorted(set(ends)):
                    r = role_of(ends, v)
                    reader = roles.b[g, r, k, :3] @ e[p] + roles.b_0[g, r, k]
                    for q in (q for q, other in enumerate(edges) if q != p and v in other):
                        t = role_of(edges[q], v)
                        logits.append(
                            reader + roles.b[g, t, k, 3:] @ torch.cat([e[q], h[v]]) + roles.b_1[g, t, k]
                        )
                        sources.append(q)
                answer = answer + (softmax(logits) @ e[sources]) @ roles.D[g, k]
            torch.testing.assert_close(e_got[p, k], answer)
