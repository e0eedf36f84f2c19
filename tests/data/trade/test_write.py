"""A bank on disk: whole or not at all, over nobody's files, in memory that does not grow."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import datetime

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from edgegat.data import DataError, Schema, open_table
from edgegat.data.trade import SCHEMA, generate, write


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize(("name", "customers"), [("trade-b", None), ("trade-m", 60_000)])
def test_the_files_hold_what_generate_makes(tmp_path, name, customers, format):
    files = write(tmp_path, name, customers, seed=2, format=format)
    tables = generate(name, customers, seed=2)
    read = pl.read_parquet if format == "parquet" else lambda file: pl.read_csv(file, try_parse_dates=True)
    for file, table in zip(files[:2], tables, strict=True):
        assert_frame_equal(read(file), table, check_exact=True)
    assert sorted(tmp_path.iterdir()) == sorted(files)


def test_a_person_can_read_the_csv_files(tmp_path):
    customers, transactions, _ = write(tmp_path, customers=1_000)
    header, first, *others = transactions.read_text(encoding="utf-8").splitlines()
    assert header == "time,sender,receiver,amount"
    time, sender, receiver, amount = first.split(",")
    assert datetime.fromisoformat(time).date() == datetime(2025, 1, 1).date()
    assert sender[:2] == receiver[:2] == "XT"
    assert amount == f"{float(amount):.2f}"
    assert all(line.count(",") == 3 for line in others)
    assert b"\r" not in customers.read_bytes()
    assert '"' not in customers.read_text(encoding="utf-8")


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_the_schema_explains_the_tables(tmp_path, format):
    files = write(tmp_path, customers=1_000, format=format)
    assert files.schema.read_text(encoding="utf-8") == SCHEMA
    schema = Schema.load(files.schema)
    schema.check_columns(open_table(files.customers), open_table(files.transactions))
    assert not schema.edges.directed
    assert schema.edges.parallel == "aggregate"
    assert schema.edges.features["amount"].aggregate == ["sum"]
    assert list(schema.nodes.features) == ["risk_level"]
    assert schema.split.ratio == [3, 1, 1]


@pytest.mark.parametrize("existing", ["customers.csv", "transactions.csv", "edgegat.toml"])
def test_nobody_is_overwritten(tmp_path, existing):
    (tmp_path / existing).write_text("mine")
    with pytest.raises(DataError, match=f"already has {existing}. Choose another folder, or remove"):
        write(tmp_path, customers=1_000)
    assert (tmp_path / existing).read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 1


def test_other_files_of_the_folder_stay(tmp_path):
    (tmp_path / "customers.parquet").write_text("mine")
    (tmp_path / ".unfinished").mkdir()
    write(tmp_path / "new" / "folder", customers=1_000)
    write(tmp_path, customers=1_000)
    assert (tmp_path / "customers.parquet").read_text() == "mine"
    assert (tmp_path / ".unfinished").is_dir()


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_what_is_unfinished_is_removed(tmp_path, format):
    class StopError(Exception):
        pass

    def stop(done: int, total: int) -> None:
        assert any(path.is_file() for path in tmp_path.rglob("*"))
        raise StopError

    with pytest.raises(StopError):
        write(tmp_path, customers=1_000, format=format, progress=stop)
    assert list(tmp_path.iterdir()) == []
    write(tmp_path, customers=1_000, format=format)


@pytest.mark.parametrize(
    ("format", "reason"), [("csv", r": File too large.*\."), ("parquet", r"\. Is the disk full\? .*\.")]
)
def test_a_full_disk_is_one_message(tmp_path, format, reason):
    program = (
        "import resource, signal, sys; from edgegat.data.trade import write;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000));"
        "write(sys.argv[1], customers=1_000, format=sys.argv[2])"
    )
    ended = subprocess.run([sys.executable, "-c", program, tmp_path, format], capture_output=True, text=True)
    last = ended.stderr.strip().splitlines()[-1]
    assert re.fullmatch(
        rf"edgegat.data.errors.DataError: the bank cannot be written to {tmp_path}{reason}", last
    )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(
            DataError, match=r"the bank cannot be written to .*file.*: (File exists|Not a directory)\."
        ):
            write(folder, customers=1_000)


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"format is 'json', but it must be one of 'csv', 'parquet'\."):
        write(tmp_path, format="json")


def test_progress_counts_customers(tmp_path):
    told = []
    write(tmp_path, customers=120_000, progress=lambda *numbers: told.append(numbers))
    assert told == [(40_000, 120_000), (80_000, 120_000), (120_000, 120_000)]


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_memory_does_not_grow_with_the_bank(tmp_path, format):
    program = (
        "import resource, sys; from edgegat.data.trade import write;"
        "write(sys.argv[1], customers=int(sys.argv[2]), format=sys.argv[3]);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peak = [
        int(subprocess.check_output([sys.executable, "-c", program, tmp_path / size, size, format]))
        for size in ("100000", "400000")
    ]
    assert peak[1] - peak[0] < 110_000  # KiB; kept in memory, it would be twice that
