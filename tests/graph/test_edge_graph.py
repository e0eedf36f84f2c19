"""EdgeGraph: what it is, and what it becomes."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError

import pytest
import torch

from edgegat.graph import EdgeGraph, Stars, add_virtual_self_loops
from tests.graph.draw import columns

PAIRS = [(2, 0), (0, 1), (1, 0), (3, 3)]  # an edge, two parallel ones, a self-loop; node 4 is isolated


def graph(**changes) -> EdgeGraph:
    parts = {
        "x": torch.arange(10.0).reshape(5, 2),
        "edge_index": columns(PAIRS),
        "edge_attr": torch.arange(4.0).unsqueeze(1),
        "y": torch.tensor([0, 2, -1, 1, -1]),
        "train_mask": torch.tensor([True, True, False, False, False]),
        "note": "made by hand",
    }
    return EdgeGraph(**(parts | changes))


def test_sizes():
    g = graph()
    assert (g.num_nodes, g.num_edges, g.num_classes) == (5, 4, 3)
    assert repr(g) == "EdgeGraph(num_nodes=5, num_edges=4, node_features=2, edge_features=1, labelled=3)"
    assert repr(graph(y=None)) == "EdgeGraph(num_nodes=5, num_edges=4, node_features=2, edge_features=1)"


@pytest.mark.parametrize(("y", "classes"), [(None, 0), ([-1] * 5, 0), ([0] * 5, 1), ([4, -1, -1, -1, 0], 5)])
def test_number_of_classes(y, classes):
    assert graph(y=y if y is None else torch.tensor(y)).num_classes == classes


def test_graphs_are_immutable_and_compared_by_identity():
    g = graph()
    with pytest.raises(FrozenInstanceError):
        g.x = torch.zeros(5, 2)
    assert g != graph()
    assert len({g, g}) == 1


def test_stars_are_built_once():
    g = graph()
    assert g.stars is g.stars
    assert torch.equal(g.stars.slot, Stars.build(columns(PAIRS), 5).slot)
    assert g.with_virtual_self_loops().stars.num_edges == 4 + 4


def test_virtual_self_loops_stand_behind_the_edges_of_the_user():
    g = graph()
    looped = g.with_virtual_self_loops()
    edge_index, edge_attr = add_virtual_self_loops(g.edge_index, g.edge_attr, 5)
    assert torch.equal(looped.edge_index, edge_index)
    assert torch.equal(looped.edge_attr, edge_attr)
    assert torch.equal(looped.edge_index[:, :4], g.edge_index)
    assert looped.edge_index[0, 4:].tolist() == [0, 1, 2, 4]
    assert looped.edge_attr[4:].flatten().tolist() == [1.0, 1.5, 0.0, 0.0]
    assert looped.y is g.y
    assert looped.train_mask is g.train_mask
    assert looped.note == "made by hand"
    assert g.num_edges == 4


def test_topological_feature_is_one_more_column():
    g = graph().with_topological_edge_feature()
    assert g.edge_attr.tolist() == [[0.0, 2.0], [1.0, 2.0], [2.0, 2.0], [3.0, 0.0]]
    assert graph(edge_attr=torch.zeros(4, 0)).with_topological_edge_feature().edge_attr.shape == (4, 1)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_the_type_of_the_features_stays(dtype):
    g = graph(x=torch.ones(5, 2, dtype=dtype), edge_attr=torch.ones(4, 1, dtype=dtype))
    made = g.with_topological_edge_feature().with_virtual_self_loops()
    assert made.edge_attr.dtype == dtype


def test_to_a_device_and_back():
    g = graph()
    moved = g.to("cpu")
    assert moved is not g
    for name in ("x", "edge_index", "edge_attr", "y", "train_mask"):
        assert torch.equal(getattr(moved, name), getattr(g, name)), name
    assert moved.val_mask is None
    assert moved.note == g.note


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_everything_works_on_a_gpu():
    there = graph().to("cuda").with_topological_edge_feature().with_virtual_self_loops()
    here = graph().with_topological_edge_feature().with_virtual_self_loops()
    assert there.stars.device.type == there.y.device.type == there.train_mask.device.type == "cuda"
    assert torch.equal(there.edge_index.cpu(), here.edge_index)
    assert torch.equal(there.edge_attr.cpu(), here.edge_attr)
    again = EdgeGraph.from_pyg(there.to_pyg())
    assert again.x.device.type == "cuda"
    assert again.num_edges == here.num_edges


@pytest.mark.parametrize("num_nodes", [0, 3])
def test_a_graph_without_edges(num_nodes):
    g = EdgeGraph(torch.zeros(num_nodes, 2), columns([]), torch.zeros(0, 1), y=torch.zeros(num_nodes).long())
    assert (g.num_nodes, g.num_edges, g.num_classes) == (num_nodes, 0, min(num_nodes, 1))
    assert g.with_topological_edge_feature().edge_attr.shape == (0, 2)
    assert g.with_virtual_self_loops().num_edges == num_nodes


def test_graph_imports_without_pyg():
    code = (
        "import sys; sys.modules['torch_geometric'] = None; import torch, edgegat.graph as graph; "
        "g = graph.EdgeGraph(torch.eye(2), torch.tensor([[0], [1]]), torch.ones(1, 1)); "
        "print(g.with_topological_edge_feature().with_virtual_self_loops().num_edges, "
        "[m for m in ('torch_geometric', 'numba', 'polars', 'pydantic') if sys.modules.get(m)])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.strip() == "3 []", ran.stderr
