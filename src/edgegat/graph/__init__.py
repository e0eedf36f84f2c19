"""A graph as tensors."""

from edgegat.graph.stars import Stars as Stars
