"""edgegat info."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from edgegat.cli.say import Say, align


def info(
    say: Say,
    model: Annotated[
        Path | None,
        typer.Argument(help="A saved model's folder; without it, this machine.", show_default=False),
    ] = None,
) -> None:
    """Describe a saved model, or this machine.

    Of a model: classes, metrics, options, and what it was trained on and
    with. Of a machine: devices, backends (the kernels) and versions.

    [bold]Examples[/]

      edgegat info
      edgegat info model
      edgegat info model --json
    """
    content = _of_machine() if model is None else _of_model(model)
    for title, section in content.items():
        say.title(title)
        if isinstance(section, dict):
            say(align([[f"  {name}", _in_words(value)] for name, value in section.items()], to_left=True))
        else:
            say(f"  {_in_words(section)}")
    say.result(content)


def _of_machine() -> dict[str, Any]:
    import os

    import torch

    from edgegat.learn.device import available_devices
    from edgegat.learn.saved_model import current_versions
    from edgegat.ops import available_backends

    devices = available_devices()
    return {
        "devices": {
            name: torch.cuda.get_device_name(name) if name.startswith("cuda") else f"{os.cpu_count()} cores"
            for name in devices
        },
        "backends, the best first": {name: list(available_backends(name)) for name in devices},
        "versions": current_versions(),
    }


def _of_model(folder: Path) -> dict[str, Any]:
    from edgegat.learn import load_model

    saved = load_model(folder)
    return {
        "classes": list(saved.classes),
        "data": dict(saved.data),
        "metrics": dict(saved.metrics),
        "model": saved.model_options.to_dict(),
        "training": saved.training_options.to_dict(),
        "versions": dict(saved.versions),
    }


def _in_words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
