"""The learning rate of each epoch."""

from __future__ import annotations

from math import cos, inf, pi
from typing import Any

from edgegat.learn.options import TrainingOptions


class LearningRate:
    r"""Constant, a falling cosine :math:`\tfrac12 (1 + \cos(\pi t / T))`, or halved on every plateau.

    A plateau is a quarter of ``patience`` epochs without a new smallest validation loss.

    Example:
        >>> rate = LearningRate(TrainingOptions(learning_rate=0.1, schedule="plateau", patience=8))
        >>> for loss in (0.7, 0.8, 0.7, 0.6):
        ...     rate.see(loss)
        >>> rate.now
        0.05
    """

    def __init__(self, options: TrainingOptions) -> None:
        self.now = options.learning_rate
        self._options = options
        self._epoch = 0
        self._lowest = inf
        self._waited = 0

    def see(self, loss: float | None) -> None:
        """One epoch is over; this was its validation loss."""
        options = self._options
        self._epoch += 1
        if options.schedule == "cosine":
            self.now = options.learning_rate * (1 + cos(pi * self._epoch / options.epochs)) / 2
        elif options.schedule == "plateau" and loss is not None:
            self._waited = 0 if loss < self._lowest else self._waited + 1
            self._lowest = min(loss, self._lowest)
            if self._waited >= max(1, options.patience // 4):
                self.now, self._waited = self.now / 2, 0

    def state(self) -> dict[str, Any]:
        """For a checkpoint."""
        lowest = None if self._lowest == inf else self._lowest
        return {"now": self.now, "epoch": self._epoch, "lowest": lowest, "waited": self._waited}

    def restore(self, state: dict[str, Any]) -> None:
        """From a checkpoint."""
        self.now, self._epoch, self._waited = state["now"], state["epoch"], state["waited"]
        self._lowest = inf if state["lowest"] is None else state["lowest"]
