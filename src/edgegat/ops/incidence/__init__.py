"""What an edge and a node say at the place where they meet."""

from __future__ import annotations

from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops._backends import Backend, choose_backend
from edgegat.ops._shapes import check_shapes
from edgegat.ops._trace import note
from edgegat.ops.incidence import _naive, _torch

_IMPLEMENTATIONS = {"naive": _naive.at_incidences, "torch": _torch.at_incidences}


def at_incidences(per_edge: Tensor, per_node: Tensor | None, stars: Stars, backend: Backend = "auto") -> Tensor:
    r"""Add up, at every incidence, the row of its edge and the row of its node: what the edge block reads.

    .. math:: y_{p,v} = u_p + w_v

    Args:
        per_edge: ``u``, ``[M, K]``.
        per_node: ``w``, ``[N, K]``, or ``None`` for zeros.
        stars: the incidences of the graph.
        backend: ``"auto"`` takes the fastest that works here.

    Returns:
        ``[I, K]``.

    Example:
        >>> import torch
        >>> stars = Stars.build(torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
        >>> per_edge, per_node = torch.tensor([[10.0], [20.0]]), torch.tensor([[1.0], [2.0], [3.0]])
        >>> at_incidences(per_edge, per_node, stars).flatten()
        tensor([11., 12., 22., 23.])
    """
    rows = {"per_edge": (per_edge, (stars.num_edges, "K"), "one row per edge, one column per head")}
    if per_node is not None:
        rows["per_node"] = (per_node, (stars.num_nodes, "K"), "one row per node, one column per head")
    check_shapes(**rows)
    chosen = _choose(backend, per_edge)
    return _IMPLEMENTATIONS[chosen](per_edge, per_node, stars)


def at_roles(
    per_edge: Tensor, per_node: Tensor | None, role: Tensor, stars: Stars, backend: Backend = "auto"
) -> Tensor:
    r"""The same in a directed graph, where edge and node say another thing in each role.

    .. math:: y_{p,v} = u_p^{\rho} + w_v^{\rho}, \qquad \rho \text{ the role of } p \text{ at } v

    Args:
        per_edge: ``u``, ``[M, R, K]``, what each edge says in each of ``R`` roles.
        per_node: ``w``, ``[N, R, K]``, or ``None`` for zeros.
        role: ``[I]``, whole numbers below ``R``: ``stars.role`` in a directed graph. The two ends of an edge must
            have different ones.
        stars: the incidences of the graph.
        backend: ``"auto"`` takes the fastest that works here.

    Returns:
        ``[I, K]``.

    Example:
        >>> import torch
        >>> stars = Stars.build(torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
        >>> per_edge = torch.tensor([[[10.0], [-10.0]], [[20.0], [-20.0]]])  # plus where they leave
        >>> at_roles(per_edge, None, stars.role, stars).flatten()
        tensor([ 10., -10.,  20., -20.])
    """
    rows = {"per_edge": (per_edge, (stars.num_edges, "R", "K"), "one row per edge, then roles, then heads")}
    if per_node is not None:
        rows["per_node"] = (per_node, (stars.num_nodes, "R", "K"), "one row per node, then roles, then heads")
    check_shapes(**rows)
    implementation = _naive.at_roles if _choose(backend, per_edge) == "naive" else _torch.at_roles
    return implementation(per_edge, per_node, role, stars)


def _choose(backend: Backend, like: Tensor) -> str:
    # The compiled edge blocks read edges and nodes where they stand; a kernel for this would have no user.
    chosen = "naive" if choose_backend(backend, like.device) == "naive" else "torch"
    note(f"incidence/{chosen}")
    return chosen
