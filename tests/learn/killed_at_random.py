"""A training that is killed again and again, and resumed: run by test_checkpoint.py in a process of its own.

Forks before any training, so that a child starts in no time. Prints one JSON object.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch

from edgegat.learn import ModelOptions, TrainingOptions, fit
from edgegat.learn.files import digest
from tests.learn.graphs import edges_decide

OPTIONS = TrainingOptions(
    epochs=60, patience=60, learning_rate=0.03, checkpoint_seconds=0.0, schedule="plateau", backend="torch"
)


def train(folder: Path) -> None:
    """Train, or go on, and leave a digest of the result."""
    torch.set_num_threads(1)
    sizes = ModelOptions(heads=2, dropout=0.3, attention_dropout=0.1, key_dropout=0.1)
    fitted = fit(edges_decide(noise=2.0), sizes, OPTIONS, checkpoints=folder, resume=True)
    weights = b"".join(t.numpy().tobytes() for t in fitted.model.state_dict().values())
    result = {
        "weights": digest(weights),
        "history": fitted.history.to_dict(),
        "T": fitted.calibration.temperature,
    }
    (folder / "result.json").write_text(json.dumps(result))


def run_once(folder: Path, seconds: float | None) -> bool:
    """In a child that is killed after so many seconds; whether it came to its end."""
    child = os.fork()
    if child == 0:
        train(folder)
        os._exit(0)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if seconds is None and status:
        raise SystemExit(f"the training ended with status {status}")
    return (folder / "result.json").exists()


def main(folder: Path, seed: int) -> None:
    draws = random.Random(seed)
    fit(edges_decide(), training_options=replace(OPTIONS, epochs=1))  # everything is imported now
    (folder / "whole").mkdir()
    (folder / "killed").mkdir()
    started = time.monotonic()
    run_once(folder / "whole", None)
    whole = time.monotonic() - started
    kills = 0
    while kills < 200 and not run_once(folder / "killed", draws.uniform(0.0, whole / 8)):
        kills += 1
    print(
        json.dumps(
            {
                "kills": kills,
                **{
                    name: json.loads((folder / name / "result.json").read_text())
                    for name in ("whole", "killed")
                },
            }
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
