"""Layers and models."""

from edgegat.nn.attention import Attention as Attention
from edgegat.nn.egat import EGAT as EGAT
from edgegat.nn.egat import Embeddings as Embeddings
from edgegat.nn.egat_conv import EGATConv as EGATConv
