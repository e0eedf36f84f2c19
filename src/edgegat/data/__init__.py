"""Two tables become a graph, and next month's tables the same way.

The names load on first use, so that what needs no table (``edgegat.data.patterns``) imports without polars.
``edgegat.data.checks``, ``edgegat.data.datasets`` and ``edgegat.data.trade`` are imported by their own names.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edgegat.data.draft import draft_schema as draft_schema
    from edgegat.data.encoded import EncodedGraph as EncodedGraph
    from edgegat.data.errors import DataError as DataError
    from edgegat.data.graph_encoder import GraphEncoder as GraphEncoder
    from edgegat.data.reading import Table as Table
    from edgegat.data.reading import open_table as open_table
    from edgegat.data.roles import Feature as Feature
    from edgegat.data.schema import Schema as Schema

_HOME = {
    "DataError": "errors",
    "EncodedGraph": "encoded",
    "Feature": "roles",
    "GraphEncoder": "graph_encoder",
    "Schema": "schema",
    "Table": "reading",
    "draft_schema": "draft",
    "open_table": "reading",
}
__all__ = [
    "DataError",
    "EncodedGraph",
    "Feature",
    "GraphEncoder",
    "Schema",
    "Table",
    "draft_schema",
    "open_table",
]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(importlib.import_module(f"edgegat.data.{_HOME[name]}"), name)
    raise AttributeError(f"module 'edgegat.data' has no attribute {name!r}; it offers {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted(__all__)
