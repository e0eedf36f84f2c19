"""Where a training stands between two epochs: on disk, in one file that holds no code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from edgegat.learn.errors import CheckpointError, LearningError
from edgegat.learn.files import digest, replace_file

FORMAT = "edgegat checkpoint"
VERSION = 1
NAME = "checkpoint.safetensors"


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything that the rest of a training depends on.

    Attributes:
        tensors: weights now and at the best epoch, Adam's averages, the states of the random generators.
        plain: history and schedule, as JSON knows them.
    """

    tensors: dict[str, Tensor]
    plain: dict[str, Any]


@dataclass(frozen=True)
class CheckpointFile:
    """One checkpoint in a folder, replaced by the next one.

    Attributes:
        folder: made when it is needed.
        run: what makes this training the one it is; a checkpoint of another is refused.
    """

    folder: Path
    run: Mapping[str, Any]

    @property
    def path(self) -> Path:
        """Of the one file."""
        return self.folder / NAME

    def save(self, snapshot: Snapshot) -> None:
        """Replace the checkpoint; the old one stays whole until the new one is."""
        content = json.dumps({"run": self.run, "plain": snapshot.plain}, allow_nan=False)
        header = {
            "format": FORMAT,
            "version": str(VERSION),
            "content": content,
            "digest": _digest(snapshot.tensors, content),
        }
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            replace_file(self.path, save(snapshot.tensors, header))
        except OSError as error:
            raise LearningError(
                f"the checkpoint {self.path} cannot be written: {error.strerror or error}. Make room or name "
                "another folder; the checkpoint before it, if there is one, is whole."
            ) from error

    def load(self) -> Snapshot | None:
        """The checkpoint, or ``None`` if there is none yet.

        Raises:
            CheckpointError: it is damaged, or of another run; the message says in what they differ.
        """
        try:
            with safe_open(self.path, "pt") as file:
                header = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no mapping
        except FileNotFoundError:
            return None
        except (SafetensorError, OSError) as error:
            raise CheckpointError(f"{self.path} is no checkpoint, or a damaged one. {_REMEDY}") from error
        if header.get("format") != FORMAT:
            raise CheckpointError(f"{self.path} is no checkpoint of edgegat. {_REMEDY}")
        if header.get("version") != str(VERSION):
            raise CheckpointError(
                f"{self.path} is a checkpoint of another version of edgegat (format {header.get('version')}, not "
                f"{VERSION}): go on with that version, or start anew without resume."
            )
        if header.get("digest") != _digest(tensors, header.get("content", "")):
            raise CheckpointError(f"{self.path} is damaged. {_REMEDY}")
        content = json.loads(header["content"])
        self._compare(content["run"])
        return Snapshot(tensors, content["plain"])

    def remove(self) -> None:
        """Take the checkpoint away, if there is one."""
        self.path.unlink(missing_ok=True)

    def _compare(self, theirs: Mapping[str, Any]) -> None:
        ours = json.loads(json.dumps(self.run))
        differing = [name for name in {**theirs, **ours} if theirs.get(name) != ours.get(name)]
        if differing:
            said = "; ".join(f"{name} was {theirs.get(name)!r} and is {ours.get(name)!r}" for name in differing)
            raise CheckpointError(
                f"{self.path} belongs to another run: {said}. Go on with what it was, or start anew without resume."
            )


_REMEDY = "Remove it and start anew, without resume."


def _digest(tensors: Mapping[str, Tensor], text: str) -> str:
    shapes = [f"{name} {t.dtype} {tuple(t.shape)}" for name, t in sorted(tensors.items())]
    bits = [t.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() for _, t in sorted(tensors.items())]
    return digest(b"\0".join([text.encode(), *map(str.encode, shapes), *bits]))
