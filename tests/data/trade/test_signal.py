"""What tells the classes apart, by cheap baselines on a bank large enough to measure: within about a point."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp

from edgegat.data.trade import generate
from tests.data.trade.baselines import accuracy, boosting, describe, linear, majority


@pytest.fixture(scope="module", params=["trade-b", "trade-m"])
def measured(request):
    rows = describe(generate(request.param, customers=60_000, seed=1))
    boosted = ("risk level", "degree", "structure", "aggregates", "everything")
    score = {known: accuracy(rows, known, boosting()) for known in boosted}
    score |= {known: accuracy(rows, known, linear()) for known in ("sums", "averages", "maxima")}
    return request.param, rows, score


def test_neither_the_attribute_nor_the_structure_tells_anything(measured):
    _, rows, score = measured
    for known in ("risk level", "degree", "structure"):
        assert score[known] < majority(rows) + 1.5, known


def test_degrees_are_drawn_alike_in_every_class(measured):
    _, rows, _ = measured
    degrees = [group["degree"].to_numpy() for _, group in rows.group_by("label", maintain_order=True)]
    for other in degrees[1:]:
        assert ks_2samp(degrees[0], other).pvalue > 0.01


def test_higher_risk_levels_are_a_little_commoner_among_the_reported(measured):
    _, rows, _ = measured
    innocent = (rows["label"] == "cleared").to_numpy()
    level = rows["risk_level"].to_numpy()
    assert 0.05 < level[~innocent].mean() - level[innocent].mean() < 0.3
    assert len(np.unique(level)) == 5


def test_totals_tell_more_in_b_and_averages_in_m(measured):
    name, rows, score = measured
    better, worse = ("sums", "averages") if name == "trade-b" else ("averages", "sums")
    assert score[better] > score[worse] + 4
    assert score[better] > score["maxima"] + 2
    assert score["maxima"] > score[worse] + 1
    assert score[worse] > majority(rows) + 3


def test_aggregates_tell_more_together_and_comparing_relations_tells_yet_more(measured):
    _, _, score = measured
    assert score["aggregates"] > max(score[known] for known in ("sums", "averages", "maxima")) + 2
    assert score["everything"] > score["aggregates"] + 3
    assert score["everything"] < 97  # some are reported by mistake, and some are missed
