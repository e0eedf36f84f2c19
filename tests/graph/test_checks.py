"""Graphs that are not graphs are refused with what is wrong, where, and what to do."""

from __future__ import annotations

import re

import pytest
import torch

from edgegat.graph import EdgeGraph
from tests.graph.draw import columns


def parts(**changes) -> dict:
    """A correct graph of three nodes and two edges, and what a test breaks of it."""
    correct = {
        "x": torch.ones(3, 2),
        "edge_index": columns([(0, 1), (1, 2)]),
        "edge_attr": torch.ones(2, 4),
        "y": torch.tensor([0, 1, -1]),
        "train_mask": torch.tensor([True, False, False]),
        "val_mask": torch.tensor([False, True, False]),
        "test_mask": torch.tensor([False, False, True]),
    }
    return correct | changes


def with_entry(shape: tuple[int, int], row: int, column: int, value: float) -> torch.Tensor:
    t = torch.ones(shape)
    t[row, column] = value
    return t


def refusal(error: type[Exception], **changes) -> str:
    with pytest.raises(error) as raised:
        EdgeGraph(**parts(**changes))
    return str(raised.value)


def test_a_correct_graph_is_taken():
    graph = EdgeGraph(**parts())
    assert (graph.num_nodes, graph.num_edges, graph.num_classes) == (3, 2, 2)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize(("name", "rows"), [("x", 3), ("edge_attr", 2)])
def test_non_finite_features(name, rows, value):
    width = 2 if name == "x" else 4
    features = with_entry((rows, width), 1, 1, value)
    assert refusal(ValueError, **{name: features}) == (
        f"{name}[1, 1] is {value} (1 non-finite values in all): "
        "fill in or remove missing and infinite values first."
    )


def test_the_first_of_many_non_finite_features():
    x = with_entry((3, 2), 2, 0, float("inf"))
    x[1] = float("nan")
    assert refusal(ValueError, x=x).startswith("x[1, 0] is nan (3 non-finite values in all)")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x": torch.ones(3, 2).long()}, r"x is torch.int64, but features must be .*: call x.float\(\)."),
        ({"edge_attr": torch.ones(2, 4).bool()}, r"edge_attr is torch.bool, but .*: call edge_attr.float\(\)."),
        (
            {"edge_attr": torch.ones(2, 4).double()},
            r"edge_attr is torch.float64 and x is torch.float32: convert",
        ),
        (
            {"edge_index": torch.zeros(2, 2).int()},
            r"edge_index holds torch.int32, .*: call edge_index.long\(\).",
        ),
        (
            {"y": torch.zeros(3)},
            r"y is torch.float32, but it must be torch.int64: .* Call y.to\(torch.int64\).",
        ),
        ({"val_mask": torch.ones(3).byte()}, r"val_mask is torch.uint8, .* Call val_mask.to\(torch.bool\)."),
        ({"x": [[1.0]]}, r"x is of type list, but it must be a torch.Tensor."),
        ({"edge_attr": None}, r"edge_attr is of type NoneType, but it must be a torch.Tensor."),
        ({"y": torch.ones(3).numpy()}, r"y is of type ndarray, but it must be a torch.Tensor."),
    ],
)
def test_wrong_types(changes, message):
    assert re.match(message, refusal(TypeError, **changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x": torch.ones(3)}, "x has shape (3,), but it must have two dimensions: one row per node"),
        (
            {"edge_attr": torch.ones(2)},
            "edge_attr has shape (2,), but it must have two dimensions: one row per edge",
        ),
        (
            {"edge_attr": torch.ones(3, 4)},
            "edge_attr has 3 rows, but edge_index has 2 columns: every edge needs",
        ),
        ({"edge_attr": torch.ones(0, 4)}, "edge_attr has 0 rows, but edge_index has 2 columns"),
        (
            {"edge_index": columns([(0, 1), (1, 2)]).t().repeat(2, 1)},
            "edge_index has shape (4, 2), but it must be",
        ),
        ({"y": torch.zeros(4).long()}, "y has shape (4,), but it must be [3]: class numbers from 0, -1 where"),
        ({"y": torch.zeros(3, 1).long()}, "y has shape (3, 1), but it must be [3]"),
        ({"train_mask": torch.ones(2).bool()}, "train_mask has shape (2,), but it must be [3]: True where"),
        (
            {"test_mask": torch.ones(3, 10).bool()},
            "test_mask has shape (3, 10), but it must be [3]: True where",
        ),
        ({"y": torch.tensor([0, -2, 1])}, "y[1] is -2, but classes are numbered from 0, and -1 is unknown."),
    ],
)
def test_wrong_shapes_and_values(changes, message):
    assert refusal(ValueError, **changes).startswith(message)


def test_edges_to_nodes_that_do_not_exist():
    message = refusal(IndexError, edge_index=columns([(0, 1), (3, 2)]))
    assert message.startswith("edge_index[0, 1] is 3, but the graph has 3 nodes, numbered 0 to 2. Add the")


@pytest.mark.parametrize("name", ["edge_index", "edge_attr", "y", "train_mask", "val_mask", "test_mask"])
def test_tensors_on_two_devices(name):
    message = refusal(ValueError, **{name: parts()[name].to("meta")})
    assert message == f"{name} is on meta, but x is on cpu."
