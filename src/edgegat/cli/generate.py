"""edgegat generate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from edgegat.cli.say import Say
from edgegat.cli.tables import say_command


def generate(
    say: Say,
    folder: Annotated[
        Path, typer.Argument(help="Where to write it; made if it is not there.", show_default=False)
    ],
    bank: Annotated[
        str, typer.Option(metavar="NAME", help="trade-b (two classes) or trade-m (three).")
    ] = "trade-b",
    customers: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many: 1,000 to 10 million.", show_default="as in the paper"),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Another bank of the same kind.")] = 0,
    format: Annotated[str, typer.Option(metavar="NAME", help="csv or parquet.")] = "csv",
) -> None:
    """Invent a bank: customers, transactions and the TOML file that explains them.

    Nobody in it exists. It follows what the paper says of its two secret
    banks, as docs/trade.md tells. The same options, the same bank.

    [bold]Examples[/]

      edgegat generate bank
      edgegat generate large --bank trade-m --customers 1000000 --format parquet
    """
    from edgegat.data.trade import write

    with say.progress() as progress:
        files = write(
            folder,
            bank,
            customers,
            seed,
            format,  # type: ignore[arg-type]  # write checks it and says what there is
            progress=lambda done, total: progress("Inventing customers", done, total),
        )
    for file, what in zip(files, ("customers", "their transactions", "what the columns mean"), strict=True):
        say(f"{file}: {what}")
    say.then(say_command("check", str(files[0]), [str(files[1])], files[2]))
    say.result(files._asdict())
