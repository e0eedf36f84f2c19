"""``make bench``: what a layer costs on this machine's CPU, beside its peers, and how that grows.

    python -m benchmarks.cpu             # the table of growing graphs, the ratios, the plot: some minutes
    python -m benchmarks.cpu --large     # up to ten million edges: needs 16 GB and some minutes more

Writes cpu.json, cpu.md and cpu.svg into benchmarks/results. The real graphs need EDGEGAT_DATA. A ratio is that of
medians of steps that take turns, so that what disturbs one disturbs both.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from benchmarks import steps
from benchmarks.graphs import ethereum, even, one_star, planetoid, power_law
from benchmarks.measure import METHODS
from edgegat.graph import Stars
from edgegat.ops.star import _naive

RESULTS = Path(__file__).parent / "results"
STAR = 168_672  # a real bank's busiest account


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="up to ten million edges")
    large = parser.parse_args().large
    results: dict[str, Any] = {"machine": machine()}
    print(results["machine"])
    results["growth"] = growth([10**3, 10**4, 10**5, 10**6] + [10**7] * large)
    results["exponent"] = exponent(results["growth"]["EGAT, numba"])
    results["ratios"] = ratios()
    results["star"] = star()
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "cpu.json").write_text(json.dumps(results, indent=1) + "\n")
    (RESULTS / "cpu.md").write_text(as_markdown(results))
    plot(results["growth"])
    print("\n" + as_markdown(results))


def machine() -> str:
    import numba
    import torch_geometric

    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()} CPU, {torch.get_num_threads()} cores, Python "
        f"{platform.python_version()}, torch {torch.__version__}, numba {numba.__version__}, torch-geometric "
        f"{torch_geometric.__version__}"
    )


def growth(sizes: list[int]) -> dict[str, list[dict[str, Any]]]:
    """Every method on every size, until it no longer fits."""
    table: dict[str, list[dict[str, Any]]] = {}
    for method in METHODS:
        rows = table[method] = []
        for size in sizes:
            row = {"edges": size} | in_a_process(method, size)
            rows.append(row)
            print(f"{method}, {size:,} edges: {said(row)}", flush=True)
            if "failed" in row:
                break
    return table


def in_a_process(method: str, edges: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.measure", method, str(edges)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return {"failed": "more than 5 minutes"}
    if done.returncode < 0:
        return {"failed": "out of memory"}
    if done.returncode:
        raise SystemExit(done.stderr)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def exponent(rows: list[dict[str, Any]], smallest: int = 10**5) -> float | None:
    """The slope of the time in the doubly logarithmic plot, from 100,000 edges."""
    rows = [row for row in rows if row["edges"] >= smallest and "seconds" in row]
    if len(rows) < 2:
        return None
    first, last = rows[0], rows[-1]
    return math.log(last["seconds"] / first["seconds"]) / math.log(last["edges"] / first["edges"])


def in_turns(one: steps.Step, other: steps.Step, seconds: float = 20.0) -> tuple[float, float]:
    """Medians of steps that take turns."""
    one(), other()
    times: tuple[list[float], list[float]] = ([], [])
    started = time.perf_counter()
    while len(times[0]) < 3 or (len(times[0]) < 50 and time.perf_counter() - started < seconds):
        for step, mine in zip((one, other), times, strict=True):
            begin = time.perf_counter()
            step()
            mine.append(time.perf_counter() - begin)
    return statistics.median(times[0]), statistics.median(times[1])


def ratios() -> dict[str, dict[str, float]]:
    """The yardsticks: ours, the peer's, and ours over the peer's."""
    table = {}

    def enter(name: str, ours: steps.Step, peer: steps.Step) -> None:
        mine, other = in_turns(ours, peer)
        table[name] = {"ours": mine, "peer": other, "ratio": mine / other}
        print(f"{name}: {mine * 1e3:.1f} ms / {other * 1e3:.1f} ms = {mine / other:.3f}", flush=True)

    for nodes, edges in ((10_000, 100_000), (100_000, 1_000_000)):
        graph = power_law(nodes, edges)
        enter(
            f"EGAT layer / GATConv, {edges:,} edges",
            steps.egat_layer(graph, nodes),
            steps.gat_layer(graph, nodes),
        )
    if not os.environ.get("EDGEGAT_DATA"):
        print("EDGEGAT_DATA is not set: the real graphs are left out.")
        return table
    graph, nodes = ethereum()
    enter(
        "EGAT layer / GATConv, Ethereum phishing", steps.egat_layer(graph, nodes), steps.gat_layer(graph, nodes)
    )
    for name, channels, classes in (("Cora", 1433, 7), ("PubMed", 500, 3)):
        graph, nodes = planetoid(name)
        pairs = _naive.list_pairs(Stars.build(graph, nodes))
        list_them, _naive.list_pairs = _naive.list_pairs, lambda _, pairs=pairs: pairs
        enter(
            f"edge block / pairs listed, {name}",
            steps.edge_block(graph, nodes),
            steps.edge_block(graph, nodes, "naive"),
        )
        _naive.list_pairs = list_them
        enter(
            f"training step, EGAT / PyG GAT, {name}",
            steps.egat_training(graph, nodes, channels, classes),
            steps.gat_training(graph, nodes, channels, classes),
        )
    return table


def star() -> dict[str, float]:
    """One star of many edges beside as many edges spread evenly, layer and edge block, and its extra memory."""
    hub, spread = one_star(STAR), even(STAR + 1, STAR)
    layer = in_turns(steps.egat_layer(hub, STAR + 1), steps.egat_layer(spread, STAR + 1))
    step = steps.edge_block(hub, STAR + 1)
    block = in_turns(step, steps.edge_block(spread, STAR + 1))
    return {
        "layer": layer[0] / layer[1],
        "edge block": block[0] / block[1],
        "extra bytes": extra_memory_of_a_star(),
    }


def extra_memory_of_a_star() -> float:
    """What the edge block on one star takes on top of its inputs, in a fresh process."""
    code = (
        "from benchmarks import cpu, steps; from benchmarks.graphs import one_star; "
        "from benchmarks.measure import peak, resident; "
        "steps.edge_block(one_star(1000), 1001)(); step = steps.edge_block(one_star(cpu.STAR), cpu.STAR + 1); "
        "before = resident(); step(); print(peak() - before)"
    )
    return float(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    )


def said(row: dict[str, Any]) -> str:
    return row.get("failed") or f"{row['seconds'] * 1e3:,.1f} ms, {row['bytes'] / 1e6:,.0f} MB"


def as_markdown(results: dict[str, Any]) -> str:
    sizes = sorted({row["edges"] for rows in results["growth"].values() for row in rows})
    lines = [
        f"{results['machine']}.",
        "",
        "One layer, forward and backward: time, and memory on top of the graph.",
        "",
    ]
    lines += [f"| | {' | '.join(f'{size:,} edges' for size in sizes)} |", "|---" * (len(sizes) + 1) + "|"]
    for method, rows in results["growth"].items():
        cells = [said(row) for row in rows] + [""] * (len(sizes) - len(rows))
        lines.append(f"| {method} | {' | '.join(cells)} |")
    if results["exponent"]:
        lines += ["", f"Time of the numba backend grows as edges to the power {results['exponent']:.2f}."]
    lines += ["", "| steps that take turns | ours | peer | ratio |", "|---|---|---|---|"]
    for name, row in results["ratios"].items():
        lines.append(
            f"| {name} | {row['ours'] * 1e3:.1f} ms | {row['peer'] * 1e3:.1f} ms | {row['ratio']:.3f} |"
        )
    one = results["star"]
    lines += [
        "",
        f"One star of {STAR:,} edges, over as many edges spread evenly: layer {one['layer']:.2f}, edge block alone "
        f"{one['edge block']:.2f}; the edge block takes {one['extra bytes'] / 1e6:.0f} MB on top of its inputs.",
    ]
    return "\n".join(lines) + "\n"


def plot(growth: dict[str, list[dict[str, Any]]]) -> None:
    """Time against edges, both logarithmic: the quadratic lines that end, and ours."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.6), layout="constrained")
    axes = figure.add_subplot()
    styles = {
        "PyG GATConv": ("#555555", "o", "--"),
        "PyG LineGraph + GATConv": ("#CC79A7", "s", "-"),
        "EGAT, pairs listed": ("#D55E00", "^", "-"),
        "EGAT, torch": ("#56B4E9", "D", "-"),
        "EGAT, numba": ("#0072B2", "o", "-"),
    }
    for method, rows in growth.items():
        color, marker, line = styles[method]
        done = [row for row in rows if "seconds" in row]
        edges, seconds = [row["edges"] for row in done], [row["seconds"] for row in done]
        label = f"{method} (edge features stay as they are)" if method == "PyG GATConv" else method
        axes.plot(edges, seconds, color=color, marker=marker, linestyle=line, label=label)
        if len(done) < len(rows):
            axes.annotate(
                rows[-1]["failed"], (edges[-1], seconds[-1]), (6, 6), textcoords="offset points", color=color
            )
    axes.set(xscale="log", yscale="log", xlabel="edges", ylabel="seconds, forward and backward")
    axes.set_title("One layer on a power-law graph, 2 CPU cores", loc="left")
    axes.grid(which="major", color="#dddddd", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(RESULTS / "cpu.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
