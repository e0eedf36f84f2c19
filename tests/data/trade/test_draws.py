"""Random numbers from raw bits and exact operations."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from edgegat.data.trade._draws import Draws, exp


def test_bell_is_nearly_normal():
    drawn = Draws(1).bell(200_000)
    assert abs(drawn.mean()) < 0.01
    assert abs(drawn.std() - 1) < 0.01
    assert np.abs(drawn).max() < 3.5
    assert kstest(drawn, "norm").statistic < 0.02


def test_uniform_fills_the_interval():
    drawn = Draws(2).uniform(100_000)
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert kstest(drawn, "uniform").statistic < 0.01
    assert set(Draws(3).below(1_000, 7)) == set(range(7))


def test_shuffled_is_a_permutation():
    order = Draws(4).shuffled(1_000)
    assert sorted(order) == list(range(1_000))
    assert abs(np.corrcoef(order, np.arange(1_000))[0, 1]) < 0.1


@given(st.integers(0, 200), st.lists(st.floats(0.01, 1), min_size=1, max_size=6))
def test_shares_hold_to_within_one(size, shares):
    dealt = np.bincount(Draws(5).share_out(size, tuple(shares)), minlength=len(shares))
    assert dealt.sum() == size
    for share, count in zip(shares, dealt, strict=True):
        assert abs(count - size * share / math.fsum(shares)) <= 1 + 1e-9


def test_exp_is_the_exponential():
    x = np.linspace(-30, 30, 10_001)
    assert np.abs(exp(x) / np.exp(x) - 1).max() < 5e-15


def test_keys_make_independent_streams():
    streams = [Draws(0, 1).uniform(10_000), Draws(0, 2).uniform(10_000), Draws(1, 1).uniform(10_000)]
    assert np.abs(np.corrcoef(streams) - np.eye(3)).max() < 0.05
