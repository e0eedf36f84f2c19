"""The weights of ``K`` independent heads as one matrix: few large products instead of many small ones."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from edgegat.nn.tall_product import tall_product


def head_matrix(weight: Tensor, independent: bool) -> Tensor:
    """``[K, D, F]`` to the matrix that projects for all heads at once.

    Shared inputs: ``[D, K * F]``, the heads side by side. Independent heads: ``[K * D, K * F]``, block
    diagonal. Its zeros cost arithmetic that a matrix product has to spare, and no memory traffic.

    Example:
        >>> two_heads = torch.tensor([[[1.0]], [[2.0]]])
        >>> head_matrix(two_heads, independent=False).tolist()
        [[1.0, 2.0]]
        >>> head_matrix(two_heads, independent=True).tolist()
        [[1.0, 0.0], [0.0, 2.0]]
    """
    K, D, F = weight.shape
    if not independent:
        return weight.permute(1, 0, 2).reshape(D, K * F)
    return (weight.unsqueeze(2) * _identity(weight, K).view(K, 1, K, 1)).reshape(K * D, K * F)


def score_matrix(vectors: Tensor) -> Tensor:
    """``[S, K, F]`` to ``[K * F, S * K]``: column ``(s, k)`` holds vector ``s`` of head ``k`` in its rows.

    Example:
        >>> score_matrix(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])).tolist()
        [[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [0.0, 4.0]]
    """
    S, K, F = vectors.shape
    return (vectors.permute(1, 2, 0).unsqueeze(3) * _identity(vectors, K).view(K, 1, 1, K)).reshape(
        K * F, S * K
    )


def scores(features: Tensor, vectors: Tensor, bias: Tensor | None = None) -> Tensor:
    """Each head's features times its own part of each vector: ``[rows, K, F]``, ``[S, K, F]`` to ``[rows, S, K]``.

    One matrix product reads the features once for all vectors, and adds the ``bias [S, K]`` on the way.

    Example:
        >>> features, vectors = torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[1.0, 1.0]], [[10.0, 0.0]]])
        >>> scores(features, vectors).tolist()
        [[[3.0], [10.0]]]
    """
    S, K, _ = vectors.shape
    flat, matrix = features.flatten(1), score_matrix(vectors)
    found = tall_product(flat, matrix) if bias is None else torch.addmm(bias.flatten(), flat, matrix)
    return found.view(features.size(0), S, K)


def mix(rows: Tensor, weight: Tensor) -> Tensor:
    """Each head's channels times its own matrix: ``[rows, K, F]``, ``[K, F, G]`` to ``[rows, K, G]``.

    Example:
        >>> mix(torch.tensor([[[1.0], [10.0]]]), torch.tensor([[[2.0]], [[3.0]]])).flatten().tolist()
        [2.0, 30.0]
    """
    K, _, G = weight.shape
    return (rows.flatten(1) @ head_matrix(weight, independent=True)).view(rows.size(0), K, G)


def init_glorot(weight: Tensor, fan_in: int, fan_out: int) -> None:
    """Uniform in ``±√(6 / (fan_in + fan_out))``."""
    bound = math.sqrt(6.0 / max(fan_in + fan_out, 1))
    nn.init.uniform_(weight, -bound, bound)


def _identity(like: Tensor, size: int) -> Tensor:
    return torch.eye(size, dtype=like.dtype, device=like.device)
