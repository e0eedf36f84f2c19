"""One method on one graph, in a process of its own: ``python -m benchmarks.measure METHOD EDGES`` prints JSON.

The process may take no more memory than the machine has, so that what does not fit says so and harms nobody.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

from benchmarks import steps
from benchmarks.graphs import power_law
from edgegat.graph import Stars
from edgegat.nn import egat_conv
from edgegat.ops import edge_attention
from edgegat.ops.star import _naive

LIMIT = 18 << 30
list_pairs = _naive.list_pairs
LONGEST = 60.0  # seconds that one step may take


def listed_pairs(edge_index: Tensor, num_nodes: int) -> steps.Step:
    """The layer with every pair of adjacent edges listed, once, before the clock runs.

    The node block is ours: it is the listing that is measured.
    """
    pairs = list_pairs(Stars.build(edge_index, num_nodes))
    _naive.list_pairs = lambda _: pairs
    egat_conv.edge_attention = lambda *given, **also: edge_attention(*given[:-1], backend="naive", **also)
    return steps.egat_layer(edge_index, num_nodes)


METHODS: dict[str, Callable[[Tensor, int], steps.Step]] = {
    "PyG GATConv": steps.gat_layer,
    "PyG LineGraph + GATConv": steps.line_graph_layer,
    "EGAT, pairs listed": listed_pairs,
    "EGAT, torch": lambda edges, nodes: steps.egat_layer(edges, nodes, "torch"),
    "EGAT, numba": lambda edges, nodes: steps.egat_layer(edges, nodes, "numba"),
}


def resident() -> int:
    """Bytes of this process in memory now."""
    return _status("VmRSS")


def peak() -> int:
    """The most bytes that this process ever had in memory. (``getrusage`` would count its parent's, too.)"""
    return _status("VmHWM")


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def measure(method: str, num_edges: int) -> dict[str, float | str]:
    """The best of a few steps, and the most memory on top of what the libraries and the graph take."""
    num_nodes = max(num_edges // 10, 10)
    edge_index = power_law(num_nodes, num_edges)
    METHODS[method](power_law(10, 100), 10)()  # imports and compiles
    before = resident()
    started = time.perf_counter()
    step = METHODS[method](edge_index, num_nodes)
    times = []
    while len(times) < 2 or (len(times) < 5 and time.perf_counter() - started < 10):
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
        if times[-1] > LONGEST:
            break
    return {"seconds": min(times), "bytes": max(peak() - before, 0)}


def main() -> None:
    method, num_edges = sys.argv[1], int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    try:
        result = measure(method, num_edges)
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and "memory" not in str(error):
            raise
        result = {"failed": "out of memory"}
    print(json.dumps(result))


if __name__ == "__main__":
    torch.manual_seed(0)
    main()
