"""What a training step costs, against the pairs of adjacent edges and against the edges: the paper's section 5.4.

    python -m experiments.complexity      # about four minutes on a CPU; writes results/complexity.json and the plot

Two series of graphs: in one the edges stay 20,000 and a hub grows, so that ``Σ d²`` alone does; in the other degrees
stay as they are and the edges grow. The model is the paper's, on 16 node features and one edge feature; a step is
forward, loss, backward and Adam, on one thread. Each point is the processor's time of the best of some steps in a
process of its own, and the most memory it took, listed pairs and sorted stars included. On Pubmed, an epoch is a step
and a validation.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat import EGAT
from edgegat.graph import EdgeGraph, Stars
from edgegat.nn import egat_conv
from edgegat.ops import edge_attention
from edgegat.ops.star import _naive
from experiments import results, tasks
from experiments.memory import most_memory

FILE = results.FOLDER / "complexity.json"
METHODS: dict[str, dict[str, Any]] = {
    "pairs listed": {},
    "transit": {"edge_attention": "transit"},
    "star": {},
}
SERIES = {
    "a hub grows": ("hub", [100, 300, 1000, 2000, 5000, 20_000]),
    "edges grow": ("even", [5000, 10_000, 20_000, 40_000, 80_000, 160_000]),
    "Pubmed": ("pubmed", [0]),
}
_EDGES, _LARGEST_LISTED_HUB = 20_000, 2000  # one of 5,000 would take half a minute a step and 20 GB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--tensors", type=Path, help="what experiments.prepare wrote (default: read EDGEGAT_DATA)"
    )
    parser.add_argument(
        "--point", nargs=3, metavar=("METHOD", "GRAPH", "SIZE"), help="measure this alone, as JSON"
    )
    given = parser.parse_args()
    if given.point:
        method, kind, size = given.point
        print(json.dumps(measure(method, kind, int(size), given.tensors)))
        return
    points = [
        {"series": series, "method": method} | _in_a_process(method, kind, size, given.tensors)
        for series, (kind, sizes) in SERIES.items()
        for size in sizes
        for method in METHODS
        if method != "pairs listed" or kind != "hub" or size <= _LARGEST_LISTED_HUB
    ]
    found = {"environment": results.environment("cpu", 1), "points": points, "exponents": exponents(points)}
    results.write(FILE, found)
    from experiments.plots import draw_complexity

    print(json.dumps(found["exponents"], indent=1))
    print(f"Wrote {FILE} and {draw_complexity(found)}.")


def graph_of(kind: str, size: int, tensors: Path | None = None) -> EdgeGraph:
    """A hub of ``size`` edges among 20,000, or ``size`` edges drawn evenly, or Pubmed."""
    if kind == "pubmed":
        return tasks.load("pubmed", tensors)
    M = _EDGES if kind == "hub" else size
    N = M // 2
    generator = torch.Generator().manual_seed(0)
    edge_index = torch.randint(N, (2, M), generator=generator)
    edge_index[1] = torch.where(edge_index[0] == edge_index[1], (edge_index[1] + 1) % N, edge_index[1])
    if kind == "hub":
        edge_index[0, :size] = 0
        edge_index[1, :size] = 1 + torch.arange(size) % (N - 1)
    return EdgeGraph(
        torch.randn(N, 16, generator=generator),
        edge_index,
        torch.randn(M, 1, generator=generator),
        torch.randint(3, (N,), generator=generator),
    )


def measure(method: str, kind: str, size: int, tensors: Path | None = None) -> dict[str, Any]:
    """Seconds of a step and the most bytes, beside ``Σ d²`` and the number of edges."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    _steps(graph_of("even", 100), method)[0]()  # imports and compiles
    graph = graph_of(kind, size, tensors)
    with most_memory() as memory:
        step, validate = _steps(graph, method)
        seconds = _best(step)
    degree = graph.stars.degree.double()
    row = {
        "edges": graph.num_edges,
        "pairs": int(degree.square().sum()),
        "seconds": seconds,
        "bytes": memory.bytes,
    }
    return row | ({"epoch seconds": seconds + _best(validate)} if kind == "pubmed" else {})


def exponents(points: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """The slopes in doubly logarithmic plots, over the upper half of each series."""
    slopes: dict[str, dict[str, float]] = {}
    for series, against in (("a hub grows", "pairs"), ("edges grow", "edges")):
        for method in METHODS:
            rows = [row for row in points if row["series"] == series and row["method"] == method][-3:]
            sizes = np.log([row[against] for row in rows])
            for what in ("seconds", "bytes"):
                slope = np.polyfit(sizes, np.log([max(row[what] or 1, 1e-9) for row in rows]), 1)[0]
                slopes.setdefault(f"{what}, {series}, against {against}", {})[method] = round(float(slope), 2)
    return slopes


def _steps(graph: EdgeGraph, method: str) -> tuple[Callable[[], None], Callable[[], None]]:
    """A training step and a validation, with all that can be prepared once prepared."""
    graph = graph.with_virtual_self_loops()
    assert graph.y is not None
    y, stars = graph.y, graph.stars
    if method == "pairs listed":
        _list_once(stars)
    sizes = graph.x.size(1), 1, int(y.max()) + 1
    model = EGAT(*sizes, dropout=0.6, attention_dropout=0.6, **METHODS[method])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=0.001)

    def logits() -> Tensor:
        out: Tensor = model(graph.x, stars, graph.edge_attr)
        return out

    def step() -> None:
        model.train()
        optimizer.zero_grad()
        F.cross_entropy(logits(), y).backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    @torch.no_grad()
    def validate() -> None:
        model.eval()
        logits()

    return step, validate


_list_pairs = _naive.list_pairs


def _list_once(stars: Stars) -> None:
    """From now on edge blocks read a list of pairs, made before training as in the paper; node blocks stay fast."""
    pairs = _list_pairs(stars)
    _naive.list_pairs = lambda _: pairs
    egat_conv.edge_attention = lambda *given, **also: edge_attention(*given[:-1], backend="naive", **also)


def _best(step: Callable[[], None]) -> float:
    times: list[float] = []
    started = time.perf_counter()
    while len(times) < 2 or (len(times) < 30 and time.perf_counter() - started < 4):
        begin = time.process_time()
        step()
        times.append(time.process_time() - begin)
    return min(times)


def _in_a_process(method: str, kind: str, size: int, tensors: Path | None) -> dict[str, Any]:
    command = [sys.executable, "-m", "experiments.complexity", "--point", method, kind, str(size)]
    command += ["--tensors", str(tensors)] if tensors else []
    alone = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | alone)
    if done.returncode:
        raise SystemExit(done.stderr)
    row: dict[str, Any] = json.loads(done.stdout)
    pairs = math.log10(row["pairs"])
    print(f"{method}, {row['edges']:,} edges, 10^{pairs:.1f} pairs: {row['seconds'] * 1e3:.0f} ms", flush=True)
    return row


if __name__ == "__main__":
    main()
