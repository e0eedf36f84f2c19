"""Mean, standard deviation and Student's interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from edgegat.learn import Repeats, repeat


def test_against_scipy():
    values = np.random.default_rng(0).normal(0.9, 0.02, size=7)
    ours = Repeats(tuple(values))
    assert ours.mean == pytest.approx(values.mean())
    assert ours.std == pytest.approx(values.std(ddof=1))
    theirs = stats.t.interval(0.95, 6, loc=values.mean(), scale=stats.sem(values))
    assert ours.interval == pytest.approx(theirs)


def test_the_interval_holds_the_truth_95_times_in_100():
    draws = np.random.default_rng(1)
    held = [
        low < 0.9 < high
        for low, high in (Repeats(tuple(draws.normal(0.9, 0.02, size=4))).interval for _ in range(2000))
    ]
    assert np.mean(held) == pytest.approx(0.95, abs=0.015)


def test_one_value_has_no_spread():
    one = Repeats((0.9,))
    assert (one.mean, one.std, one.interval, str(one)) == (0.9, None, None, "0.900")


def test_runs_without_a_value_are_left_out():
    some = Repeats((0.8, None, math.nan, 0.9))
    assert some.known == (0.8, 0.9)
    assert some.mean == pytest.approx(0.85)
    assert str(Repeats((None,))) == "no value"
    assert Repeats((None,)).to_dict() == {"values": (None,), "mean": None, "std": None, "interval": None}


def test_repeat_gathers_by_name():
    seen = []

    def run(seed):
        seen.append(seed)
        return {"accuracy": seed / 10} | ({"roc_auc": 1.0} if seed else {})

    result = repeat(run, [0, 4])
    assert seen == [0, 4]
    assert result["accuracy"].values == (0.0, 0.4)
    assert result["roc_auc"].values == (None, 1.0)
