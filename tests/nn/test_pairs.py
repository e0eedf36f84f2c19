"""Two levels: the edges of one pair are summarised by attention, then the pairs attend."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ops.drawn import drawn_graphs
from torch_geometric.explain import Explainer, GNNExplainer

from edgegat import EGAT, EdgeGraph
from edgegat.graph import Pairs, Stars
from edgegat.learn import ModelOptions, TrainingOptions, fit
from edgegat.learn.receptive_field import ReceptiveField
from edgegat.nn.pair_summary import PairSummary

N, M = 8, 60


def graph(seed: int = 0) -> EdgeGraph:
    g = torch.Generator().manual_seed(seed)
    return EdgeGraph(
        torch.randn(N, 3, generator=g, dtype=torch.float64),
        torch.randint(N, (2, M), generator=g),
        torch.randn(M, 2, generator=g, dtype=torch.float64),
    )


def model(**options) -> EGAT:
    torch.manual_seed(0)
    return EGAT(3, 2, 4, heads=2, pairs=True, **options).double()


@settings(max_examples=60, deadline=None)
@given(drawn=drawn_graphs(), directed=st.booleans())
def test_pairs_by_hand(drawn, directed):
    edge_index, num_nodes = drawn
    columns = [tuple(c) if directed else tuple(sorted(c)) for c in edge_index.t().tolist()]
    different = sorted(set(columns))
    pairs = Pairs.of(Stars.build(edge_index, num_nodes), directed)
    assert [tuple(c) for c in pairs.edge_index.t().tolist()] == different
    assert pairs.pair.tolist() == [different.index(c) for c in columns]
    assert pairs.members.degree.tolist() == [columns.count(c) for c in different]
    assert pairs.stars.num_nodes == num_nodes


def test_the_summary_by_hand():
    e = torch.randn(5, 2, generator=torch.Generator().manual_seed(0)).double()
    stars = Stars.build(torch.tensor([[0, 0, 1, 0, 1], [1, 1, 2, 1, 2]]), 3)
    summary = PairSummary(edge_dim=2, channels=3, heads=2).double()
    got = summary(e, Pairs.of(stars, True).members)
    for pair, members in enumerate(([0, 1, 3], [2, 4])):
        for k in range(2):
            values = e[members] @ summary.V[k]
            weights = torch.nn.functional.leaky_relu(values @ summary.c[k], 0.2).softmax(0)
            expected = torch.nn.functional.elu(weights @ values)
            torch.testing.assert_close(got[pair, 3 * k : 3 * k + 3], expected)
    torch.testing.assert_close(got[:, 6], torch.tensor([3.0, 2.0]).double().log())


@pytest.mark.parametrize("directed", [False, True])
def test_the_order_of_edges_does_not_matter_and_each_has_its_pairs_answer(directed):
    g, egat = graph(), model(directed=directed)
    order = torch.randperm(M, generator=torch.Generator().manual_seed(1))
    logits = egat(g.x, g.edge_index, g.edge_attr)
    torch.testing.assert_close(egat(g.x, g.edge_index[:, order], g.edge_attr[order]), logits)
    _, edges = egat.embed(g.x, g.edge_index, g.edge_attr)
    _, again = egat.embed(g.x, g.edge_index[:, order], g.edge_attr[order])
    torch.testing.assert_close(again, edges[order])
    assert edges.shape == (M, 2 * 4)


def test_the_number_of_equal_edges_is_a_feature_of_the_pair():
    x, edge_attr = torch.randn(3, 3).double(), torch.randn(2, 2).double()
    egat = model()
    alone = egat(x, torch.tensor([[0, 1], [1, 2]]), edge_attr)
    twice = egat(x, torch.tensor([[0, 1, 1], [1, 2, 2]]), torch.cat([edge_attr, edge_attr[1:]]))
    assert not torch.allclose(alone, twice)


@pytest.mark.parametrize("directed", [False, True])
def test_a_receptive_field_says_the_same(directed):
    egat, looped = model(directed=directed), graph().with_virtual_self_loops()
    seeds = torch.tensor([1, 6])
    field = ReceptiveField.of(looped, seeds, 2, Pairs.of(looped.stars, directed))
    expected = egat(looped.x, looped.stars, looped.edge_attr)[seeds]
    torch.testing.assert_close(field.logits(egat), expected)


def test_it_trains():
    g = graph()
    labelled = EdgeGraph(g.x, g.edge_index, g.edge_attr, y=torch.arange(N) % 2)
    fitted = fit(labelled, ModelOptions(pairs=True, directed=True, heads=2), TrainingOptions(epochs=60))
    assert fitted.logits.argmax(1).tolist() == [0, 1] * (N // 2)


def test_a_pair_with_a_hundred_thousand_edges():
    egat = EGAT(3, 2, 2, heads=2, pairs=True)
    distinct = torch.randn(5, 2, generator=torch.Generator().manual_seed(0))
    edge_index = torch.tensor([[0], [1]])
    x = torch.randn(2, 3)
    logits = egat(x, edge_index.repeat(1, 100_000), distinct.repeat(20_000, 1))
    logits.sum().backward()
    assert logits.isfinite().all()
    assert egat.pairs.V.grad.isfinite().all()


@pytest.mark.parametrize("directed", [False, True])
def test_stars_are_sorted_into_pairs_once(directed, monkeypatch):
    egat, looped = model(directed=directed, readout="edges"), graph().with_virtual_self_loops()
    first = egat(looped.x, looped.stars, looped.edge_attr)

    def build(*_):
        raise AssertionError("sorted again")

    monkeypatch.setattr(Stars, "build", build)
    assert torch.equal(egat(looped.x, looped.stars, looped.edge_attr), first)


@pytest.mark.parametrize("options", [{}, {"directed": True, "summaries": True, "readout": "edges"}])
def test_it_is_exported_for_graphs_of_any_size(options):
    egat, g = model(**options).eval(), graph()
    nodes, edges = torch.export.Dim("nodes"), torch.export.Dim("edges")
    shapes = {"x": {0: nodes}, "edge_index": {1: edges}, "edge_attr": {0: edges}}
    given = g.x, g.edge_index, g.edge_attr
    exported = torch.export.export(egat, given, dynamic_shapes=shapes).module()
    for rows in (M, 9):
        some = g.x, g.edge_index[:, :rows], g.edge_attr[:rows]
        torch.testing.assert_close(exported(*some), egat(*some))


def test_edge_masks_are_refused_and_what_the_refusal_advises_works():
    g, egat = graph(), model()
    before = egat(g.x, g.edge_index, g.edge_attr)

    def explain(edge_mask_type: str | None):
        explainer = Explainer(
            egat,
            GNNExplainer(epochs=1),
            explanation_type="model",
            node_mask_type="attributes",
            edge_mask_type=edge_mask_type,
            model_config={"mode": "multiclass_classification", "task_level": "node", "return_type": "raw"},
        )
        return explainer(g.x, g.edge_index, edge_attr=g.edge_attr, index=0)

    with pytest.raises(ValueError, match=r"with pairs=True the layers see pairs of nodes.*edge_mask_type=None"):
        explain("object")
    assert explain(None).node_mask.shape == g.x.shape
    assert torch.equal(egat(g.x, g.edge_index, g.edge_attr), before)
