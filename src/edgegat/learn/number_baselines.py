"""What a model of numbers is compared with, on the same split."""

from __future__ import annotations

import time

import numpy as np
import torch

from edgegat.graph import EdgeGraph
from edgegat.learn.baselines import BOOSTING, ROUNDS, Baseline, columns_for_trees, leaf_size
from edgegat.learn.calibration import Calibration
from edgegat.learn.device import threads_for
from edgegat.learn.number_task import NumberTask
from edgegat.learn.options import TrainingOptions
from edgegat.learn.progress import Progress, ignore_progress

MEAN = "mean of the training part"


def training_mean(graph: EdgeGraph) -> Baseline:
    """The same number for everybody; ``R²`` compares with nearly this."""
    assert graph.y is not None
    return Baseline(MEAN, torch.zeros(graph.y.numel(), 1), Calibration(), 0, 0.0)


def boosting_numbers(
    graph: EdgeGraph, training_options: TrainingOptions | None = None, *, progress: Progress | None = None
) -> Baseline:
    """:func:`~edgegat.learn.boosting` for numbers: the same columns; the validation RMSE chooses how many rounds.

    Its ``logits`` are ``[N, 1]`` on the scale of :class:`NumberTask`.

    Example:
        >>> graph = EdgeGraph(
        ...     x=torch.ones(80, 1),
        ...     edge_index=torch.stack([torch.arange(80), (torch.arange(80) + 2) % 80]),
        ...     edge_attr=(torch.arange(80) % 2).float().unsqueeze(1),
        ...     y=(torch.arange(80) % 2).double(),
        ...     labels_on="edges",
        ... )
        >>> boosting_numbers(graph).logits[:4, 0].round().tolist()
        [-1.0, 1.0, -1.0, 1.0]
    """
    from sklearn.ensemble import HistGradientBoostingRegressor

    started = time.perf_counter()
    options = training_options or TrainingOptions()
    (progress or ignore_progress)("Gradient boosting", 0, 1)
    task = NumberTask.of(graph, options.metric)
    y, chosen, val = (t.cpu().numpy() for t in (task.y.double(), task.train, task.val))
    columns = columns_for_trees(graph, chosen)
    trees = HistGradientBoostingRegressor(
        max_iter=ROUNDS,
        min_samples_leaf=leaf_size(len(chosen)),
        early_stopping=False,
        random_state=options.seed % 2**32,
    )
    with threads_for(len(chosen)):
        trees.fit(columns[chosen], y[chosen])
    rounds = ROUNDS
    with threads_for(graph.num_edges):
        if len(val):
            errors = [float(np.square(said - y[val]).mean()) for said in trees.staged_predict(columns[val])]
            rounds = int(np.argmin(errors)) + 1
        said = next(said for n, said in enumerate(trees.staged_predict(columns), 1) if n == rounds)
    outputs = torch.from_numpy(said).unsqueeze(1)
    return Baseline(BOOSTING, outputs, Calibration(), rounds, time.perf_counter() - started)
