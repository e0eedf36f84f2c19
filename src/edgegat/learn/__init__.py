"""From a graph to a model that was tried, and from a model to scores.

On tensors (torch, numpy and scikit-learn are enough)::

    fit(graph, model_options, training_options, *, checkpoints=None, resume=False, progress=None) -> Fitted
    predict(model, graph, calibration=None) -> Scores(probabilities [N, C], decided [N])
    embed(model, graph) -> Embeddings(nodes, edges)
    measure(y, probabilities, *, decided=None, wanted=None) -> Metrics
    predict_numbers(model, graph, scale) -> [N], measure_numbers(y, predicted) -> NumberMetrics
    calibrate(logits, y, weights=None) -> Calibration
    reliability(came_true, predicted) -> Reliability
    repeat(run, seeds) -> {name: Repeats}
    boosting(graph), plain_gat(graph, ...) -> Baseline
    save_model(folder, saved), load_model(folder) -> SavedModel

On tables (a DataError says what is wrong with them)::

    train_job(nodes, edges, schema, model_options, training_options, *, output=None, baselines=True,
              repeats=1, resume=False, progress=None) -> TrainReport
    evaluate_job(model_folder, nodes, edges, *, progress=None) -> EvaluationReport
    predict_job(model_folder, nodes, edges, *, output=None, embeddings=False, progress=None) -> Predictions
    EGATClassifier(schema, **options).fit(nodes, edges).predict_proba(nodes, edges)
    EGATRegressor(schema, **options).fit(nodes, edges).predict(nodes, edges)

The names load on first use, so that options can be looked at without torch, and a model trained without polars.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

_HOME = {
    "Baseline": "baselines",
    "Calibration": "calibration",
    "CheckpointError": "errors",
    "EGATClassifier": "classifier",
    "EGATRegressor": "regressor",
    "EvaluationReport": "report",
    "Fitted": "fitting",
    "History": "history",
    "LearningError": "errors",
    "MethodReport": "report",
    "Metrics": "metrics",
    "ModelOptions": "options",
    "NumberMetrics": "number_metrics",
    "OptionError": "errors",
    "Predictions": "report",
    "Reliability": "calibration",
    "Repeats": "repeats",
    "SavedModel": "saved_model",
    "Scale": "scale",
    "SavedModelError": "errors",
    "Scores": "predicting",
    "TrainReport": "report",
    "TrainingInterrupted": "errors",
    "TrainingOptions": "options",
    "boosting": "baselines",
    "boosting_numbers": "number_baselines",
    "calibrate": "calibration",
    "embed": "predicting",
    "evaluate_job": "job_evaluate",
    "fit": "fitting",
    "load_model": "saved_model",
    "measure": "metrics",
    "measure_numbers": "number_metrics",
    "plain_gat": "baselines",
    "predict": "predicting",
    "predict_job": "job_predict",
    "predict_numbers": "predicting",
    "reliability": "calibration",
    "repeat": "repeats",
    "save_model": "saved_model",
    "train_job": "job_train",
}
__all__ = sorted(_HOME)

if TYPE_CHECKING:
    from edgegat.learn.baselines import Baseline as Baseline
    from edgegat.learn.baselines import boosting as boosting
    from edgegat.learn.baselines import plain_gat as plain_gat
    from edgegat.learn.calibration import Calibration as Calibration
    from edgegat.learn.calibration import Reliability as Reliability
    from edgegat.learn.calibration import calibrate as calibrate
    from edgegat.learn.calibration import reliability as reliability
    from edgegat.learn.classifier import EGATClassifier as EGATClassifier
    from edgegat.learn.errors import CheckpointError as CheckpointError
    from edgegat.learn.errors import LearningError as LearningError
    from edgegat.learn.errors import OptionError as OptionError
    from edgegat.learn.errors import SavedModelError as SavedModelError
    from edgegat.learn.errors import TrainingInterrupted as TrainingInterrupted
    from edgegat.learn.fitting import Fitted as Fitted
    from edgegat.learn.fitting import fit as fit
    from edgegat.learn.history import History as History
    from edgegat.learn.job_evaluate import evaluate_job as evaluate_job
    from edgegat.learn.job_predict import predict_job as predict_job
    from edgegat.learn.job_train import train_job as train_job
    from edgegat.learn.metrics import Metrics as Metrics
    from edgegat.learn.metrics import measure as measure
    from edgegat.learn.number_baselines import boosting_numbers as boosting_numbers
    from edgegat.learn.number_metrics import NumberMetrics as NumberMetrics
    from edgegat.learn.number_metrics import measure_numbers as measure_numbers
    from edgegat.learn.options import ModelOptions as ModelOptions
    from edgegat.learn.options import TrainingOptions as TrainingOptions
    from edgegat.learn.predicting import Scores as Scores
    from edgegat.learn.predicting import embed as embed
    from edgegat.learn.predicting import predict as predict
    from edgegat.learn.predicting import predict_numbers as predict_numbers
    from edgegat.learn.regressor import EGATRegressor as EGATRegressor
    from edgegat.learn.repeats import Repeats as Repeats
    from edgegat.learn.repeats import repeat as repeat
    from edgegat.learn.report import EvaluationReport as EvaluationReport
    from edgegat.learn.report import MethodReport as MethodReport
    from edgegat.learn.report import Predictions as Predictions
    from edgegat.learn.report import TrainReport as TrainReport
    from edgegat.learn.saved_model import SavedModel as SavedModel
    from edgegat.learn.saved_model import load_model as load_model
    from edgegat.learn.saved_model import save_model as save_model
    from edgegat.learn.scale import Scale as Scale


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(importlib.import_module(f"edgegat.learn.{_HOME[name]}"), name)
    raise AttributeError(f"module 'edgegat.learn' has no attribute {name!r}; it offers {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted(__all__)
