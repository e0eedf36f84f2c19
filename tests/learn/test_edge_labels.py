"""Labels on edges: which transfer is out of line with the others of its payer, also in a graph never seen."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from edgegat.graph import EdgeGraph
from edgegat.learn import Calibration, ModelOptions, TrainingOptions, fit, load_model, predict, save_model
from edgegat.learn.saved_model import SavedModel


def odd_transfers(seed: int, payers: int = 60) -> EdgeGraph:
    """Every payer has a level of its own; one of its six transfers is of another level. Nothing else tells."""
    g = torch.Generator().manual_seed(seed)
    source = torch.arange(payers).repeat_interleave(6)
    target = payers + torch.randint(payers, (6 * payers,), generator=g)
    level = torch.randint(0, 2, (payers,), generator=g)
    odd = torch.zeros(payers, 6, dtype=torch.long)
    odd[torch.arange(payers), torch.randint(6, (payers,), generator=g)] = 1
    amount = torch.where(odd == 1, 1 - level.unsqueeze(1), level.unsqueeze(1)).float().flatten()
    part = torch.rand(6 * payers, generator=g)
    return EdgeGraph(
        x=torch.ones(2 * payers, 1),
        edge_index=torch.stack([source, target]),
        edge_attr=torch.stack([amount, 1 - amount], 1),
        y=odd.flatten(),
        train_mask=part < 0.6,
        val_mask=(part >= 0.6) & (part < 0.8),
        test_mask=part >= 0.8,
        labels_on="edges",
    )


@pytest.fixture(scope="module")
def fitted():
    options = ModelOptions(heads=4, directed=True, dropout=0.0)
    return fit(odd_transfers(0), options, TrainingOptions(epochs=150))


def test_it_learns_to_compare_transfers(fitted):
    graph = odd_transfers(0)
    assert fitted.logits.shape == (360, 2)
    decided = fitted.logits.argmax(1)
    assert float((decided == graph.y)[graph.test_mask].float().mean()) > 0.97
    amount_alone = (graph.edge_attr[:, 0].long() == graph.y).float().mean()
    assert 0.3 < float(amount_alone) < 0.7


def test_a_graph_that_it_has_not_seen_is_scored_as_well(fitted, tmp_path):
    unseen = odd_transfers(7, payers=45)
    saved = SavedModel(
        fitted.model, ModelOptions(heads=4, directed=True, dropout=0.0), TrainingOptions(), Calibration(),
        fitted.history, ("as ever", "odd"),
    )  # fmt: skip
    loaded = load_model(save_model(tmp_path / "model", saved)).model
    assert loaded.readout == "edges"
    scores = predict(loaded, unseen)
    assert scores.probabilities.shape == (270, 2)
    assert float((torch.from_numpy(scores.decided) == unseen.y).float().mean()) > 0.97


def test_self_loops_have_no_labels():
    looped = odd_transfers(0).with_virtual_self_loops()
    assert looped.y.numel() == looped.num_edges == 360 + 120
    assert int(looped.y[360:].max()) == -1
    assert not looped.train_mask[360:].any()


def test_labels_must_fit_the_edges():
    graph = odd_transfers(0)
    with pytest.raises(ValueError, match=r"y has shape \(7,\), but it must be \[360\]"):
        replace(graph, y=graph.y[:7])
    with pytest.raises(ValueError, match=r"train_mask has shape .* True where the edge belongs to it"):
        replace(graph, train_mask=graph.train_mask[:7])
    with pytest.raises(ValueError, match="labels_on is 'graphs'"):
        replace(graph, labels_on="graphs")
    with pytest.raises(ValueError, match=r"use to_pyg\(directed=True\)"):
        graph.to_pyg()
    assert torch.equal(graph.to_pyg(directed=True).y, graph.y)
