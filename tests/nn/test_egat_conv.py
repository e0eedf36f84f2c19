"""The layer: what it computes on request, what it refuses, how it forgets nothing."""

from __future__ import annotations

import pytest
import torch

from edgegat import EGATConv
from edgegat.graph import Stars
from edgegat.ops import available_backends, record_kernels

N, M = 12, 30


def inputs(in_channels=6, edge_dim=4, dtype=torch.float64, seed=0):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(N, in_channels, generator=g, dtype=dtype)
    edge_index = torch.randint(N, (2, M), generator=g)
    return x, edge_index, torch.randn(M, edge_dim, generator=g, dtype=dtype)


def conv(**options):
    torch.manual_seed(0)
    return EGATConv(6, 5, 4, 3, heads=2, **options).double()


def test_shapes_and_heads_outermost():
    h, e, m = conv()(*inputs())
    assert h.shape == (N, 2 * 5)
    assert e.shape == (M, 2 * 3)
    assert m.shape == (N, 2 * (5 + 3))
    torch.testing.assert_close(m.unflatten(1, (2, 8))[:, :, :5].flatten(1), h)


def test_stars_and_edge_index_are_the_same_graph():
    x, edge_index, edge_attr = inputs()
    layer = conv()
    for from_columns, from_stars in zip(
        layer(x, edge_index, edge_attr), layer(x, Stars.build(edge_index, N), edge_attr), strict=True
    ):
        assert torch.equal(from_columns, from_stars)


def test_backends_agree_and_share_one_checkpoint():
    x, edge_index, edge_attr = inputs()
    truth = conv(backend="naive")
    for backend in available_backends():
        layer = EGATConv(6, 5, 4, 3, heads=2, backend=backend).double()
        layer.load_state_dict(truth.state_dict())
        with record_kernels() as ran:
            outputs = layer(x, edge_index, edge_attr)
        assert any(kernel.startswith(f"star/{backend}") for kernel in ran)
        assert any(kernel.startswith(f"node/{backend}") for kernel in ran)
        for ours, expected in zip(outputs, truth(x, edge_index, edge_attr), strict=True):
            torch.testing.assert_close(ours, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("edge_attention", ["star", "transit"])
def test_every_parameter_gets_a_gradient(edge_attention):
    layer = conv(edge_attention=edge_attention)
    h, e, m = layer(*inputs())
    (h.square().sum() + e.square().sum() + m.square().sum()).backward()
    for name, parameter in layer.named_parameters():
        assert parameter.grad is not None, name
        assert float(parameter.grad.abs().max()) > 0, name


def test_independent_heads_see_their_own_channels_only():
    x, edge_index, edge_attr = inputs()
    layer = conv(independent_heads=True)
    before = layer(x, edge_index, edge_attr)
    changed = x.clone()
    changed[:, 3:] += 1.0  # the second head's half
    after = layer(changed, edge_index, edge_attr)
    for old, new in zip(before, after, strict=True):
        old, new = old.unflatten(1, (2, -1)), new.unflatten(1, (2, -1))
        assert torch.equal(old[:, 0], new[:, 0])
        assert not torch.allclose(old[:, 1], new[:, 1])


def test_shared_inputs_reach_every_head():
    x, edge_index, edge_attr = inputs()
    layer = conv()
    changed = x.clone()
    changed[:, 5:] += 1.0
    difference = (layer(x, edge_index, edge_attr)[0] - layer(changed, edge_index, edge_attr)[0]).unflatten(
        1, (2, -1)
    )
    assert difference.abs().amax((0, 2)).min() > 0


def test_without_an_edge_block_none_runs():
    layer = conv(edge_attention=None)
    with record_kernels() as ran:
        _, e, m = layer(*inputs())
    assert e is None
    assert not any(kernel.startswith("star/") for kernel in ran)
    assert "b" not in dict(layer.named_parameters())
    full = conv()
    full.load_state_dict(layer.state_dict(), strict=False)
    torch.testing.assert_close(full(*inputs())[2], m)


def test_transit_attends_to_the_edge_parts_of_both_end_nodes():
    x, edge_index, edge_attr = inputs()
    layer = conv(edge_attention="transit")
    _, e, m = layer(x, edge_index, edge_attr)
    k, p = 1, 7
    b_p, b_q, b_v = layer.b[k].split([3, 3, 5])
    edge, ends = edge_attr[p] @ layer.W_E[k], edge_index[:, p].unique()
    values = torch.stack([edge, *m.unflatten(1, (2, 8))[ends, k, 5:]])
    nodes = torch.stack([torch.zeros(5).double(), *(x[ends] @ layer.W_H[k])])
    beta = torch.nn.functional.leaky_relu(edge @ b_p + values @ b_q + nodes @ b_v, 0.2).softmax(0)
    torch.testing.assert_close(e.unflatten(1, (2, 3))[p, k], torch.nn.functional.elu(beta @ values))


def test_attention_weights_explain_the_outputs():
    x, edge_index, edge_attr = inputs()
    layer = conv(activation="none")
    plain = layer(x, edge_index, edge_attr)
    (h, e, m), attention = layer(x, edge_index, edge_attr, return_attention_weights=True)
    for ours, expected in zip((h, e, m), plain, strict=True):
        assert torch.equal(ours, expected)

    stars = attention.stars
    projected = layer.project(x, layer.W_H)
    rebuilt = torch.zeros(N, 2, 5).double()
    rebuilt.index_add_(0, stars.node, attention.alpha.unsqueeze(-1) * projected[stars.other])
    torch.testing.assert_close(rebuilt.flatten(1), h)

    chosen = torch.tensor([3, 11])
    weights = attention.beta(chosen)
    edges = layer.project(edge_attr, layer.W_E)
    for p in chosen.tolist():
        mine = weights.reader == p
        torch.testing.assert_close(weights.weight[mine].sum(0), torch.ones(2).double())
        rebuilt_edge = (weights.weight[mine].unsqueeze(-1) * edges[weights.source[mine]]).sum(0)
        torch.testing.assert_close(rebuilt_edge.flatten(), e[p])


def test_beta_needs_an_edge_block_that_lists_edges():
    for edge_attention in ("transit", None):
        _, attention = conv(edge_attention=edge_attention)(*inputs(), return_attention_weights=True)
        with pytest.raises(ValueError, match="no edge-to-edge weights"):
            attention.beta(torch.tensor([0]))


def test_key_dropout_takes_edges_out_of_the_softmax():
    x, edge_index, edge_attr = inputs()
    layer = conv(key_dropout=0.999999, activation="none")
    torch.manual_seed(0)
    _, e, _ = layer(x, edge_index, edge_attr)
    # All neighbours are dropped: every edge is left with itself.
    torch.testing.assert_close(e, layer.project(edge_attr, layer.W_E).flatten(1))
    torch.testing.assert_close(
        layer.eval()(x, edge_index, edge_attr)[1], conv(activation="none")(x, edge_index, edge_attr)[1]
    )


def test_attention_dropout_keeps_the_expected_node():
    x, edge_index, edge_attr = inputs()
    layer, plain = conv(attention_dropout=0.5, activation="none"), conv(activation="none")
    torch.manual_seed(0)
    with torch.no_grad():
        mean = torch.stack([layer(x, edge_index, edge_attr)[0] for _ in range(1500)]).mean(0)
        expected = plain(x, edge_index, edge_attr)[0]
    assert float((mean - expected).abs().max()) < 0.2 * float(expected.abs().max())
    assert not torch.equal(layer(x, edge_index, edge_attr)[0], layer(x, edge_index, edge_attr)[0])
    torch.testing.assert_close(layer.eval()(x, edge_index, edge_attr)[0], expected)


@pytest.mark.parametrize("edge_attention", ["star", "transit"])
def test_a_masked_edge_is_not_heard(edge_attention):
    x, edge_index, edge_attr = inputs()
    layer = conv(edge_attention=edge_attention)
    layer.a.data.zero_()  # weights that do not depend on the edges: only what is summed is left
    layer.b.data.zero_()
    heard = []
    for mask in (None, torch.ones(M).double().index_fill(0, torch.tensor([3]), 0.0)):
        layer.gate._edge_mask = mask
        edge_attr = edge_attr.detach().requires_grad_()
        h, e, m = layer(x, edge_index, edge_attr)
        (gradient,) = torch.autograd.grad(h.sum() + e.sum() + m.sum(), edge_attr)
        heard.append(gradient.abs().amax(1))
    without_mask, masked = heard
    assert float(without_mask.min()) > 0
    assert float(masked[3]) == 0
    assert float(masked[torch.arange(M) != 3].min()) > 0


def test_same_seed_same_weights():
    first, second = conv(), conv()
    for name, weight in first.state_dict().items():
        assert torch.equal(weight, second.state_dict()[name])
    torch.manual_seed(5)
    first.reset_parameters()
    assert not torch.equal(first.W_H, second.W_H)
    torch.manual_seed(5)
    second.reset_parameters()
    for name, weight in first.state_dict().items():
        assert torch.equal(weight, second.state_dict()[name])


def test_repr_says_what_it_is():
    assert repr(conv(edge_attention="transit")).startswith(
        "EGATConv(\n  6, 5, edge_dim=4, edge_out_channels=3, heads=2, edge"
    )


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: EGATConv(6, 5, 4, 3, edge_attention="line"), ValueError, "'star', 'transit', None"),
        (lambda: EGATConv(6, 5, 4, 3, activation="swish"), ValueError, "'swish'.*'elu', 'relu'"),
        (lambda: EGATConv(6, 5, 4, 3, heads=0), ValueError, "heads is 0"),
        (lambda: EGATConv(-1, 5, 4, 3), ValueError, "in_channels is -1, .* a whole number, 0 or more"),
        (lambda: EGATConv(6, 5, 2.5, 3), ValueError, "edge_dim is 2.5, .* a whole number, 0 or more"),
        (
            lambda: EGATConv(6, 5, 4, 3, heads=4, independent_heads=True),
            ValueError,
            "in_channels is 6.*4 independent",
        ),
        (lambda: EGATConv(6, 5, 4, 3, key_dropout=1.0), ValueError, "key_dropout is 1.0"),
    ],
)
def test_impossible_layers_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda x, i, e: (x[:, :2], i, e), ValueError, r"x has shape \(12, 2\), but in_channels=6"),
        (lambda x, i, e: (x, i, e[:7]), ValueError, "edge_attr has 7 rows, but the graph has 30 edges"),
        (lambda x, i, e: (x, i, e.float()), TypeError, "edge_attr is torch.float32 and x is torch.float64"),
        (lambda x, i, e: (x.float(), i, e.float()), TypeError, r"weights are torch.float64: .*module with"),
        (lambda x, i, e: (x.long(), i, e.long()), TypeError, r"features with .to\(torch.float64\)\.$"),
        (lambda x, i, e: (x, i + 3, e), IndexError, "12 nodes"),
        (lambda x, i, e: (x, i.float(), e), TypeError, "int64"),
        (lambda x, i, e: (x, i.tolist(), e), TypeError, r"edge_index is a list, .* tensor \[2, M\]"),
        (lambda x, i, e: (None, i, e), TypeError, r"x is None, .* torch.zeros\(N, 0\), with in_channels=0"),
        (
            lambda x, i, e: (x, i, None),
            TypeError,
            r"edge_attr is None, .* torch.zeros\(M, 0\), with edge_dim=0",
        ),
        (lambda x, i, e: (x, Stars.build(i, 20), e), ValueError, "x has 12 rows, but the graph has 20 nodes"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(change, error, message):
    with pytest.raises(error, match=message):
        conv()(*change(*inputs()))
