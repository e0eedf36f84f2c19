"""Numbers from tables, with scikit-learn's habits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgegat.learn.estimator import Estimator
from edgegat.learn.number_metrics import NumberMetrics

if TYPE_CHECKING:
    from edgegat.data.reading import TableSource


class EGATRegressor(Estimator):
    """Edge-featured graph attention on two tables, for a number on nodes or on edges: ``kind = "number"`` beside the
    label in the schema.

    Args:
        schema: what the columns mean: the path of a TOML file, its content as a dictionary, or a
            :class:`~edgegat.data.Schema`.
        **options: any of :class:`~edgegat.learn.ModelOptions` and :class:`~edgegat.learn.TrainingOptions`.

    Attributes:
        report_: after :meth:`fit`, what came of it: metrics of each part, history, notes.
        model_: the trained model with all that belongs to it.

    A table is a path, a pattern, a list of paths, or a polars, pandas or PyArrow table.

    Example:
        >>> import polars as pl
        >>> names = [f"c{number}" for number in range(40)]
        >>> amounts = [float(n % 5) for n in range(40)]
        >>> transfers = pl.DataFrame(
        ...     {
        ...         "from": names,
        ...         "to": names[2:] + names[:2],
        ...         "amount": amounts,
        ...         "loss": [3 * a for a in amounts],
        ...     }
        ... )
        >>> schema = {"edges": {"source": "from", "target": "to", "label": "loss", "kind": "number"}}
        >>> regressor = EGATRegressor(schema, epochs=100, heads=2).fit(None, transfers)
        >>> regressor.predict(None, transfers).shape, regressor.score(None, transfers) > 0.5
        ((40,), True)
    """

    _kind = "number"
    _other = "EGATClassifier"

    def predict(self, nodes: TableSource | None, edges: TableSource) -> NDArray[np.float64]:
        """``[rows]`` the number of each row of the node table; without one, of each node of the edge table; of each
        row of the edge table, if the label is there.
        """
        return self._rows(nodes, edges)["prediction"].to_numpy()

    def score(self, nodes: TableSource | None, edges: TableSource) -> float:
        """``R²`` of the labelled rows that neither trained the model nor chose its weights; NaN if all their numbers
        are the same, or if there is no such row.
        """
        from edgegat.learn.job_evaluate import evaluate_job

        report = evaluate_job(self._fitted(), nodes, edges, device=self._split_options()[1].device)
        found = report.unseen.r2 if isinstance(report.unseen, NumberMetrics) else None
        return float("nan") if found is None else found
