"""``--set NAME=VALUE``: every option of the model and of its training."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from edgegat.learn.errors import OptionError
from edgegat.learn.options import ModelOptions, TrainingOptions


def read_settings(given: Iterable[str], flags: Mapping[str, object]) -> tuple[ModelOptions, TrainingOptions]:
    """Options from ``NAME=VALUE`` texts and from flags of their own, of which ``None`` were not given.

    Example:
        >>> model, training = read_settings(["heads=4", "metric=roc_auc"], {"epochs": 50, "seed": None})
        >>> model.heads, training.metric, training.epochs, training.seed
        (4, 'roc_auc', 50, 0)
    """
    values = dict(map(_parse, given)) | {name: value for name, value in flags.items() if value is not None}
    known = [*ModelOptions.names(), *TrainingOptions.names()]
    unknown = [name for name in values if name not in known]
    if unknown:
        raise OptionError("\n".join(_say_unknown(name, known) for name in unknown))
    model, training = (
        {name: value for name, value in values.items() if name in kind.names()}
        for kind in (ModelOptions, TrainingOptions)
    )
    return ModelOptions.from_dict(model), TrainingOptions.from_dict(training)


def list_settings() -> str:
    """All of them with their defaults, for the help."""
    defaults = {**ModelOptions().to_dict(), **TrainingOptions().to_dict()}
    return "  ".join(f"{name}={json.dumps(value).strip(chr(34))}" for name, value in defaults.items())


def _parse(setting: str) -> tuple[str, Any]:
    name, equals, text = setting.partition("=")
    if not equals:
        raise OptionError(f"--set {setting}: write NAME=VALUE, like --set heads=4.")
    try:
        return name.strip(), json.loads(text)
    except ValueError:
        return name.strip(), text.strip()


def _say_unknown(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=1)
    remedy = f"Did you mean {close[0]!r}?" if close else f"There are {', '.join(known)}."
    return f"--set {name}: there is no such option. {remedy}"
