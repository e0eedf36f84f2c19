"""Classes from tables, with scikit-learn's habits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgegat.learn.estimator import Estimator
from edgegat.learn.metrics import Metrics

if TYPE_CHECKING:
    from edgegat.data.reading import TableSource


class EGATClassifier(Estimator):
    """Edge-featured graph attention on two tables.

    Args:
        schema: what the columns mean: the path of a TOML file, its content as a dictionary, or a
            :class:`~edgegat.data.Schema`.
        **options: any of :class:`~edgegat.learn.ModelOptions` and :class:`~edgegat.learn.TrainingOptions`.

    Attributes:
        report_: after :meth:`fit`, what came of it: metrics of each part, history, notes.
        model_: the trained model with all that belongs to it.
        classes_: ``[C]`` the labels, in the order of the columns of :meth:`predict_proba`.

    A table is a path, a pattern, a list of paths, or a polars, pandas or PyArrow table.

    Example:
        >>> import polars as pl
        >>> names = [f"c{number}" for number in range(40)]
        >>> people = pl.DataFrame({"id": names, "fraud": ["yes" if n % 2 else "no" for n in range(40)]})
        >>> partners = [names[(n + 2) % 40] for n in range(40)]
        >>> amounts = [900.0 if n % 2 else 10.0 for n in range(40)]
        >>> transfers = pl.DataFrame({"from": names, "to": partners, "amount": amounts})
        >>> schema = {"nodes": {"id": "id", "label": "fraud"}, "edges": {"source": "from", "target": "to"}}
        >>> classifier = EGATClassifier(schema, epochs=40, heads=4).fit(people, transfers)
        >>> classifier.predict(people, transfers)[:4]
        array(['no', 'yes', 'no', 'yes'], dtype=object)
        >>> classifier.predict_proba(people, transfers).shape, classifier.score(people, transfers)
        ((40, 2), 1.0)
    """

    _kind = "class"
    _other = "EGATRegressor"

    @property
    def classes_(self) -> NDArray[Any]:
        """``[C]`` the labels."""
        return np.array(self._fitted().classes, dtype=object)

    def predict(self, nodes: TableSource | None, edges: TableSource) -> NDArray[Any]:
        """``[rows]`` the class of each row of the node table; without one, of each node of the edge table; of each
        row of the edge table, if the label is there.
        """
        return self._rows(nodes, edges)["class"].to_numpy()

    def predict_proba(self, nodes: TableSource | None, edges: TableSource) -> NDArray[np.float64]:
        """``[rows, C]`` calibrated probabilities, likewise."""
        frame = self._rows(nodes, edges)
        C, wanted = len(self._fitted().classes), self._fitted().wanted
        if C == 2:
            score = frame["score"].to_numpy()
            columns = [score, 1 - score] if wanted == 0 else [1 - score, score]
        else:
            columns = [frame[f"probability of {name}"].to_numpy() for name in self._fitted().classes]
        return np.stack(columns, 1)

    def score(self, nodes: TableSource | None, edges: TableSource) -> float:
        """The share of right answers among the labelled rows that neither trained the model nor chose its weights.

        On the tables it was fitted to, these are the rows of the test part. Without any such row it is that of all
        labelled ones.
        """
        from edgegat.learn.job_evaluate import evaluate_job

        report = evaluate_job(self._fitted(), nodes, edges, device=self._split_options()[1].device)
        if isinstance(report.unseen, Metrics):
            return report.unseen.accuracy
        counts = [(m.accuracy * m.count, m.count) for m in report.parts.values() if isinstance(m, Metrics)]
        return sum(right for right, _ in counts) / sum(count for _, count in counts)
