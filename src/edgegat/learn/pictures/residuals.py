"""Errors of predicted numbers: how large, how often, and for whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from edgegat.learn.pictures._style import COLOURS, GREY, LIGHT, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BINS = 40


def draw_residuals(truth: ArrayLike, predicted: ArrayLike, of: str = "test part") -> Figure:
    """Above, each row's error by what was predicted of it; below, how many errors have which size.

    Args:
        truth: ``[n]``.
        predicted: ``[n]``.
        of: whose predictions, for the title.

    Example:
        >>> [axes.get_ylabel() for axes in draw_residuals([1.0, 2.0], [1.5, 2.0]).axes]
        ['error (predicted - true)', 'how many']
    """
    x = np.asarray(predicted, float)
    error = x - np.asarray(truth, float)
    with new_figure(6.4, 5.6) as figure:
        above, below = figure.subplots(2, 1, height_ratios=[3, 2])
        above.axhline(0, color=GREY, linewidth=1, linestyle=":")
        alpha = float(np.clip(30 / np.sqrt(len(x)), 0.05, 0.7))
        dots = {"markersize": 4.5, "alpha": alpha, "markeredgewidth": 0, "rasterized": len(x) > 2000}
        above.plot(x, error, "o", color=COLOURS[0], **dots)
        above.set(xlabel="predicted", ylabel="error (predicted - true)")
        above.set_title(f"Errors, {of}: half of them within ±{np.median(np.abs(error)):,.3g}")
        below.hist(error, bins=_BINS, color=LIGHT, edgecolor=GREY, linewidth=0.5)
        below.axvline(0, color=GREY, linewidth=1, linestyle=":")
        below.set(xlabel="error (predicted - true)", ylabel="how many")
    return figure
