"""A saved model comes back as it was, or is refused in one sentence; saving never leaves half of one."""

from __future__ import annotations

import errno
import json
import os
import pickle
import stat
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from edgegat.learn import (
    LearningError,
    SavedModel,
    SavedModelError,
    TrainingOptions,
    bundle,
    files,
    fit,
    load_model,
    predict,
    save_model,
)
from edgegat.learn.saved_model import CONFIG, ENCODER, HISTORY, METRICS, SPLIT, WEIGHTS
from tests.learn.graphs import edges_decide
from tests.learn.test_fit import SMALL, same_bits

FILES = (CONFIG, WEIGHTS, ENCODER, SPLIT, METRICS, HISTORY)


@pytest.fixture(scope="module")
def models() -> list[SavedModel]:
    """Two that differ in everything."""
    made = []
    for seed in (0, 1):
        options = TrainingOptions(epochs=3, seed=seed, class_weights="balanced")
        fitted = fit(edges_decide(seed=seed, nodes=50), SMALL, options)
        made.append(
            SavedModel(
                fitted.model,
                SMALL,
                options,
                fitted.calibration,
                fitted.history,
                ("no", "yes"),
                1,
                encoder={"fitted": seed},
                split={"train": [f"a{seed}"]},
                metrics={"test": {"accuracy": 0.5 + seed / 4}},
                data={"nodes": 50},
            )
        )
    return made


def is_same(one: SavedModel, other: SavedModel) -> bool:
    plain = (
        "model_options",
        "training_options",
        "calibration",
        "history",
        "classes",
        "wanted",
        "encoder",
        "split",
        "metrics",
        "data",
        "versions",
    )
    return same_bits(one, other) and all(getattr(one, name) == getattr(other, name) for name in plain)


def test_there_and_back(tmp_path, models):
    folder = save_model(tmp_path / "new" / "model", models[0])
    loaded = load_model(folder)
    assert is_same(loaded, models[0])
    assert not loaded.model.training
    assert loaded.calibration.weights is None or isinstance(loaded.calibration.weights, tuple)
    graph = edges_decide()
    once, again = (
        predict(saved.model, graph, saved.calibration).probabilities for saved in (models[0], loaded)
    )
    assert (once == again).all()
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)


def test_doubles_stay_doubles(tmp_path, models):
    saved = models[0]
    fitted = fit(edges_decide_in_double(), SMALL, TrainingOptions(epochs=1))
    both = SavedModel(
        fitted.model, SMALL, saved.training_options, fitted.calibration, fitted.history, ("a", "b")
    )
    loaded = load_model(save_model(tmp_path, both))
    assert next(loaded.model.parameters()).dtype == torch.float64
    assert same_bits(loaded, both)


def edges_decide_in_double():
    graph = edges_decide()
    return replace(graph, x=graph.x.double(), edge_attr=graph.edge_attr.double())


def test_a_model_of_a_gpu_is_used_on_a_cpu(tmp_path, models):
    options = TrainingOptions(backend="triton", device="cuda:3")
    loaded = load_model(save_model(tmp_path, replace(models[0], training_options=options)))
    assert loaded.training_options == options
    assert predict(loaded.model, edges_decide()).decided.shape == (60,)


def test_other_files_in_the_folder_stay(tmp_path, models):
    (tmp_path / "notes.txt").write_text("mine")
    save_model(tmp_path, models[0])
    save_model(tmp_path, models[1])
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert is_same(load_model(tmp_path), models[1])


def test_everything_is_json_or_safetensors(tmp_path, models):
    save_model(tmp_path, models[0])
    for name in FILES:
        content = (tmp_path / name).read_bytes()
        if name.endswith(".json"):
            json.loads(content)
        else:
            json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        with pytest.raises((pickle.UnpicklingError, KeyError, ValueError, EOFError)):
            pickle.loads(content)


def refused(folder: Path) -> str:
    with pytest.raises(SavedModelError) as error:
        load_model(folder)
    said = str(error.value)
    assert "\n" not in said
    assert str(folder) in said
    return said


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_refused_wherever_the_damage_is(tmp_path, models, name):
    path = save_model(tmp_path, models[0]) / name
    content = path.read_bytes()
    damaged = [content[: len(content) * part // 5] for part in range(5)]
    for place in range(0, len(content), max(1, len(content) // 40)):
        damaged.append(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    for now in damaged:
        path.write_bytes(now)
        refused(tmp_path)
    path.unlink()
    assert name in refused(tmp_path)
    path.write_bytes(content)
    load_model(tmp_path)


def test_foreign_folders_are_refused(tmp_path, models):
    assert "not there, but a saved model is a folder" in refused(tmp_path / "nowhere")
    assert "is no saved model: it has no config.json" in refused(tmp_path)
    (tmp_path / CONFIG).write_text("hello")
    assert "config.json is not JSON" in refused(tmp_path)
    (tmp_path / CONFIG).write_bytes(b"\xff\xfe\x00")
    assert "config.json is not JSON" in refused(tmp_path)
    for other in ({"model_type": "bert"}, [1, 2], "text"):
        (tmp_path / CONFIG).write_text(json.dumps(other))
        assert "is no saved model" in refused(tmp_path)
    assert "is a file, but" in refused(tmp_path / CONFIG)


def test_a_newer_model_is_refused_with_the_version_that_wrote_it(tmp_path, models):
    save_model(tmp_path, models[0])
    about = json.loads((tmp_path / CONFIG).read_text())
    about |= {"format_version": 3, "versions": {"edgegat": "9.9"}, "surprise": [1]}
    (tmp_path / CONFIG).write_text(json.dumps(about))
    said = refused(tmp_path)
    assert "saved by a newer edgegat 9.9 (format 3; this one reads up to 2): update edgegat" in said


def test_weights_of_another_model_are_refused(tmp_path, models):
    save_model(tmp_path, models[0])
    about = json.loads((tmp_path / CONFIG).read_text())
    del about["digest"]
    about["model"]["heads"] = 3
    about["digest"] = bundle._digest_of(about)
    (tmp_path / CONFIG).write_text(json.dumps(about))
    assert "damaged model: its files do not fit each other" in refused(tmp_path)


class Failing:
    """The n-th call of a file operation fails, and so does every later one, as if the machine had died."""

    def __init__(self, patch, number: int) -> None:
        self.left = number
        for module, name in ((files.os, "fsync"), (os, "replace"), (Path, "open")):
            patch.setattr(module, name, self.wrap(getattr(module, name)))

    def wrap(self, function):
        def call(*args, **kwargs):
            self.left -= 1
            if self.left < 0:
                if function.__name__ == "open" and "w" in str(args[1:]):
                    Path.touch(args[0])  # half a file: its beginning only
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return function(*args, **kwargs)

        return call


def save_failing_at(monkeypatch, folder, saved, number) -> bool:
    """Whether it was saved before the failure."""
    with monkeypatch.context() as patch:
        Failing(patch, number)
        try:
            save_model(folder, saved)
        except LearningError as error:
            said = str(error)
        else:
            return True
    assert "cannot be written to" in said
    assert "No space left on device" in said
    return False


def test_a_failure_at_any_step_leaves_the_old_model_or_the_new(tmp_path, monkeypatch, models):
    outcomes, number, done = [], 0, False
    while not done:
        folder = save_model(tmp_path / str(number), models[0])
        done = save_failing_at(monkeypatch, folder, models[1], number)
        loaded = load_model(folder)
        outcomes.append("new" if is_same(loaded, models[1]) else "old")
        if outcomes[-1] == "old":
            assert is_same(loaded, models[0])
        save_model(folder, models[1])
        assert is_same(load_model(folder), models[1])
        number += 1
    assert outcomes == sorted(outcomes, key=["old", "new"].index)
    assert outcomes.count("old") >= 10
    assert outcomes.count("new") >= 5


def test_a_second_failure_does_not_break_what_the_first_left(tmp_path, monkeypatch, models):
    for first in range(8, 26, 2):
        for second in range(2, 24, 4):
            folder = save_model(tmp_path / f"{first}-{second}", models[0])
            save_failing_at(monkeypatch, folder, models[1], first)
            between = load_model(folder)
            save_failing_at(monkeypatch, folder, models[0], second)
            after = load_model(folder)
            assert is_same(after, models[0]) or is_same(after, between)


def test_no_permission_is_told(tmp_path, models):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(LearningError, match=r"cannot be written to .*file"):
        save_model(blocked / "model", models[0])
    with pytest.raises(LearningError, match=r"cannot be written to .*file: File exists"):
        save_model(blocked, models[0])
    assert stat.S_ISREG(blocked.stat().st_mode)
