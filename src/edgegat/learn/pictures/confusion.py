"""The confusion matrix: which class was taken for which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from edgegat.learn.pictures._style import COLOURS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_WITH_NUMBERS = 12


def draw_confusion(matrix: Sequence[Sequence[int]], classes: Sequence[str], of: str = "test part") -> Figure:
    """Each row is a true class and adds up to 100 %; the shade is the share, the number the count.

    Args:
        matrix: ``[C, C]`` counts; rows are true classes, columns what the model said.
        classes: ``[C]`` their names.
        of: what was counted, for the title.

    Example:
        >>> figure = draw_confusion([[8, 2], [1, 9]], ["cleared", "reported"])
        >>> figure.axes[0].get_title(loc="left")
        '17 of 20 right (test part)'
    """
    from matplotlib.colors import LinearSegmentedColormap

    counts = np.asarray(matrix)
    rows = counts.sum(1, keepdims=True)
    shares = counts / np.maximum(rows, 1)
    few = len(classes) <= _MOST_WITH_NUMBERS
    side = min(3.2 + 0.7 * len(classes), 9.0)
    with new_figure(side + 0.8, side) as figure:
        axes = figure.subplots()
        shades = LinearSegmentedColormap.from_list("shares", ["#FFFFFF", COLOURS[0]])
        axes.imshow(shares, cmap=shades, vmin=0, vmax=1)
        axes.set_title(f"{np.trace(counts):,} of {counts.sum():,} right ({of})")
        axes.set_xlabel("what the model said")
        axes.set_ylabel("what is true")
        if few:
            ticks = range(len(classes))
            names = [_short(name) for name in classes]
            axes.set_xticks(ticks, names, rotation=30 if len(classes) > 3 else 0, rotation_mode="anchor")
            axes.set_yticks(ticks, names)
            for (row, column), number in np.ndenumerate(counts):
                share = shares[row, column]
                axes.text(
                    column,
                    row,
                    f"{number:,}\n{share:.0%}",
                    ha="center",
                    va="center",
                    color="white" if share > 0.55 else "#222222",
                )
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
    return figure


def _short(name: str) -> str:
    return name if len(name) <= 16 else name[:15] + "…"
