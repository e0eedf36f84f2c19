"""What all commands have in common: three options, and mistakes that end in a sentence and an exit code."""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from edgegat.cli.failures import explain
from edgegat.cli.say import Say

_PANEL = "Output"
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.", rich_help_panel=_PANEL)]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object, for scripts.", rich_help_panel=_PANEL)
]
Debug = Annotated[
    bool, typer.Option("--debug", help="Show where in the code it failed, too.", rich_help_panel=_PANEL)
]


def add_command(app: typer.Typer, function: Callable[..., None], epilog: str = "") -> None:
    """Make a command of ``function(say, ...)``: its other parameters are arguments and options.

    The docstring is the help. It gets ``--quiet``, ``--json`` and ``--debug``; whatever it raises is explained on
    stderr, without a traceback. The epilog stands below all options.
    """

    @wraps(function)
    def run(*, quiet: bool, json: bool, debug: bool, **given: Any) -> None:
        say = Say(quiet=quiet, as_json=json)
        try:
            function(say, **given)
        except (typer.Exit, BrokenPipeError):
            raise
        except (Exception, KeyboardInterrupt) as error:
            if debug:
                traceback.print_exc()
            code, message = explain(error, sys.argv[1:])
            say.error(message)
            raise typer.Exit(code) from None

    extra = {"quiet": Quiet, "json": AsJson, "debug": Debug}
    _, *own = inspect.signature(function, eval_str=True).parameters.values()
    parameters = own + [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=option)
        for name, option in extra.items()
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app.command(function.__name__, epilog=epilog)(run)
