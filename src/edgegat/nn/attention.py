"""What a layer attended to."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from edgegat.graph import Stars
from edgegat.ops import EdgeWeights, star_attention_weights


@dataclass(frozen=True, eq=False)
class Attention:
    """The attention weights of one layer, for looking at.

    Attributes:
        stars: the incidences that the rows of ``alpha`` belong to.
        alpha: ``[I, K]``: row ``r`` says how much node ``stars.node[r]`` listens to node ``stars.other[r]``
            over edge ``stars.edge[r]``. Sums to one over each star.
        pair_logits: query, key and own logit of the edge block, from which :meth:`beta` is computed. A directed
            layer reads twice: its columns, and those of ``beta``, are the heads of the reading that leans
            upstream, then those of the other.
        negative_slope: of the LeakyReLU.
    """

    stars: Stars
    alpha: Tensor
    pair_logits: tuple[Tensor, Tensor, Tensor] | None
    negative_slope: float

    def beta(self, edges: Tensor) -> EdgeWeights:
        """How much each of the chosen edges listens to its adjacent edges and to itself.

        Only for chosen edges: all pairs at once would be the line graph.
        """
        if self.pair_logits is None:
            raise ValueError(
                "this layer has no edge-to-edge weights: it has no edge block, or one with "
                "edge_attention='transit', where edges attend to nodes."
            )
        query, key, own = self.pair_logits
        return star_attention_weights(query, key, own, self.stars, edges, self.negative_slope)
