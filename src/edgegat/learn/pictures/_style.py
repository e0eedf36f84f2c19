"""How every picture looks, and how it becomes a file. Matplotlib is imported when the first one is drawn."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours: told apart by colour-blind readers, and in this order by their lightness, too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
GREY, LIGHT = "#767676", "#D9D9D9"
LINES = ("-", "--", "-.", ":")

_SETTINGS: Any = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": "#333333",
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "axes.linewidth": 0.8,
    "lines.linewidth": 2.0,
    "text.parse_math": False,  # a class may be called "$$$"
    "svg.hashsalt": "edgegat",  # equal pictures are equal files
    "savefig.dpi": 150,
}


@contextmanager
def new_figure(width: float = 6.4, height: float = 4.0) -> Iterator[Figure]:
    """An empty figure in the house's style, its size in inches. Nothing global is changed, no window opened.

    Example:
        >>> with new_figure(3, 2) as figure:
        ...     axes = figure.subplots()
        >>> axes.spines["top"].get_visible()
        False
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_SETTINGS):
        yield Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, path: Path) -> Path:
    """Write the picture in the format of its suffix, ``.svg`` or ``.png``. Equal pictures are equal files."""
    import matplotlib as mpl

    with mpl.rc_context(_SETTINGS), warnings.catch_warnings():
        # Letters that the font lacks become boxes: a pity, but no reason to bother anybody.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else {"Software": None})
    return path


def label_line(axes: Axes, x: float, y: float, text: str, colour: str, **place: str) -> None:
    """A name right beside the line it belongs to, in the line's colour."""
    note = axes.annotate(
        text, (x, y), (4, 0), textcoords="offset points", color=colour, va="center", fontsize=9, clip_on=False
    )
    note.set(**place)


def whole_number_ticks(axes: Axes, most: int = 8) -> None:
    """Only whole numbers below the horizontal axis."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(most, integer=True))
