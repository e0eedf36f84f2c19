"""The two tables and the TOML file, as every command takes them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

SCHEMA = Path("edgegat.toml")

Nodes = Annotated[
    str,
    typer.Argument(
        metavar="NODES", help="Node table: customers, accounts. - if there is none.", show_default=False
    ),
]
Edges = Annotated[
    list[str],
    typer.Argument(
        metavar="EDGES", help="Edge table: transfers, calls; several files are one table.", show_default=False
    ),
]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="Folder of a trained model.", show_default=False)]
SchemaFile = Annotated[
    Path, typer.Option("--schema", "-s", metavar="FILE", help="What the columns mean: see edgegat init.")
]


def node_table(argument: str) -> str | None:
    """What :func:`edgegat.data.open_table` takes."""
    return None if argument == "-" else argument


def edge_table(argument: list[str]) -> str | list[str]:
    """The same; one file may be a pattern."""
    return argument[0] if len(argument) == 1 else argument


def find_schema(file: Path, nodes: str, edges: list[str]) -> Path:
    """The file, if it is there; otherwise say how to get one."""
    from edgegat.data import DataError

    if file.exists():
        return file
    beside = Path(edges[0]).parent / SCHEMA
    remedy = (
        f"There is one beside the tables: --schema {beside}"
        if beside.exists()
        else f"{say_command('init', nodes, edges)} drafts one"
    )
    raise DataError(f"there is no file {file}, which says what the columns mean. {remedy}.")


def say_command(name: str, nodes: str, edges: list[str], schema: Path = SCHEMA, before: str = "") -> str:
    """A command for the user to type next.

    Example:
        >>> say_command("train", "customers.csv", ["my transfers.csv"], Path("bank.toml"))
        "edgegat train customers.csv 'my transfers.csv' --schema bank.toml"
    """
    words = ["edgegat", name, *([before] if before else []), nodes, *edges]
    if schema != SCHEMA:
        words += ["--schema", str(schema)]
    return shlex.join(words)
