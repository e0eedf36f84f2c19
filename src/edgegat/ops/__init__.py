"""The two attention blocks of the paper as pure functions on tensors.

One folder each: the mathematics in ``README.md``, the paper word for word in ``_naive.py``, and what runs
fast beside it, tested against it.
"""

from edgegat.ops._backends import Backend as Backend
from edgegat.ops._backends import available_backends as available_backends
from edgegat.ops._trace import record_kernels as record_kernels
from edgegat.ops.incidence import at_incidences as at_incidences
from edgegat.ops.incidence import at_roles as at_roles
from edgegat.ops.node import NodeParts as NodeParts
from edgegat.ops.node import join_shares as join_shares
from edgegat.ops.node import node_attention as node_attention
from edgegat.ops.node import node_attention_parts as node_attention_parts
from edgegat.ops.node import node_attention_weights as node_attention_weights
from edgegat.ops.star import edge_attention as edge_attention
from edgegat.ops.star import star_attention as star_attention
from edgegat.ops.star.weights import EdgeWeights as EdgeWeights
from edgegat.ops.star.weights import star_attention_weights as star_attention_weights
from edgegat.ops.transit import transit_attention as transit_attention
