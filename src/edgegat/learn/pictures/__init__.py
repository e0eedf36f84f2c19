"""Pictures of a training run: plain arrays in, a figure out, SVG or PNG on disk.

Matplotlib is imported when the first picture is drawn.
"""

from edgegat.learn.pictures._style import save_figure as save_figure
from edgegat.learn.pictures.comparison import draw_comparison as draw_comparison
from edgegat.learn.pictures.confusion import draw_confusion as draw_confusion
from edgegat.learn.pictures.history import draw_history as draw_history
from edgegat.learn.pictures.predictions import draw_predictions as draw_predictions
from edgegat.learn.pictures.ranking import Ranking as Ranking
from edgegat.learn.pictures.ranking import draw_ranking as draw_ranking
from edgegat.learn.pictures.reliability import draw_reliability as draw_reliability
from edgegat.learn.pictures.report import draw_report as draw_report
from edgegat.learn.pictures.residuals import draw_residuals as draw_residuals
from edgegat.learn.pictures.scores import draw_scores as draw_scores
