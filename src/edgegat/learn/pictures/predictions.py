"""Predicted numbers against true ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from edgegat.learn.pictures._style import COLOURS, GREY, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_predictions(
    truth: ArrayLike, predicted: ArrayLike, r2: float | None = None, of: str = "test part"
) -> Figure:
    """One dot for each row, at its true and its predicted number; on the dotted line both are the same.

    Args:
        truth: ``[n]``.
        predicted: ``[n]``.
        r2: the share of the variance that is explained, if it is to stand in the title.
        of: whose predictions, for the title.

    Example:
        >>> draw_predictions([1.0, 2.0], [1.5, 2.0], r2=0.5).axes[0].get_title(loc="left")
        'Predicted against true, test part: R² 0.500'
    """
    x, y = np.asarray(truth, float), np.asarray(predicted, float)
    ends = min(x.min(), y.min()), max(x.max(), y.max())
    margin = 0.04 * (ends[1] - ends[0]) or 1.0
    limits = ends[0] - margin, ends[1] + margin
    with new_figure(5.6, 5.6) as figure:
        axes = figure.subplots()
        axes.plot(limits, limits, color=GREY, linewidth=1, linestyle=":")
        # Thousands of dots are one grey cloud in which the dense places are darker, and one picture in the SVG.
        alpha = float(np.clip(30 / np.sqrt(len(x)), 0.05, 0.7))
        dots = {"markersize": 4.5, "alpha": alpha, "markeredgewidth": 0, "rasterized": len(x) > 2000}
        axes.plot(x, y, "o", color=COLOURS[0], **dots)  # type: ignore[arg-type]  # each is of its type
        axes.set(xlim=limits, ylim=limits, aspect="equal", xlabel="true", ylabel="predicted")
        axes.set_title(f"Predicted against true, {of}" + ("" if r2 is None else f": R² {r2:.3f}"))
        axes.text(0.02, 0.98, "too high", color=GREY, fontsize=9, va="top", transform=axes.transAxes)
        axes.text(0.98, 0.02, "too low", color=GREY, fontsize=9, ha="right", transform=axes.transAxes)
    return figure
