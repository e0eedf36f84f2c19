"""A graph as tensors: one row per edge, and for each node its star of edges."""

from edgegat.graph.edge_graph import EdgeGraph as EdgeGraph
from edgegat.graph.matrices import edge_adjacency as edge_adjacency
from edgegat.graph.matrices import edge_mapping as edge_mapping
from edgegat.graph.matrices import node_adjacency as node_adjacency
from edgegat.graph.matrices import node_mapping as node_mapping
from edgegat.graph.merging import merge_reciprocal as merge_reciprocal
from edgegat.graph.pairs import Pairs as Pairs
from edgegat.graph.self_loops import add_virtual_self_loops as add_virtual_self_loops
from edgegat.graph.stars import Stars as Stars
from edgegat.graph.topology import count_adjacent_edges as count_adjacent_edges
from edgegat.graph.transforms import AddTopologicalEdgeFeature as AddTopologicalEdgeFeature
from edgegat.graph.transforms import AddVirtualSelfLoops as AddVirtualSelfLoops
