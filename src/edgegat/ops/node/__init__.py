"""The node attention block (paper, equations 1 to 3)."""

from __future__ import annotations

from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops._backends import Backend
from edgegat.ops.node._attend import attend
from edgegat.ops.node._torch import node_attention_weights as node_attention_weights
from edgegat.ops.node.parts import NodeParts as NodeParts
from edgegat.ops.node.parts import join_shares as join_shares
from edgegat.ops.node.parts import node_attention_parts as node_attention_parts


def node_attention(
    query: Tensor,
    key: Tensor,
    edge_logit: Tensor,
    node_value: Tensor,
    edge_value: Tensor,
    stars: Stars,
    negative_slope: float = 0.2,
    keep: Tensor | None = None,
    backend: Backend = "auto",
) -> tuple[Tensor, Tensor]:
    r"""Every node attends to its neighbours, over the edges that lead to them.

    .. math::
        \alpha_{ij} = \mathrm{softmax}_j\, \mathrm{LeakyReLU}(x_i + y_j + z_{ij}), \qquad
        h'_i = \sum_j \alpha_{ij} h_j, \quad m^E_i = \sum_j \alpha_{ij} e_{ij}

    ``j`` runs over the far ends of all edges at ``i``. A node attends to itself through a self-loop: add the
    paper's virtual ones first (:func:`edgegat.graph.add_virtual_self_loops`). The paper's edge-integrated
    features are ``H_m = h' ‖ m^E``.

    Args:
        query: ``x = a₁·h``, ``[N, K]``, one column per head.
        key: ``y = a₂·h``, ``[N, K]``.
        edge_logit: ``z = a₃·e``, ``[M, K]``.
        node_value: ``h``, ``[N, K, F]``.
        edge_value: ``e``, ``[M, K, F']``.
        stars: the incidences of the graph.
        negative_slope: of the LeakyReLU.
        keep: ``[I, K]``, multiplied onto ``α`` after the softmax: dropout, or an explainer's mask.
        backend: ``"auto"`` takes the fastest that works here.

    Returns:
        ``h' [N, K, F]`` and ``m^E [N, K, F']``, before any non-linearity; zeros for a node without edges.

    Example:
        A node between two others, all logits equal, averages them and their edges:

        >>> import torch
        >>> stars = Stars.build(torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
        >>> per_node, per_edge = torch.zeros(3, 1), torch.zeros(2, 1)
        >>> h, e = torch.tensor([[[1.0]], [[0.0]], [[5.0]]]), torch.tensor([[[10.0]], [[20.0]]])
        >>> nodes, edges = node_attention(per_node, per_node, per_edge, h, e, stars)
        >>> nodes.flatten(), edges.flatten()
        (tensor([0., 3., 0.]), tensor([10., 15., 20.]))
    """
    arguments = (query, key, edge_logit, node_value, edge_value, stars, negative_slope, keep, backend)
    nodes, edges, _ = attend(*arguments, by_incidence=False)
    return nodes, edges
