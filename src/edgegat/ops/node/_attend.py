"""The node block on the backend that is chosen, with all that it can return."""

from __future__ import annotations

from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops._backends import Backend, choose_backend
from edgegat.ops._shapes import check_shapes
from edgegat.ops._trace import note
from edgegat.ops.node import _naive, _operator, _torch

_IMPLEMENTATIONS = {"naive": _naive.node_attention, "torch": _torch.node_attention}


def attend(
    query: Tensor,
    key: Tensor,
    logit: Tensor,
    node_value: Tensor,
    edge_value: Tensor,
    stars: Stars,
    negative_slope: float,
    keep: Tensor | None,
    backend: Backend,
    *,
    by_incidence: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """``h'``, ``m^E`` and, ``[N, K]`` in float64, the log of each softmax's denominator: minus infinity for a node
    without edges. ``logit`` is ``[M, K]``, or ``[I, K]`` if it is ``by_incidence``.
    """
    N, M, I = stars.num_nodes, stars.num_edges, stars.num_incidences
    logits = {
        "edge_logit": (logit, (M, "K"), "one row per edge, one column per head"),
        "incidence_logit": (logit, (I, "K"), "one row per incidence, one column per head"),
    }
    name = "incidence_logit" if by_incidence else "edge_logit"
    check_shapes(
        query=(query, (N, "K"), "one row per node, one column per head"),
        key=(key, (N, "K"), "one row per node, one column per head"),
        **{name: logits[name]},
        node_value=(node_value, (N, "K", "F"), "one row per node, then heads, then channels"),
        edge_value=(edge_value, (M, "K", "F'"), "one row per edge, then heads, then channels"),
    )
    if keep is not None:
        check_shapes(query=(query, (N, "K"), ""), keep=(keep, (I, "K"), "one row per incidence"))
    chosen = choose_backend(backend, node_value.device)
    note(f"node/{chosen}")
    arguments = (query, key, logit, node_value, edge_value, stars, negative_slope, keep, by_incidence)
    if chosen in _IMPLEMENTATIONS:
        return _IMPLEMENTATIONS[chosen](*arguments)
    return _operator.node_attention(chosen, *arguments)
