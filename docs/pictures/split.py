"""Draws split.svg, the picture of docs/exact.md: one star, listed and sorted. Run: python docs/pictures/split.py"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

BLUE, ORANGE, GREY, INK = "#0072B2", "#D55E00", "#999999", "#222222"
KEYS = np.array([-1.9, -1.25, -0.5, 0.15, 0.9, 1.3, 2.1])
BEND = -0.15  # where the reader's LeakyReLU bends: minus its query


def draw_listed(ax: Axes) -> None:
    """The star's line graph: every edge of the star beside every other."""
    angle = np.linspace(0, 2 * np.pi, len(KEYS), endpoint=False) + np.pi / 2
    places = np.stack([np.cos(angle), np.sin(angle)], 1)
    for a, b in combinations(places, 2):
        ax.plot(*zip(a, b, strict=True), color=GREY, lw=0.9, zorder=1)
    ax.scatter(*places.T, s=130, color=INK, zorder=2)
    ax.set(xlim=(-1.45, 1.45), ylim=(-1.45, 1.3), aspect="equal", anchor="N")
    ax.set_title("The line graph lists every pair", loc="left", fontsize=11, color=INK)
    ax.text(0, -1.42, "7 edges at one node: 42 weights,\n168,672 edges: 28 billion", ha="center", va="bottom")
    ax.axis("off")


def draw_sorted(ax: Axes) -> None:
    """The same star as one sorted list, and a reader that cuts it in two."""
    ax.axvspan(-2.6, BEND, ymin=0.36, ymax=0.66, color=ORANGE, alpha=0.12, lw=0)
    ax.axvspan(BEND, 2.8, ymin=0.36, ymax=0.66, color=BLUE, alpha=0.12, lw=0)
    ax.annotate("", (2.85, 0), (-2.65, 0), arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 1})
    below = KEYS <= BEND
    for chosen, colour in ((below, ORANGE), (~below, BLUE)):
        ax.scatter(KEYS[chosen], np.zeros(chosen.sum()), s=130, color=colour, zorder=3)
    ax.text(2.8, -0.27, "key  y", ha="right", va="top", color=INK)
    ax.plot([BEND, BEND], [-0.75, 0.75], color=INK, lw=1.2, ls=(0, (4, 3)))
    ax.text(BEND, -0.8, "a reader with query x\ncuts the list at −x", ha="center", va="top", color=INK)
    for x, side, colour, text in (
        (-1.4, "below", ORANGE, r"$e^{0.2x}\;\cdot\;\Sigma\, e^{0.2y}\,e_q$"),
        (1.35, "above", BLUE, r"$e^{x}\;\cdot\;\Sigma\, e^{y}\,e_q$"),
    ):
        ax.text(x, 0.95, text, ha="center", va="bottom", color=colour, fontsize=14)
        ax.text(x, 0.62, f"one running sum, {side}", ha="center", va="bottom", color=colour)
    ax.set(xlim=(-2.8, 3.0), ylim=(-1.42, 1.5))
    ax.set_title("edgegat sorts the star once and adds two sums per reader", loc="left", fontsize=11, color=INK)
    ax.axis("off")


def main() -> None:
    plt.rcParams |= {"svg.hashsalt": "edgegat", "svg.fonttype": "path", "font.size": 10}
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.3), width_ratios=(1, 2.1), layout="constrained")
    draw_listed(left)
    draw_sorted(right)
    figure.savefig(Path(__file__).with_name("split.svg"), metadata={"Date": None}, facecolor="white")


if __name__ == "__main__":
    main()
