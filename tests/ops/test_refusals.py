"""What the operations refuse, and what they say then. All backends hear the same, so ``auto`` is enough."""

from __future__ import annotations

import re

import pytest
import torch

from edgegat.graph import Stars
from edgegat.ops import at_incidences, node_attention, star_attention
from tests.ops.graphs import node_inputs, star_inputs

STARS = Stars.build(torch.tensor([[0, 1, 1], [1, 2, 1]]), num_nodes=4)  # N = 4, M = 3, I = 5

SHAPES = [
    (star_attention, "query", (3, 2), "[5, K]: one row per incidence, one column per head"),
    (star_attention, "key", (5, 1), "[5, 2]: one row per incidence, one column per head"),
    (star_attention, "value", (3, 6), "[3, 2, F]: one row per edge, then heads, then channels"),
    (star_attention, "self_logit", (5, 2), "[3, 2]: one row per edge, one column per head"),
    (node_attention, "query", (4,), "[4, K]: one row per node, one column per head"),
    (node_attention, "key", (3, 2), "[4, 2]: one row per node, one column per head"),
    (node_attention, "edge_logit", (5, 2), "[3, 2]: one row per edge, one column per head"),
    (node_attention, "node_value", (4, 1, 3), "[4, 2, F]: one row per node, then heads, then channels"),
    (node_attention, "edge_value", (4, 2, 3), "[3, 2, F']: one row per edge, then heads, then channels"),
    (node_attention, "keep", (3, 2), "[5, 2]: one row per incidence"),
    (at_incidences, "per_edge", (4, 2), "[3, K]: one row per edge, one column per head"),
    (at_incidences, "per_node", (4, 3), "[4, 2]: one row per node, one column per head"),
]


def good_inputs(operation) -> dict[str, torch.Tensor]:
    if operation is star_attention:
        return star_inputs(STARS, 2, 3)
    if operation is node_attention:
        return node_inputs(STARS, 2, 3)
    return {"per_edge": torch.zeros(3, 2).double(), "per_node": torch.zeros(4, 2).double()}


def every_input():
    return [pytest.param(op, name, id=f"{op.__name__}-{name}") for op, name, _, _ in SHAPES]


@pytest.mark.parametrize(("operation", "name", "shape", "wanted"), SHAPES)
def test_a_wrong_shape_is_named_beside_the_right_one(operation, name, shape, wanted):
    wrong = good_inputs(operation) | {name: torch.zeros(shape, dtype=torch.float64)}
    message = re.escape(f"{name} has shape {shape}, but it must be {wanted}.")
    with pytest.raises(ValueError, match=f"^{message}$"):
        operation(**wrong, stars=STARS)


@pytest.mark.parametrize(("operation", "name"), every_input())
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64], ids=str)
def test_mixed_types_are_named(operation, name, dtype):
    inputs = good_inputs(operation)
    wrong = inputs | {name: inputs[name].to(dtype)}
    with pytest.raises(
        TypeError, match=r"is torch\.float64.*one floating-point type|is torch\.int64"
    ) as refusal:
        operation(**wrong, stars=STARS)
    assert str(dtype) in str(refusal.value)
    assert "all must be of one floating-point type." in str(refusal.value)


@pytest.mark.parametrize(("operation", "name"), every_input())
def test_two_devices_are_named(operation, name):
    inputs = good_inputs(operation)
    elsewhere = inputs | {name: inputs[name].to("meta")}
    with pytest.raises(ValueError, match=r"is on (cpu|meta), but \w+ is on (cpu|meta)\.$"):
        operation(**elsewhere, stars=STARS)


@pytest.mark.parametrize("slope", [-0.01, 1.01, float("nan")])
def test_a_slope_outside_zero_to_one_is_refused_by_the_edge_block(slope):
    message = re.escape(f"negative_slope is {slope}, but it must be between 0 and 1")
    with pytest.raises(ValueError, match=message):
        star_attention(**star_inputs(STARS, 2, 3), stars=STARS, negative_slope=slope)


@pytest.mark.parametrize("operation", [star_attention, node_attention, at_incidences])
def test_an_unknown_backend_is_refused(operation):
    with pytest.raises(ValueError, match="backend is 'cuda', but it must be one of 'auto', 'naive', 'torch'"):
        operation(**good_inputs(operation), stars=STARS, backend="cuda")
