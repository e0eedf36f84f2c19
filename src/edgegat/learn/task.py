"""What is to be learned: which nodes train, which choose, and what a mistake costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat.graph import EdgeGraph
from edgegat.learn.calibration import Calibration, calibrate
from edgegat.learn.errors import LearningError, OptionError
from edgegat.learn.history import Validation
from edgegat.learn.metrics import score
from edgegat.learn.options import NUMBER_METRICS, ClassWeights, Metric


@dataclass(frozen=True, eq=False)
class Task:
    """Classes of nodes, to be learned from some of them.

    Attributes:
        y: ``[N]`` class numbers.
        train: the training nodes' numbers.
        val: the validation nodes' numbers; may be none.
        weights: ``[C]`` what a mistake costs, by its true class.
        metric: by which validation judges.
    """

    y: Tensor
    train: Tensor
    val: Tensor
    weights: Tensor
    metric: Metric

    @classmethod
    def of(
        cls,
        graph: EdgeGraph,
        metric: Metric = "accuracy",
        class_weights: ClassWeights = "none",
        num_classes: int | None = None,
    ) -> Task:
        """Read it off a graph with labels and masks; refuse one that there is nothing to learn from.

        Example:
            >>> graph = EdgeGraph(
            ...     x=torch.eye(4),
            ...     edge_index=torch.tensor([[0], [1]]),
            ...     edge_attr=torch.ones(1, 1),
            ...     y=torch.tensor([0, 0, 0, 1]),
            ...     train_mask=torch.ones(4, dtype=torch.bool),
            ... )
            >>> Task.of(graph, class_weights="balanced").weights.tolist()
            [0.666..., 2.0]
        """
        train, val = rows_of_parts(graph)
        assert graph.y is not None
        if metric in NUMBER_METRICS:
            raise OptionError(
                f"metric is {metric!r}, which is of numbers, but what is to be learned is classes: choose another."
            )
        C = graph.num_classes if num_classes is None else num_classes
        counts = torch.bincount(graph.y[train], minlength=C)
        if C < 2 or int((counts > 0).sum()) < 2:
            raise LearningError(
                f"the training part has {train.numel()} labelled {graph.labels_on} of {int((counts > 0).sum())} "
                f"class{'' if int((counts > 0).sum()) == 1 else 'es'}: at least one {graph.labels_on[:-1]} of each "
                f"of two classes is needed. Label more {graph.labels_on}, or divide them otherwise."
            )
        if metric in ("roc_auc", "pr_auc") and val.numel() and bool((graph.y[val] == graph.y[val][0]).all()):
            raise LearningError(
                f"metric is {metric!r}, but all {val.numel()} validation {graph.labels_on} are of one class, so it "
                f"has no value. Choose metric='accuracy' or 'log_loss', or divide the labelled {graph.labels_on} "
                "otherwise."
            )
        weights = torch.ones(C, dtype=graph.x.dtype, device=graph.x.device)
        if class_weights == "balanced":
            share = train.numel() / (counts > 0).sum()
            weights = torch.where(counts > 0, share / counts.clamp(min=1), 1.0).to(graph.x.dtype)
        return cls(graph.y, train, val, weights, metric)

    @property
    def num_classes(self) -> int:
        """``C``."""
        return self.weights.numel()

    @property
    def outputs(self) -> int:
        """How many the network has: one for each class."""
        return self.num_classes

    def to(self, device: torch.device | str) -> Self:
        """The same task on another device."""
        moved = {name: getattr(self, name).to(device) for name in ("y", "train", "val", "weights")}
        return replace(self, **moved)

    def loss(self, logits: Tensor) -> Tensor:
        """What the training nodes' mistakes cost, on average: the weighted cross-entropy of ``[n, C]``."""
        return F.cross_entropy(logits.to(self.weights.dtype), self.y[self.train], self.weights)

    def validate(self, logits: Tensor) -> Validation:
        """How good ``[n, C]`` are for the validation nodes."""
        logits, y = logits.to(self.weights.dtype), self.y[self.val]
        loss = float(F.cross_entropy(logits, y, self.weights))
        truth, p = y.cpu().numpy(), logits.double().softmax(1).cpu().numpy()
        metric = loss if self.metric == "log_loss" else score(self.metric, truth, p)
        return Validation(metric, loss, score("accuracy", truth, p))

    def calibrate(self, logits: Tensor) -> Calibration:
        """What makes probabilities of ``[N, C]``, by the validation nodes."""
        return calibrate(logits[self.val], self.y[self.val], self.weights)


def rows_of_parts(graph: EdgeGraph) -> tuple[Tensor, Tensor]:
    """The labelled rows that train and those that validate."""
    if graph.y is None:
        raise LearningError("the graph has no labels y: without any there is nothing to learn from.")
    train = _numbers(graph.labelled if graph.train_mask is None else graph.labelled & graph.train_mask)
    val = _numbers(graph.labelled & graph.val_mask) if graph.val_mask is not None else train[:0]
    return train, val


def _numbers(mask: Tensor) -> Tensor:
    return mask.nonzero().squeeze(1)
