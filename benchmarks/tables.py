"""From a CSV file of transactions to a graph: how long it takes, and how much memory.

    python -m benchmarks.tables                      # 10 million transactions of 1 million customers
    python -m benchmarks.tables --transactions 100000

Writes its tables to a temporary folder and removes them at the end. Everything is measured in a process of its
own: wall time with imports, and the peak of resident memory.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

SCHEMA = {
    "nodes": {"id": "account", "label": "label"},
    "edges": {
        "source": "sender",
        "target": "receiver",
        "time": "time",
        "features": {"time": "time", "amount": "amount"},
    },
}
_WORTH_TELLING = 0.02
WORK = {
    "keep": "GraphEncoder.fit, every transaction an edge",
    "aggregate": "GraphEncoder.fit, one edge per pair",
    "check": "check_tables",
}


def write_tables(folder: Path, transactions: int, customers: int) -> None:
    """Customers with a label here and there, and transactions in the order of time, some customers busier."""
    import polars as pl

    generator = np.random.default_rng(0)
    number = np.arange(customers)
    account = "ACC-" + pl.Series(number).cast(pl.String).str.zfill(10)
    label = np.where(number % 50 == 0, np.where(generator.random(customers) < 0.2, "fraud", "ok"), None)
    pl.DataFrame(
        {
            "account": account,
            "age": generator.integers(18, 90, customers),
            "branch": pl.Series(generator.integers(0, 40, customers)).cast(pl.String),
            "label": pl.Series(label, dtype=pl.String),
        }
    ).write_csv(folder / "customers.csv")
    source = (customers * generator.random(transactions) ** 2).astype(np.int64)
    target = generator.integers(0, customers, transactions)
    second = np.sort(generator.integers(1_600_000_000, 1_700_000_000, transactions))
    pl.DataFrame(
        {
            "time": pl.Series(second * 1000).cast(pl.Datetime("ms")).dt.strftime("%Y-%m-%d %H:%M:%S"),
            "sender": account.gather(source),
            "receiver": account.gather(target),
            "amount": generator.lognormal(4, 2, transactions).round(2),
        }
    ).write_csv(folder / "transactions.csv")


def do(work: str, folder: Path) -> dict[str, Any]:
    """Run in a process of its own."""
    steps: list[tuple[str, float]] = [("Importing", time.perf_counter())]
    from edgegat.data import GraphEncoder
    from edgegat.data.checks import check_tables

    def progress(step: str, number: int, total: int) -> None:
        steps.append((step, time.perf_counter()))

    tables = folder / "customers.csv", folder / "transactions.csv"
    schema = {**SCHEMA, "edges": SCHEMA["edges"] | ({"parallel": work} if work != "check" else {})}
    if work == "check":
        said = f"{len(check_tables(*tables, schema, progress=progress))} findings"
    else:
        said = repr(GraphEncoder.fit(*tables, schema, progress=progress)[1].graph)
    steps.append(("", time.perf_counter()))
    return {
        "said": said,
        "seconds": steps[-1][1] - steps[0][1],
        "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
        "steps": [(step, after - before) for (step, before), (_, after) in pairwise(steps)],
    }


def measure(work: str, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.tables", "--folder", str(folder), "--work", work]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transactions", type=int, default=10_000_000)
    parser.add_argument("--customers", type=int, help="by default a tenth of the transactions")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", choices=WORK, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        print(json.dumps(do(given.work, given.folder)))
        return
    import polars as pl
    import torch

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(folder, given.transactions, given.customers or max(1000, given.transactions // 10))
        size = (folder / "transactions.csv").stat().st_size / 1e6
        print(
            f"{given.transactions:,} transactions, {size:,.0f} MB of CSV; {len(os.sched_getaffinity(0))} cores, "
            f"Python {platform.python_version()}, polars {pl.__version__}, torch {torch.__version__}"
        )
        for work, title in WORK.items():
            result = measure(work, folder)
            print(f"\n{title}: {result['seconds']:.1f} s, {result['gigabytes']:.1f} GB\n  {result['said']}")
            for step, seconds in result["steps"]:
                if seconds > _WORTH_TELLING * result["seconds"]:
                    print(f"  {seconds:8.1f} s  {step}")


if __name__ == "__main__":
    main()
