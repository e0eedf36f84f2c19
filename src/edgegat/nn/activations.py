"""The paper's ``σ``, by name."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor


def _unchanged(t: Tensor) -> Tensor:
    return t


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "elu": F.elu,
    "relu": F.relu,
    "leaky_relu": F.leaky_relu,
    "tanh": torch.tanh,
    "none": _unchanged,
}
