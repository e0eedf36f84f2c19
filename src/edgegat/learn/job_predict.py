"""From a saved model and two tables to a table of scores."""

from __future__ import annotations

import os
from collections.abc import Callable
from os import PathLike
from pathlib import Path

import polars as pl
from torch import Tensor

from edgegat.data import DataError, EncodedGraph, GraphEncoder
from edgegat.data.reading import TableSource
from edgegat.learn.device import choose_device
from edgegat.learn.errors import LearningError, SavedModelError
from edgegat.learn.files import NEW
from edgegat.learn.predicting import embed, outputs_of
from edgegat.learn.progress import Progress, ignore_progress
from edgegat.learn.report import Predictions
from edgegat.learn.saved_model import SavedModel, load_model

_WRITERS: dict[str, Callable[[pl.DataFrame, Path], None]] = {
    ".csv": lambda frame, path: frame.write_csv(path),
    ".parquet": lambda frame, path: frame.write_parquet(path),
}


def predict_job(
    model: SavedModel | str | PathLike[str],
    nodes: TableSource | None,
    edges: TableSource,
    *,
    output: str | PathLike[str] | None = None,
    embeddings: bool = False,
    device: str = "auto",
    progress: Progress | None = None,
) -> Predictions:
    """Score all nodes of two tables, or all edges with a model of edges: new customers, new transfers, columns in
    any order; labels are not needed.

    Args:
        model: a saved model's folder, or one that was loaded.
        nodes: the node table; ``None`` if there is none, then all features of nodes are missing.
        edges: the edge table.
        output: where to write the scores, ``.csv`` or ``.parquet``. Embeddings are written beside it, as
            ``<name>.nodes.<suffix>`` and ``<name>.edges.<suffix>``.
        embeddings: whether to give the learned features of nodes and edges, too.
        device: see :class:`TrainingOptions`.
        progress: told of every step.

    Raises:
        DataError: something is wrong with the tables.
        SavedModelError: the folder is no saved model.
        LearningError: the output cannot be written.
    """
    tell = progress or ignore_progress
    target = None if output is None else _check_output(Path(output))
    saved = model if isinstance(model, SavedModel) else load_model(model)
    encoded = encoder_of(saved, model).encode(nodes, edges, progress=tell)
    tell("Scoring", 0, 1)
    network = saved.model.to(choose_device(device))
    outputs = outputs_of(network, encoded.graph)
    node_features = edge_features = None
    if embeddings:
        tell("Embedding", 0, 1)
        vectors = embed(network, encoded.graph)
        node_features = _with_channels(pl.DataFrame({"id": encoded.ids}), vectors.nodes)
        edge_features = _with_channels(_ends(encoded), vectors.edges)
    network.cpu()
    of_edges = network.readout == "edges"
    ids = _ends(encoded) if of_edges else pl.DataFrame({"id": encoded.ids})
    frame = pl.concat([ids, saved.answers.table(outputs)], how="horizontal")
    files = []
    if target is not None:
        tell("Writing", 0, 1)
        for part, content in (("", frame), (".nodes", node_features), (".edges", edge_features)):
            if content is not None:
                files.append(_write(content, target.with_name(target.stem + part + target.suffix)))
    return Predictions(
        nodes=None if of_edges else frame,
        edges=frame if of_edges else None,
        node_embeddings=node_features,
        edge_embeddings=edge_features,
        in_table=encoded.in_table,
        answers=saved.answers,
        notes=encoded.notes,
        files=files,
    )


def encoder_of(saved: SavedModel, folder: object) -> GraphEncoder:
    """What makes graphs of tables in the way the model has learned them."""
    name = "this model" if isinstance(folder, SavedModel) else str(folder)
    if saved.encoder is None:
        raise SavedModelError(
            f"{name} was trained on tensors, so it cannot read tables: use edgegat.learn.predict with a graph."
        )
    return GraphEncoder.from_dict(saved.encoder, f"the encoder of {name}")


def _ends(encoded: EncodedGraph) -> pl.DataFrame:
    source, target = encoded.graph.edge_index.numpy()
    return pl.DataFrame(
        {"source": encoded.ids.gather(source), "target": encoded.ids.gather(target), "row": encoded.edge_rows}
    )


def _with_channels(frame: pl.DataFrame, values: Tensor) -> pl.DataFrame:
    columns = values.t().contiguous().numpy()
    return frame.with_columns(pl.Series(f"channel {number}", column) for number, column in enumerate(columns))


def _check_output(path: Path) -> Path:
    """Refuse a place that cannot be written before anything is computed."""
    if path.suffix.lower() not in _WRITERS:
        raise DataError(f"{path} ends in {path.suffix or 'nothing'!r}: scores are written as .csv or .parquet.")
    if not path.parent.is_dir():
        raise DataError(f"{path}: there is no folder {path.parent}. Make it first.")
    return path


def _write(frame: pl.DataFrame, path: Path) -> Path:
    """The whole table or nothing: first under another name."""
    new = path.with_name(path.name + NEW)
    try:
        _WRITERS[path.suffix.lower()](frame, new)
        os.replace(new, path)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LearningError(f"{path} cannot be written: {reason}.") from error
    return path
