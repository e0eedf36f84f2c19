"""Two tables become a graph, and next month's tables the same way.

``edgegat.data.checks``, ``edgegat.data.datasets`` and ``edgegat.data.trade`` are imported by their own names.
"""

from edgegat.data.draft import draft_schema as draft_schema
from edgegat.data.encoded import EncodedGraph as EncodedGraph
from edgegat.data.errors import DataError as DataError
from edgegat.data.graph_encoder import GraphEncoder as GraphEncoder
from edgegat.data.reading import Table as Table
from edgegat.data.reading import open_table as open_table
from edgegat.data.roles import Feature as Feature
from edgegat.data.schema import Schema as Schema
