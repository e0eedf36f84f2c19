"""Training on tensors: it learns, it stops in time, and it does the same every time."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

from edgegat import EdgeGraph
from edgegat.learn import LearningError, ModelOptions, TrainingOptions, fit
from tests.learn.graphs import edges_decide

SMALL = ModelOptions(heads=2, hidden_channels=4, edge_hidden_channels=4, dropout=0.2)


def same_bits(one, other) -> bool:
    a, b = one.model.state_dict(), other.model.state_dict()
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("classes", [2, 3])
def test_it_learns_what_edges_decide(classes):
    graph = edges_decide(nodes=90, classes=classes)
    fitted = fit(graph, SMALL, TrainingOptions(epochs=80))
    right = (fitted.logits.argmax(1) == graph.y)[graph.test_mask]
    assert float(right.float().mean()) > 0.9
    assert fitted.logits.shape == (90, classes)
    assert not fitted.model.training


def test_same_seed_same_bits_and_nobody_elses_randomness():
    graph, options = edges_decide(), TrainingOptions(epochs=12, seed=3)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    once = fit(graph, SMALL, options)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    again = fit(graph, SMALL, options)
    assert same_bits(once, again)
    assert once.history == again.history
    assert torch.equal(once.logits, again.logits)
    assert not same_bits(once, fit(graph, SMALL, replace(options, seed=4)))


def test_same_bits_in_another_process():
    code = (
        "import torch; torch.set_num_threads(1)\n"
        "from edgegat.learn import TrainingOptions, fit\n"
        "from tests.learn.graphs import edges_decide\n"
        "fitted = fit(edges_decide(), training_options=TrainingOptions(epochs=5))\n"
        "print(fitted.history.train_loss[-1].hex(), float(fitted.logits.double().sum()).hex())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    fitted = fit(edges_decide(), training_options=TrainingOptions(epochs=5))
    torch.set_num_threads(threads)
    loss, total = run.stdout.split()
    assert loss == fitted.history.train_loss[-1].hex()
    assert total == float(fitted.logits.double().sum()).hex()


def test_the_kept_weights_are_those_of_the_best_epoch():
    graph = edges_decide(noise=1.5)
    fitted = fit(graph, SMALL, TrainingOptions(epochs=60, learning_rate=0.05, metric="accuracy"))
    history = fitted.history
    assert history.best_epoch < 60
    found = fitted.task.validate(fitted.logits[fitted.task.val])
    assert found.metric == found.accuracy == pytest.approx(history.best)
    assert found.loss == pytest.approx(history.val_loss[history.best_epoch - 1], rel=1e-5)
    assert found.metric == max(history.val_metric)
    with_it = [v for m, v in zip(history.val_metric, history.val_loss, strict=True) if m == found.metric]
    assert history.val_loss[history.best_epoch - 1] == min(with_it)


def test_the_smallest_log_loss_is_the_best():
    fitted = fit(edges_decide(noise=1.5), SMALL, TrainingOptions(epochs=40, metric="log_loss"))
    assert fitted.history.best == min(fitted.history.val_metric)


def test_patience_ends_it():
    fitted = fit(edges_decide(noise=3.0), SMALL, TrainingOptions(epochs=500, patience=5, learning_rate=0.05))
    assert fitted.history.ended == "patience"
    assert fitted.history.epochs == fitted.history.best_epoch + 5


def test_without_validation_the_last_weights_are_kept():
    graph = replace(edges_decide(), val_mask=None)
    fitted = fit(graph, SMALL, TrainingOptions(epochs=7))
    assert (fitted.history.best_epoch, fitted.history.ended) == (7, "epochs")
    assert fitted.history.val_metric == [None] * 7
    assert fitted.calibration.temperature == 1.0


def test_labels_of_other_parts_are_not_seen():
    graph = edges_decide()
    assert graph.y is not None
    hidden = replace(graph, y=graph.y.masked_fill(graph.test_mask, -1))
    scrambled = replace(graph, y=torch.where(graph.test_mask, 1 - graph.y, graph.y))
    options = TrainingOptions(epochs=10)
    runs = [fit(g, SMALL, options) for g in (graph, hidden, scrambled)]
    assert same_bits(runs[0], runs[1])
    assert same_bits(runs[0], runs[2])


def test_class_weights_count_every_class_alike():
    graph = edges_decide(nodes=120)
    assert graph.y is not None
    rare = graph.y.bool() & (torch.arange(120) % 10 > 1)
    graph = replace(graph, y=graph.y.masked_fill(rare, -1))
    fitted = fit(graph, SMALL, TrainingOptions(epochs=2, class_weights="balanced"))
    task = fitted.task
    cost = task.weights[task.y[task.train]]
    per_class = [float(cost[task.y[task.train] == c].sum()) for c in (0, 1)]
    assert per_class[0] == pytest.approx(per_class[1])
    assert float(task.weights.max()) > 2
    plain = fit(graph, SMALL, TrainingOptions(epochs=2, class_weights="none"))
    assert plain.task.weights.tolist() == [1.0, 1.0]
    assert not same_bits(fitted, plain)


def test_l2_and_clipping_reach_the_optimizer():
    graph = edges_decide()
    plain, decayed, clipped = (
        fit(graph, replace(SMALL, dropout=0.0), TrainingOptions(epochs=30, metric="log_loss", **options))
        for options in ({"weight_decay": 0.0}, {"weight_decay": 0.1}, {"weight_decay": 0.0, "clip": 1e-4})
    )

    def size(fitted):
        return float(sum(p.detach().square().sum() for p in fitted.model.parameters()))

    assert size(decayed) < 0.8 * size(plain)
    assert not same_bits(plain, clipped)


def test_schedules_change_the_learning_rate():
    graph = edges_decide(noise=3.0)
    rates = {
        schedule: fit(
            graph, SMALL, TrainingOptions(epochs=30, patience=30, learning_rate=0.08, schedule=schedule)
        ).history.learning_rate
        for schedule in ("none", "cosine", "plateau")
    }
    assert set(rates["none"]) == {0.08}
    assert rates["cosine"][0] == 0.08
    assert rates["cosine"][15] == pytest.approx(0.04)
    assert rates["cosine"][-1] < 0.001
    assert rates["plateau"] == sorted(rates["plateau"], reverse=True)
    assert 0.04 in rates["plateau"]


def test_progress_tells_every_epoch():
    told = []
    fit(edges_decide(), SMALL, TrainingOptions(epochs=3), progress=lambda *step: told.append(step))
    assert [step[1:] for step in told] == [(1, 3), (2, 3), (3, 3)]
    assert all(
        re.fullmatch(r"EGAT: validation accuracy \d\.\d{3}, best [a-z ]+ \d\.\d{3} in epoch \d+", step[0])
        for step in told
    )


def broken(**change) -> EdgeGraph:
    return replace(edges_decide(), **change)


@pytest.mark.parametrize(
    ("graph", "options", "said"),
    [
        (broken(y=None), {}, "no labels y"),
        (broken(train_mask=torch.zeros(60, dtype=torch.bool)), {}, "0 labelled nodes of 0 classes"),
        (broken(y=torch.zeros(60, dtype=torch.long)), {}, "of 1 class:"),
        (
            broken(val_mask=torch.arange(60) == 0),
            {"metric": "roc_auc"},
            "all 1 validation nodes are of one class, so it has no value. Choose metric='accuracy'",
        ),
        (broken(), {"device": "cuda:7"}, "device is 'cuda:7', but here there is only 'cpu'"),
        (broken(), {"device": "toaster"}, "device is 'toaster', but here"),
        (broken(), {"backend": "triton"}, "'triton', which does not work for tensors on cpu"),
        (broken(), {"learning_rate": 10.0}, "the loss became"),
    ],
)
def test_refusals(graph, options, said):
    if options.get("learning_rate"):
        graph = replace(graph, edge_attr=graph.edge_attr * 1e30)
    with pytest.raises(LearningError, match=f"(?s).*{said}"):
        fit(graph, SMALL, TrainingOptions(epochs=50, **options))


def test_graphs_without_features_or_without_edges():
    graph = edges_decide()
    no_features = replace(graph, x=torch.zeros(60, 0), edge_attr=torch.zeros(180, 0))
    no_edges = replace(graph, edge_index=torch.zeros(2, 0, dtype=torch.long), edge_attr=torch.zeros(0, 2))
    for odd in (no_features, no_edges):
        assert fit(odd, SMALL, TrainingOptions(epochs=2)).logits.isfinite().all()


def test_mixed_precision_on_a_cpu_changes_nothing():
    graph = edges_decide()
    plain, mixed = (fit(graph, SMALL, TrainingOptions(epochs=5, mixed_precision=on)) for on in (False, True))
    assert same_bits(plain, mixed)


def test_learning_needs_neither_polars_nor_pydantic():
    code = (
        "import sys\n"
        "from edgegat.learn import TrainingOptions, fit, measure, predict\n"
        "from tests.learn.graphs import edges_decide\n"
        "graph = edges_decide()\n"
        "fitted = fit(graph, training_options=TrainingOptions(epochs=1))\n"
        "measure(graph.y, predict(fitted.model, graph).probabilities)\n"
        "print([name for name in ('polars', 'pydantic', 'torch_geometric', 'matplotlib') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
