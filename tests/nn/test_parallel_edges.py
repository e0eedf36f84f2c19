"""Many edges between the same two nodes: each has features and an answer of its own, in whatever order they come."""

from __future__ import annotations

import pytest
import torch

from edgegat import EGAT, EGATConv
from edgegat.graph import add_virtual_self_loops

OPTIONS = [{}, {"directed": True}, {"summaries": True}, {"directed": True, "summaries": True}]
each_option = pytest.mark.parametrize("options", OPTIONS, ids=lambda o: " and ".join(o) or "the paper's")


def multigraph(num_edges: int = 60) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Six nodes, so that every pair has several edges, in both directions."""
    g = torch.Generator().manual_seed(0)
    edge_index = torch.randint(6, (2, num_edges), generator=g)
    return torch.randn(6, 3, generator=g).double(), edge_index, torch.randn(num_edges, 2, generator=g).double()


@each_option
def test_their_order_does_not_matter(options):
    x, edge_index, edge_attr = multigraph()
    torch.manual_seed(0)
    conv = EGATConv(3, 4, 2, 3, heads=2, **options).double()
    order = torch.randperm(60, generator=torch.Generator().manual_seed(1))
    h, e, m = conv(x, edge_index, edge_attr)
    h_new, e_new, m_new = conv(x, edge_index[:, order], edge_attr[order])
    for got, expected in ((h_new, h), (e_new, e[order]), (m_new, m)):
        torch.testing.assert_close(got, expected, rtol=1e-9, atol=1e-11)


@each_option
def test_each_has_its_own_answer(options):
    """Of forty parallel edges one is different: its own answer is, and the equal ones share theirs."""
    edge_index = torch.tensor([[0] * 40, [1] * 40])
    edge_attr = torch.ones(40, 2).double()
    edge_attr[7] = -2.0
    torch.manual_seed(0)
    _, e, _ = EGATConv(3, 4, 2, 3, heads=2, **options).double()(
        torch.ones(2, 3).double(), edge_index, edge_attr
    )
    same = torch.arange(40) != 7
    torch.testing.assert_close(e[same], e[:1].expand(39, -1), rtol=1e-9, atol=1e-11)
    assert not torch.allclose(e[7], e[0], atol=1e-3)


@each_option
def test_a_pair_with_a_hundred_thousand_transfers(options):
    """Its answers are those of the same transfers listed a hundredth as often, and nothing of size d² is made."""
    d = 100_000
    g = torch.Generator().manual_seed(0)
    distinct = torch.randn(5, 2, generator=g)
    torch.manual_seed(0)
    conv = EGATConv(3, 4, 2, 3, heads=2, activation="none", **{**options, "summaries": False})
    x = torch.randn(2, 3, generator=g)
    outputs = []
    for copies in (d // 5, 200):
        edge_index, edge_attr = torch.tensor([[0], [1]]).repeat(1, 5 * copies), distinct.repeat(copies, 1)
        edge_index, edge_attr = add_virtual_self_loops(edge_index, edge_attr, 2)
        outputs.append(conv(x, edge_index, edge_attr))
    (h, e, _), (h_few, e_few, _) = outputs
    torch.testing.assert_close(h, h_few, rtol=0, atol=2e-2)  # the self-loop is one of 1,001 or of 100,001
    torch.testing.assert_close(e[:5], e_few[:5], rtol=0, atol=2e-2)

    model = EGAT(3, 2, 2, heads=2, **options)
    edge_index = torch.tensor([[0], [1]]).repeat(1, d)
    logits = model(x, edge_index, distinct.repeat(d // 5, 1))
    logits.sum().backward()
    assert logits.isfinite().all()
    assert all(p.grad is None or bool(p.grad.isfinite().all()) for p in model.parameters())
