"""edgegat predict."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from edgegat.cli.results import number, write_metric
from edgegat.cli.say import Say
from edgegat.cli.tables import Edges, Model, Nodes, edge_table, node_table
from edgegat.cli.target import check_scores_file

_SHOWN = 5


def predict(
    say: Say,
    model: Model,
    nodes: Nodes,
    edges: Edges,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="A .csv or .parquet file; replaced if there.")
    ] = Path("scores.csv"),
    embeddings: Annotated[
        bool, typer.Option("--embeddings", help="Write the learned features of nodes and edges beside it.")
    ] = False,
    device: Annotated[str, typer.Option(metavar="NAME", help="cpu, cuda, cuda:1 or mps.")] = "auto",
) -> None:
    """Score everybody in two tables with a trained model.

    New nodes and edges, categories never seen and columns in another order
    are fine; labels are not needed. The table of scores has a row for each
    node (or edge, if those are what the model decides about): class, its
    probability, and the score, the probability of the class that is looked for;
    or, of a model of numbers, its prediction.

    [bold]Examples[/]

      edgegat predict model customers.csv transfers.csv
      edgegat predict model june/customers.csv june/transfers.csv -o june.parquet
      edgegat predict model - transfers.csv --embeddings
    """
    from edgegat.learn import predict_job

    check_scores_file(output, [nodes, *edges])
    with say.progress() as progress:
        predictions = predict_job(
            model,
            node_table(nodes),
            edge_table(edges),
            output=output,
            embeddings=embeddings,
            device=device,
            progress=progress,
        )
    say.notes(predictions.notes)
    scores = predictions.scores
    names, what = (["id"], "nodes") if predictions.nodes is not None else (["source", "target", "row"], "edges")
    if predictions.answers.kind == "number":
        title, shown = "The largest predictions", ["prediction"]
    else:
        title, shown = f"The highest scores, the probability of {predictions.wanted!r}", ["class", "score"]
    highest = scores.sort(shown[-1], descending=True, maintain_order=True).head(_SHOWN)
    say(f"{title}, of {scores.height:,} {what}:\n")
    write = number if "score" in shown else partial(write_metric, "rmse")
    rows = highest.select(*names, *shown).rows()
    say.table([*names, *shown], [[*map(str, row[:-1]), write(row[-1])] for row in rows])
    say()
    for file in predictions.files:
        say(f"Wrote {file}.")
    say.result(predictions.to_dict())
