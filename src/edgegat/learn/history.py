"""What every epoch of a training brought."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

Ending = Literal["", "patience", "epochs"]


@dataclass
class History:
    """One entry per epoch in every list; ``None`` where there is nothing to validate on.

    Attributes:
        metric: the validation metric that chose the best epoch.
        train_loss: cross-entropy on the training part, with dropout, before the epoch's step.
        val_loss: cross-entropy on the validation part, after it; classes weigh as they do in training.
        val_metric: after the step, too.
        learning_rate: of the step.
        best_epoch: whose weights were kept, from 1; 0 before the first.
        ended: why: no better epoch for too long (``"patience"``), or the last of all (``"epochs"``).
    """

    metric: str
    train_loss: list[float] = field(default_factory=list)
    val_loss: list[float | None] = field(default_factory=list)
    val_metric: list[float | None] = field(default_factory=list)
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

    def improves(self, value: float | None, loss: float | None) -> bool:
        """Whether an epoch with these results beats the best one; of equal metrics, the smaller loss does.

        Without a validation part the newest epoch is the best.

        Example:
            >>> history = History("accuracy", [0.7], [0.6], [0.8], [0.01], best_epoch=1)
            >>> history.improves(0.8, 0.5), history.improves(0.8, 0.6), history.improves(0.9, 0.9)
            (True, False, True)
        """
        if not self.best_epoch or value is None or loss is None:
            return True
        best, best_loss = self.val_metric[self.best_epoch - 1], self.val_loss[self.best_epoch - 1]
        assert best is not None
        assert best_loss is not None
        sign = -1.0 if self.metric == "log_loss" else 1.0
        return (sign * value, -loss) > (sign * best, -best_loss)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The same history again."""
        return cls(**values)
