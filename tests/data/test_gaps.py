"""Time to the last and to the next transfer at the same account."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from edgegat.data import DataError, GraphEncoder, Schema
from edgegat.data.gaps import GAPS, time_gaps

SCHEMA = {"edges": {"source": "payer", "target": "payee", "time": "booked", "gaps": True, "features": {}}}
rows = st.tuples(st.integers(0, 3), st.integers(0, 3), st.one_of(st.none(), st.integers(0, 6)))


def by_hand(transfers, row, end):
    """``(since, until)``: the nearest ones in the order of (time, row) among all with a time at this account."""
    account, time = transfers[row][end], transfers[row][2]
    if time is None:
        return None, None
    at = sorted((t, n) for n, (u, v, t) in enumerate(transfers) if t is not None and account in (u, v))
    place = at.index((time, row))
    since = time - at[place - 1][0] if place else None
    until = at[place + 1][0] - time if place + 1 < len(at) else None
    return since, until


@settings(max_examples=100, deadline=None)
@given(transfers=st.lists(rows, max_size=12))
def test_every_gap_by_hand(transfers):
    source, target = (np.array([t[end] for t in transfers], np.int64) for end in (0, 1))
    times = np.array([np.nan if t[2] is None else t[2] * 1e6 for t in transfers])
    columns = time_gaps(source, target, times)
    assert tuple(column.name for column in columns) == GAPS
    got = list(zip(*(column.to_list() for column in columns), strict=True))
    for row in range(len(transfers)):
        assert got[row] == (*by_hand(transfers, row, 0), *by_hand(transfers, row, 1))


def tables(minutes=(0, 1, 3, 60)) -> pl.DataFrame:
    times = [f"2024-03-31 {m // 60:02d}:{m % 60:02d}:00" for m in minutes]
    return pl.DataFrame({"payer": list("aabc"), "payee": list("bbca"), "booked": times})


def test_from_a_table_to_the_tensor_and_the_same_again():
    encoder, encoded = GraphEncoder.fit(None, tables(), SCHEMA)
    names = encoder.edge_feature_names
    assert [name for name in names if "missing" not in name] == list(GAPS)
    since = names.index(GAPS[0])
    first, second, third, _ = encoded.graph.edge_attr[:, since].tolist()
    assert first == 0.0  # missing: the middle of the scale, and flagged
    assert encoded.graph.edge_attr[0, names.index(f"{GAPS[0]} is missing")] == 1.0
    assert second < third  # a minute after the last one at a, two minutes after the last one at b

    again = GraphEncoder.from_dict(encoder.to_dict()).encode(None, tables())
    assert torch.equal(again.graph.edge_attr, encoded.graph.edge_attr)
    reordered = encoder.encode(None, tables().reverse())
    assert torch.equal(reordered.graph.edge_attr, encoded.graph.edge_attr.flip(0))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"time": None}, "'gaps' are differences of times, but there is no 'time'"),
        ({"parallel": "aggregate"}, 'they need parallel = "keep"'),
        ({"features": {GAPS[1]: "number"}}, "'gaps' makes a feature of this name; rename the column"),
    ],
)
def test_schemas_that_make_no_sense_are_refused(change, said):
    edges = {name: value for name, value in (SCHEMA["edges"] | change).items() if value is not None}
    with pytest.raises(DataError, match=said):
        Schema.from_dict({"edges": edges})


def test_off_by_default():
    encoder, _ = GraphEncoder.fit(
        None, tables(), {"edges": {"source": "payer", "target": "payee", "time": "booked"}}
    )
    assert not set(GAPS) & set(encoder.edge_feature_names)
