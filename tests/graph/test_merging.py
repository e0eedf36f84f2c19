"""Two opposite columns become one edge, against pairing them one by one."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from edgegat.graph import merge_reciprocal
from tests.graph.draw import columns, fast, graphs

FEATURES = st.sampled_from([0.0, -0.0, 1.0, math.nan])


def equal(a: list[float], b: list[float]) -> bool:
    """A missing value equals another missing one."""
    return all(x == y or (x != x and y != y) for x, y in zip(a, b, strict=True))


def merge_one_by_one(pairs, rows, conflict, self_loops, parallel):
    """Edges as ``(pair, row)``, and for each column its edge: first the equal partners, then the others."""
    dropped = {
        c
        for c, pair in enumerate(pairs)
        if (self_loops == "drop" and pair[0] == pair[1]) or (parallel == "drop" and pair in pairs[:c])
    }
    partner: dict[int, int] = {}

    def match(agree) -> dict[int, int]:
        found: dict[int, int] = {}
        for c, (i, j) in enumerate(pairs):
            for d in range(c + 1, len(pairs)):
                free = not {c, d} & (dropped | partner.keys() | found.keys())
                if free and i != j and pairs[d] == (j, i) and agree(c, d):
                    found |= {c: d, d: c}
        return found

    partner |= match(lambda c, d: equal(rows[c], rows[d]))
    differing = match(lambda c, d: True)
    if conflict != "keep":
        partner |= differing

    edges, edge_of = [], []
    for c, pair in enumerate(pairs):
        if c in dropped:
            edge_of.append(-1)
        elif partner.get(c, c) < c:
            edge_of.append(edge_of[partner[c]])
        else:
            row = rows[c]
            if c in differing and conflict in ("mean", "sum"):
                share = 2 if conflict == "mean" else 1
                row = [(x + y) / share for x, y in zip(row, rows[differing[c]], strict=True)]
            edge_of.append(len(edges))
            edges.append((pair, row))
    return edges, edge_of, len(differing) // 2


@fast
@given(
    graphs(max_nodes=4, max_edges=12),
    st.data(),
    st.integers(0, 2),
    st.sampled_from(["keep", "mean", "sum", "first"]),
    st.sampled_from(["keep", "drop"]),
    st.sampled_from(["keep", "drop"]),
)
def test_every_policy_against_pairing_one_by_one(graph, data, width, conflict, self_loops, parallel):
    _, pairs = graph
    row = st.lists(FEATURES, min_size=width, max_size=width)
    rows = [data.draw(row) for _ in pairs]
    edge_attr = torch.tensor(rows, dtype=torch.float64).reshape(len(pairs), width)

    merged = merge_reciprocal(columns(pairs), edge_attr, conflict, self_loops, parallel)

    edges, edge_of, conflicts = merge_one_by_one(pairs, rows, conflict, self_loops, parallel)
    assert [tuple(pair) for pair in merged.edge_index.t().tolist()] == [pair for pair, _ in edges]
    assert merged.row_of.tolist() == edge_of
    assert merged.edge_attr.shape == (len(edges), width)
    for got, (_, expected) in zip(merged.edge_attr.tolist(), edges, strict=True):
        assert equal(got, expected)
    became = f"{len(pairs)} column{'s' * (len(pairs) != 1)} became {len(edges)} edge{'s' * (len(edges) != 1)}"
    assert merged.summary.startswith(f"{became}: ")
    assert ("with different features" in merged.summary) == (conflicts > 0)


@fast
@given(graphs(max_nodes=4), st.data())
def test_an_error_is_asked_for_and_comes_only_with_a_conflict(graph, data):
    _, pairs = graph
    rows = [[data.draw(FEATURES)] for _ in pairs]
    edge_attr = torch.tensor(rows, dtype=torch.float64).reshape(-1, 1)
    *_, conflicts = merge_one_by_one(pairs, rows, "keep", "keep", "keep")
    if conflicts:
        with pytest.raises(ValueError, match="opposite directions with different features"):
            merge_reciprocal(columns(pairs), edge_attr, "error")
    else:
        merged = merge_reciprocal(columns(pairs), edge_attr, "error")
        assert torch.equal(merged.row_of, merge_reciprocal(columns(pairs), edge_attr).row_of)


def test_the_summary_tells_everything_that_was_done():
    pairs = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 2), (0, 1), (3, 0)]
    edge_attr = torch.tensor([[1.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
    merged = merge_reciprocal(columns(pairs), edge_attr, "sum", self_loops="drop", parallel="drop")
    assert merged.summary == (
        "7 columns became 3 edges: 1 pair of equal opposite columns merged, "
        "1 pair with different features combined by 'sum', 1 self-loop dropped, 1 repeated column dropped"
    )
    assert merge_reciprocal(columns(pairs), edge_attr).summary == (
        "7 columns became 6 edges: 1 pair of equal opposite columns merged, "
        "1 pair with different features kept as two edges each"
    )


def test_a_conflict_is_named_by_its_columns_and_nodes():
    edge_attr = torch.tensor([[0.0], [7.0], [8.0]])
    message = r"columns 1 and 2 join nodes 1 and 2 in opposite .* \(1 such pair in all\).*\(conflict='mean'"
    with pytest.raises(ValueError, match=message):
        merge_reciprocal(columns([(0, 1), (1, 2), (2, 1)]), edge_attr, "error")


def test_equal_partners_find_each_other_across_parallel_edges():
    pairs = [(0, 1), (0, 1), (1, 0), (1, 0)]
    merged = merge_reciprocal(columns(pairs), torch.tensor([[1.0], [2.0], [2.0], [1.0]]), "error")
    assert merged.row_of.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("dtype", "mean", "total"),
    [
        # 60,000 twice leaves float16, 200 twice leaves uint8, and True + True is no truth value.
        (torch.float16, (60_000.0, torch.float16), (math.inf, torch.float16)),
        (torch.float32, (60_000.0, torch.float32), (120_000.0, torch.float32)),
        (torch.uint8, (200.0, torch.float64), (400, torch.int64)),
        (torch.bool, (1.0, torch.float64), (2, torch.int64)),
        (torch.int64, (2.0**60, torch.float64), (2**61, torch.int64)),
    ],
)
def test_means_and_sums_leave_no_type(dtype, mean, total):
    large = {torch.uint8: 200, torch.bool: 1, torch.int64: 2**60}.get(dtype, 60_000)
    edge_attr = torch.tensor([[large, 0], [large, 1]], dtype=torch.int64).to(dtype)
    for conflict, (expected, result) in (("mean", mean), ("sum", total)):
        merged = merge_reciprocal(columns([(0, 1), (1, 0)]), edge_attr, conflict)
        assert merged.edge_attr.dtype == result, conflict
        assert merged.edge_attr[0, 0].item() == expected, conflict


@pytest.mark.parametrize(("one", "other"), [(0.0, -0.0), (math.nan, -math.nan)])
def test_equal_numbers_in_different_bits_are_equal(one, other):
    edge_attr = torch.tensor([[1.0, one], [1.0, other]])
    assert edge_attr.view(torch.int32)[0].ne(edge_attr.view(torch.int32)[1]).any()
    assert merge_reciprocal(columns([(0, 1), (1, 0)]), edge_attr, "error").row_of.tolist() == [0, 0]


def test_different_rows_with_one_fingerprint_stay_different():
    # Rows are compared by fingerprints first. That of a single number c is c * factor, folded so that x and ~x
    # agree: c and its twin ~(c * factor) / factor (mod 2^64) can only be told apart by the rows themselves.
    factor, c = 0x2545F4914F6CDD1D, 5
    twin = (~(c * factor) * pow(factor, -1, 2**64)) % 2**64
    twin -= 2**64 if twin >= 2**63 else 0
    pairs = [(0, 1), (1, 0), (2, 3), (3, 2)]
    merged = merge_reciprocal(columns(pairs), torch.tensor([[c], [twin], [twin], [twin]]))
    assert merged.row_of.tolist() == [0, 1, 2, 2]


def test_node_numbers_beyond_32_bits():
    far = 3_000_000_000
    pairs = [(far, 1), (1, far), (far - 1, far), (far, far), (far, far - 1)]
    merged = merge_reciprocal(columns(pairs), torch.zeros(5, 1))
    assert merged.edge_index.t().tolist() == [[far, 1], [far - 1, far], [far, far]]
    assert merged.row_of.tolist() == [0, 0, 1, 2, 1]


def test_a_large_graph_is_merged_exactly():
    # Every edge both ways, the reverse columns shuffled; features tell parallel edges apart.
    g = torch.Generator().manual_seed(0)
    edge_index = torch.randint(50, (2, 20_000), generator=g)
    edge_index = edge_index[:, edge_index[0] != edge_index[1]]
    M = edge_index.size(1)
    edge_attr = torch.arange(M, dtype=torch.float64).unsqueeze(1)
    order = torch.randperm(M, generator=g)
    both_ways = torch.cat([edge_index, edge_index.flip(0)[:, order]], 1)
    merged = merge_reciprocal(both_ways, torch.cat([edge_attr, edge_attr[order]]), "error")
    assert torch.equal(merged.edge_index, edge_index)
    assert torch.equal(merged.edge_attr, edge_attr)
    assert torch.equal(merged.row_of, torch.cat([torch.arange(M), order]))


@pytest.mark.parametrize("name", ["conflict", "self_loops", "parallel"])
def test_unknown_policies_are_refused(name):
    with pytest.raises(ValueError, match=rf"{name} is 'average', but it must be one of 'keep', "):
        merge_reciprocal(columns([(0, 1)]), torch.zeros(1, 1), **{name: "average"})


def test_what_is_no_graph_is_refused():
    with pytest.raises(ValueError, match=r"edge_index has shape \(2,\), but it must be \[2, M\]"):
        merge_reciprocal(torch.tensor([0, 1]), torch.zeros(1, 1))
    with pytest.raises(TypeError, match=r"torch\.int32, .* edge_index\.long\(\)"):
        merge_reciprocal(columns([(0, 1)]).int(), torch.zeros(1, 1))
    with pytest.raises(IndexError, match=r"edge_index\[0, 0\] is -1"):
        merge_reciprocal(columns([(-1, 1)]), torch.zeros(1, 1))
    with pytest.raises(ValueError, match="edge_attr has 2 rows, but edge_index has 1 columns"):
        merge_reciprocal(columns([(0, 1)]), torch.zeros(2, 1))
