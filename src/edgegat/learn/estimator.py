"""The whole way from tables to answers as one object: what the classifier and the regressor have in common."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from edgegat.learn.errors import LearningError, OptionError
from edgegat.learn.options import ModelOptions, TrainingOptions

if TYPE_CHECKING:
    import polars as pl

    from edgegat.data import Schema
    from edgegat.data.reading import TableSource
    from edgegat.learn.report import Predictions, TrainReport
    from edgegat.learn.saved_model import SavedModel


class Estimator:
    """A schema and options; :meth:`fit`, :meth:`save` and :meth:`load`; scikit-learn's habits."""

    _kind: ClassVar[str]
    _other: ClassVar[str]

    def __init__(self, schema: Schema | str | PathLike[str] | dict[str, Any], **options: Any) -> None:
        self.schema = schema
        self._options = dict(options)
        self._split_options()

    def fit(self, nodes: TableSource | None, edges: TableSource) -> Self:
        """Check the tables, learn from the labelled rows of the training part, and try it on the others.

        On a terminal, a bar shows how far it is.
        """
        from edgegat.data import Schema
        from edgegat.data.progress import terminal_progress
        from edgegat.learn.job_train import train_job

        sizes, training = self._split_options()
        declared = Schema.of(self.schema)
        self._check_kind(declared)
        with terminal_progress() as progress:
            report = train_job(nodes, edges, declared, sizes, training, baselines=False, progress=progress)
        self.report_: TrainReport = report
        self.model_: SavedModel = report.model
        return self

    def predict_table(
        self, nodes: TableSource | None, edges: TableSource, *, embeddings: bool = False
    ) -> Predictions:
        """The same with ids, and for nodes that only the edge table names, too; embeddings on request."""
        from edgegat.learn.job_predict import predict_job

        device = self._split_options()[1].device
        return predict_job(self._fitted(), nodes, edges, embeddings=embeddings, device=device)

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write the model into a folder, as the command line does."""
        from edgegat.learn.saved_model import save_model

        return save_model(folder, self._fitted())

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> Self:
        """From a saved model, this one's or the command line's; ready to predict."""
        from edgegat.learn.job_predict import encoder_of
        from edgegat.learn.saved_model import load_model

        saved = load_model(folder)
        options = {**saved.model_options.to_dict(), **saved.training_options.to_dict()}
        schema = encoder_of(saved, folder).schema
        estimator = cls(schema, **options)
        estimator._check_kind(schema)
        estimator.model_ = saved
        return estimator

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
        schema = repr(self.schema) if isinstance(self.schema, str | PathLike) else "..."
        return f"{type(self).__name__}({schema}{options})"

    def _split_options(self) -> tuple[ModelOptions, TrainingOptions]:
        """Those of the model and those of training; unknown names are refused with the nearest known one."""
        of_model = {name: value for name, value in self._options.items() if name in ModelOptions.names()}
        rest = {name: value for name, value in self._options.items() if name not in of_model}
        return ModelOptions.from_dict(of_model), TrainingOptions.from_dict(rest)

    def _check_kind(self, schema: Schema) -> None:
        """Refuse to predict numbers with a classifier, and the other way round."""
        if schema.labels_on and schema.kind != self._kind:
            raise LearningError(
                f"the schema says kind = {schema.kind!r} of the label, but {type(self).__name__} learns "
                f"kind = {self._kind!r}: take {self._other}, or change the schema."
            )

    def _fitted(self) -> SavedModel:
        if not hasattr(self, "model_"):
            raise LearningError(
                f"this {type(self).__name__} has not learned anything yet: call fit first, or load a model."
            )
        return self.model_

    def _rows(self, nodes: TableSource | None, edges: TableSource) -> pl.DataFrame:
        predictions = self.predict_table(nodes, edges)
        if predictions.nodes is None or nodes is None:
            return predictions.scores
        return predictions.nodes.head(predictions.in_table)
