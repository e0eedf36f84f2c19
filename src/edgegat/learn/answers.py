"""What the outputs of a network mean: classes with probabilities, or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from edgegat.learn.calibration import Calibration
from edgegat.learn.metrics import Metrics, measure
from edgegat.learn.number_metrics import NumberMetrics, measure_numbers
from edgegat.learn.scale import Scale

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class ClassAnswers:
    """Of a network with one output for each class.

    Attributes:
        calibration: from its outputs to probabilities.
        classes: ``[C]`` their names.
        wanted: the number of the class that is looked for.
    """

    calibration: Calibration
    classes: Sequence[str]
    wanted: int

    kind = "class"
    scalars = ("accuracy", "balanced_accuracy", "macro_f1", "roc_auc", "pr_auc", "log_loss", "brier")

    def values(self, outputs: Tensor) -> NDArray[np.float64]:
        """``[n, C]`` probabilities."""
        return self.calibration.probabilities(outputs)

    def scores(self, outputs: Tensor) -> NDArray[np.float64]:
        """``[n]`` the probability of the wanted class."""
        return self.values(outputs)[:, self.wanted]

    def measure(self, y: Tensor, outputs: Tensor) -> Metrics:
        """How good the answers are; the class with the largest output is the decision, see :class:`Scores`."""
        decided = outputs.argmax(1).numpy()
        return measure(y.numpy(), self.values(outputs), decided=decided, wanted=self.wanted)

    def table(self, outputs: Tensor) -> pl.DataFrame:
        """``class``, its ``probability`` and the ``score``; of more than two classes each one's probability."""
        import polars as pl

        p, decided = self.values(outputs), outputs.argmax(1).numpy()
        frame = pl.DataFrame(
            {
                "class": pl.Series(list(self.classes), dtype=pl.String).gather(decided),
                "probability": np.take_along_axis(p, decided[:, None], 1)[:, 0],
                "score": p[:, self.wanted],
            }
        )
        if len(self.classes) == 2:
            return frame
        return frame.with_columns(
            pl.Series(f"probability of {name}", p[:, number]) for number, name in enumerate(self.classes)
        )

    def about(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"kind": self.kind, "classes": list(self.classes), "wanted": self.classes[self.wanted]}


@dataclass(frozen=True)
class NumberAnswers:
    """Of a network with one output.

    Attributes:
        scale: from its outputs to numbers.
    """

    scale: Scale

    kind = "number"
    classes: ClassVar[tuple[str, ...]] = ()
    wanted: ClassVar[int] = -1
    scalars = ("rmse", "mae", "r2")

    def values(self, outputs: Tensor) -> NDArray[np.float64]:
        """``[n]`` predicted numbers."""
        return self.scale.numbers(outputs)

    scores = values

    def measure(self, y: Tensor, outputs: Tensor) -> NumberMetrics:
        """How far they are from the true ones."""
        return measure_numbers(y.numpy(), self.values(outputs))

    def table(self, outputs: Tensor) -> pl.DataFrame:
        """One column, ``prediction``."""
        import polars as pl

        return pl.DataFrame({"prediction": self.values(outputs)})

    def about(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"kind": self.kind, "scale": self.scale.to_dict()}


Answers = ClassAnswers | NumberAnswers
