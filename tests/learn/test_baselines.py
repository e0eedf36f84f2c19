"""The baselines see what they should see, and are as good as they can be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info

from edgegat import EdgeGraph
from edgegat.learn import ModelOptions, TrainingInterrupted, TrainingOptions, boosting, plain_gat
from edgegat.learn.aggregates import incident_aggregates
from edgegat.learn.device import threads_for
from tests.learn.graphs import edges_decide
from tests.learn.test_checkpoint import stop_after


def accuracy(baseline, graph) -> float:
    return float((baseline.logits.argmax(1) == graph.y)[graph.test_mask].float().mean())


def test_aggregates_against_loops():
    draws = torch.Generator().manual_seed(0)
    edge_index = torch.cat([torch.randint(8, (2, 30), generator=draws), torch.tensor([[3, 3], [3, 3]])], 1)
    graph = EdgeGraph(torch.ones(10, 1), edge_index, torch.randn(32, 2, generator=draws))
    columns, names = incident_aggregates(graph, ["amount", "number"])
    assert columns.shape == (10, 33) == (10, len(names))
    assert len(set(names)) == 33
    values, (source, target) = graph.edge_attr.double().numpy(), edge_index.numpy()
    for node in range(10):
        for way, rows in {
            "out": source == node,
            "in": target == node,
            "both": (source == node) | (target == node),
        }.items():
            assert columns[node, names.index(f"edges {way}")] == rows.sum()
            for number, name in enumerate(("amount", "number")):
                here = values[rows, number]
                for statistic in ("sum", "mean", "min", "max", "std"):
                    found = columns[node, names.index(f"{name} {way} {statistic}")]
                    if len(here):
                        assert found == pytest.approx(getattr(here, statistic)(), abs=1e-12)
                    else:
                        assert np.isnan(found)


def test_boosting_learns_what_edges_decide_and_a_gat_cannot():
    graph = edges_decide(nodes=120)
    assert accuracy(boosting(graph), graph) > 0.9
    assert accuracy(plain_gat(graph, training_options=TrainingOptions(epochs=30)), graph) < 0.7


def test_a_gat_learns_what_nodes_decide():
    graph = edges_decide(nodes=60)
    assert graph.y is not None
    graph = replace(graph, x=torch.stack([graph.y.float(), torch.ones(60)], 1))
    assert accuracy(plain_gat(graph, training_options=TrainingOptions(epochs=40)), graph) > 0.9


def test_no_baseline_sees_labels_of_other_parts():
    graph = edges_decide()
    assert graph.y is not None
    scrambled = replace(graph, y=torch.where(graph.test_mask, 1 - graph.y, graph.y))
    for baseline in (boosting, lambda g: plain_gat(g, training_options=TrainingOptions(epochs=5))):
        assert torch.equal(baseline(graph).logits, baseline(scrambled).logits)


def test_edge_features_do_not_reach_the_gat():
    graph = edges_decide()
    other = replace(graph, edge_attr=torch.randn_like(graph.edge_attr))
    options = TrainingOptions(epochs=5)
    one, two = (plain_gat(g, training_options=options).logits for g in (graph, other))
    assert torch.equal(one, two)


def test_the_same_every_time():
    graph, options = edges_decide(), TrainingOptions(epochs=5, seed=2)
    for baseline in (lambda: boosting(graph, options), lambda: plain_gat(graph, None, options)):
        first = baseline()
        torch.manual_seed(99)
        assert torch.equal(first.logits, baseline().logits)


def test_classes_without_a_training_node():
    graph = edges_decide(nodes=90, classes=3)
    assert graph.y is not None
    assert graph.train_mask is not None
    graph = replace(graph, train_mask=graph.train_mask & (graph.y != 1))
    baseline = boosting(graph, num_classes=3)
    assert baseline.logits.shape == (90, 3)
    assert not (baseline.logits.argmax(1) == 1).any()


def test_a_few_labels_are_divided_too():
    graph = edges_decide(nodes=40, noise=0.1)
    baseline = boosting(graph, TrainingOptions(class_weights="balanced"))
    assert accuracy(baseline, graph) > 0.8


def test_a_gat_that_is_stopped_goes_on(tmp_path):
    graph, sizes = edges_decide(), ModelOptions(heads=2, dropout=0.3)
    options = TrainingOptions(epochs=8)
    whole = plain_gat(graph, sizes, options)
    with pytest.raises(TrainingInterrupted):
        plain_gat(graph, sizes, options, checkpoints=tmp_path, progress=stop_after(3))
    resumed = plain_gat(graph, sizes, options, checkpoints=tmp_path, resume=True)
    assert torch.equal(resumed.logits, whole.logits)


def test_small_work_gets_one_thread_and_large_work_all_of_them():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with threads_for(100):
            assert torch.get_num_threads() == 1
            assert {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "openmp"} == {1}
        assert torch.get_num_threads() == 2
        with threads_for(1_000_000):
            assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
