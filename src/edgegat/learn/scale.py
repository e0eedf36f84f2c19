"""Numbers in the user's units, and as a network likes to learn them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from edgegat.learn.errors import LearningError

_LARGEST = 1e150  # of which the square is still a number


@dataclass(frozen=True)
class Scale:
    r"""From a network's outputs to numbers and back: :math:`y = \mu + \sigma o`.

    Attributes:
        mean: ``μ``, of the training rows.
        deviation: ``σ``, likewise, above zero.

    Example:
        >>> import torch
        >>> scale = Scale.of(torch.tensor([1.0, 3.0]), "edges")
        >>> scale.outputs(torch.tensor([5.0])).tolist(), scale.numbers(torch.tensor([[3.0]])).tolist()
        ([3.0], [5.0])
    """

    mean: float = 0.0
    deviation: float = 1.0

    @classmethod
    def of(cls, y: Tensor, labels_on: str) -> Scale:
        """The scale of the training rows' numbers ``[n]``; refuse numbers that leave nothing to learn."""
        if not y.numel() or bool((y == y[0]).all()):
            said = f"has {y.numel()} labelled {labels_on}" + (f", all {float(y[0]):g}" if y.numel() else "")
            raise LearningError(
                f"the training part {said}: two different numbers at least are needed. Label more {labels_on}, or "
                "divide them otherwise."
            )
        numbers = y.double()
        mean, deviation = float(numbers.mean()), float(numbers.std(correction=0))
        if not 0 < deviation < _LARGEST:
            raise LearningError(
                f"the numbers of the training part, {float(numbers.min()):g} to {float(numbers.max()):g}, are too "
                "large or too close to each other to reckon with: take other units, or subtract what they share."
            )
        return cls(mean, deviation)

    def outputs(self, y: Tensor) -> Tensor:
        """``[n]`` numbers to what a network should give."""
        return (y.double() - self.mean) / self.deviation

    def numbers(self, outputs: Tensor) -> NDArray[np.float64]:
        """``[n, 1]`` outputs to ``[n]`` numbers."""
        found: NDArray[np.float64] = outputs.detach().double().cpu().numpy()[:, 0]
        return self.mean + self.deviation * found

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)
