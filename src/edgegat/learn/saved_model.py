"""A trained model in a folder: safetensors and JSON, nothing that could run code."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import Any

from safetensors.torch import load, save

from edgegat.learn.answers import Answers, ClassAnswers, NumberAnswers
from edgegat.learn.bundle import DamagedBundleError, read_bundle, read_manifest, write_bundle
from edgegat.learn.calibration import Calibration
from edgegat.learn.errors import LearningError, SavedModelError
from edgegat.learn.fitting import new_model
from edgegat.learn.history import History
from edgegat.learn.options import ModelOptions, TrainingOptions
from edgegat.learn.scale import Scale
from edgegat.nn import EGAT

FORMAT = "edgegat model"
VERSION = 2
CONFIG, WEIGHTS, ENCODER, SPLIT, METRICS, HISTORY = (
    "config.json",
    "model.safetensors",
    "encoder.json",
    "split.json",
    "metrics.json",
    "history.json",
)
_PACKAGES = ("edgegat", "torch", "numpy", "scikit-learn", "polars", "numba")


@dataclass(frozen=True, eq=False)
class SavedModel:
    """Everything that is needed to use a model later, and to know where it came from.

    Attributes:
        model: on the CPU, in evaluation mode.
        model_options, training_options: what it was made with.
        calibration: from its logits to probabilities.
        history: of its training.
        classes: ``[C]`` what the class numbers mean; empty if numbers were learned.
        wanted: the number of the class that is looked for.
        scale: from the outputs to numbers, if those were learned.
        encoder: what made the graph of two tables, as plain JSON; ``None`` for a model of tensors.
        split: the ids of the labelled nodes of each part, by its name.
        metrics: of each part, and whatever else was measured; plain JSON.
        data: what it was trained on: a fingerprint, and how many nodes, edges and labels.
        versions: of the packages it was trained with.
    """

    model: EGAT
    model_options: ModelOptions
    training_options: TrainingOptions
    calibration: Calibration
    history: History
    classes: tuple[str, ...]
    wanted: int = -1
    scale: Scale | None = None
    encoder: Mapping[str, Any] | None = None
    split: Mapping[str, list[str]] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=lambda: current_versions())

    @property
    def answers(self) -> Answers:
        """What the model's outputs mean."""
        if self.scale is not None:
            return NumberAnswers(self.scale)
        return ClassAnswers(self.calibration, self.classes, self.wanted)


def save_model(folder: str | PathLike[str], saved: SavedModel) -> Path:
    """Write the model into a folder. One that was there is replaced in one instant, or, on failure, untouched.

    Raises:
        LearningError: the folder cannot be written.

    Example:
        >>> import tempfile
        >>> model = EGAT(in_channels=1, edge_dim=2, out_channels=2)
        >>> saved = SavedModel(
        ...     model,
        ...     ModelOptions(),
        ...     TrainingOptions(),
        ...     Calibration(),
        ...     History("accuracy"),
        ...     ("cleared", "fraud"),
        ... )
        >>> folder = save_model(Path(tempfile.mkdtemp()) / "model", saved)
        >>> sorted(path.name for path in folder.iterdir())
        ['config.json', 'encoder.json', 'history.json', 'metrics.json', 'model.safetensors', 'split.json']
        >>> load_model(folder).classes
        ('cleared', 'fraud')
    """
    path = Path(folder)
    model = saved.model
    about = {
        "format": FORMAT,
        "format_version": VERSION,
        "readout": model.readout,
        "sizes": [model.in_channels, model.edge_dim, model.out_channels],
        "model": saved.model_options.to_dict(),
        "training": saved.training_options.to_dict(),
        "calibration": saved.calibration.to_dict(),
        "classes": list(saved.classes),
        "wanted": saved.wanted,
        "scale": saved.scale and saved.scale.to_dict(),
        "data": dict(saved.data),
        "versions": dict(saved.versions),
    }
    weights = {name: t.detach().cpu().contiguous() for name, t in model.state_dict().items()}
    contents = {
        WEIGHTS: save(weights),
        ENCODER: _to_json(saved.encoder),
        SPLIT: _to_json(saved.split),
        METRICS: _to_json(saved.metrics),
        HISTORY: _to_json(saved.history.to_dict()),
    }
    try:
        write_bundle(path, CONFIG, about, contents)
    except OSError as error:
        raise LearningError(
            f"the model cannot be written to {path}: {error.strerror or error}. A model that was there before is "
            "whole."
        ) from error
    return path


def load_model(folder: str | PathLike[str]) -> SavedModel:
    """Read a model that :func:`save_model` wrote; every file is compared with its digest first.

    Raises:
        SavedModelError: the folder is no saved model, a damaged one, or one of a newer edgegat.
    """
    path = Path(folder)
    about = _read_config(path)
    try:
        contents = read_bundle(path, CONFIG)
    except (DamagedBundleError, OSError) as error:
        raise SavedModelError(_say_damaged(path, str(error))) from None
    try:
        options = ModelOptions.from_dict(about["model"])
        training = TrainingOptions.from_dict(about["training"])
        in_channels, edge_dim, out_channels = about["sizes"]
        # Whatever it was trained with: what works on this machine may be something else.
        readout = about.get("readout", "nodes")  # what all models of 0.1.0 are
        model = new_model(in_channels, edge_dim, out_channels, options, "auto", readout)
        state = load(contents[WEIGHTS])
        model.to(state["layers.0.W_H"].dtype).load_state_dict(state)
        weights = about["calibration"]["weights"]
        return SavedModel(
            model=model.eval(),
            model_options=options,
            training_options=training,
            calibration=Calibration(about["calibration"]["temperature"], weights and tuple(weights)),
            history=History.from_dict(json.loads(contents[HISTORY])),
            classes=tuple(about["classes"]),
            wanted=about["wanted"],
            scale=_checked_scale(about.get("scale"), out_channels, about["classes"]),
            encoder=json.loads(contents[ENCODER]),
            split=json.loads(contents[SPLIT]),
            metrics=json.loads(contents[METRICS]),
            data=about["data"],
            versions=about["versions"],
        )
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise SavedModelError(_say_damaged(path, f"its files do not fit each other ({error!r})")) from error


def current_versions() -> dict[str, str]:
    """Of Python and of the packages that a result depends on, as far as they are installed."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _read_config(path: Path) -> dict[str, Any]:
    """The configuration of a folder that claims to be a model of a format we know."""
    if not path.is_dir():
        raise SavedModelError(
            f"{path} is {'a file' if path.exists() else 'not there'}, but a saved model is a folder with a "
            f"{CONFIG} in it."
        )
    try:
        about = read_manifest(path / CONFIG)
    except FileNotFoundError:
        raise SavedModelError(f"{path} is no saved model: it has no {CONFIG}.") from None
    except OSError as error:
        raise SavedModelError(f"{path / CONFIG} cannot be read: {error.strerror or error}.") from None
    except ValueError:
        raise SavedModelError(f"{path} is no saved model, or a damaged one: {CONFIG} is not JSON.") from None
    if about.get("format") != FORMAT:
        raise SavedModelError(f"{path} is no saved model: its {CONFIG} was not written by edgegat.")
    number = about.get("format_version")
    if isinstance(number, int) and number > VERSION:
        versions = about.get("versions")
        writer = versions.get("edgegat", "") if isinstance(versions, dict) else ""
        raise SavedModelError(
            f"{path} was saved by a newer edgegat {writer} (format {number}; this one reads up to {VERSION}): "
            "update edgegat."
        )
    return about


def _checked_scale(values: Mapping[str, float] | None, outputs: int, classes: list[str]) -> Scale | None:
    """Refuse numbers from a network of classes, and the other way round."""
    if values is None:
        return None
    scale = Scale(**values)
    if outputs != 1 or classes or not (math.isfinite(scale.mean) and 0 < scale.deviation < math.inf):
        raise ValueError(f"{scale} does not belong to {outputs} outputs and {len(classes)} classes")
    return scale


def _say_damaged(path: Path, what: str) -> str:
    return f"{path} is a damaged model: {what}. Take it from a copy, or train it again."


def _to_json(values: object) -> bytes:
    return json.dumps(values, indent=1, allow_nan=False, ensure_ascii=False).encode()
