"""Mangled tables end in a ``DataError`` or in a graph, never in another exception."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from edgegat.data import DataError, GraphEncoder, draft_schema, open_table
from edgegat.data.checks import check_tables
from tests.data.bank import customers, schema, transfers

Generator = np.random.Generator
NODES, EDGES = customers(20).write_csv().encode(), transfers(60, of=20).write_csv().encode()
JUNK = [
    "",
    " ",
    "NaN",
    "inf",
    "-1e400",
    "0x1F",
    "1,5",
    "1.234,56",
    "½",
    "‮evil",
    "=1+1",
    "'",
    '"',
    "\\N",
    "NULL",
]
JUNK += [
    "9" * 400,
    "9999-12-31",
    "0000-00-00",
    "31.02.2024",
    "1e18",
    "-9223372036854775809",
    "true",
    "\u0000",
    "é" * 50,
]
SCHEMAS = [
    schema(),
    schema(split={"by_time": True}),
    schema(
        nodes={"features": {"age": "count", "income": "amount", "opened": "time", "segment": "flag"}},
        edges={
            "parallel": "aggregate",
            "directed": False,
            "features": {"amount": "amount", "channel": "category"},
        },
    ),
    {"edges": {"source": "payer", "target": "payee", "features": {"amount": "number", "booked": "time"}}},
]


def lines(data: bytes) -> list[bytes]:
    return data.split(b"\n")


def flip_bytes(data: bytes, draw: Generator) -> bytes:
    found = bytearray(data)
    for place in draw.integers(0, len(found), draw.integers(1, 20)):
        found[place] = draw.integers(0, 256)
    return bytes(found)


def cut_off(data: bytes, draw: Generator) -> bytes:
    return data[: draw.integers(0, len(data))]


def cut_out(data: bytes, draw: Generator) -> bytes:
    begin, end = np.sort(draw.integers(0, len(data), 2))
    return data[:begin] + data[end:]


def shuffle_lines(data: bytes, draw: Generator) -> bytes:
    found = lines(data)
    draw.shuffle(found)
    return b"\n".join(found)


def junk_cells(data: bytes, draw: Generator) -> bytes:
    found = [line.split(b",") for line in lines(data)]
    for _ in range(draw.integers(1, 12)):
        row = found[draw.integers(0, len(found))]
        row[draw.integers(0, len(row))] = str(draw.choice(JUNK)).encode()
    return b"\n".join(b",".join(row) for row in found)


def extra_and_missing_cells(data: bytes, draw: Generator) -> bytes:
    found = [line.split(b",") for line in lines(data)]
    for _ in range(draw.integers(1, 4)):
        row = found[draw.integers(0, len(found))]
        row.append(b"more") if draw.random() < 0.5 else row.pop()
    return b"\n".join(b",".join(row) for row in found)


def other_separators(data: bytes, draw: Generator) -> bytes:
    separator = [b";", b"\t", b"|", b" ", b"\x01"][draw.integers(0, 5)]
    found = lines(data)
    first = draw.integers(0, 3)
    return b"\n".join(found[:first] + [line.replace(b",", separator) for line in found[first:]])


def other_encodings(data: bytes, draw: Generator) -> bytes:
    text = data.decode().replace("C0", "Ç€0")
    return text.encode(
        ["utf-16", "cp1252", "utf-8-sig", "utf-32", "utf-16-be", "mac_roman"][draw.integers(0, 6)], "replace"
    )


def other_line_ends(data: bytes, draw: Generator) -> bytes:
    end = [b"\r\n", b"\r", b"\n\n", b"\n,,,,\n", b"\x0b"][draw.integers(0, 5)]
    return data.replace(b"\n", end, int(draw.choice([-1, 1, 5])))


def quotes(data: bytes, draw: Generator) -> bytes:
    found = bytearray(data)
    for place in sorted(draw.integers(0, len(found), draw.integers(1, 6)), reverse=True):
        found[place:place] = b'"'
    return bytes(found)


def repeated_header(data: bytes, draw: Generator) -> bytes:
    found = lines(data)
    names = found[0].split(b",")
    names[draw.integers(0, len(names))] = names[draw.integers(0, len(names))]
    return b"\n".join([b",".join(names), *found[int(draw.integers(0, 2)) :]])


def only_a_header(data: bytes, draw: Generator) -> bytes:
    return lines(data)[0] + [b"", b"\n", b"\n\n\n", b"\n,,,,,\n"][draw.integers(0, 4)]


def broken_gzip(data: bytes, draw: Generator) -> bytes:
    return flip_bytes(gzip.compress(data), draw) if draw.random() < 0.5 else cut_off(gzip.compress(data), draw)


def as_parquet(data: bytes) -> bytes:
    written = io.BytesIO()
    pl.read_csv(data).write_parquet(written)
    return written.getvalue()


def broken_parquet(data: bytes, draw: Generator) -> bytes:
    found = as_parquet(data)
    mangled = flip_bytes(found, draw) if draw.random() < 0.7 else cut_out(found, draw)
    return b"PAR1" + mangled[4:-4] + (b"PAR1" if draw.random() < 0.8 else b"")


def noise(data: bytes, draw: Generator) -> bytes:
    return draw.bytes(draw.integers(0, 2000))


MANGLERS: list[Callable[[bytes, Generator], bytes]] = [
    flip_bytes,
    cut_off,
    cut_out,
    shuffle_lines,
    junk_cells,
    extra_and_missing_cells,
    other_separators,
    other_encodings,
    other_line_ends,
    quotes,
    repeated_header,
    only_a_header,
    broken_gzip,
    broken_parquet,
    noise,
]
SEEDS = range(16)


def attempt(action: Callable[[], object]) -> str:
    """What happened: ``"done"`` or the message; any other exception is the test's failure."""
    try:
        action()
    except DataError as error:
        message = str(error)
        assert message.strip()
        assert "Traceback" not in message
        assert len(message) < 5000
        return message
    return "done"


@pytest.mark.parametrize("mangle", MANGLERS, ids=lambda mangle: mangle.__name__)
def test_no_raw_exception_comes_out_of_mangled_tables(
    mangle: Callable[[bytes, Generator], bytes], tmp_path: Path
) -> None:
    outcomes = []
    for seed in SEEDS:
        draw = np.random.default_rng([seed, MANGLERS.index(mangle)])
        nodes, edges = tmp_path / f"customers-{seed}.csv", tmp_path / f"transfers-{seed}.csv"
        nodes.write_bytes(mangle(NODES, draw) if seed % 2 else NODES)
        edges.write_bytes(EDGES if seed % 2 else mangle(EDGES, draw))
        roles = SCHEMAS[seed // 2 % len(SCHEMAS)]
        first = nodes if "nodes" in roles else None
        for action in (
            lambda edges=edges: open_table(edges).num_rows,
            lambda first=first, edges=edges: draft_schema(first, edges),
            lambda first=first, edges=edges, roles=roles: [str(f) for f in check_tables(first, edges, roles)],
            lambda first=first, edges=edges, roles=roles: GraphEncoder.fit(first, edges, roles),
        ):
            outcomes.append(attempt(action))
    assert any(outcome != "done" for outcome in outcomes), "nothing was mangled"


def test_there_are_at_least_two_hundred_mangled_tables() -> None:
    assert len(MANGLERS) * len(SEEDS) >= 200


KINDS: list[Callable[[Generator], pl.Series]] = [
    lambda draw: pl.Series([None] * 9),
    lambda draw: pl.Series(draw.choice(JUNK, 9)),
    lambda draw: pl.Series(draw.normal(size=9) * 10.0 ** draw.integers(-300, 300)),
    lambda draw: pl.Series([[1], None, [2, 3]] * 3),
    lambda draw: pl.Series([{"a": 1}] * 9),
    lambda draw: pl.Series([b"\x00\xff"] * 9),
    lambda draw: pl.Series([float("nan"), float("inf"), -0.0] * 3),
    lambda draw: pl.Series(draw.integers(-3, 3, 9), dtype=pl.Int8),
    lambda draw: pl.Series([2**64 - 1, 0, None] * 3, dtype=pl.UInt64),
    lambda draw: pl.Series(["1.50", "-2", None] * 3).cast(pl.Decimal(10, 2)),
    lambda draw: pl.Series(["a", "b", None] * 3, dtype=pl.Categorical),
    lambda draw: pl.Series(["yes", "no", "yes"] * 3, dtype=pl.Enum(["yes", "no"])),
    lambda draw: pl.Series([True, None, False] * 3),
    lambda draw: pl.Series([19_000, None, -5] * 3).cast(pl.Date),
    lambda draw: pl.Series(draw.integers(0, 2**60, 9)).cast(pl.Datetime("ns", "Asia/Tokyo")),
    lambda draw: pl.Series([1, None, 3] * 3).cast(pl.Duration),
    lambda draw: pl.Series([1, None, 3] * 3).cast(pl.Time),
]


@pytest.mark.parametrize("seed", range(30))
def test_no_raw_exception_comes_out_of_odd_frames(seed: int) -> None:
    draw = np.random.default_rng(seed)
    names = ("payer", "payee", "amount", "booked", "currency", "channel")
    edges = pl.DataFrame([KINDS[draw.integers(0, len(KINDS))](draw).alias(name) for name in names])
    nodes = edges.rename({"payer": "account", "payee": "label", "amount": "income"})
    features = {name: {"type": type_} for name, type_ in zip(names[2:], draw.permutation(TYPES), strict=False)}
    declared = {"source": "payer", "target": "payee", "features": features}
    for first, roles in ((None, {"edges": schema()["edges"]}), (None, {"edges": declared}), (nodes, schema())):
        attempt(lambda first=first: draft_schema(first, edges))
        attempt(lambda first=first, roles=roles: [str(f) for f in check_tables(first, edges, roles)])
        attempt(lambda first=first, roles=roles: GraphEncoder.fit(first, edges, roles))


TYPES = ["number", "amount", "count", "category", "flag", "time"]


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_every_type_of_column_can_be_asked_to_be_every_type_of_feature(kind: int) -> None:
    cells = KINDS[kind](np.random.default_rng(0))
    edges = pl.DataFrame({"payer": [f"a{i}" for i in range(9)], "payee": ["b"] * 9, "x": cells})
    for type_ in TYPES:
        roles = {"edges": {"source": "payer", "target": "payee", "features": {"x": type_}}}
        attempt(lambda roles=roles: [str(f) for f in check_tables(None, edges, roles)])
        attempt(lambda roles=roles: GraphEncoder.fit(None, edges, roles))


def test_what_is_read_is_what_the_standard_library_reads(tmp_path: Path) -> None:
    path, compared = tmp_path / "transfers.csv", 0
    for mangle in (quotes, cut_out, junk_cells, extra_and_missing_cells, other_line_ends):
        for seed in range(100):
            path.write_bytes(mangle(EDGES, np.random.default_rng([seed, 7])))
            try:
                table = open_table(path)
                found = table.read(*table.columns).rows()
            except DataError:
                continue
            with path.open(newline="", encoding="utf-8-sig") as file:
                rows = list(csv.reader(file, delimiter=table.files[0].separator))[1:]  # type: ignore[union-attr]
            width = len(table.columns)
            expected = [row + [""] * (width - len(row)) for row in rows if any(row)]
            read = [[cell or "" for cell in row] for row in found if any(row)]
            assert read == expected, f"{mangle.__name__}, seed {seed}"
            compared += 1
    assert compared > 150
