"""How good a saved model is on labelled tables."""

from __future__ import annotations

from os import PathLike

import polars as pl

from edgegat.data import DataError
from edgegat.data.reading import TableSource
from edgegat.learn.device import choose_device
from edgegat.learn.job_predict import encoder_of
from edgegat.learn.predicting import outputs_of
from edgegat.learn.progress import Progress, ignore_progress
from edgegat.learn.report import PARTS, EvaluationReport, reliability_of
from edgegat.learn.saved_model import SavedModel, load_model

NEW = "new"


def evaluate_job(
    model: SavedModel | str | PathLike[str],
    nodes: TableSource | None,
    edges: TableSource,
    *,
    device: str = "auto",
    progress: Progress | None = None,
) -> EvaluationReport:
    """Compare what a model says of the labelled nodes of two tables with their labels.

    The model knows which ids trained it and which chose its weights. They say little about how good it is, so
    they are told apart from the others.

    Raises:
        DataError: something is wrong with the tables, or no node is labelled.
        SavedModelError: the folder is no saved model.
    """
    tell = progress or ignore_progress
    saved = model if isinstance(model, SavedModel) else load_model(model)
    encoded = encoder_of(saved, model).encode(nodes, edges, labels=True, progress=tell)
    assert encoded.graph.y is not None
    labelled = encoded.graph.labelled.numpy()
    if not labelled.any():
        one = saved.model.readout[:-1]
        raise DataError(f"no {one} of the {one} table has a label, so there is nothing to compare with.")
    tell("Scoring", 0, 1)
    outputs = outputs_of(saved.model.to(choose_device(device)), encoded.graph)
    saved.model.cpu()
    y, answers = encoded.graph.y, saved.answers

    was = {
        part: encoded.labelled_ids.is_in(pl.Series(saved.split.get(part, []), dtype=pl.String)).to_numpy()
        for part in PARTS
    }
    was[NEW] = ~(was["train"] | was["val"] | was["test"])
    groups = {part: mask & labelled for part, mask in was.items()}
    unseen = groups["test"] | groups[NEW]
    parts = {
        part: answers.measure(y[mask], outputs[mask])
        for part, mask in {**groups, "unseen": unseen}.items()
        if mask.any()
    }
    judged = unseen if unseen.any() else labelled
    return EvaluationReport(
        unseen=parts.pop("unseen", None),
        parts=parts,
        answers=answers,
        reliability=reliability_of(answers, y[judged], outputs[judged]),
        notes=encoded.notes,
        labels_on=saved.model.readout,
    )
