"""Tables whose transfers have a direction: who pays and who is paid decides, and nothing else."""

from __future__ import annotations

import pytest
import torch

from edgegat.learn import ModelOptions, OptionError, TrainingOptions, load_model, predict_job, train_job
from edgegat.learn.receptive_field import ReceptiveField
from edgegat.nn import EGAT
from tests.learn.graphs import edges_decide
from tests.learn.one_way import one_way_bank

SCHEMA = {"nodes": {"id": "customer", "label": "verdict"}, "edges": {"source": "payer", "target": "payee"}}
SMALL = {"heads": 2, "hidden_channels": 4}
QUICK = TrainingOptions(epochs=60)


def test_only_a_directed_model_sees_who_pays(tmp_path):
    nodes, edges = one_way_bank()
    accuracy = {}
    for directed in (True, False):
        report = train_job(
            nodes,
            edges,
            SCHEMA,
            ModelOptions(directed=directed, **SMALL),
            QUICK,
            baselines=False,
            output=tmp_path / str(directed),
        )
        accuracy[directed] = report.methods["EGAT"].parts["test"].accuracy
    assert accuracy[True] == 1.0
    assert accuracy[False] < 0.75

    model = load_model(tmp_path / "True")
    assert model.model_options.directed
    assert "roles.a" in dict(model.model.layers[0].named_parameters())
    unseen = one_way_bank(seed=5)
    predicted = predict_job(model, *unseen).nodes
    names = dict(zip(unseen[0]["customer"], unseen[0]["verdict"], strict=True))
    right = sum(names[name] == said for name, said in zip(predicted["id"], predicted["class"], strict=True))
    assert right == len(names)


def test_a_schema_without_direction_is_not_read_with_one():
    schema = {**SCHEMA, "edges": {**SCHEMA["edges"], "directed": False}}
    with pytest.raises(OptionError, match=r"directed = false in \[edges\]"):
        train_job(*one_way_bank(), schema, ModelOptions(directed=True))


def test_a_receptive_field_keeps_directions():
    torch.manual_seed(0)
    graph = edges_decide(nodes=60).with_virtual_self_loops()
    model = EGAT(graph.x.size(1), graph.edge_attr.size(1), 2, heads=2, num_layers=3, directed=True)
    seeds = torch.tensor([3, 17, 40])
    field = ReceptiveField.of(graph, seeds, num_layers=3)
    torch.testing.assert_close(
        field.logits(model), model(graph.x, graph.stars, graph.edge_attr)[seeds], rtol=1e-4, atol=1e-5
    )
