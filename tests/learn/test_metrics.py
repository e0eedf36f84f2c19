"""Metrics: against their definitions, against scikit-learn, and where parts lack classes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn import metrics as sk

from edgegat.learn import LearningError, Metrics, measure
from edgegat.learn.metrics import score, top_k
from edgegat.learn.task import Metric


def drawn(classes: int, n: int = 300, seed: int = 0):
    draws = np.random.default_rng(seed)
    y = draws.integers(classes, size=n)
    logits = draws.normal(size=(n, classes)) + 1.2 * np.eye(classes)[y]
    p = np.exp(logits)
    return y, p / p.sum(1, keepdims=True)


@pytest.mark.parametrize("seed", range(3))
def test_two_classes_as_scikit_learn_has_them(seed):
    y, p = drawn(2, seed=seed)
    ours, decided = measure(y, p), p.argmax(1)
    assert ours.accuracy == pytest.approx(sk.accuracy_score(y, decided))
    assert ours.balanced_accuracy == pytest.approx(sk.balanced_accuracy_score(y, decided))
    assert ours.macro_f1 == pytest.approx(sk.f1_score(y, decided, average="macro"))
    assert ours.roc_auc == pytest.approx(sk.roc_auc_score(y, p[:, 1]))
    assert ours.pr_auc == pytest.approx(sk.average_precision_score(y, p[:, 1]))
    assert ours.log_loss == pytest.approx(sk.log_loss(y, p))
    assert ours.brier == pytest.approx(sk.brier_score_loss(y, p[:, 1]))
    assert np.array_equal(ours.confusion, sk.confusion_matrix(y, decided))
    assert ours.precision == pytest.approx(sk.precision_score(y, decided, average=None))
    assert ours.recall == pytest.approx(sk.recall_score(y, decided, average=None))


def test_three_classes_as_scikit_learn_has_them():
    y, p = drawn(3)
    ours = measure(y, p)
    assert ours.roc_auc == pytest.approx(sk.roc_auc_score(y, p, multi_class="ovr"))
    assert ours.pr_auc == pytest.approx(sk.average_precision_score(np.eye(3)[y], p, average="macro"))
    assert ours.macro_f1 == pytest.approx(sk.f1_score(y, p.argmax(1), average="macro"))
    assert ours.log_loss == pytest.approx(sk.log_loss(y, p))
    assert ours.brier == pytest.approx(np.square(p - np.eye(3)[y]).sum(1).mean())


def test_the_other_class_may_be_the_wanted_one():
    y, p = drawn(2)
    first, last = measure(y, p, wanted=0), measure(y, p)
    assert first.roc_auc == pytest.approx(last.roc_auc)
    assert first.pr_auc == pytest.approx(sk.average_precision_score(1 - y, p[:, 0]))
    assert first.top != last.top


def test_a_part_without_one_of_three_classes():
    y, p = drawn(3)
    y, p = y[y != 1], p[y != 1]
    ours = measure(y, p)
    assert ours.recall[1] is None
    assert ours.balanced_accuracy == pytest.approx(np.mean([ours.recall[0], ours.recall[2]]))
    areas = [sk.roc_auc_score(y == c, p[:, c]) for c in (0, 2)]
    assert ours.roc_auc == pytest.approx(np.mean(areas))
    assert ours.macro_f1 == pytest.approx(sk.f1_score(y, p.argmax(1), average="macro"))
    assert len(ours.confusion) == 3


def test_a_part_of_one_class_only():
    _, p = drawn(2, n=20)
    ours = measure(np.ones(20, int), p)
    assert (ours.roc_auc, ours.pr_auc) == (None, None)
    assert ours.accuracy == ours.balanced_accuracy
    nobody = measure(np.zeros(20, int), p)
    assert [(top.precision, top.recall, top.lift) for top in nobody.top] == [(0, 0, 0)] * len(nobody.top)


def test_a_class_nobody_was_decided_for_has_no_precision():
    ours = measure([0, 1, 1], [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]])
    assert ours.precision == (pytest.approx(1 / 3), None)
    assert ours.f1 == (pytest.approx(0.5), 0.0)


def test_decisions_may_differ_from_the_likeliest():
    ours = measure([0, 1], [[0.9, 0.1], [0.8, 0.2]], decided=[0, 1])
    assert (ours.accuracy, ours.roc_auc) == (1.0, 1.0)
    assert ours.log_loss == pytest.approx(-np.log([0.9, 0.2]).mean())


def test_top_k_by_hand():
    wanted = np.array([True, False, True, False, True])
    top = top_k(wanted, [0.9, 0.8, 0.7, 0.6, 0.5], k=3)
    assert (top.precision, top.recall, top.lift) == pytest.approx((2 / 3, 2 / 3, (2 / 3) / (3 / 5)))


def test_top_k_does_not_depend_on_the_order_of_equal_scores():
    draws = np.random.default_rng(0)
    wanted, scores = draws.random(40) < 0.3, draws.integers(4, size=40) / 4
    results = {top_k(wanted[order], scores[order], 13) for order in (draws.permutation(40) for _ in range(10))}
    assert len(results) == 1
    tried = []
    for _ in range(4000):
        order = draws.permutation(40)
        first = order[np.argsort(-scores[order], kind="stable")][:13]
        tried.append(wanted[first].mean())
    assert results.pop().precision == pytest.approx(np.mean(tried), abs=0.01)


def test_sure_and_wrong_is_expensive_but_finite():
    assert measure([0], [[0.0, 1.0]]).log_loss == pytest.approx(-np.log(1e-15))


@pytest.mark.parametrize(
    "metric", ["accuracy", "balanced_accuracy", "macro_f1", "roc_auc", "pr_auc", "log_loss"]
)
@pytest.mark.parametrize("classes", [2, 3])
def test_one_metric_alone_is_the_same(metric: Metric, classes):
    y, p = drawn(classes)
    assert score(metric, y, p) == getattr(measure(y, p), metric)


def test_json_and_back():
    ours = measure(*drawn(3))
    assert Metrics.from_dict(json.loads(json.dumps(ours.to_dict()))) == ours


@pytest.mark.parametrize(
    ("y", "p", "said"),
    [
        ([], np.zeros((0, 2)), r"shape \(0,\)"),
        ([0, 1], [[0.5, 0.5]], r"shape \(2,\) and the probabilities \(1, 2\)"),
        ([0], [[1.0]], "two classes"),
        ([0, 2], [[0.5, 0.5]] * 2, "class 2, but the probabilities are those of 0 to 1"),
        ([-1, 1], [[0.5, 0.5]] * 2, "class -1"),
    ],
)
def test_refusals(y, p, said):
    with pytest.raises(LearningError, match=said):
        measure(y, p)
