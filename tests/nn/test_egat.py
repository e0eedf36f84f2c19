"""The model: what it adds to its layers, and that it works inside torch and PyG."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest
import torch
from torch.export import Dim
from torch_geometric.data import Data
from torch_geometric.explain import Explainer, GNNExplainer

from edgegat import EGAT, EdgeGraph
from edgegat.ops import available_backends, record_kernels

N, M = 14, 25


def graph(seed=0, num_nodes=N, num_edges=M, dtype=torch.float32) -> EdgeGraph:
    g = torch.Generator().manual_seed(seed)
    return EdgeGraph(
        x=torch.randn(num_nodes, 3, generator=g, dtype=dtype),
        edge_index=torch.randint(num_nodes, (2, num_edges), generator=g),
        edge_attr=torch.randn(num_edges, 2, generator=g, dtype=dtype),
    )


def model(**options) -> EGAT:
    torch.manual_seed(0)
    return EGAT(in_channels=3, edge_dim=2, out_channels=4, **options)


def columns(g: EdgeGraph) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return g.x, g.edge_index, g.edge_attr


def test_virtual_self_loops_are_added_once():
    g, egat = graph(), model()
    looped = g.with_virtual_self_loops()
    logits = egat(*columns(g))
    assert logits.shape == (N, 4)
    assert torch.equal(logits, egat(looped.x, looped.stars, looped.edge_attr))
    assert torch.equal(logits, egat(*columns(looped)))


def test_stars_are_taken_as_they_are():
    g, egat = graph(), model()
    assert not torch.allclose(egat(g.x, g.stars, g.edge_attr), egat(*columns(g)))


def test_what_nobody_reads_is_not_computed():
    with record_kernels() as ran:
        model(num_layers=3, backend="torch")(*columns(graph()))
    assert ran.count("node/torch") == 3
    assert ran.count("star/torch") == 2


@pytest.mark.parametrize("edge_attention", ["star", "transit"])
def test_every_parameter_is_trained(edge_attention):
    egat = model(num_layers=3, edge_attention=edge_attention).double()
    egat(*columns(graph(dtype=torch.float64))).square().sum().backward()
    for name, parameter in egat.named_parameters():
        assert parameter.grad is not None, name
        assert float(parameter.grad.abs().max()) > 0, name


def test_stacks_are_independent_until_the_merge():
    g, egat = graph(), model(num_layers=3, heads=2)
    before = egat.embed(*columns(g)).nodes
    with torch.no_grad():
        for layer in egat.layers:
            layer.W_H[1] += 1.0
    after = egat.embed(*columns(g)).nodes
    half = before.size(1) // 2
    assert torch.equal(before[:, :half], after[:, :half])
    assert not torch.allclose(before[:, half:], after[:, half:])


def test_embeddings_are_what_the_merge_layer_and_the_last_layer_read():
    g, egat = graph(), model()
    nodes, edges = egat.embed(*columns(g))
    torch.testing.assert_close(egat.merge(nodes), egat(*columns(g)))
    looped = g.with_virtual_self_loops()
    _, e, _ = egat.layers[0](looped.x, looped.stars, looped.edge_attr)
    torch.testing.assert_close(edges, egat.layers[1].project(e[:M], egat.layers[1].W_E).flatten(1))


def test_edge_embeddings_are_trained():
    egat = model()
    egat(*columns(graph())).sum().backward()
    assert float(egat.layers[-1].W_E.grad.abs().max()) > 0


def test_attention_of_every_layer():
    g, egat = graph(), model(num_layers=3)
    logits, attentions = egat(*columns(g), return_attention_weights=True)
    assert torch.equal(logits, egat(*columns(g)))
    looped = g.with_virtual_self_loops()
    for attention in attentions:
        assert attention.stars.num_edges == looped.num_edges
        sums = torch.zeros(N, 8).index_add(0, attention.stars.node, attention.alpha)
        torch.testing.assert_close(sums, torch.ones(N, 8))
    assert attentions[0].beta(torch.tensor([0])).weight.shape[1] == 8


def test_renaming_nodes_and_reordering_edges_changes_nothing():
    g, egat = graph(dtype=torch.float64), model().double()
    new_name, order = torch.randperm(N), torch.randperm(M)
    flipped = g.edge_index.clone()
    flipped[:, ::2] = flipped[:, ::2].flip(0)
    x = torch.empty_like(g.x)
    x[new_name] = g.x
    torch.testing.assert_close(
        egat(x, new_name[flipped][:, order], g.edge_attr[order])[new_name],
        egat(*columns(g)),
        rtol=1e-9,
        atol=1e-9,
    )


@pytest.mark.parametrize("num_edges", [0, 1])
def test_hardly_any_edges(num_edges):
    g = graph(num_edges=num_edges)
    logits = model()(*columns(g))
    assert bool(logits.isfinite().all())
    logits.sum().backward()


def test_edges_without_features():
    egat = EGAT(in_channels=3, edge_dim=0, out_channels=2)
    g = graph()
    assert egat(g.x, g.edge_index, g.x.new_zeros(M, 0)).shape == (N, 2)


@pytest.mark.parametrize("backend", available_backends())
def test_state_dicts_load_across_backends(backend, tmp_path):
    torch.save(model(backend="naive").state_dict(), tmp_path / "weights.pt")
    egat = EGAT(3, 2, 4, backend=backend)
    egat.load_state_dict(torch.load(tmp_path / "weights.pt"))
    torch.testing.assert_close(egat(*columns(graph())), model(backend="naive")(*columns(graph())))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_low_precision(dtype):
    g = graph()
    logits = model().to(dtype)(g.x.to(dtype), g.edge_index, g.edge_attr.to(dtype))
    assert logits.dtype == dtype
    torch.testing.assert_close(logits.float(), model()(*columns(g)), rtol=0.1, atol=0.05)


def test_a_whole_model_can_be_copied_and_pickled_with_pyg_loaded():
    g, egat = graph(), model()
    assert "torch_geometric" in sys.modules
    for twin in (copy.deepcopy(egat), pickle.loads(pickle.dumps(egat))):
        assert torch.equal(twin(*columns(g)), egat(*columns(g)))
    assert "MessagePassing" not in repr(egat)


def test_dropout_is_off_in_eval_and_reproducible():
    g, egat = graph(), model(dropout=0.4, attention_dropout=0.3, key_dropout=0.3)
    torch.manual_seed(1)
    first = egat(*columns(g))
    torch.manual_seed(1)
    assert torch.equal(first, egat(*columns(g)))
    assert not torch.equal(first, egat(*columns(g)))
    assert torch.equal(egat.eval()(*columns(g)), model().eval()(*columns(g)))


def test_takes_the_tensors_of_a_pyg_data_object():
    g = graph()
    data = Data(x=g.x, edge_index=g.edge_index, edge_attr=g.edge_attr)
    assert torch.equal(model()(data.x, data.edge_index, data.edge_attr), model()(*columns(g)))


def explain(egat: EGAT, g: EdgeGraph, index: int):
    explainer = Explainer(
        egat,
        GNNExplainer(epochs=30),
        explanation_type="model",
        node_mask_type="attributes",
        edge_mask_type="object",
        model_config={"mode": "multiclass_classification", "task_level": "node", "return_type": "raw"},
    )
    return explainer(g.x, g.edge_index, edge_attr=g.edge_attr, index=index)


def test_pyg_explainer_gives_node_and_edge_masks():
    # Two components: nothing in the second one can explain a node of the first.
    torch.manual_seed(0)
    edge_index = torch.tensor([[0, 1, 2, 0, 4, 5], [1, 2, 3, 3, 5, 6]])
    g = EdgeGraph(torch.randn(7, 3), edge_index, torch.randn(6, 2))
    egat = model().eval()
    before = egat(*columns(g))

    explanation = explain(egat, g, index=0)

    assert explanation.node_mask.shape == (7, 3)
    assert explanation.edge_mask.shape == (6,)
    assert float(explanation.edge_mask[:4].min()) > 0
    assert float(explanation.edge_mask[4:].max()) == 0
    assert float(explanation.node_mask[:4].max()) > 0
    assert float(explanation.node_mask[4:].max()) == 0
    assert torch.equal(egat(*columns(g)), before), "masks stay behind"


def test_export_with_any_number_of_nodes_and_edges():
    egat = model().eval()
    shapes = {"x": {0: Dim("nodes")}, "edge_index": {1: Dim("edges")}, "edge_attr": {0: Dim("edges")}}
    exported = torch.export.export(egat, columns(graph()), dynamic_shapes=shapes).module()
    for other in (graph(), graph(seed=1, num_nodes=31, num_edges=7), graph(seed=2, num_nodes=5, num_edges=90)):
        torch.testing.assert_close(exported(*columns(other)), egat(*columns(other)))


@pytest.mark.parametrize(
    "options",
    [
        {"directed": True},
        {"summaries": True},
        {"pairs": True},
        {"readout": "edges"},
        {"directed": True, "summaries": True},
    ],
)
def test_options_work_in_mixed_precision(options):
    egat, g = model(**options), graph()
    exact = egat(*columns(g))
    with torch.autocast("cpu", torch.bfloat16):
        rounded = egat(*columns(g))
    rounded.float().sum().backward()
    assert all(p.grad is None or bool(p.grad.isfinite().all()) for p in egat.parameters())
    assert float((rounded.float() - exact).detach().abs().max()) < 0.05 * float(exact.detach().abs().max())


def test_impossible_models_are_refused():
    with pytest.raises(ValueError, match="num_layers is 0"):
        model(num_layers=0)
    with pytest.raises(ValueError, match=r"dropout is 1\.5"):
        model(dropout=1.5)
    with pytest.raises(ValueError, match=r"in_channels is -3, .* a whole number, 0 or more"):
        EGAT(-3, 2, 2)


def test_an_edge_block_that_no_layer_has_is_refused_all_the_same():
    with pytest.raises(ValueError, match="edge_attention is 'line', but it must be one of 'star', 'transit'"):
        model(num_layers=1, edge_attention="line")
    with pytest.raises(ValueError, match="no directed form"):
        model(num_layers=1, edge_attention="transit", directed=True)


@pytest.mark.parametrize("pairs", [False, True])
def test_inputs_that_do_not_fit_are_refused(pairs):
    egat, looped = model(pairs=pairs), graph().with_virtual_self_loops()
    narrow, wide = (f"{g.num_edges}, 1" for g in (graph(), looped))
    for g, edges, shape in ((graph(), graph().edge_index, narrow), (looped, looped.stars, wide)):
        with pytest.raises(ValueError, match=rf"edge_attr has shape \({shape}\), but edge_dim=2"):
            egat(g.x, edges, g.edge_attr[:, :1])
    with pytest.raises(TypeError, match="edge_attr is None"):
        egat(looped.x, looped.stars, None)
    with pytest.raises(ValueError, match=f"edge_attr has 25 rows, but the graph has {looped.num_edges} edges"):
        egat(looped.x, looped.stars, graph().edge_attr)


def test_nn_imports_without_pyg():
    code = (
        "import sys; sys.modules['torch_geometric'] = None; import torch, edgegat.nn as nn; "
        "nn.EGAT(3, 2, 2)(torch.ones(2, 3), torch.tensor([[0], [1]]), torch.ones(1, 2)); print('fine')"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.strip() == "fine", ran.stderr


def test_import_edgegat_loads_nothing_heavy():
    code = "import sys, edgegat; print([m for m in ('torch', 'torch_geometric', 'numba') if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.strip() == "[]", ran.stderr
