"""All commands under one name."""

from __future__ import annotations

from typing import Annotated

import typer

from edgegat import __version__
from edgegat.cli import check, demo, evaluate, generate, info, init, predict, train
from edgegat.cli.command import add_command
from edgegat.cli.settings import list_settings

_EPILOG = """\
[bold]From two tables to scores[/]

  edgegat init customers.csv transfers.csv
      drafts edgegat.toml, which says what the columns mean: correct it
  edgegat check customers.csv transfers.csv
      what may be wrong with the tables
  edgegat train customers.csv transfers.csv
      a trained model, measured and drawn, in the folder model
  edgegat predict model customers.csv transfers.csv
      everybody's score in scores.csv

No tables at hand? [bold]edgegat demo[/] does it all on an invented bank.

Exit codes: 0 fine, 1 failed, 2 wrong use or bad input, 130 Ctrl-C.
"""

app = typer.Typer(
    name="edgegat",
    help="Edge-featured graph attention: two tables in, a trained model and scores out.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _say_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"edgegat {__version__}")
        raise typer.Exit


@app.callback()
def _edgegat(
    version: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Say it and stop.")
    ] = False,
) -> None:
    pass


add_command(app, demo.demo)
add_command(app, init.init)
add_command(app, check.check)
add_command(app, train.train, f"[bold]Options for --set[/]\n\n{list_settings()}")
add_command(app, evaluate.evaluate)
add_command(app, predict.predict)
add_command(app, generate.generate)
add_command(app, info.info)
