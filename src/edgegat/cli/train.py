"""edgegat train."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from edgegat.cli.results import say_report
from edgegat.cli.say import Say
from edgegat.cli.settings import read_settings
from edgegat.cli.tables import (
    SCHEMA,
    Edges,
    Nodes,
    SchemaFile,
    edge_table,
    find_schema,
    node_table,
    say_command,
)
from edgegat.cli.target import check_model_folder


def train(
    say: Say,
    nodes: Nodes,
    edges: Edges,
    schema: SchemaFile = SCHEMA,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the model goes.")
    ] = Path("model"),
    alone: Annotated[
        bool, typer.Option("--no-baselines", help="No gradient boosting and no GAT beside it.")
    ] = False,
    unseen: Annotated[bool, typer.Option("--no-pictures", help="Draw nothing.")] = False,
    repeat: Annotated[
        int, typer.Option(metavar="N", min=1, help="So many runs, each with another seed and split.")
    ] = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it was stopped.")] = False,
    epochs: Annotated[int | None, typer.Option(metavar="N", help="Steps at most.", show_default=False)] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Of the weights.", show_default=False)] = None,
    device: Annotated[
        str | None, typer.Option(metavar="NAME", help="cpu, cuda, cuda:1 or mps.", show_default=False)
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any option below, as often as needed."),
    ] = None,
) -> None:
    """Train a model on two tables, and compare it with what one would use else.

    The tables are checked first. The model, its metrics and pictures go to
    the output folder; a model that was there is replaced at the very end.

    [bold]Examples[/]

      edgegat train customers.csv transfers.csv
      edgegat train customers.csv transfers.csv --repeat 10 --output tried
      edgegat train customers.csv transfers.csv --epochs 500 --set heads=4
    """
    from edgegat.learn import train_job
    from edgegat.learn.pictures import draw_report

    options = read_settings(settings or [], {"epochs": epochs, "seed": seed, "device": device})
    found = find_schema(schema, nodes, edges)
    check_model_folder(output)
    with say.progress() as progress:
        report = train_job(
            node_table(nodes),
            edge_table(edges),
            found,
            *options,
            output=output,
            baselines=not alone,
            repeats=repeat,
            resume=resume,
            progress=progress,
        )
        drawn = draw_report(report, output / "pictures") if not unseen else []
    say_report(say, report)
    say(f"\nThe model is in {output}" + (f", pictures are in {output / 'pictures'}." if drawn else "."))
    say.then(say_command("predict", nodes, edges, before=str(output)))
    say.result({**report.to_dict(), "pictures": drawn})
