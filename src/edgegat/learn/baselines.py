"""What a model is compared with, on the same split: what people use who have no edges or no graph."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from edgegat.graph import EdgeGraph
from edgegat.learn.aggregates import incident_aggregates
from edgegat.learn.calibration import Calibration, calibrate
from edgegat.learn.device import choose_device, seeded, threads_for
from edgegat.learn.fitting import checkpoint_of
from edgegat.learn.metrics import score
from edgegat.learn.options import ModelOptions, TrainingOptions
from edgegat.learn.progress import Progress, ignore_progress
from edgegat.learn.receptive_field import cut_out
from edgegat.learn.task import Task
from edgegat.learn.training import evaluate, train

BOOSTING = "gradient boosting"
GAT = "GAT without edge features"
ROUNDS = 200


@dataclass(frozen=True, eq=False)
class Baseline:
    """What another method says of every node.

    Attributes:
        name: of the method.
        logits: ``[N, C]``.
        calibration: fitted on the validation part, as that of the model.
        epochs: how many rounds or epochs were kept.
        seconds: how long it took.
    """

    name: str
    logits: Tensor
    calibration: Calibration
    epochs: int
    seconds: float


def boosting(
    graph: EdgeGraph,
    training_options: TrainingOptions | None = None,
    *,
    num_classes: int | None = None,
    progress: Progress | None = None,
) -> Baseline:
    """Histogram gradient boosting of scikit-learn, on node features and :func:`incident_aggregates`; of edges, on
    the edge's features and both of its ends'.

    It gets what the model gets: the training nodes to learn from, the validation nodes to choose the number of
    rounds (up to 200), the same class weights and seed. Rounds are chosen by the log loss, whatever the metric:
    that serves the trees best.

    Example:
        >>> graph = EdgeGraph(
        ...     x=torch.ones(80, 1),
        ...     edge_index=torch.stack([torch.arange(80), (torch.arange(80) + 2) % 80]),
        ...     edge_attr=(torch.arange(80) % 2).float().unsqueeze(1),
        ...     y=torch.arange(80) % 2,
        ...     train_mask=torch.arange(80) < 50,
        ...     val_mask=torch.arange(80) >= 50,
        ... )
        >>> baseline = boosting(graph)
        >>> bool((baseline.logits.argmax(1) == graph.y).all())
        True
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    started = time.perf_counter()
    options = training_options or TrainingOptions()
    (progress or ignore_progress)("Gradient boosting", 0, 1)
    task = Task.of(graph, options.metric, options.class_weights, num_classes)
    y, chosen, val = (t.cpu().numpy() for t in (task.y, task.train, task.val))
    columns = columns_for_trees(graph, chosen)
    present = np.unique(y[chosen])
    trees = HistGradientBoostingClassifier(
        max_iter=ROUNDS,
        min_samples_leaf=leaf_size(len(chosen)),
        early_stopping=False,
        class_weight="balanced" if options.class_weights == "balanced" else None,
        random_state=options.seed % 2**32,
    )
    with threads_for(len(chosen)):
        trees.fit(columns[chosen], y[chosen])

    def spread(p: np.ndarray) -> np.ndarray:
        """All classes, those without a training node too."""
        out = np.zeros((len(p), task.num_classes))
        out[:, present] = p
        return out

    rounds = ROUNDS
    with threads_for(graph.num_edges):
        if len(val):
            losses = [score("log_loss", y[val], spread(p)) for p in trees.staged_predict_proba(columns[val])]
            rounds = int(np.argmin(losses)) + 1
        p = spread(next(p for n, p in enumerate(trees.staged_predict_proba(columns), 1) if n == rounds))
    logits = torch.from_numpy(np.log(p.clip(1e-12)))
    return Baseline(
        BOOSTING,
        logits,
        calibrate(logits[task.val], task.y[task.val], task.weights),
        rounds,
        time.perf_counter() - started,
    )


def columns_for_trees(graph: EdgeGraph, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """What trees see of each labelled thing, of which the ``chosen`` train."""
    columns = np.concatenate([graph.x.double().cpu().numpy(), incident_aggregates(graph)[0]], 1)
    if graph.labels_on == "edges":
        first, second = graph.edge_index.cpu().numpy()
        columns = np.concatenate([graph.edge_attr.double().cpu().numpy(), columns[first], columns[second]], 1)
    columns[:, np.isnan(columns[chosen]).all(0)] = 0.0  # scikit-learn cannot bin what is missing everywhere
    return columns


def leaf_size(rows: int) -> int:
    """A leaf of twenty, scikit-learn's default, would leave a handful of labels undivided."""
    return int(np.clip(rows // 20, 2, 20))


def plain_gat(
    graph: EdgeGraph,
    model_options: ModelOptions | None = None,
    training_options: TrainingOptions | None = None,
    *,
    num_classes: int | None = None,
    checkpoints: str | PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> Baseline:
    """PyG's GAT with the same heads and hidden channels, which sees who is connected, but no edge features.

    Trained by the same loop with the same options.

    Example:
        >>> from edgegat.graph import EdgeGraph
        >>> x = torch.tensor([[1.0], [1.0], [-1.0], [-1.0]])
        >>> graph = EdgeGraph(x, torch.tensor([[0, 2], [1, 3]]), torch.zeros(2, 1), torch.tensor([0, 0, 1, 1]))
        >>> plain_gat(graph, training_options=TrainingOptions(epochs=20)).logits.argmax(1).tolist()
        [0, 0, 1, 1]
    """
    from torch_geometric import nn as pyg

    started = time.perf_counter()
    sizes, options = model_options or ModelOptions(), training_options or TrainingOptions()
    device = choose_device(options.device)
    there = graph.to(device)
    task = Task.of(there, options.metric, options.class_weights, num_classes)
    with seeded(options.seed, device), threads_for(graph.num_edges):
        model = pyg.GAT(
            graph.x.size(1),
            sizes.heads * sizes.hidden_channels,
            sizes.num_layers,
            task.num_classes,
            heads=sizes.heads,
            dropout=sizes.dropout,
        ).to(device=device, dtype=graph.x.dtype)

        def logits_on(seen: tuple[Tensor, Tensor, Tensor]) -> Tensor:
            x, edge_index, nodes = seen
            logits: Tensor = model(x, torch.cat([edge_index, edge_index.flip(0)], 1))[nodes]
            return logits

        seen_in_training, seen_in_validation = (
            cut_out(there, nodes, sizes.num_layers) for nodes in (task.train, task.val)
        )
        history = train(
            model,
            lambda: logits_on(seen_in_training),
            lambda: logits_on(seen_in_validation),
            task,
            options,
            checkpoint=checkpoint_of(checkpoints, graph, sizes, options, device.type, "PyG"),
            resume=resume,
            progress=progress or ignore_progress,
            name="GAT",
        )
        everything = there.x, there.edge_index, torch.arange(graph.num_nodes, device=device)
        logits = evaluate(model, lambda: logits_on(everything), options).to("cpu", graph.x.dtype)
    task = replace(task, y=task.y.cpu(), val=task.val.cpu(), weights=task.weights.cpu())
    return Baseline(
        GAT,
        logits,
        calibrate(logits[task.val], task.y[task.val], task.weights),
        history.best_epoch,
        time.perf_counter() - started,
    )
