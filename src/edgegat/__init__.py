"""Edge-Featured Graph Attention Networks for PyTorch.

Node *and* edge features, both learned by attention, exactly as in the paper of Chen and Chen, without ever
building the line graph. The public names load on first use, so that ``import edgegat`` stays quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edgegat.graph import EdgeGraph
    from edgegat.learn import EGATClassifier, EGATRegressor
    from edgegat.nn import EGAT, EGATConv

__all__ = ["EGAT", "EGATClassifier", "EGATConv", "EGATRegressor", "EdgeGraph", "__version__"]
__version__ = "0.1.0"

_HOME = {
    "EGAT": "edgegat.nn",
    "EGATClassifier": "edgegat.learn",
    "EGATConv": "edgegat.nn",
    "EGATRegressor": "edgegat.learn",
    "EdgeGraph": "edgegat.graph",
}


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'edgegat' has no attribute {name!r}; it offers {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted(__all__)
