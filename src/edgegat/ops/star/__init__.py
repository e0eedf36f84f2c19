"""The edge attention block (paper, equations 4 and 5), without the line graph."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops._backends import Backend, choose_backend
from edgegat.ops._shapes import check_shapes
from edgegat.ops._trace import note
from edgegat.ops.incidence import at_incidences
from edgegat.ops.star import _naive, _operator, _torch

_IMPLEMENTATIONS = {"naive": _naive.star_attention, "torch": _torch.star_attention}


def star_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    self_logit: Tensor,
    stars: Stars,
    negative_slope: float = 0.2,
    backend: Backend = "auto",
) -> Tensor:
    r"""Every edge attends to all edges that share a node with it, and to itself.

    .. math::
        e'_p = \frac{\sum_q w_{pq} e_q + w_{pp} e_p}{\sum_q w_{pq} + w_{pp}}, \qquad
        w_{pq} = \exp \mathrm{LeakyReLU}(x_{p,v} + y_{q,v}), \quad
        w_{pp} = \exp \mathrm{LeakyReLU}(s_p)

    where ``q`` runs over the other edges at both end nodes ``v`` of ``p``. Parallel edges meet at both ends
    and count twice, as two neighbours would. Time ``O(M log d)``, memory ``O(M)``: no pair is ever listed.

    Args:
        query: ``x``, ``[I, K]``, one row per incidence (edge and end node) and one column per head.
        key: ``y``, ``[I, K]``. A key of ``torch.finfo(key.dtype).min / 4`` drops that edge at that node.
        value: ``e``, ``[M, K, F]``, one row per edge.
        self_logit: ``s``, ``[M, K]``, before the LeakyReLU.
        stars: the incidences of the graph.
        negative_slope: of the LeakyReLU, at least 0 and at most 1.
        backend: ``"auto"`` takes the fastest that works here.

    Returns:
        ``[M, K, F]``, before any non-linearity.

    Example:
        Two edges that meet at node 1 and attend equally to each other and to themselves:

        >>> import torch
        >>> stars = Stars.build(torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
        >>> zeros = torch.zeros(4, 1)
        >>> star_attention(zeros, zeros, torch.tensor([[[2.0]], [[4.0]]]), torch.zeros(2, 1), stars).flatten()
        tensor([3., 3.])
    """
    I, M = stars.num_incidences, stars.num_edges
    check_shapes(
        query=(query, (I, "K"), "one row per incidence, one column per head"),
        key=(key, (I, "K"), "one row per incidence, one column per head"),
        value=(value, (M, "K", "F"), "one row per edge, then heads, then channels"),
        self_logit=(self_logit, (M, "K"), "one row per edge, one column per head"),
    )
    _check_slope(negative_slope)
    chosen = choose_backend(backend, value.device)
    note(f"star/{chosen}")
    if chosen in _IMPLEMENTATIONS:
        return _IMPLEMENTATIONS[chosen](query, key, value, self_logit, stars, negative_slope)
    return _operator.star_attention(chosen, query, key, None, value, self_logit, stars, negative_slope)


def edge_attention(
    from_reader: Tensor,
    from_source: Tensor,
    from_node: Tensor,
    value: Tensor,
    stars: Stars,
    negative_slope: float = 0.2,
    backend: Backend = "auto",
    elu: bool = False,
) -> Tensor:
    r"""The edge block as a layer calls it: :func:`star_attention` whose logits come from edges and nodes.

    .. math:: x_{p,v} = r_p, \qquad y_{q,v} = s_q + t_v, \qquad s_{pp} = r_p + s_p

    with ``r = b₁·e``, ``s = b₂·e`` and ``t = b₃·h`` of equation 4. Nothing of size ``[I, K]`` is made where the
    backend can do without.

    Args:
        from_reader: ``r``, ``[M, K]``.
        from_source: ``s``, ``[M, K]``.
        from_node: ``t``, ``[N, K]``.
        value: ``e``, ``[M, K, F]``.
        stars: the incidences of the graph.
        negative_slope: of the LeakyReLU, at least 0 and at most 1.
        backend: ``"auto"`` takes the fastest that works here.
        elu: is the answer's ELU returned, the paper's ``σ``? On a GPU it costs no pass over memory then.

    Returns:
        ``[M, K, F]``, before any other non-linearity.

    Example:
        >>> import torch
        >>> stars = Stars.build(torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
        >>> r, s, t = torch.zeros(2, 1), torch.zeros(2, 1), torch.zeros(3, 1)
        >>> edge_attention(r, s, t, torch.tensor([[[2.0]], [[4.0]]]), stars).flatten()
        tensor([3., 3.])
    """
    N, M = stars.num_nodes, stars.num_edges
    check_shapes(
        from_reader=(from_reader, (M, "K"), "one row per edge, one column per head"),
        from_source=(from_source, (M, "K"), "one row per edge, one column per head"),
        from_node=(from_node, (N, "K"), "one row per node, one column per head"),
        value=(value, (M, "K", "F"), "one row per edge, then heads, then channels"),
    )
    _check_slope(negative_slope)
    chosen = choose_backend(backend, value.device)
    if chosen in _IMPLEMENTATIONS:
        query = at_incidences(from_reader, None, stars, backend)
        key = at_incidences(from_source, from_node, stars, backend)
        own = from_reader + from_source
        out = star_attention(query, key, value, own, stars, negative_slope, backend)
        return F.elu(out) if elu else out
    note(f"star/{chosen}")
    return _operator.star_attention(
        chosen, from_reader, from_source, from_node, value, None, stars, negative_slope, elu
    )


def _check_slope(negative_slope: float) -> None:
    if not 0.0 <= negative_slope <= 1.0:
        raise ValueError(
            f"negative_slope is {negative_slope}, but it must be between 0 and 1: the method needs a "
            "LeakyReLU that never decreases."
        )
