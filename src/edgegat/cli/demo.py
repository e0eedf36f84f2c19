"""edgegat demo."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from edgegat.cli.check import check
from edgegat.cli.generate import generate
from edgegat.cli.predict import predict
from edgegat.cli.say import Say
from edgegat.cli.train import train

_RUNS = 5
_SETTINGS = ["--set", "dropout=0.2", "--set", "metric=accuracy"]  # chosen on other invented banks


def demo(
    say: Say,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where everything goes.")] = Path(
        "edgegat-demo"
    ),
) -> None:
    """Show it all on an invented bank: check, train, compare, score, draw.

    It types the commands for you: generate, check, train and predict. A
    bank that is in the folder already is taken as it is.

    [bold]Examples[/]

      edgegat demo
      edgegat demo /tmp/demo
    """
    loud = replace(say, quiet=say.quiet or say.as_json, as_json=False, hints=False)
    tables = [folder / "customers.csv", folder / "transactions.csv"]
    schema, model, scores = folder / "edgegat.toml", folder / "model", folder / "scores.csv"
    nodes, edges = map(str, tables)

    if not all(file.exists() for file in [*tables, schema]):
        _type(loud, "A bank with 3,907 customers, 97 of whom were looked at", ["generate", folder])
        generate(loud, folder)
    _type(loud, "Is anything wrong with its tables?", ["check", *tables, "--schema", schema])
    check(loud, nodes, [edges], schema)
    _type(
        loud,
        f"EGAT with the sizes of the paper beside two other methods, {_RUNS} times, each on another split",
        ["train", *tables, "--schema", schema, "--output", model, "--repeat", _RUNS, *_SETTINGS],
    )
    train(loud, nodes, [edges], schema, model, repeat=_RUNS, settings=_SETTINGS[1::2])
    _type(loud, "Everybody's score", ["predict", model, *tables, "--output", scores])
    predict(loud, model, nodes, [edges], scores)

    loud.title("\nTry next")
    for following in (
        ["info", model],
        ["evaluate", model, *tables],
        ["generate", "bank-m", "--bank", "trade-m"],
        ["init", "YOUR_CUSTOMERS.csv", "YOUR_TRANSFERS.csv"],
    ):
        loud(f"  {_command(following)}")
    if say.as_json:
        metrics = json.loads((model / "metrics.json").read_bytes())
        say.result({"folder": folder, "model": model, "scores": scores, "metrics": metrics})


def _type(say: Say, why: str, words: Sequence[object]) -> None:
    say.title(f"\n{why}")
    say(f"$ {_command(words)}\n")


def _command(words: Sequence[object]) -> str:
    return shlex.join(["edgegat", *map(str, words)])
