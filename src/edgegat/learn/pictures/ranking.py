"""ROC and precision-recall: how well the scores put the wanted ones first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from edgegat.learn.pictures._style import COLOURS, GREY, LINES, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Ranking(NamedTuple):
    """Who was wanted, and the scores that were to put them first.

    Attributes:
        wanted: ``[n]`` true or false.
        scores: ``[n]``, higher for the likelier ones.
    """

    wanted: ArrayLike
    scores: ArrayLike


def draw_ranking(rankings: Mapping[str, Ranking], wanted: str, of: str = "test part") -> Figure:
    """Both curves side by side, one line for each model (or class), named with its area.

    Args:
        rankings: by the name of the model or of the class; up to six.
        wanted: what is looked for, like ``"class 'reported'"``.
        of: what was ranked, for the title.

    Example:
        >>> figure = draw_ranking({"EGAT": Ranking([1, 0, 1], [0.9, 0.2, 0.7])}, "fraud")
        >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        ['EGAT  1.000']
    """
    from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

    with new_figure(9.0, 5.3 + 0.2 * len(rankings)) as figure:
        roc, pr = figure.subplots(1, 2)
        shares = []
        for number, (name, ranking) in enumerate(rankings.items()):
            truth, scores = np.asarray(ranking.wanted, bool), np.asarray(ranking.scores, float)
            if truth.all() or not truth.any():
                continue  # nothing to tell apart, so there is no curve
            style = {"color": COLOURS[number % len(COLOURS)], "linestyle": LINES[number % len(LINES)]}
            false_rate, true_rate, _ = roc_curve(truth, scores)
            roc.plot(false_rate, true_rate, label=f"{name}  {roc_auc_score(truth, scores):.3f}", **style)
            precision, recall, _ = precision_recall_curve(truth, scores)
            area = average_precision_score(truth, scores)
            pr.step(recall, precision, where="post", label=f"{name}  {area:.3f}", **style)
            shares.append(float(truth.mean()))
        roc.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=":")
        if shares:
            pr.axhline(float(np.mean(shares)), color=GREY, linewidth=1, linestyle=":")
        _finish(roc, f"ROC, {of}", "false alarms (share of the others)", f"found (share of {wanted})")
        _finish(pr, "Precision and recall", f"recall (share of {wanted} found)", "precision")
        roc.text(0.55, 0.5, "chance", color=GREY, fontsize=9, rotation=45, rotation_mode="anchor", va="top")
    return figure


def _finish(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02), aspect="equal", xlabel=x, ylabel=y, title=title)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(
            title="area",
            frameon=False,
            fontsize=9,
            title_fontsize=9,
            labelspacing=0.3,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.14),  # below the axes, where no curve passes
        )
