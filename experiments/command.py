"""The command line that all tables share. It needs nothing but the standard library before it runs something."""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path
from typing import Any

from experiments import results, tasks
from experiments.runs import Laboratory
from experiments.search import SEED
from experiments.table import Choice, Row, Table, deadline, final, search

_KEPT = Path("build") / "experiments"


def main(table: Table, arguments: list[str] | None = None) -> None:
    """Run a table or a piece of it, and print it beside the committed and the published figures."""
    parser = _parser(table)
    given = parser.parse_args(arguments)
    rows = _named(parser, given.only, {_short(row.name): row for row in table.rows}, "--only")
    columns = _named(parser, given.dataset, {_short(name): name for name in table.columns}, "--dataset")
    if not (given.all or given.only):
        parser.error(
            "say which method with --only, or --all. python -m experiments.show prints the committed results."
        )
    _check_device(parser, given.device)
    _check_data(parser, given.tensors, [task for column in columns for task in table.columns[column]])

    path = given.out or results.FOLDER / f"{table.name}.json"
    committed = results.read(path)
    cells = [(row.for_at_most(given.epochs), column) for row in rows for column in columns]
    until_found, until = deadline(given.minutes)
    kept = _KEPT / f"{table.name}-{_digest(arguments or sys.argv[1:])}.jsonl"
    with Laboratory(given.tensors, given.device, given.workers, kept) as laboratory:
        if given.search:
            choices = search(table, cells, laboratory, given.search, given.search_seeds, until_found)
        else:
            choices = [_committed(committed, row, column, given.epochs) for row, column in cells]
        found = final(table, cells, choices, laboratory, given.seeds, until)
    if laboratory.finished:
        kept.unlink(missing_ok=True)  # the next time they run again
    else:
        print("Time is up. The same command goes on with what is not finished.", file=sys.stderr)
    for cell in found:
        for seed, why in cell["failed"].items():
            print(f"{cell['row']} on {cell['column']}, seed {seed}, failed: {why}", file=sys.stderr)

    if given.search:
        found = [cell | {"search": _how(given.search, given.search_seeds, cell["trials"])} for cell in found]
    new = results.merge(
        {"environments": [], "cells": []}, found, results.environment(given.device, given.workers)
    )
    if given.out:
        merged = results.merge(committed, found, new["environments"][0]) if found else committed
        results.write(given.out, merged)
        print(f"Wrote {given.out}.")
        return
    from experiments.show import print_piece  # needs rich

    print_piece(table, new, committed)


def _parser(table: Table) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m experiments.{table.name}", description=table.title)
    add = parser.add_argument
    add("--all", action="store_true", help="every method")
    add("--only", action="append", metavar="METHOD", help=", ".join(_short(row.name) for row in table.rows))
    add("--dataset", action="append", metavar="DATASET", help=", ".join(map(_short, table.columns)))
    add("--seeds", type=_positive, help=f"runs of each (default: {table.seeds}, of some methods more)")
    add(
        "--search",
        type=_positive,
        metavar="TRIALS",
        help="choose the settings anew among so many; else the committed",
    )
    add("--search-seeds", type=_positive, default=2, metavar="N", help="runs of each of them (default: 2)")
    add("--epochs", type=_positive, help="at most so many, to try things out")
    add(
        "--tensors",
        type=Path,
        metavar="FOLDER",
        help="what experiments.prepare wrote (default: read EDGEGAT_DATA)",
    )
    add("--device", default="cpu", help="cpu, cuda, cuda:1 (default: cpu)")
    add("--workers", type=_positive, default=1, help="processes, of one thread each (default: 1)")
    add("--minutes", type=float, help="begin nothing after so long; the search gets the first 55 %% of it")
    add("--out", type=Path, metavar="FILE", help="put the results into this file instead of printing them")
    return parser


def _short(name: str) -> str:
    """How a method or data set is called on the command line: lower case, words joined by hyphens."""
    return "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())


def _named(
    parser: argparse.ArgumentParser, chosen: list[str] | None, known: dict[str, Any], option: str
) -> list[Any]:
    wrong = [name for name in chosen or () if _short(name) not in known]
    if wrong:
        parser.error(f"{option} is {wrong[0]!r}, but it must be one of {', '.join(known)}.")
    return [known[name] for name in dict.fromkeys(map(_short, chosen))] if chosen else list(known.values())


def _positive(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1")
    return number


def _check_device(parser: argparse.ArgumentParser, device: str) -> None:
    from edgegat.learn.device import choose_device
    from edgegat.learn.errors import LearningError

    try:
        choose_device(device)
    except LearningError as error:
        parser.error(str(error))


def _check_data(parser: argparse.ArgumentParser, tensors: Path | None, names: list[str]) -> None:
    """Say what is missing before anything runs for an hour."""
    for name in names:
        try:
            tasks.load(name, tensors)
        except FileNotFoundError as error:
            parser.error(f"{error.filename}: {error.strerror}.")
        except ImportError as error:
            parser.error(f"{error}. Without it, --tensors FOLDER is needed.")
        except Exception as error:
            if type(error).__name__ != "DataError":  # its module needs what --tensors does without
                raise
            parser.error(str(error))


def _committed(committed: dict[str, Any], row: Row, column: str, epochs: int | None) -> Choice:
    """What was chosen before, or else what the literature uses."""
    cell = results.cell_of(committed, row.name, column)
    if cell is None:
        return Choice(row.choices(column, 1)[0])
    return Choice(cell["settings"] | ({"epochs": epochs} if epochs else {}), cell["trials"])


def _how(asked: int, seeds: int, trials: list[dict[str, Any]]) -> dict[str, Any]:
    """How large the search was: what was asked for, and what there was time for."""
    return {"asked": asked, "tried": len(trials), "seeds": [SEED + seed for seed in range(seeds)]}


def _digest(arguments: list[str]) -> str:
    """The same command goes on where it was interrupted."""
    return hashlib.sha256("\0".join(arguments).encode()).hexdigest()[:8]
