"""``python -m experiments.show`` (or ``make tables``): the committed results beside the published figures."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

from experiments import results
from experiments.results import mean_and_spread
from experiments.table import Table

TABLES = ("table1", "table2", "table3", "ablations")
_PERCENT = {"accuracy", "macro_f1", "roc_auc", "pr_auc"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.show", description=__doc__.partition(": ")[2])
    parser.add_argument("table", nargs="*", metavar="TABLE", help=f"{', '.join(TABLES)} (default: all)")
    parser.add_argument("--markdown", action="store_true", help="as docs/results.md has them")
    given = parser.parse_args()
    for name in given.table or TABLES:
        if name not in TABLES:
            parser.error(f"there is no table {name!r}; there are {', '.join(TABLES)}.")
        path = results.FOLDER / f"{name}.json"
        if not path.is_file():
            print(
                f"{name} has no committed results: python -m experiments.{name} --all --out {path.name} makes them."
            )
            continue
        table, found = importlib.import_module(f"experiments.{name}").TABLE, results.read(path)
        if given.markdown:
            print("\n".join(as_markdown(table, found)), end="\n\n")
        else:
            _print(table.title, _cells(table, found), to_left=1)
            for environment in found["environments"]:
                print(in_words(environment))


def print_piece(table: Table, new: dict[str, Any], committed: dict[str, Any]) -> None:
    """What was just run, what is committed and what was published, under each other."""
    rows = [["method", "dataset", "metric", "this run", "committed", "published"]]
    for cell in new["cells"]:
        old = results.cell_of(committed, cell["row"], cell["column"])
        for metric in table.metrics:
            published = _published(table, cell["row"], cell["column"]) if metric == table.metrics[0] else ""
            rows.append(
                [cell["row"], cell["column"], _name(metric), say(cell, metric), say(old, metric), published]
            )
    _print(table.title, rows, to_left=3)


def _print(title: str, rows: list[list[str]], to_left: int) -> None:
    """As wide as the terminal; where there is none, as wide as it has to be."""
    grid = Grid()
    for number, name in enumerate(rows[0]):
        grid.add_column(name, justify="left" if number < to_left else "right", no_wrap=True)
    for row in rows[1:]:
        grid.add_row(*row)
    print(title)
    Console(width=None if sys.stdout.isatty() else 200).print(grid)


def as_markdown(table: Table, found: dict[str, Any]) -> list[str]:
    header, *rows = _cells(table, found)
    return [f"| {' | '.join(row)} |" for row in (header, ["---"] + ["---:"] * (len(header) - 1), *rows)]


def say(cell: dict[str, Any] | None, metric: str) -> str:
    """``82.9 ± 0.6 (10)``: mean, standard deviation and number of seeds; shares in percent."""
    values = [value for value in cell["test"][metric] if value is not None] if cell else []
    if not values:
        return ""
    mean, spread = mean_and_spread(values)
    factor, digits = (100, 1) if metric in _PERCENT else (1, 3)
    return f"{factor * mean:.{digits}f} ± {factor * spread:.{digits}f} ({len(values)})"


def in_words(environment: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in environment["versions"].items())
    return f"{environment['date']}, {environment['machine']}, {versions}"


def _cells(table: Table, found: dict[str, Any]) -> list[list[str]]:
    """The header and all rows; beside the first metric of a column stands what was published, if anything was."""
    columns = table.columns_of(found)
    with_published = [column for column in columns if any(row.published.get(column) for row in table.rows)]
    header = ["method"]
    for column in columns:
        header += [
            f"{column}, {_name(metric)}" if len(table.metrics) > 1 else column for metric in table.metrics
        ]
        header += ["published"] * (column in with_published)
    rows = [header]
    for row in table.rows:
        cells = [row.name]
        for column in columns:
            cell = results.cell_of(found, row.name, column)
            cells += [say(cell, metric) for metric in table.metrics]
            cells += [row.published.get(column, "")] * (column in with_published)
        rows.append(cells)
    return rows


def _published(table: Table, name: str, column: str) -> str:
    return next((row.published.get(column, "") for row in table.rows if row.name == name), "")


def _name(metric: str) -> str:
    return {"macro_f1": "macro F1", "roc_auc": "ROC-AUC", "pr_auc": "PR-AUC"}.get(
        metric, metric.replace("_", " ")
    )


if __name__ == "__main__":
    main()
