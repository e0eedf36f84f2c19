"""The Triton backend on a real GPU: correctness first, then times.

    PYTHONPATH=src python benchmarks/gpu_check.py            # everything, a few minutes
    PYTHONPATH=src python benchmarks/gpu_check.py --quick    # correctness alone

Needs torch, triton and torch-geometric. Writes gpu.json and gpu.md into the folder $OUT, or benchmarks/results/.
Every section stands alone: what fails in one is printed and does not stop the others.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import gc
import itertools
import json
import math
import multiprocessing
import os
import platform
import statistics
import sys
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks import steps  # noqa: E402
from benchmarks.graphs import even, one_star, power_law  # noqa: E402
from edgegat.graph import Stars  # noqa: E402
from edgegat.ops import edge_attention, node_attention, record_kernels, star_attention  # noqa: E402
from edgegat.ops.star import _triton_schedule as schedule  # noqa: E402

RESULTS: dict[str, Any] = {}
TABLE: list[str] = []
SETTINGS = [(128, 8), (256, 8), (512, 8), (256, 16)]
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
started = time.perf_counter()


def say(line: str) -> None:
    print(line, flush=True)


def verdict(name: str, passed: bool, detail: str) -> None:
    RESULTS.setdefault("checks", {})[name] = {"passed": passed, "detail": detail}
    say(f"{'PASS' if passed else 'FAIL'} {name}: {detail}")


def section(name: str, work: Callable[[], None]) -> None:
    say(f"\n== {name} ({time.perf_counter() - started:.0f} s)")
    try:
        work()
    except Exception as error:
        RESULTS.setdefault("failed", {})[name] = repr(error)
        say(f"FAIL {name} stopped: {error!r}")
        traceback.print_exc(limit=-4)
        sys.stderr.flush()
    gc.collect()
    if DEVICE.type == "cuda":
        torch.cuda.empty_cache()


# --- correctness --------------------------------------------------------------------------------------------------


def run(operation: Callable[..., Any], inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """Outputs, and the gradient of every input for drawn upstream gradients."""
    leaves = {name: t.detach().clone().requires_grad_() for name, t in inputs.items()}
    outputs = operation(**leaves)
    outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    generator = torch.Generator().manual_seed(7)
    upstream = [torch.randn(out.shape, generator=generator).to(out) for out in outputs]
    grads = torch.autograd.grad(outputs, list(leaves.values()), upstream)
    results = {f"out{i}": out.detach() for i, out in enumerate(outputs)}
    return results | {f"d{name}": grad for name, grad in zip(leaves, grads, strict=True)}


def errors(got: dict[str, Tensor], truth: dict[str, Tensor]) -> dict[str, float]:
    """``‖got - truth‖ / ‖truth‖`` of each result; NaN stays NaN."""
    tiny = 1e-30
    return {n: float((got[n].double() - t).norm() / t.norm().clamp(min=tiny)) for n, t in truth.items()}


def drawn(shape: tuple[int, ...], seed: int, scale: float = 1.0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(shape, generator=generator) * scale).to(DEVICE)


def operations(stars: Stars, K: int, F: int, logits: float) -> dict[str, tuple[Any, dict[str, Tensor]]]:
    """The three operations and their inputs in float32."""
    I, M, N = stars.num_incidences, stars.num_edges, stars.num_nodes
    incidence = {
        "query": drawn((I, K), 1, logits),
        "key": drawn((I, K), 2, logits),
        "value": drawn((M, K, F), 3),
        "self_logit": drawn((M, K), 4, logits),
    }
    edge = {
        "from_reader": drawn((M, K), 5, logits),
        "from_source": drawn((M, K), 6, logits),
        "from_node": drawn((N, K), 7, logits),
        "value": drawn((M, K, F), 8),
    }
    node = {
        "query": drawn((N, K), 9, logits),
        "key": drawn((N, K), 10, logits),
        "edge_logit": drawn((M, K), 11, logits),
        "node_value": drawn((N, K, 2 * F), 12),
        "edge_value": drawn((M, K, F), 13),
        "keep": (drawn((I, K), 14) > -0.5).float() / 0.7,
    }
    return {
        "star_attention": (functools.partial(star_attention, stars=stars), incidence),
        "edge_attention": (functools.partial(edge_attention, stars=stars), edge),
        "node_attention": (functools.partial(node_attention, stars=stars), node),
    }


def check(graph: str, edge_index: Tensor, num_nodes: int, K: int, F: int, logits: float = 1.0) -> None:
    stars = Stars.build(edge_index.to(DEVICE), num_nodes)
    for name, (operation, inputs) in operations(stars, K, F, logits).items():
        case = f"{name}, {graph}, K={K} F={F} logits ±{logits:g}"
        double = {n: t.double() for n, t in inputs.items()}
        truth = run(functools.partial(operation, backend="torch"), double)
        with record_kernels() as ran:
            ours64 = errors(run(functools.partial(operation, backend="triton"), double), truth)
        worst = max(ours64.values(), key=lambda e: math.inf if math.isnan(e) else e)
        paths = ", ".join(sorted(set(ran)))
        verdict(f"{case}, float64", worst < 1e-9, f"largest error {worst:.1e}; ran {paths}")
        first = run(functools.partial(operation, backend="triton"), inputs)
        second = run(functools.partial(operation, backend="triton"), inputs)
        same = all(torch.equal(first[n], second[n]) for n in first)
        verdict(f"{case}, twice the same", same, "bit for bit" if same else "differs between two runs")
        ours, torchs = (
            errors(first, truth),
            errors(run(functools.partial(operation, backend="torch"), inputs), truth),
        )
        detail = ", ".join(f"{n} {ours[n]:.1e} (torch {torchs[n]:.1e})" for n in truth)
        good = all(ours[n] <= 2 * torchs[n] + 2e-7 for n in truth)
        verdict(f"{case}, float32", good, detail)


def checks(small: int) -> dict[str, Callable[[], None]]:
    """Every graph on which the operations are held to the torch backend."""
    N = max(20, small // 10)
    loops = torch.cat(
        [power_law(N, small // 4), torch.arange(N).expand(2, -1), torch.tensor([[0] * 30, [1] * 30])], 1
    )
    return {
        "power law": lambda: check("power law", power_law(N, small), N, 8, 4),
        "wide logits": lambda: check("power law", power_law(N, small), N, 4, 4, logits=30.0),
        "odd sizes": lambda: check("power law", power_law(N // 2, small // 4), N // 2, 3, 7),
        "one star": lambda: check("one star", one_star(small // 8), small // 8 + 1, 2, 4),
        "loops and parallels": lambda: check("self-loops and parallel edges", loops, N + 5, 7, 3),
        "elu": lambda: check_elu(power_law(N // 2, small // 4), N // 2),
    }


def check_elu(edge_index: Tensor, num_nodes: int) -> None:
    """The edge block whose ELU is applied where its answer is written."""
    stars = Stars.build(edge_index.to(DEVICE), num_nodes)
    operation, inputs = operations(stars, 8, 4, 1.0)["edge_attention"]
    operation = functools.partial(operation, elu=True)
    truth = run(functools.partial(operation, backend="torch"), {n: t.double() for n, t in inputs.items()})
    ours, torchs = (
        errors(run(functools.partial(operation, backend=b), inputs), truth) for b in ("triton", "torch")
    )
    detail = ", ".join(f"{n} {ours[n]:.1e} (torch {torchs[n]:.1e})" for n in truth)
    verdict("edge_attention with ELU, float32", all(ours[n] <= 2 * torchs[n] + 2e-7 for n in truth), detail)


def run_checks(name: str, small: int) -> dict[str, Any]:
    """One graph's checks, in a process of their own."""
    section(name, checks(small)[name])
    return RESULTS


def check_correctness(small: int) -> None:
    """All checks side by side: most of their time is compilation, which keeps one core busy."""
    with concurrent.futures.ProcessPoolExecutor(6, multiprocessing.get_context("spawn")) as pool:
        for found in pool.map(run_checks, checks(small), itertools.repeat(small)):
            for kind, entries in found.items():
                RESULTS.setdefault(kind, {}).update(entries)


# --- times --------------------------------------------------------------------------------------------------------


def milliseconds(step: Callable[[], object], repeats: int = 7, budget: float = 8.0) -> float:
    """The median, after two warm-up calls, which compile; fewer repeats once the budget of seconds is spent."""
    for _ in range(2):
        step()
    times, begin = [], time.perf_counter()
    while len(times) < repeats and (len(times) < 3 or time.perf_counter() - begin < budget):
        if DEVICE.type != "cuda":
            before = time.perf_counter()
            step()
            times.append((time.perf_counter() - before) * 1e3)
            continue
        events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        events[0].record()
        step()
        events[1].record()
        torch.cuda.synchronize()
        times.append(events[0].elapsed_time(events[1]))
    return statistics.median(times)


def peak_gigabytes(step: Callable[[], object]) -> float:
    """The most memory that tensors took during a step, inputs and graph included."""
    if DEVICE.type != "cuda":
        step()
        return math.nan
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    step()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() / 1e9


@functools.cache
def graph_of(M: int) -> Tensor:
    """The power law on a tenth as many nodes, drawn once."""
    return power_law(M // 10, M)


def measure_copy() -> None:
    """Bytes read plus bytes written by a large copy."""
    source = torch.randn(2**28 if DEVICE.type == "cuda" else 2**20, device=DEVICE)
    target = torch.empty_like(source)
    ms = milliseconds(lambda: target.copy_(source), repeats=20)
    RESULTS["copy_tb_per_s"] = 2 * source.numel() * 4 / ms / 1e9
    say(f"copy bandwidth {RESULTS['copy_tb_per_s']:.2f} TB/s")


def floor_gigabytes(stars: Stars) -> float:
    """The fewest bytes a layer moves forward and backward: every table read or written once where it is used,
    rows gathered at random counted once an incidence.

    Numbers of 4 bytes, with H = 64 node and E = 32 edge channels, K = 8 heads, I incidences:
    forward: x, h, h', (3 H + 3 K) N; edge_attr, e, e' (3 E + 3 K) M; the gathers h and e, (H + E) I;
    keys and values of the edge block, (K + E) I; row indices, 4 I.
    backward: the same tables again as gradients, and the forward ones read once more: twice the forward.
    """
    N, M, I = stars.num_nodes, stars.num_edges, stars.num_incidences
    H, E, K = 64, 32, 8
    forward = (3 * H + 3 * K) * N + (3 * E + 3 * K) * M + (H + E) * I + (K + E) * I + 4 * I
    return 3 * forward * 4 / 1e9


def measure_layers(sizes: list[int]) -> None:
    TABLE.extend(
        [
            "",
            "| edges | nodes | EGAT layer ms | GATConv ms | ratio | EGAT GB | GAT GB | ratio | floor ms | / floor |",
            "|---|---|---|---|---|---|---|---|---|---|",
        ]
    )
    rows = []
    for M in sizes:
        N = M // 10
        row: dict[str, Any] = {"edges": M, "nodes": N}
        edge_index = graph_of(M).to(DEVICE)
        stars = Stars.build(edge_index, N)
        floor = floor_gigabytes(stars)
        del stars
        for name, make in (
            ("egat", functools.partial(steps.egat_layer, backend="triton")),
            ("gat", steps.gat_layer),
        ):
            gc.collect()
            if DEVICE.type == "cuda":
                torch.cuda.empty_cache()
            try:
                before = torch.cuda.memory_allocated() if DEVICE.type == "cuda" else 0
                step = make(edge_index, N)
                row[f"{name}_ms"] = milliseconds(step)
                row[f"{name}_gb"] = peak_gigabytes(step) - before / 1e9
                del step
            except torch.cuda.OutOfMemoryError:
                row[f"{name}_ms"] = row[f"{name}_gb"] = math.inf
        row["time_ratio"] = row["egat_ms"] / row["gat_ms"]
        row["memory_ratio"] = row["egat_gb"] / row["gat_gb"]
        row["floor_ms"] = floor / RESULTS.get("copy_tb_per_s", math.nan)
        row["over_floor"] = row["egat_ms"] / row["floor_ms"]
        rows.append(row)
        say(json.dumps(row))
        TABLE.append(
            f"| {M:,} | {N:,} | {row['egat_ms']:.2f} | {row['gat_ms']:.2f} | {row['time_ratio']:.2f} | "
            f"{row['egat_gb']:.2f} | {row['gat_gb']:.2f} | {row['memory_ratio']:.2f} | {row['floor_ms']:.2f} | "
            f"{row['over_floor']:.1f} |"
        )
    RESULTS["layers"] = rows
    if len(rows) > 1:
        first, last = rows[0], rows[-1]
        exponent = math.log(last["egat_ms"] / first["egat_ms"]) / math.log(last["edges"] / first["edges"])
        RESULTS["exponent"] = exponent
        say(f"exponent of growth from {first['edges']:,} to {last['edges']:,} edges: {exponent:.2f}")
        TABLE.append(f"\nTime grows as edges to the power {exponent:.2f}.")


def profile(M: int) -> None:
    """Where the time of a layer goes, kernel by kernel."""
    if DEVICE.type != "cuda":
        return
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as record

    step = steps.egat_layer(graph_of(M).to(DEVICE), M // 10, "triton")
    for _ in range(2):
        step()
    torch.cuda.synchronize()
    with record(activities=[ProfilerActivity.CUDA]) as trace:
        step()
        torch.cuda.synchronize()
    kernels = sorted(trace.key_averages(), key=lambda e: -e.self_device_time_total)
    rows = [
        (e.key[:90], e.self_device_time_total / 1e3, e.count) for e in kernels if e.self_device_time_total > 0
    ]
    total = sum(ms for _, ms, _ in rows)
    RESULTS["profile"] = rows
    say(f"kernels of one step on {M:,} edges: {total:.2f} ms in all")
    TABLE.extend(["", f"Kernels of one step on {M:,} edges:", "", "| kernel | ms | calls |", "|---|---|---|"])
    for name, ms, count in rows[:40]:
        say(f"{ms:9.3f} ms {count:4d} x  {name}")
        TABLE.append(f"| {name.replace('|', '/')} | {ms:.2f} | {count} |")


def measure_blocks(M: int) -> None:
    """Each of the two blocks alone."""
    N = M // 10
    stars = Stars.build(graph_of(M).to(DEVICE), N)
    K, F, E = steps.HEADS, steps.NODE_CHANNELS, steps.EDGE_CHANNELS
    edge = [drawn(s, i).requires_grad_() for i, s in enumerate([(M, K), (M, K), (N, K), (M, K, E)])]
    shapes = [(N, K), (N, K), (M, K), (N, K, F), (M, K, E)]
    node = [drawn(s, i).requires_grad_() for i, s in enumerate(shapes)]
    ones = torch.ones(M, K, E, device=DEVICE)
    h_ones, m_ones = torch.ones(N, K, F, device=DEVICE), torch.ones(N, K, E, device=DEVICE)

    def star_both() -> None:
        torch.autograd.grad(edge_attention(*edge, stars, backend="triton"), edge, ones)

    def node_both() -> None:
        torch.autograd.grad(node_attention(*node, stars, backend="triton"), node, [h_ones, m_ones])

    with torch.no_grad():
        forward = {
            "edge block forward": milliseconds(lambda: edge_attention(*edge, stars, backend="triton")),
            "node block forward": milliseconds(lambda: node_attention(*node, stars, backend="triton")),
        }
    both = {"edge block forward + backward": milliseconds(star_both)}
    both["node block forward + backward"] = milliseconds(node_both)
    RESULTS["blocks"] = forward | both
    for name, ms in (forward | both).items():
        say(f"{name} on {M:,} edges: {ms:.2f} ms")


def sweep(M: int, settings: list[tuple[int, int]]) -> None:
    """The edge block with other values of HUB and CHUNK."""
    default = schedule.HUB, schedule.CHUNK
    N = M // 10
    stars = Stars.build(graph_of(M).to(DEVICE), N)
    K, E = steps.HEADS, steps.EDGE_CHANNELS
    leaves = [drawn(s, i).requires_grad_() for i, s in enumerate([(M, K), (M, K), (N, K), (M, K, E)])]
    ones = torch.ones(M, K, E, device=DEVICE)

    def step() -> None:
        torch.autograd.grad(edge_attention(*leaves, stars, backend="triton"), leaves, ones)

    rows = []
    try:
        for hub, chunk in settings:
            schedule.HUB, schedule.CHUNK = hub, chunk
            rows.append((hub, chunk, milliseconds(step, repeats=3)))
            say(f"HUB {hub:5d} CHUNK {chunk:4d}: {rows[-1][2]:.2f} ms")
    finally:
        schedule.HUB, schedule.CHUNK = default
    RESULTS["sweep"] = rows
    TABLE.extend(["", f"Edge block on {M:,} edges:", "", "| HUB | CHUNK | ms |", "|---|---|---|"])
    TABLE.extend(f"| {hub} | {chunk} | {ms:.2f} |" for hub, chunk, ms in rows)


def measure_star(M: int) -> None:
    """One star of so many edges, and as many edges spread evenly over a tenth as many nodes."""
    graphs = {"one star": (one_star(M), M + 1), "spread evenly": (even(M // 10, M), M // 10)}
    for work, make in (("edge block", steps.edge_block), ("layer", steps.egat_layer)):
        rows = {}
        for name, (edge_index, N) in graphs.items():
            step = make(edge_index.to(DEVICE), N, "triton")
            step()
            before = torch.cuda.memory_allocated() / 1e9 if DEVICE.type == "cuda" else 0.0
            rows[name] = {"ms": milliseconds(step, repeats=15), "extra_gb": peak_gigabytes(step) - before}
        ratio = rows["one star"]["ms"] / rows["spread evenly"]["ms"]
        RESULTS.setdefault("star", {})[work] = rows | {"ratio": ratio}
        line = "; ".join(
            f"{name}: {row['ms']:.2f} ms, {row['extra_gb']:.3f} GB extra" for name, row in rows.items()
        )
        say(f"{M:,} edges, {work} forward + backward: {line}; ratio {ratio:.2f}")
        TABLE.append(f"\n{M:,} edges, {work}: {line}; ratio {ratio:.2f}.")


def measure_training() -> None:
    """A graph as large as Cora: 2,708 nodes, 5,278 edges, 1,433 features, 7 classes."""
    N, M, features, classes = 2708, 5278, 1433, 7
    edge_index = power_law(N, M).to(DEVICE)
    ours = milliseconds(steps.egat_training(edge_index, N, features, classes, "triton"), repeats=50)
    gat = milliseconds(steps.gat_training(edge_index, N, features, classes), repeats=50)
    RESULTS["training"] = {"egat_ms": ours, "gat_ms": gat, "ratio": ours / gat}
    line = f"Training step at Cora's size: EGAT {ours:.2f} ms, PyG GAT {gat:.2f} ms, ratio {ours / gat:.2f}."
    say(line)
    TABLE.append(f"\n{line}")


# --- the whole ----------------------------------------------------------------------------------------------------


def describe() -> str:
    import triton

    try:
        import torch_geometric

        pyg = torch_geometric.__version__
    except ImportError:
        pyg = "absent"
    device = torch.cuda.get_device_name() if DEVICE.type == "cuda" else "CPU"
    RESULTS["machine"] = line = (
        f"{datetime.now(UTC):%Y-%m-%d}, {device}, Python {platform.python_version()}, torch {torch.__version__}, "
        f"triton {triton.__version__}, torch-geometric {pyg}"
    )
    return line


def write() -> None:
    folder = Path(os.environ.get("OUT") or ROOT / "benchmarks" / "results")
    folder.mkdir(parents=True, exist_ok=True)
    RESULTS["seconds"] = time.perf_counter() - started
    (folder / "gpu.json").write_text(json.dumps(RESULTS, indent=1))
    checks = RESULTS.get("checks", {})
    passed = sum(c["passed"] for c in checks.values())
    head = [
        f"# The Triton backend on a GPU\n\n{RESULTS['machine']}\n",
        f"{passed} of {len(checks)} checks passed.",
    ]
    failed = [f"- failed: {name}: {c['detail']}" for name, c in checks.items() if not c["passed"]]
    (folder / "gpu.md").write_text("\n".join(head + failed + TABLE) + "\n")
    say(f"\n{passed} of {len(checks)} checks passed; results in {folder}; {RESULTS['seconds']:.0f} s in all")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="correctness alone")
    parser.add_argument("--edges", type=int, default=10_000_000, help="of the largest graph that is timed")
    parser.add_argument("--check-edges", type=int, default=40_000, help="of the graphs that are checked")
    options = parser.parse_args()
    say(describe())
    check_correctness(options.check_edges)
    write()
    if not options.quick:
        M = options.edges
        section("copy", measure_copy)
        section("layers", lambda: measure_layers([M // 100, M // 10, M]))
        section("profile", lambda: profile(M))
        section("blocks", lambda: measure_blocks(M))
        section("one star", lambda: measure_star(min(168_672, M)))
        section("training", measure_training)
        section("bounds", lambda: sweep(M, SETTINGS))
        write()


if __name__ == "__main__":
    main()
