"""The node block on the backend that was chosen, with all that it can return."""

from __future__ import annotations

from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops.node import _naive, _operator, _torch

_IMPLEMENTATIONS = {"naive": _naive.node_attention, "torch": _torch.node_attention}


def attend(
    backend: str,
    query: Tensor,
    key: Tensor,
    edge_logit: Tensor,
    node_value: Tensor,
    edge_value: Tensor,
    stars: Stars,
    negative_slope: float,
    keep: Tensor | None,
    by_incidence: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """``h'``, ``m^E`` and, ``[N, K]`` in float64, the log of each softmax's denominator: minus infinity for a node
    without edges. ``edge_logit`` is ``[M, K]``, or ``[I, K]`` if it is ``by_incidence``.
    """
    arguments = (query, key, edge_logit, node_value, edge_value, stars, negative_slope, keep, by_incidence)
    if backend in _IMPLEMENTATIONS:
        return _IMPLEMENTATIONS[backend](*arguments)
    return _operator.node_attention(backend, *arguments)
