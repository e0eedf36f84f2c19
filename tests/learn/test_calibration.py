"""Calibrated probabilities mean what they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from edgegat.learn import Calibration, TrainingOptions, calibrate, fit, measure, reliability
from tests.learn.graphs import edges_decide
from tests.learn.test_fit import SMALL


def drawn(temperature: float, n: int = 40_000, classes: int = 3, seed: int = 0, prior=None):
    """Logits whose softmax at 1/temperature is the truth the labels are drawn from."""
    draws = np.random.default_rng(seed)
    z = draws.normal(scale=2.0, size=(n, classes))
    p = Calibration(weights=prior).probabilities(z)
    y = (p.cumsum(1) < draws.random((n, 1))).sum(1)
    return z * temperature, y


@pytest.mark.parametrize("temperature", [0.3, 1.0, 4.0])
def test_the_temperature_is_found(temperature):
    assert calibrate(*drawn(temperature)).temperature == pytest.approx(temperature, rel=0.03)


def test_no_other_temperature_is_likelier():
    z, y = drawn(2.5, n=400)
    found = calibrate(z, y).temperature

    def loss(temperature):
        given = 3 / (len(y) + 3)
        targets = (1 - given) * np.eye(3)[y] + given / 3
        return float(-(targets * np.log(Calibration(temperature).probabilities(z))).sum())

    assert loss(found) <= min(loss(found * factor) for factor in (0.9, 0.99, 1.01, 1.1))


def test_the_frequencies_of_the_data_come_back():
    weights = (0.6, 1.0, 6.0)
    z, y = drawn(2.0, prior=weights)
    calibration = calibrate(z, y, weights)
    assert calibration.temperature == pytest.approx(2.0, rel=0.05)
    p = calibration.probabilities(z)
    assert p.mean(0) == pytest.approx(np.bincount(y) / len(y), abs=0.01)
    without = calibrate(z, y).probabilities(z)
    assert abs(without.mean(0)[2] - (y == 2).mean()) > 0.1


def test_a_model_trained_with_class_weights_gives_the_frequencies_of_the_data():
    graph = edges_decide(nodes=480, noise=3.0)
    assert graph.y is not None
    hidden = graph.y.bool() & (torch.arange(480) % 12 > 3)
    graph = replace(graph, y=graph.y.masked_fill(hidden, -1))
    options = TrainingOptions(epochs=40, metric="log_loss", class_weights="balanced")
    fitted = fit(graph, SMALL, options)
    labelled = graph.y >= 0
    truth = float((graph.y[labelled] == 1).float().mean())
    says = fitted.calibration.probabilities(fitted.logits[labelled])[:, 1].mean()
    weighted = float(fitted.logits[labelled].softmax(1)[:, 1].mean())
    assert truth < 0.3
    assert says == pytest.approx(truth, abs=0.06)
    assert weighted > truth + 0.12


def test_a_few_right_answers_do_not_make_it_infallible():
    z = np.array([[3.0, 0.0], [0.0, 3.0]] * 5)
    calibration = calibrate(z, [0, 1] * 5)
    assert calibration.probabilities(z).max() < 0.95
    assert calibrate(np.zeros((0, 2)), []).temperature == 1.0


def test_ranks_do_not_change():
    z, y = drawn(3.0, n=500, classes=2)
    before, after = measure(y, Calibration().probabilities(z)), measure(y, calibrate(z, y).probabilities(z))
    assert after.roc_auc == pytest.approx(before.roc_auc)
    assert after.accuracy == before.accuracy
    assert after.log_loss < before.log_loss
    assert after.brier < before.brier


def test_the_curve_of_a_calibrated_model_is_the_diagonal():
    z, y = drawn(3.0, classes=2)
    raw, calibrated = (
        reliability(y == 1, p[:, 1]) for p in (Calibration().probabilities(z), calibrate(z, y).probabilities(z))
    )
    assert calibrated.error < 0.01
    assert raw.error > 0.08
    assert sum(calibrated.counts) == len(y)
    for predicted, observed, count in zip(
        calibrated.predicted, calibrated.observed, calibrated.counts, strict=True
    ):
        assert abs(predicted - observed) < 4 * np.sqrt(0.25 / count)


def test_bins_hold_their_edges():
    curve = reliability([True, False, True], [0.0, 0.1, 1.0])
    assert curve.counts == (1, 1, 0, 0, 0, 0, 0, 0, 0, 1)
    assert curve.error == pytest.approx((1.0 + 0.1 + 0.0) / 3)
