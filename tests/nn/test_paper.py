"""The model against the paper in loops, and the paper's motivating example."""

from __future__ import annotations

import paper_in_loops
import pytest
import torch
from torch_geometric.nn import GAT

from edgegat import EGAT, EGATConv
from edgegat.graph import add_virtual_self_loops
from edgegat.ops import available_backends

# Ten nodes: a triangle, a hub, a chain, a real self-loop (node 4) and an isolated node (9).
EDGES = [(0, 1), (1, 2), (2, 0), (3, 0), (3, 1), (3, 4), (4, 4), (3, 5), (5, 6), (7, 6), (7, 8), (8, 3)]


def features(seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(10, 3, generator=g, dtype=torch.float64)
    edge_attr = torch.randn(len(EDGES), 2, generator=g, dtype=torch.float64)
    return x, torch.tensor(EDGES).t(), edge_attr


@pytest.mark.parametrize("backend", available_backends())
@pytest.mark.parametrize(("heads", "layers"), [(1, 1), (3, 2), (2, 3)])
def test_egat_is_the_paper(backend, heads, layers):
    torch.manual_seed(heads)
    x, edge_index, edge_attr = features(seed=layers)
    model = EGAT(
        3, 2, 4, hidden_channels=5, edge_hidden_channels=3, num_layers=layers, heads=heads, backend=backend
    )
    model = model.double()
    # Wider logits than those of a fresh model: both sides of the LeakyReLU, and weights that matter.
    for layer in model.layers:
        layer.a.data *= 4
        if layer.b is not None:
            layer.b.data *= 4

    expected = paper_in_loops.egat(model.state_dict(), heads, layers, x, EDGES, edge_attr)

    torch.testing.assert_close(model(x, edge_index, edge_attr), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("backend", available_backends())
def test_one_layer_is_the_paper(backend):
    torch.manual_seed(0)
    x, edge_index, edge_attr = features(seed=0)
    conv = EGATConv(3, 5, 2, 4, heads=2, backend=backend).double().requires_grad_(False)
    edge_index, edge_attr = add_virtual_self_loops(edge_index, edge_attr, 10)
    edges = [tuple(column) for column in edge_index.t().tolist()]

    h, e, m = conv(x, edge_index, edge_attr)

    for k in range(2):
        H, E = x @ conv.W_H[k], edge_attr @ conv.W_E[k]
        h_k, m_k = paper_in_loops.node_block(H, E, edges, conv.a[k])
        e_k = paper_in_loops.edge_block(H, E, edges, conv.b[k])
        for ours, paper in ((h, h_k), (e, e_k), (m, m_k)):
            torch.testing.assert_close(ours.unflatten(1, (2, -1))[:, k], paper, rtol=1e-10, atol=1e-10)


def only_edges_differ() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Section 3: a ring of equal nodes; half of them have large transfers on both sides, half small ones."""
    ring = torch.arange(12)
    edge_index = torch.stack([ring, (ring + 1) % 12])
    amount = torch.where((ring < 6), 1.0, 5.0).unsqueeze(1)
    label = ((ring >= 6) & (ring != 6)).long()  # node i stands between edge i - 1 and edge i
    return torch.ones(12, 3), edge_index, amount, label


def test_a_gat_cannot_tell_nodes_apart_that_differ_in_their_edges_only():
    x, edge_index, _, _ = only_edges_differ()
    torch.manual_seed(0)
    gat = GAT(3, 8, num_layers=2, out_channels=2, heads=8).eval()
    both_ways = torch.cat([edge_index, edge_index.flip(0)], 1)

    logits = gat(x, both_ways)

    torch.testing.assert_close(logits, logits[:1].expand_as(logits))


def test_egat_learns_to_tell_them_apart():
    x, edge_index, amount, label = only_edges_differ()
    torch.manual_seed(0)
    egat = EGAT(in_channels=3, edge_dim=1, out_channels=2)
    optimizer = torch.optim.Adam(egat.parameters(), lr=0.01)
    for _ in range(100):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(egat(x, edge_index, amount), label).backward()
        optimizer.step()

    assert egat(x, edge_index, amount).argmax(1).tolist() == label.tolist()


def test_the_edge_block_lets_a_node_see_edges_two_steps_away():
    # 0-1-2-3: edge 2-3 does not touch node 0 or 1; with equal node features it reaches node 0 only from
    # edge to edge.
    edge_index = torch.tensor([[0, 1, 2], [1, 2, 3]])
    x = torch.ones(4, 2, dtype=torch.float64)
    torch.manual_seed(0)
    egat = EGAT(in_channels=2, edge_dim=1, out_channels=2, num_layers=3).double()

    def logits(last_amount: float) -> torch.Tensor:
        return egat(x, edge_index, torch.tensor([[1.0], [1.0], [last_amount]], dtype=torch.float64))[0]

    assert not torch.equal(logits(1.0), logits(5.0))


def test_parts_of_the_attention_vector_are_not_swapped():
    # The paper's a = [a_i ‖ a_j ‖ a_ij]: with only a_j set, weights depend on the neighbour alone.
    conv = EGATConv(1, 1, 1, 1, activation="none").double()
    for parameter in (conv.W_H, conv.W_E):
        parameter.data.fill_(1.0)
    conv.a.data = torch.tensor([[0.0, 1.0, 0.0]], dtype=torch.float64)
    conv.b.data = torch.zeros_like(conv.b)
    x = torch.tensor([[0.0], [1.0], [2.0]], dtype=torch.float64)
    edge_index = torch.tensor([[0, 0], [1, 2]])
    _, attention = conv(x, edge_index, torch.zeros(2, 1, dtype=torch.float64), return_attention_weights=True)
    expected = torch.tensor([1.0, 2.0], dtype=torch.float64).softmax(0)
    torch.testing.assert_close(attention.alpha[:2, 0], expected)
