"""edgegat evaluate."""

from __future__ import annotations

from typing import Annotated

import typer

from edgegat.cli.results import confusion_table, number, parts_table, say_best, write_metric
from edgegat.cli.say import Say
from edgegat.cli.tables import Edges, Model, Nodes, edge_table, node_table


def evaluate(
    say: Say,
    model: Model,
    nodes: Nodes,
    edges: Edges,
    device: Annotated[str, typer.Option(metavar="NAME", help="cpu, cuda, cuda:1 or mps.")] = "auto",
) -> None:
    """Say how good a trained model is on labelled tables.

    The model knows which nodes (or edges) it was trained on and which chose its
    weights. Only the others say how good it is; all are shown apart.

    [bold]Examples[/]

      edgegat evaluate model customers.csv transfers.csv
      edgegat evaluate model june/customers.csv june/transfers.csv --json
    """
    from edgegat.learn import Metrics, evaluate_job

    with say.progress() as progress:
        report = evaluate_job(model, node_table(nodes), edge_table(edges), device=device, progress=progress)
    say.notes(report.notes)
    say.table(*parts_table(report))
    if report.unseen is None:
        say("\nAll of them trained the model or chose its weights: this does not say how good it is.")
    elif isinstance(report.unseen, Metrics):
        say("\nOf those that it has not seen in training or validation:\n")
        say.table(*confusion_table(report.unseen, report.classes))
        say()
        say(say_best(report.unseen, report.classes[report.wanted]))
    else:
        errors = (
            f"RMSE {write_metric('rmse', report.unseen.rmse)}, MAE {write_metric('mae', report.unseen.mae)}"
        )
        say(
            f"\nOf the {report.unseen.count:,} {report.labels_on} that it has not seen in training or validation: "
            f"{errors}, R² {number(report.unseen.r2)}."
        )
    say.result(report.to_dict())
