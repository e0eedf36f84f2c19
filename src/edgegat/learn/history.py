"""What every epoch of a training brought."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple, Self

Ending = Literal["", "patience", "epochs"]


class Validation(NamedTuple):
    """One epoch's results on the validation part."""

    metric: float
    """The one that was chosen; ``"log_loss"`` is the loss, classes weighing as in training."""
    loss: float
    accuracy: float | None
    """``None`` of numbers."""


@dataclass
class History:
    """One entry per epoch in every list; ``None`` where there is nothing to validate on.

    Attributes:
        metric: the validation metric that chose the best epoch.
        train_loss: cross-entropy on the training part, with dropout, before the epoch's step; of numbers the mean
            squared error, in standard deviations.
        val_loss: likewise on the validation part, after it; classes weigh as they do in training.
        val_metric: after the step, too.
        val_accuracy: likewise, for people; ``None`` of numbers.
        learning_rate: of the step.
        best_epoch: whose weights were kept, from 1; 0 before the first.
        ended: why: no better epoch for too long (``"patience"``), or the last of all (``"epochs"``).
    """

    metric: str
    train_loss: list[float] = field(default_factory=list)
    val_loss: list[float | None] = field(default_factory=list)
    val_metric: list[float | None] = field(default_factory=list)
    val_accuracy: list[float | None] = field(default_factory=list)
    learning_rate: list[float] = field(default_factory=list)
    best_epoch: int = 0
    ended: Ending = ""

    @property
    def epochs(self) -> int:
        """How many there were."""
        return len(self.train_loss)

    @property
    def best(self) -> float | None:
        """The validation metric of the epoch that was kept."""
        return self.val_metric[self.best_epoch - 1] if self.best_epoch else None

    def add(self, loss: float, validation: Validation | None, learning_rate: float) -> bool:
        """Enter one more epoch; whether it is the best so far.

        Of equal metrics, the smaller loss is better. Without a validation part the newest epoch is the best.

        Example:
            >>> history = History("accuracy")
            >>> results = [Validation(0.8, 0.6, 0.8), Validation(0.8, 0.5, 0.8), Validation(0.7, 0.4, 0.7)]
            >>> [history.add(0.7, validation, 0.01) for validation in results], history.best_epoch
            ([True, True, False], 2)
        """
        better = not self.best_epoch or validation is None or self._key(validation) > self._best_key()
        self.train_loss.append(loss)
        self.learning_rate.append(learning_rate)
        for values, value in zip(
            (self.val_metric, self.val_loss, self.val_accuracy), validation or (None, None, None), strict=True
        ):
            values.append(value)
        if better:
            self.best_epoch = self.epochs
        return better

    def _key(self, validation: Validation) -> tuple[float, float]:
        smaller_is_better = self.metric in ("log_loss", "rmse", "mae")
        return (-validation.metric if smaller_is_better else validation.metric, -validation.loss)

    def _best_key(self) -> tuple[float, float]:
        metric, loss = self.val_metric[self.best_epoch - 1], self.val_loss[self.best_epoch - 1]
        assert metric is not None
        assert loss is not None
        return self._key(Validation(metric, loss, 0.0))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The same history again."""
        return cls(**values)
