"""``python -m experiments.plots``: the committed tables as pictures, every seed a dot, in docs/pictures."""

from __future__ import annotations

import importlib
import random
from pathlib import Path
from typing import Any

from edgegat.learn.pictures._style import COLOURS, GREY, new_figure, save_figure
from experiments import results
from experiments.results import mean_and_spread
from experiments.show import TABLES
from experiments.table import Table

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"


def main() -> None:
    for name in TABLES:
        path = results.FOLDER / f"{name}.json"
        if path.is_file():
            print(draw(importlib.import_module(f"experiments.{name}").TABLE, results.read(path)))
    path = results.FOLDER / "complexity.json"
    if path.is_file():
        print(draw_complexity(results.read(path)))


def draw(table: Table, found: dict[str, Any], folder: Path = FOLDER) -> Path:
    """One panel for each column, one line for each method: dots, mean with its standard deviation, published."""
    metric, columns = table.metrics[0], table.columns_of(found)
    with new_figure(3.2 + 2.6 * len(columns), 1.2 + 0.34 * len(table.rows)) as figure:
        panels = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
        for axes, column in zip(panels, columns, strict=True):
            for place, row in enumerate(table.rows):
                cell = results.cell_of(found, row.name, column)
                colour = COLOURS[1] if row.name.startswith("EGAT") else COLOURS[0]
                _row(axes, place, [100 * v for v in cell["test"][metric]] if cell else [], colour)
                figure_of_paper = row.published.get(column, "").split(" ")[0]
                if figure_of_paper.replace(".", "").isdigit():
                    axes.plot(float(figure_of_paper), place, "D", color="black", markersize=5, fillstyle="none")
            axes.set_title(column)
            axes.set_xlabel(f"{metric} on the test nodes, %")
            axes.grid(axis="x", color=GREY, alpha=0.2)
            axes.tick_params(axis="y", length=0)
            axes.spines["left"].set_visible(False)
        panels[0].set_yticks(range(len(table.rows)), [row.name for row in table.rows])
        panels[0].set_ylim(len(table.rows) - 0.4, -0.6)
        figure.supxlabel(
            "dots: seeds · line: mean ± standard deviation · diamond: published", fontsize=9, color=GREY
        )
        return save_figure(figure, folder / f"{table.name}.svg")


def draw_complexity(found: dict[str, Any], folder: Path = FOLDER) -> Path:
    """Time and memory of a step, against the pairs where a hub grows and against the edges where those grow."""
    series = {
        "a hub grows": ("pairs", 1e-6, "Σ d², millions, of 20,000 edges", "center right"),
        "edges grow": ("edges", 1e-3, "thousand edges, degrees as they are", "upper left"),
    }
    methods = list(dict.fromkeys(row["method"] for row in found["points"]))
    with new_figure(9, 6.4) as figure:
        panels = figure.subplots(2, 2, sharex="col", sharey="row")
        for column, (name, (against, scale, label, place)) in zip(panels.T, series.items(), strict=True):
            for axes, what, unit in zip(column, ("seconds", "bytes"), (1.0, 1e-6), strict=True):
                for method, colour, marker in zip(
                    methods, (COLOURS[1], COLOURS[2], COLOURS[0]), "^so", strict=True
                ):
                    rows = [r for r in found["points"] if r["series"] == name and r["method"] == method]
                    slope = found["exponents"][f"{what}, {name}, against {against}"][method]
                    axes.plot(
                        [scale * row[against] for row in rows],
                        [unit * row[what] for row in rows],
                        color=colour,
                        marker=marker,
                        label=f"{method}: slope {slope:.2f}",
                    )
                _logarithmic(axes)
                axes.legend(frameon=False, fontsize=9, loc=place)
            column[0].set_title(name)
            column[1].set_xlabel(label)
        panels[0, 0].set_ylabel("CPU seconds a training step")
        panels[1, 0].set_ylabel("MB")
        return save_figure(figure, folder / "complexity.svg")


def _logarithmic(axes: Any) -> None:
    """Both ways, with plain numbers."""
    axes.set(xscale="log", yscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
        axis.set_minor_formatter(lambda value, _: "")
    axes.grid(color=GREY, alpha=0.2)


def _row(axes: Any, place: int, values: list[float], colour: str) -> None:
    if not values:
        return
    jitter = random.Random(0)
    heights = [place + jitter.uniform(-0.16, 0.16) for _ in values]
    axes.plot(values, heights, ".", color=colour, markersize=4, alpha=0.35, markeredgewidth=0)
    mean, spread = mean_and_spread(values)
    axes.errorbar(mean, place, xerr=spread, fmt="o", color=colour, markersize=5, elinewidth=1.6, capsize=3)


if __name__ == "__main__":
    main()
