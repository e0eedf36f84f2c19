"""Several models on the same splits: every result, and the mean with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from edgegat.learn.pictures._style import COLOURS, GREY, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_comparison(
    results: Mapping[str, Sequence[float]],
    intervals: Mapping[str, tuple[float, float]],
    metric: str,
    lowest: float = 0.0,
) -> Figure:
    """One row for each model: a small dot for each split, a large one and a bar for mean and 95 % interval.

    Args:
        results: the metric on the test part of each split, by model, the first one on top.
        intervals: the ends of the 95 % interval of the mean, by model; none with one split.
        metric: what it is called.
        lowest: the smallest value it can have; the largest is 1.

    Example:
        >>> figure = draw_comparison({"EGAT": [0.9, 0.8], "GAT": [0.7, 0.6]}, {"EGAT": (0.8, 0.9)}, "accuracy")
        >>> figure.axes[0].get_xlabel()
        'accuracy on the test part'
    """
    splits = max((len(values) for values in results.values()), default=0)
    with new_figure(6.4, 1.5 + 0.6 * len(results)) as figure:
        axes = figure.subplots()
        for row, (name, values) in enumerate(results.items()):
            colour = COLOURS[row % len(COLOURS)]
            known = np.asarray([value for value in values if value is not None], float)
            if not len(known):
                continue
            if len(known) > 1:
                axes.plot(known, np.full(len(known), row + 0.22), "|", color=colour, markersize=8, alpha=0.6)
            if name in intervals:
                axes.plot(
                    np.clip(intervals[name], lowest, 1),
                    [row, row],
                    color=colour,
                    linewidth=3,
                    solid_capstyle="butt",
                )
            axes.plot(known.mean(), row, "o", color=colour, markersize=8)
            axes.annotate(
                f"{known.mean():.3f}",
                (known.mean(), row),
                (0, 8),
                textcoords="offset points",
                color=colour,
                ha="center",
                fontsize=9,
            )
        axes.set_yticks(range(len(results)), list(results))
        axes.set_ylim(len(results) - 0.4, -0.6)
        axes.set_xlabel(f"{metric} on the test part")
        axes.set_title(_title(splits))
        axes.grid(axis="x", color=GREY, alpha=0.2)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    return figure


def _title(splits: int) -> str:
    if splits < 2:
        return "One split: luck weighs heavily here"
    return f"{splits} splits: each, mean, 95 % interval"
