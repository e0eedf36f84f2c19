"""The edges of hubs put in order: sorted by key or by query, weighed, cut into chunks, and each chunk summed.

What is made here is read in ``_triton_hubs.py``, which says why and names the tables.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import triton
import triton.language as tl

from edgegat.ops.star._triton_parts import as_reader, exp, load_channels, load_key


@triton.jit
def gather_rows(
    row, n, hub, H, edge, node, per_row, at_node, gathered, sortable, stride,
    K: tl.constexpr, BY_EDGE: tl.constexpr, HAS_NODE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Queries or keys of all hub incidences, ``[K, J]``; in float32 also as integers that sort by head, hub, value.

    Head and hub are the high half, and the low half bits that rank as the floats do.
    """
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    j = i // K
    k = i % K
    r = tl.load(row + j, mask=mask, other=0)
    p = tl.load(edge + r, mask=mask, other=0)
    v = tl.load(node + r, mask=mask, other=0)
    y = load_key(per_row, at_node, p, r, v, k, mask, stride, K, BY_EDGE, HAS_NODE)
    tl.store(gathered + k * n + j, y, mask=mask)
    if sortable is not None:
        bits = y.to(tl.int32, bitcast=True)
        bits = bits ^ ((bits >> 31) & 0x7FFFFFFF)
        unit = k * H + tl.load(hub + j, mask=mask, other=0)
        tl.store(sortable + k * n + j, (unit.to(tl.int64) << 32) + bits, mask=mask)


@triton.jit
def settle(by_value, n, row, gathered, order, place, ranked, K: tl.constexpr, BLOCK: tl.constexpr):
    """From the sorting's order, ``[K, J]`` as it counts through all heads: the incidence at each place, the place of
    each hub incidence, and the values in order.
    """
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    base = (i // n) * n
    at = tl.load(by_value + i, mask=mask, other=0).to(tl.int32)
    tl.store(order + i, tl.load(row + at - base, mask=mask, other=0), mask=mask)
    tl.store(place + at, i - base, mask=mask)
    tl.store(ranked + i, tl.load(gathered + at, mask=mask, other=0.0), mask=mask)


@triton.jit
def find_tops(
    hub_node, hub_ptr, H, order, sorted_y, n, top1, top2, arg, K: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """The two largest keys of each hub stand last in its sorted order."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < H * K
    h = i // K
    k = i % K
    last = k * n + tl.load(hub_ptr + h + 1, mask=mask, other=2) - 1
    out = tl.load(hub_node + h, mask=mask, other=0) * K + k
    tl.store(top1 + out, tl.load(sorted_y + last, mask=mask, other=0.0), mask=mask)
    tl.store(top2 + out, tl.load(sorted_y + last - 1, mask=mask, other=0.0), mask=mask)
    tl.store(arg + out, tl.load(order + last, mask=mask, other=0), mask=mask)


@triton.jit
def weigh_sources(
    hub_ptr, hub, ranked, n, weights, K: tl.constexpr, SLOPE: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """``exp(y - y₂)`` and ``exp(s (y - y₂))`` in the order of the keys; zero for the largest key."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    at = i % n
    base = (i // n) * n
    end = tl.load(hub_ptr + tl.load(hub + at, mask=mask, other=0) + 1, mask=mask, other=2)
    d = tl.load(ranked + i, mask=mask, other=0.0) - tl.load(ranked + base + end - 2, mask=mask, other=0.0)
    counts = at < end - 1
    tl.store(weights + i, tl.where(counts, tl.exp(d), 0.0), mask=mask)
    tl.store(weights + K * n + i, tl.where(counts, tl.exp(d * SLOPE), 0.0), mask=mask)


@triton.jit
def load_reader(x, shift, first, second, top, r, k, mask, K: tl.constexpr, SLOPE: tl.constexpr):
    """What a reader brings, relative to its denominator: for sources above its bend, below it, and of the largest key
    ``β`` and ``φ' β``.
    """
    a, b = as_reader(x, first, second, r == top, SLOPE)
    beta = exp(tl.load(shift + r * K + k, mask=mask, other=0.0))
    full = tl.where(r == top, 0.0, beta)
    return a * beta, b * beta, full, tl.where(x > -first, full, full * SLOPE)


@triton.jit
def weigh_readers(
    hub_node, hub, order, ranked, n, top1, top2, arg, shift, weights,
    K: tl.constexpr, SLOPE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """``exp(x + y₂ - log)`` and ``exp(s (x + y₂) - log)`` in the order of the queries."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    k = i // n
    x = tl.load(ranked + i, mask=mask, other=0.0)
    v = tl.load(hub_node + tl.load(hub + i % n, mask=mask, other=0), mask=mask, other=0)
    first = tl.load(top1 + v * K + k, mask=mask, other=0.0)
    second = tl.load(top2 + v * K + k, mask=mask, other=0.0)
    top = tl.load(arg + v * K + k, mask=mask, other=0)
    r = tl.load(order + i, mask=mask, other=0)
    a, b, _, _ = load_reader(x, shift, first, second, top, r, k, mask, K, SLOPE)
    tl.store(weights + i, a, mask=mask)
    tl.store(weights + K * n + i, b, mask=mask)


@triton.jit
def gather_channels(
    order, n, edge, value, tail, rows, tails, VS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The channels of all hub incidences in order, ``rows [K, J, F]``, and what stands behind them, ``tails [K, J]``:
    a chunk is read many times, and then stands together.
    """
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    k = i // n
    f = tl.arange(0, FP)
    whole = mask[:, None] & (f < F)[None, :]
    p = tl.load(edge + tl.load(order + i, mask=mask, other=0), mask=mask, other=0)
    V = tl.load(value + (p * VS + k * F)[:, None] + f[None, :], mask=whole, other=0.0)
    tl.store(rows + i[:, None] * F + f[None, :], V, mask=whole)
    if tail is not None:
        tl.store(tails + i, tl.load(tail + p * K + k, mask=mask, other=0.0), mask=mask)


@triton.jit
def load_ranked(rows, tails, at, mask, F: tl.constexpr, FP: tl.constexpr):
    """The channels at a place, and what stands behind them: a one without ``tails``."""
    f = tl.arange(0, FP)
    V = tl.load(rows + at[:, None] * F + f[None, :], mask=mask[:, None] & (f < F)[None, :], other=0.0)
    if tails is None:
        return V, 1.0
    else:
        return V, tl.load(tails + at, mask=mask, other=0.0)


@triton.jit
def find_chunk(chunk_hub, chunk_start, P, hub_ptr, BLOCK: tl.constexpr, K: tl.constexpr):
    """For each lane a chunk in one head: its number, head, hub, first place and how many places it has."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < P * K
    chunk = i % P
    h = tl.load(chunk_hub + chunk, mask=mask, other=0)
    begin = tl.load(chunk_start + chunk, mask=mask, other=0)
    end = tl.load(hub_ptr + h + 1, mask=mask, other=0)
    return chunk, i // P, h, begin, tl.where(mask, end - begin, 0), mask


@triton.jit
def sum_chunks(
    chunk_hub, chunk_start, P, hub_ptr, n, weights, rows, tails, sums,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, CHUNK: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The weighted sums over each chunk, for both weights: ``sums [2, K, F + 1, P]``."""
    chunk, k, _, begin, length, mask = find_chunk(chunk_hub, chunk_start, P, hub_ptr, BLOCK, K)
    high = tl.zeros([BLOCK, FP], rows.dtype.element_ty)
    low = tl.zeros([BLOCK, FP], rows.dtype.element_ty)
    high_tail = tl.zeros([BLOCK], rows.dtype.element_ty)
    low_tail = tl.zeros([BLOCK], rows.dtype.element_ty)
    for step in range(CHUNK):
        here = step < length
        at = k * n + begin + step
        V, behind = load_ranked(rows, tails, at, here, F, FP)
        w_high = tl.load(weights + at, mask=here, other=0.0)
        w_low = tl.load(weights + K * n + at, mask=here, other=0.0)
        high += w_high[:, None] * V
        low += w_low[:, None] * V
        high_tail += w_high * behind
        low_tail += w_low * behind
    store_sums(sums, high, high_tail, chunk, k, mask, P, F, FP)
    store_sums(sums + K * (F + 1) * P, low, low_tail, chunk, k, mask, P, F, FP)


@triton.jit
def store_sums(sums, channels, tail, chunk, k, mask, P, F: tl.constexpr, FP: tl.constexpr):
    """``sums [K, F + 1, P]`` of a chunk."""
    f = tl.arange(0, FP)
    places = sums + k * (F + 1) * P + chunk
    tl.store(places[:, None] + f[None, :] * P, channels.to(tl.float64), mask=mask[:, None] & (f < F)[None, :])
    tl.store(places + F * P, tail.to(tl.float64), mask=mask)


@triton.jit
def sum_top_chunks(
    chunk_hub, chunk_start, P, hub_node, hub_ptr, edge, order, ranked, n, top1, arg, value, rows, tails, shift,
    sums, VS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr, CHUNK: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """What the readers of each chunk say to the star's largest key: ``Σ β g`` and ``Σ φ' β (g·V - g·out)``, reader by
    reader. ``sums [K, F + 1, P]``.
    """
    chunk, k, h, begin, length, mask = find_chunk(chunk_hub, chunk_start, P, hub_ptr, BLOCK, K)
    at_node = tl.load(hub_node + h, mask=mask, other=0) * K + k
    top = tl.load(arg + at_node, mask=mask, other=0)
    first = tl.load(top1 + at_node, mask=mask, other=0.0)
    V = load_channels(value, tl.load(edge + top, mask=mask, other=0), k, mask, VS, F, FP)
    said = tl.zeros([BLOCK, FP], rows.dtype.element_ty)
    through = tl.zeros([BLOCK], rows.dtype.element_ty)
    for step in range(CHUNK):
        at = k * n + begin + step
        here = step < length
        r = tl.load(order + at, mask=here, other=0)
        here = here & (r != top)
        g, gone = load_ranked(rows, tails, at, here, F, FP)
        x = tl.load(ranked + at, mask=here, other=0.0)
        beta = tl.where(here, tl.exp(tl.load(shift + r * K + k, mask=here, other=0.0)), 0.0)
        said += beta[:, None] * g
        through += tl.where(x > -first, beta, beta * SLOPE) * (tl.sum(g * V, 1) - gone)
    store_sums(sums, said, through, chunk, k, mask, P, F, FP)
