"""Learning curves: what every epoch did to the loss and to the metric that chose the best one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from edgegat.learn.pictures._style import COLOURS, GREY, label_line, new_figure, whole_number_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_history(
    train_loss: Sequence[float],
    val_loss: Sequence[float],
    val_metric: Sequence[float],
    metric: str,
    best_epoch: int,
    loss: str = "cross-entropy",
) -> Figure:
    """Loss above, the validation metric below, the epoch whose weights were kept as a line through both.

    Args:
        train_loss: ``[epochs]``.
        val_loss: ``[epochs]``; NaN where there is no value, here and below.
        val_metric: ``[epochs]``.
        metric: what ``val_metric`` is called.
        best_epoch: whose weights were kept, from 1.
        loss: what it is.

    Example:
        >>> figure = draw_history([0.7, 0.5], [0.7, 0.6], [0.5, 0.8], "ROC-AUC", best_epoch=2)
        >>> [axes.get_ylabel() for axes in figure.axes]
        ['loss (cross-entropy)', 'ROC-AUC']
    """
    epochs = np.arange(1, len(train_loss) + 1)
    with new_figure(6.4, 5.0) as figure:
        above, below = figure.subplots(2, 1, sharex=True)
        # The names stand away from each other: both curves may end at the same place.
        training_is_above = not train_loss[-1] < val_loss[-1]
        _line(above, epochs, train_loss, "training", COLOURS[1], "bottom" if training_is_above else "top")
        _line(above, epochs, val_loss, "validation", COLOURS[0], "top" if training_is_above else "bottom")
        above.set_ylabel(f"loss ({loss})")
        above.set_title(f"What {len(epochs)} epochs of training did")
        _line(below, epochs, val_metric, "validation", COLOURS[0])
        below.set_ylabel(metric)
        below.set_xlabel("epoch")
        for axes in (above, below):
            axes.axvline(best_epoch, color=GREY, linewidth=1, linestyle=":")
        below.annotate(
            f"kept: epoch {best_epoch}",
            (best_epoch, 1.02),
            xycoords=("data", "axes fraction"),
            ha="center"
            if 0.1 < best_epoch / len(epochs) < 0.9
            else "left"
            if best_epoch < len(epochs) / 2
            else "right",
            va="bottom",
            fontsize=9,
            color=GREY,
            annotation_clip=False,
        )
        whole_number_ticks(below)
    return figure


def _line(
    axes: Axes, epochs: np.ndarray, values: Sequence[float], name: str, colour: str, va: str = "center"
) -> None:
    """The curve, named at its last value."""
    known = np.asarray(values, float)
    there = np.flatnonzero(np.isfinite(known))
    if not len(there):
        return
    axes.plot(epochs, known, color=colour, marker="o" if len(there) == 1 else None)
    label_line(axes, float(epochs[there[-1]]), float(known[there[-1]]), name, colour, va=va)
