"""The score distribution: how everybody scored, and where the labelled ones of each class are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from edgegat.learn.pictures._style import COLOURS, GREY, LIGHT, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BINS = 40


def draw_scores(
    everybody: ArrayLike, labelled: Mapping[str, ArrayLike], wanted: str, what: str = "nodes"
) -> Figure:
    """All scores as bars above, those of the labelled ones as one row of strokes for each class below.

    Args:
        everybody: ``[N]`` scores from 0 to 1.
        labelled: the scores of the labelled ones, by class.
        wanted: what the score is the probability of.
        what: has the scores.

    Example:
        >>> figure = draw_scores([0.1, 0.2, 0.9], {"cleared": [0.1], "reported": [0.9]}, "reported")
        >>> figure.axes[0].get_title(loc="left")
        'How all 3 nodes scored'
    """
    scores = np.asarray(everybody, float)
    with new_figure(6.4, 3.4 + 0.35 * len(labelled)) as figure:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=[5, 0.3 + 0.7 * len(labelled)])
        above.hist(scores, bins=_BINS, range=(0, 1), color=LIGHT, edgecolor=GREY, linewidth=0.5)
        above.set(xlim=(-0.01, 1.01), ylabel=what)
        above.set_title(f"How all {len(scores):,} {what} scored")
        for number, values in enumerate(labelled.values()):
            colour = COLOURS[number % len(COLOURS)]
            values = np.asarray(values, float)
            below.vlines(values, number - 0.35, number + 0.35, color=colour, linewidth=1.2, alpha=0.7)
        below.set_yticks(
            range(len(labelled)), [f"{name} ({len(np.asarray(v)):,})" for name, v in labelled.items()]
        )
        below.set_ylim(len(labelled) - 0.5, -0.5)
        below.set_xlabel(f"predicted probability of {wanted}")
        below.tick_params(axis="y", length=0)
        below.spines["left"].set_visible(False)
    return figure
