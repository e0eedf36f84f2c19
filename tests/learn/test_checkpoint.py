"""A training that is stopped goes on to the same end."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from edgegat.learn import (
    CheckpointError,
    LearningError,
    TrainingInterrupted,
    TrainingOptions,
    files,
    fit,
)
from edgegat.learn.checkpoint import NAME, CheckpointFile, Snapshot
from tests.learn.graphs import edges_decide
from tests.learn.test_fit import SMALL, same_bits

ROOT = Path(__file__).parents[2]
OPTIONS = TrainingOptions(epochs=12, checkpoint_seconds=0.0, schedule="plateau", patience=12)


def stop_after(epochs):
    def progress(step, number, total):
        if number == epochs:
            raise KeyboardInterrupt

    return progress


def test_killed_at_many_moments_the_result_is_the_same(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "tests.learn.killed_at_random", str(tmp_path), "0"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told["kills"] >= 10
    assert told["killed"] == told["whole"]
    assert told["whole"]["history"]["ended"] == "epochs"
    assert len(set(told["whole"]["history"]["learning_rate"])) > 1


@pytest.mark.parametrize("epochs", [1, 5, 11])
def test_ctrl_c_keeps_the_last_epoch_and_says_how_to_go_on(tmp_path, epochs):
    graph = edges_decide()
    whole = fit(graph, SMALL, OPTIONS)
    with pytest.raises(
        TrainingInterrupted, match=rf"Stopped after epoch {epochs} of 12\. It is kept in .*resume"
    ):
        fit(
            graph,
            SMALL,
            replace(OPTIONS, checkpoint_seconds=1e6),
            checkpoints=tmp_path,
            progress=stop_after(epochs),
        )
    epochs_run = []
    resumed = fit(
        graph,
        SMALL,
        OPTIONS,
        checkpoints=tmp_path,
        resume=True,
        progress=lambda step, number, total: epochs_run.append(number),
    )
    assert epochs_run == list(range(epochs + 1, 13))
    assert same_bits(resumed, whole)
    assert resumed.history == whole.history
    assert torch.equal(resumed.logits, whole.logits)


def test_ctrl_c_in_the_middle_of_a_step(tmp_path, monkeypatch):
    graph = edges_decide()
    whole = fit(graph, SMALL, OPTIONS)
    steps = torch.optim.Adam.step
    calls = []

    def step(self, *args):
        calls.append(1)
        result = steps(self, *args)
        if len(calls) == 6:  # weights and averages have moved already, the epoch is not over
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(torch.optim.Adam, "step", step)
    with pytest.raises(TrainingInterrupted, match="after epoch 5 of 12"):
        fit(graph, SMALL, OPTIONS, checkpoints=tmp_path)
    assert same_bits(fit(graph, SMALL, OPTIONS, checkpoints=tmp_path, resume=True), whole)


def test_without_a_folder_ctrl_c_says_that_nothing_is_kept():
    with pytest.raises(TrainingInterrupted, match="nothing is kept"):
        fit(edges_decide(), SMALL, OPTIONS, progress=stop_after(2))


def test_resuming_a_finished_training_gives_it_again(tmp_path):
    graph = edges_decide()
    first = fit(graph, SMALL, OPTIONS, checkpoints=tmp_path)
    epochs = []
    again = fit(
        graph, SMALL, OPTIONS, checkpoints=tmp_path, resume=True, progress=lambda *step: epochs.append(step)
    )
    assert not epochs
    assert same_bits(first, again)
    assert first.calibration == again.calibration


def test_without_resume_it_starts_anew(tmp_path):
    graph = edges_decide()
    fit(graph, SMALL, OPTIONS, checkpoints=tmp_path)
    epochs = []
    fit(graph, SMALL, OPTIONS, checkpoints=tmp_path, progress=lambda *step: epochs.append(step))
    assert len(epochs) == 12


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"options": replace(OPTIONS, learning_rate=0.02)}, "learning_rate was 0.01 and is 0.02"),
        ({"options": replace(OPTIONS, seed=5)}, "seed was 0 and is 5"),
        ({"sizes": replace(SMALL, heads=4)}, "heads was 2 and is 4"),
        ({"graph": edges_decide(seed=1)}, "data was '"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(tmp_path, change, said):
    fit(edges_decide(), SMALL, OPTIONS, checkpoints=tmp_path)
    given = {"graph": edges_decide(), "sizes": SMALL, "options": OPTIONS} | change
    with pytest.raises(CheckpointError, match=f"belongs to another run: {said}"):
        fit(given["graph"], given["sizes"], given["options"], checkpoints=tmp_path, resume=True)


def test_a_damaged_checkpoint_is_refused_wherever_the_damage_is(tmp_path):
    fit(edges_decide(), SMALL, OPTIONS, checkpoints=tmp_path)
    path = tmp_path / NAME
    content = path.read_bytes()
    damaged = [content[: len(content) * part // 7] for part in range(7)]
    for place in range(0, len(content), max(1, len(content) // 60)):
        flipped = bytearray(content)
        flipped[place] ^= 0x41
        damaged.append(bytes(flipped))
    damaged += [b"", b"\x80\x04K\x01.", b"{}"]
    for case, content_now in enumerate(damaged):
        path.write_bytes(content_now)
        with pytest.raises(CheckpointError) as refused:
            fit(edges_decide(), SMALL, OPTIONS, checkpoints=tmp_path, resume=True)
        assert "\n" not in str(refused.value), case
        assert str(path) in str(refused.value)


def test_a_full_disk_leaves_the_checkpoint_before(tmp_path, monkeypatch):
    file = CheckpointFile(tmp_path, {"seed": 0})
    file.save(Snapshot({"t": torch.ones(3)}, {"epoch": 1}))
    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(
                files.os,
                name,
                lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))),
            )
            with pytest.raises(LearningError, match="cannot be written: No space left on device"):
                file.save(Snapshot({"t": torch.zeros(3)}, {"epoch": 2}))
        kept = file.load()
        assert kept is not None
        assert kept.plain == {"epoch": 1}
        assert kept.tensors["t"].tolist() == [1.0, 1.0, 1.0]


def test_nothing_in_a_checkpoint_can_run_code(tmp_path):
    fit(edges_decide(), SMALL, OPTIONS, checkpoints=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    content = (tmp_path / NAME).read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    assert header["__metadata__"]["format"] == "edgegat checkpoint"
    assert json.loads(header["__metadata__"]["content"])["plain"]["history"]["ended"] == "epochs"
