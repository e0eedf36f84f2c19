"""The whole way from tables to scores as one object, with scikit-learn's habits."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from edgegat.learn.errors import LearningError, OptionError
from edgegat.learn.options import ModelOptions, TrainingOptions

if TYPE_CHECKING:
    import polars as pl

    from edgegat.data import Schema
    from edgegat.data.reading import TableSource
    from edgegat.learn.report import Predictions, TrainReport
    from edgegat.learn.saved_model import SavedModel


class EGATClassifier:
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

    def __init__(self, schema: Schema | str | PathLike[str] | dict[str, Any], **options: Any) -> None:
        self.schema = schema
        self._options = dict(options)
        self._split_options()

    def fit(self, nodes: TableSource | None, edges: TableSource) -> Self:
        """Check the tables, learn from the labelled nodes of the training part, and try it on the others.

        On a terminal, a bar shows how far it is.
        """
        from edgegat.data.progress import terminal_progress
        from edgegat.learn.job_train import train_job

        sizes, training = self._split_options()
        with terminal_progress() as progress:
            report = train_job(nodes, edges, self.schema, sizes, training, baselines=False, progress=progress)
        self.report_: TrainReport = report
        self.model_: SavedModel = report.model
        return self

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

    def predict_table(
        self, nodes: TableSource | None, edges: TableSource, *, embeddings: bool = False
    ) -> Predictions:
        """The same with ids, and for nodes that only the edge table names, too; embeddings on request."""
        from edgegat.learn.job_predict import predict_job

        device = self._split_options()[1].device
        return predict_job(self._fitted(), nodes, edges, embeddings=embeddings, device=device)

    def score(self, nodes: TableSource | None, edges: TableSource) -> float:
        """The share of right answers among the labelled rows that neither trained the model nor chose its weights.

        On the tables it was fitted to, these are the rows of the test part. Without any such row it is that of all
        labelled ones.
        """
        from edgegat.learn.job_evaluate import evaluate_job

        report = evaluate_job(self._fitted(), nodes, edges, device=self._split_options()[1].device)
        if report.unseen is not None:
            return report.unseen.accuracy
        counts = [(metrics.accuracy * metrics.count, metrics.count) for metrics in report.parts.values()]
        return sum(right for right, _ in counts) / sum(count for _, count in counts)

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write the model into a folder, as the command line does."""
        from edgegat.learn.saved_model import save_model

        return save_model(folder, self._fitted())

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> Self:
        """A classifier from a saved model, this one's or the command line's; ready to predict."""
        from edgegat.learn.job_predict import encoder_of
        from edgegat.learn.saved_model import load_model

        saved = load_model(folder)
        options = {**saved.model_options.to_dict(), **saved.training_options.to_dict()}
        classifier = cls(encoder_of(saved, folder).schema, **options)
        classifier.model_ = saved
        return classifier

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The schema and every option, those that were left out with their defaults."""
        sizes, training = self._split_options()
        return {"schema": self.schema, **sizes.to_dict(), **training.to_dict(), **self._options}

    def set_params(self, **params: Any) -> Self:
        """Change the schema or some options; all or none of them."""
        schema = params.pop("schema", self.schema)
        before = self._options
        self._options = {**before, **params}
        try:
            self._split_options()
        except OptionError:
            self._options = before
            raise
        self.schema = schema
        return self

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self._options.items())
        schema = self.schema if isinstance(self.schema, str | PathLike) else "..."
        return (
            f"{type(self).__name__}({schema!r}{options})"
            if schema != "..."
            else f"EGATClassifier(...{options})"
        )

    def _split_options(self) -> tuple[ModelOptions, TrainingOptions]:
        """Those of the model and those of training; unknown names are refused with the nearest known one."""
        of_model = {name: value for name, value in self._options.items() if name in ModelOptions.names()}
        rest = {name: value for name, value in self._options.items() if name not in of_model}
        return ModelOptions.from_dict(of_model), TrainingOptions.from_dict(rest)

    def _fitted(self) -> SavedModel:
        if not hasattr(self, "model_"):
            raise LearningError(
                "this EGATClassifier has not learned anything yet: call fit first, or load a model."
            )
        return self.model_

    def _rows(self, nodes: TableSource | None, edges: TableSource) -> pl.DataFrame:
        predictions = self.predict_table(nodes, edges)
        if predictions.nodes is None or nodes is None:
            return predictions.scores
        return predictions.nodes.head(predictions.in_table)
