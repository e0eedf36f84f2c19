"""Patterns of transfers whose answer is known: who can learn them? Macro F1 on networks that nobody trained on.

python -m experiments.patterns --only "EGAT, directed and counting" --pattern fan-in --seeds 1

Every method is trained by the library's own loop with the same settings and as many layers as the pattern needs. All
are given the mark of the account that is asked about; the amounts by those that read edges. With --draw the committed
results become docs/pictures/patterns.svg.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from edgegat import EdgeGraph
from edgegat.data.patterns import ANSWERS, pattern_graph
from edgegat.learn import ModelOptions, TrainingOptions, fit, measure
from experiments import results
from experiments.methods.network import Network, both_ways, learn

PATH = results.FOLDER / "patterns.json"
PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "patterns.svg"
QUESTIONS = 2500
TRAINING = {"epochs": 200, "patience": 60, "weight_decay": 1e-4, "learning_rate": 0.01}
HEADS, CHANNELS = 4, 8
LAYERS = {"cycle of 3": 3, "cycle of 4": 4}
OURS = "EGAT, directed and counting"
METHODS: dict[str, dict[str, Any]] = {
    "GAT": {"network": "gat"},
    "GINE": {"network": "gine"},
    "GINE, told the direction": {"network": "gine", "told": True},
    "EGAT, the paper's": {},
    "EGAT, directed": {"directed": True},
    "EGAT, counting": {"summaries": True},
    OURS: {"directed": True, "summaries": True},
}


@dataclass(frozen=True)
class Run:
    """One method on one pattern, cut short or made small on request."""

    method: str
    pattern: str
    seed: int
    questions: int = QUESTIONS
    epochs: int = TRAINING["epochs"]


def carry_out(run: Run, device: str = "cpu") -> dict[str, Any]:
    """Macro F1 on the test networks, and what it took."""
    graph = pattern_graph(run.pattern, run.questions, run.seed)
    started = time.perf_counter()
    logits, epochs = _train(graph, METHODS[run.method], run, device)
    assert graph.y is not None
    assert graph.test_mask is not None
    found = measure(
        graph.y[graph.test_mask].numpy(), logits[graph.test_mask].double().softmax(1).numpy(), wanted=1
    )
    return asdict(run) | {
        "macro_f1": found.macro_f1,
        "epochs_run": epochs,
        "seconds": round(time.perf_counter() - started, 1),
    }


def _train(graph: EdgeGraph, method: dict[str, Any], run: Run, device: str) -> tuple[Tensor, int]:
    training = TRAINING | {"epochs": run.epochs}
    layers = LAYERS.get(run.pattern, 2)
    if "network" not in method:
        sizes = ModelOptions(num_layers=layers, heads=HEADS, hidden_channels=CHANNELS, dropout=0.0, **method)
        fitted = fit(graph, sizes, TrainingOptions(**training, seed=run.seed, device=device))
        return fitted.logits, fitted.history.epochs

    def network(there: EdgeGraph) -> Network:
        edges, edge_attr = both_ways(there), there.edge_attr.repeat(2, 1)
        if method.get("told"):
            way = torch.ones(there.num_edges, 1, device=edge_attr.device)
            edge_attr = torch.cat([edge_attr, torch.cat([way, -way])], 1)
        module = Layers(method["network"], there.x.size(1), edge_attr.size(1), there.num_classes, layers)
        module = module.to(there.x.device)
        return Network(module, lambda: module(there.x, edges, edge_attr))

    answer = learn(graph, network, training, run.seed, device)
    return answer.logits, answer.epochs


class Layers(nn.Module):
    """PyG's GAT, which reads no edge features, or its GINE, which does; as wide as EGAT."""

    def __init__(self, kind: str, in_channels: int, edge_dim: int, classes: int, layers: int) -> None:
        from torch_geometric.nn import GATConv, GINEConv

        super().__init__()
        width = HEADS * CHANNELS
        self.reads_edges = kind == "gine"
        self.convs = nn.ModuleList()
        for number in range(layers):
            size = width if number else in_channels
            if kind == "gat":
                self.convs.append(GATConv(size, CHANNELS, HEADS))
            else:
                inner = nn.Sequential(nn.Linear(size, width), nn.ReLU(), nn.Linear(width, width))
                self.convs.append(GINEConv(inner, train_eps=True, edge_dim=edge_dim))
        self.out = nn.Linear(width, classes)

    def forward(self, x: Tensor, edges: Tensor, edge_attr: Tensor) -> Tensor:
        for conv in self.convs:
            x = nn.functional.elu(conv(x, edges, edge_attr) if self.reads_edges else conv(x, edges))
        out: Tensor = self.out(x)
        return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--only", action="append", choices=list(METHODS), metavar="METHOD", help=str(list(METHODS))
    )
    parser.add_argument("--pattern", action="append", choices=list(ANSWERS), metavar="PATTERN")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--epochs", type=int, default=TRAINING["epochs"])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin nothing after so long")
    parser.add_argument("--draw", action="store_true", help="draw the committed results, and run nothing")
    parser.add_argument("--out", type=Path, help="put the results into this file, beside what is there")
    given = parser.parse_args()
    if given.draw:
        print(draw(results.read(PATH)["runs"]))
        return
    runs = [
        Run(method, pattern, seed, given.questions, given.epochs)
        for seed in range(given.seeds)
        for pattern in given.pattern or ANSWERS
        for method in given.only or METHODS
    ]
    found = _all(runs, given.device, given.workers, time.monotonic() + 60 * given.minutes)
    if given.out:
        write(given.out, found, results.environment(given.device, given.workers))


def _all(runs: list[Run], device: str, workers: int, until: float) -> list[dict[str, Any]]:
    """Each as it is finished is printed; after ``until`` none is begun."""
    found = []
    if workers == 1:
        torch.set_num_threads(1)
        for run in runs:
            if time.monotonic() < until:
                found.append(_say(carry_out(run, device)))
        return found
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawn, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        waiting = [pool.submit(_in_time, run, device, until - time.monotonic() + time.time()) for run in runs]
        for future in waiting:
            if (result := future.result()) is not None:
                found.append(_say(result))
    return found


def _in_time(run: Run, device: str, until: float) -> dict[str, Any] | None:
    return carry_out(run, device) if time.time() < until else None


def _say(result: dict[str, Any]) -> dict[str, Any]:
    method, pattern = result["method"], result["pattern"]
    print(
        f"{pattern:<15} {method:<28} F1 {100 * result['macro_f1']:5.1f}  {result['seconds']:.0f} s", flush=True
    )
    return result


def write(path: Path, found: list[dict[str, Any]], environment: dict[str, Any]) -> None:
    """The runs that are there already, these in place of theirs, and where the last ones came from."""
    old = results.read(path).get("runs", [])
    name = ("pattern", "method", "seed")
    runs = {tuple(run[key] for key in name): run for run in [*old, *found]}
    settings = {
        "training": TRAINING,
        "heads": HEADS,
        "channels": CHANNELS,
        "layers": LAYERS,
        "methods": METHODS,
    }
    kept = {"environment": environment, "settings": settings, "runs": [runs[key] for key in sorted(runs)]}
    results.write(path, kept)


def draw(runs: list[dict[str, Any]], path: Path = PICTURE) -> Path:
    """A line for each pattern, a mark for each method: the mean over the seeds."""
    from edgegat.learn.pictures._style import COLOURS, GREY, new_figure, save_figure

    patterns = [name for name in ANSWERS if any(run["pattern"] == name for run in runs)]
    with new_figure(7.4, 0.9 + 0.36 * len(patterns)) as figure:
        axes = figure.subplots()
        axes.axvline(95, color=GREY, linewidth=0.8, linestyle=":")
        for number, (method, marker) in enumerate(zip(METHODS, "osD^vP ", strict=True)):
            colour = COLOURS[1] if method == OURS else COLOURS[(0, 2, 4, 3, 5)[number % 5]]
            places, values = [], []
            for place, pattern in enumerate(patterns):
                scores = [r["macro_f1"] for r in runs if (r["method"], r["pattern"]) == (method, pattern)]
                if scores:
                    places.append(place)
                    values.append(100 * sum(scores) / len(scores))
            if values:
                ring = {"fillstyle": "none", "markersize": 12, "markeredgewidth": 2} if method == OURS else {}
                axes.plot(values, places, "o" if ring else marker, color=colour, label=method, **ring)
        axes.set_yticks(range(len(patterns)), patterns)
        axes.set_ylim(len(patterns) - 0.5, -0.5)
        axes.set_xlabel("macro F1 on networks not seen in training, %")
        axes.grid(axis="y", color=GREY, alpha=0.2)
        axes.tick_params(axis="y", length=0)
        figure.legend(loc="outside right upper", frameon=False, fontsize=9)
        return save_figure(figure, path)


if __name__ == "__main__":
    main()
