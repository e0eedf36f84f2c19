"""The reliability curve: of those who got 70 %, did 70 % turn out so?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from edgegat.learn.pictures._style import COLOURS, GREY, LIGHT, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_reliability(
    predicted: Sequence[float],
    observed: Sequence[float],
    counts: Sequence[int],
    wanted: str,
    error: float | None = None,
    of: str = "test part",
) -> Figure:
    """Above, the share that came true for each bin of predicted probability; below, how many are in each bin.

    Args:
        predicted: ``[bins]`` mean predicted probability of those in the bin.
        observed: ``[bins]`` the share of them that came true.
        counts: ``[bins]`` how many they are; empty bins are left out of the curve.
        wanted: what the probability is of, like ``"'reported'"``.
        error: the expected calibration error, if it is to stand in the title.
        of: whose predictions, for the title.

    Example:
        >>> figure = draw_reliability([0.2, 0.8], [0.25, 0.75], [8, 12], "fraud", error=0.05)
        >>> figure.axes[0].get_title(loc="left")
        'Reliability, test part: 5.0 points off on average'
    """
    x, y, n = (np.asarray(values, float) for values in (predicted, observed, counts))
    there = n > 0
    x, y, n = x[there], y[there], n[there]
    spread = np.sqrt(np.clip(x * (1 - x), 0.0, None) / np.maximum(n, 1))
    with new_figure(5.6, 5.6) as figure:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=[4, 1])
        above.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=":")
        above.vlines(x, np.clip(x - 2 * spread, 0, 1), np.clip(x + 2 * spread, 0, 1), color=LIGHT, linewidth=7)
        above.plot(x, y, color=COLOURS[0], marker="o", markersize=5)
        above.text(0.98, 0.92, "perfect", color=GREY, fontsize=9, ha="right", rotation=0)
        said = "grey: where chance alone puts\n95 % of such points"
        above.text(0.98, 0.02, said, color=GREY, fontsize=9, ha="right", va="bottom")
        above.set(xlim=(0, 1), ylim=(-0.02, 1.02), ylabel="share that came true")
        off = "" if error is None else f": {100 * error:.1f} points off on average"
        above.set_title(f"Reliability, {of}{off}")
        below.vlines(x, 0, n, color=COLOURS[0], linewidth=5)
        below.set(ylim=(0, None), ylabel="how many", xlabel=f"predicted probability of {wanted}")
    return figure
