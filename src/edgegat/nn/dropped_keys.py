"""Dropout of edges as keys of the edge block: before the softmax, so that the others share what they had."""

from __future__ import annotations

import torch
from torch import Tensor


def drop_keys(key: Tensor, share: float) -> Tensor:
    """``[I, K]`` where each entry, with probability ``share``, is so low that the softmax gives it nothing.

    Example:
        >>> drop_keys(torch.zeros(2, 1), 0.0).tolist()
        [[0.0], [0.0]]
        >>> (drop_keys(torch.zeros(2, 1), 1.0) < -1e37).all().item()
        True
    """
    if share == 0:
        return key
    return key.masked_fill(torch.rand_like(key) < share, torch.finfo(key.dtype).min / 4)
