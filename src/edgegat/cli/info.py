"""edgegat info."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from edgegat.cli.results import METRIC_NAMES, PARTS, write_metric
from edgegat.cli.say import Say, align


def info(
    say: Say,
    model: Annotated[
        Path | None,
        typer.Argument(help="A saved model's folder; without it, this machine.", show_default=False),
    ] = None,
) -> None:
    """Describe a saved model, or this machine.

    Of a model: classes (or the scale of numbers), metrics, options, and what it was trained on and
    with. Of a machine: devices, backends (the kernels) and versions.

    [bold]Examples[/]

      edgegat info
      edgegat info model
      edgegat info model --json
    """
    if model is None:
        content = _of_machine()
        _say_sections(say, content)
    else:
        content = _of_model(model)
        _say_sections(
            say,
            {
                name: content[name]
                for name in ("classes", "scale", "data", "model", "training", "versions")
                if name in content
            },
        )
        columns = ("rmse", "mae", "r2") if content["kind"] == "number" else ("accuracy", "roc_auc", "pr_auc")
        first, second, third = (METRIC_NAMES[name] for name in columns)
        for part, rows in _results(content["metrics"], columns).items():
            say.title(f"{first}, {second} and {third} on the {PARTS[part]} part")
            say(align(rows))
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
        **saved.answers.about(),
        "data": dict(saved.data),
        "model": saved.model_options.to_dict(),
        "training": saved.training_options.to_dict(),
        "versions": dict(saved.versions),
        "metrics": dict(saved.metrics),
    }


def _results(metrics: dict[str, Any], columns: Sequence[str]) -> dict[str, list[list[str]]]:
    """One row for each method and part; nothing for a model that was saved without results."""
    parts: dict[str, list[list[str]]] = {}
    for method, results in metrics.get("methods", {}).items():
        for part, values in results["parts"].items():
            cells = [write_metric(name, values[name]) for name in columns]
            parts.setdefault(part, []).append([f"  {method}", *cells])
    return parts


def _say_sections(say: Say, sections: dict[str, Any]) -> None:
    for title, section in sections.items():
        say.title(title)
        if isinstance(section, dict):
            rows = [[f"  {name}", _in_words(value)] for name, value in section.items()]
            say(align(rows, to_left=True))
        else:
            say(f"  {_in_words(section)}")


def _in_words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
