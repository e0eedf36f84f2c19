"""A number to be learned: which rows train, which choose, and what a mistake costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat.graph import EdgeGraph
from edgegat.learn.calibration import Calibration
from edgegat.learn.errors import OptionError
from edgegat.learn.history import Validation
from edgegat.learn.number_metrics import measure_numbers
from edgegat.learn.options import NUMBER_METRICS, Metric
from edgegat.learn.scale import Scale
from edgegat.learn.task import rows_of_parts


@dataclass(frozen=True, eq=False)
class NumberTask:
    """Numbers of nodes or edges, to be learned from some of them. Losses do not depend on the numbers' units.

    Attributes:
        y: ``[N]`` what the network should give, see :class:`Scale`; NaN where unknown.
        train: the training rows.
        val: the validation rows; may be none.
        scale: of the training rows.
        metric: by which validation judges, ``"rmse"`` or ``"mae"``, in the numbers' units.
    """

    y: Tensor
    train: Tensor
    val: Tensor
    scale: Scale
    metric: Metric

    outputs = 1

    @classmethod
    def of(cls, graph: EdgeGraph, metric: Metric = "log_loss") -> NumberTask:
        """Read it off a graph with numbers and masks; ``"log_loss"``, the default of all trainings, is ``"rmse"``.

        Example:
            >>> y = torch.tensor([1.0, 3.0, 9.0], dtype=torch.float64)
            >>> graph = EdgeGraph(
            ...     x=torch.ones(3, 1),
            ...     edge_index=torch.tensor([[0], [1]]),
            ...     edge_attr=torch.ones(1, 1),
            ...     y=y,
            ...     train_mask=torch.tensor([True, True, False]),
            ... )
            >>> task = NumberTask.of(graph)
            >>> task.y.tolist(), task.scale, task.metric
            ([-1.0, 1.0, 7.0], Scale(mean=2.0, deviation=1.0), 'rmse')
        """
        chosen: Metric = "rmse" if metric == "log_loss" else metric
        if chosen not in NUMBER_METRICS:
            raise OptionError(
                f"metric is {metric!r}, but what is to be learned is a number: choose 'rmse' or 'mae'."
            )
        assert graph.y is not None
        train, val = rows_of_parts(graph)
        scale = Scale.of(graph.y[train], graph.labels_on)
        return cls(scale.outputs(graph.y).to(graph.x.dtype), train, val, scale, chosen)

    def to(self, device: torch.device | str) -> Self:
        """The same task on another device."""
        return replace(self, y=self.y.to(device), train=self.train.to(device), val=self.val.to(device))

    def loss(self, outputs: Tensor) -> Tensor:
        """The training rows' mean squared error, of ``[n, 1]``."""
        return F.mse_loss(outputs.to(self.y.dtype).squeeze(1), self.y[self.train])

    def validate(self, outputs: Tensor) -> Validation:
        """How good ``[n, 1]`` are for the validation rows."""
        found, y = outputs.double().squeeze(1).cpu().numpy(), self.y[self.val].double().cpu().numpy()
        metrics = measure_numbers(y, found)
        return Validation(self.scale.deviation * getattr(metrics, self.metric), metrics.rmse**2, None)

    def calibrate(self, outputs: Tensor) -> Calibration:
        """Of numbers there is nothing to calibrate."""
        return Calibration()
