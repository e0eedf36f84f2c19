"""What a training step costs: the graphs, the slopes, and a point measured again."""

from __future__ import annotations

import pytest
import torch

from edgegat import EGAT
from edgegat.nn import egat_conv
from edgegat.ops import edge_attention
from edgegat.ops.star import _naive
from experiments import complexity, results

COMMITTED = results.read(complexity.FILE)


@pytest.fixture
def restored(monkeypatch):
    """Whatever lists the pairs is as it was, afterwards."""
    monkeypatch.setattr(_naive, "list_pairs", _naive.list_pairs)
    monkeypatch.setattr(egat_conv, "edge_attention", egat_conv.edge_attention)


def pairs(kind: str, size: int) -> float:
    return float(complexity.graph_of(kind, size).stars.degree.double().square().sum())


def test_in_one_series_the_pairs_grow_and_in_the_other_the_edges():
    small, large = complexity.graph_of("hub", 100), complexity.graph_of("hub", 5000)
    assert small.num_edges == large.num_edges == 20_000
    assert pairs("hub", 5000) > 25e6 > 100 * pairs("hub", 100)
    for size in (5000, 20_000):
        assert complexity.graph_of("even", size).num_edges == size
        assert pairs("even", size) / size == pytest.approx(10, rel=0.05)


def test_slopes_of_known_powers():
    def point(series, method, size, power):
        return {
            "series": series,
            "method": method,
            "pairs": size**2,
            "edges": size,
            "seconds": size**power,
            "bytes": 7,
        }

    points = [
        point(series, method, size, power)
        for series in ("a hub grows", "edges grow")
        for method, power in (("pairs listed", 2), ("transit", 1), ("star", 1))
        for size in (1, 10, 100, 1000)
    ]
    found = complexity.exponents(points)
    assert found["seconds, a hub grows, against pairs"] == {"pairs listed": 1.0, "transit": 0.5, "star": 0.5}
    assert found["seconds, edges grow, against edges"]["pairs listed"] == 2.0
    assert found["bytes, edges grow, against edges"]["star"] == 0.0


def test_what_is_compared_computes_the_same(restored, monkeypatch):
    """Star and listed pairs are one model: a step from the same weights leaves the same weights."""
    made = []
    monkeypatch.setattr(
        complexity, "EGAT", lambda *args, **kwargs: made.append(EGAT(*args, **kwargs)) or made[-1]
    )
    for method in ("star", "pairs listed"):
        torch.manual_seed(0)
        complexity._steps(complexity.graph_of("even", 300), method)[0]()
    star, listed = (torch.cat([p.detach().flatten() for p in model.parameters()]) for model in made)
    torch.testing.assert_close(star, listed, atol=2e-5, rtol=1e-3)
    assert egat_conv.edge_attention is not edge_attention


@pytest.mark.skipif(not COMMITTED.get("points"), reason="no results are committed")
def test_the_committed_slopes_are_those_of_the_committed_points():
    assert complexity.exponents(COMMITTED["points"]) == COMMITTED["exponents"]


@pytest.mark.skipif(not COMMITTED.get("points"), reason="no results are committed")
def test_a_point_measured_again_takes_the_memory_that_is_committed(restored):
    """Time depends on the machine; memory is held to a third."""
    again = complexity.measure("pairs listed", "hub", 300)
    (row,) = (
        row
        for row in COMMITTED["points"]
        if row["series"] == "a hub grows" and row["method"] == "pairs listed" and row["pairs"] == again["pairs"]
    )
    if again["bytes"] is None:
        pytest.skip("this system does not tell how much memory a process takes")
    assert again["bytes"] == pytest.approx(row["bytes"], rel=0.33)
