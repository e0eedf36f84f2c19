"""Stars of many edges: sorted, cut into chunks, whole chunks summed once, one chunk read pair by pair.

The sources of a star stand in the order of their keys, the readers of the backward pass in that of their
queries. A reader looks up where its LeakyReLU bends; that place lies in one chunk. What lies in the chunks above
has one weight, ``exp(y)``, what lies below the other, ``exp(s y)``: running sums over chunks give both. Only the
chunk in between is read pair by pair.

The edge with the star's largest key stays out of all sums (its weight there is zero): everybody reads it by itself,
and it reads the sums as they are. So a key that drowns all others cannot drown what its own edge reads. All weights
are relative to the second largest key; sums that run over several chunks are in float64.

``J`` are the hub incidences, standing star by star, and in each head they are ordered inside their star: ``order
[K, J]`` says which incidence stands at a place, ``place [K, J]`` where a hub incidence stands, and in order there are
``ranked [K, J]``, the values, ``weights [2, K, J]``, the two weights, ``rows [K, J, F]``, the channels, and ``tails
[K, J]``, one more.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import triton
import triton.language as tl

from edgegat.ops.star._triton_parts import (
    as_reader,
    as_source,
    exp,
    load_channels,
    load_gradient,
    load_key,
    load_query,
    store_forward,
    store_gradients,
)


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


@triton.jit
def load_between(
    until, first, last, mask, k, P, side: tl.constexpr, K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr
):
    """What the running sums ``[sides, K, P + 1, F + 1]`` gain from chunk ``first`` to ``last``; the last channel
    apart.
    """
    f = tl.arange(0, FP)
    whole = mask[:, None] & (f < F)[None, :]
    begin = until + ((side * K + k) * (P + 1) + first) * (F + 1)
    end = until + ((side * K + k) * (P + 1) + last) * (F + 1)
    sums = tl.load(end[:, None] + f[None, :], mask=whole, other=0.0)
    sums -= tl.load(begin[:, None] + f[None, :], mask=whole, other=0.0)
    tail = tl.load(end + F, mask=mask, other=0.0) - tl.load(begin + F, mask=mask, other=0.0)
    return sums, tail


@triton.jit
def read_order(
    j, k, bound, mask, hub, hub_ptr, chunk_ptr, place, ranked, n, weights, rows, tails, until, P, STEPS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, CHUNK: tl.constexpr,
):  # fmt: skip
    """The weighted sums over all others in the star: of those ranked above ``bound``, and of the rest.

    Of their channels, and of what stands behind those: ``tails``, or a one without them.
    """
    h = tl.load(hub + j, mask=mask, other=0)
    start = tl.load(hub_ptr + h, mask=mask, other=0)
    end = tl.load(hub_ptr + h + 1, mask=mask, other=2)
    base = k * n
    low_place = start
    high_place = end
    for _ in range(STEPS):
        middle = (low_place + high_place) // 2
        is_open = mask & (low_place < high_place)
        above = tl.load(ranked + base + middle, mask=is_open, other=0.0) > bound
        high_place = tl.where(is_open & above, middle, high_place)
        low_place = tl.where(is_open & (above == 0), middle + 1, low_place)
    split = low_place

    chunks = tl.load(chunk_ptr + h, mask=mask, other=0)
    chunks_end = tl.load(chunk_ptr + h + 1, mask=mask, other=1)
    chunk = tl.minimum((split - start) // CHUNK, chunks_end - chunks - 1)
    high, high_tail = load_between(until, chunks + chunk + 1, chunks_end, mask, k, P, 0, K, F, FP)
    low, low_tail = load_between(until, chunks, chunks + chunk, mask, k, P, 1, K, F, FP)
    high, high_tail = high.to(bound.dtype), high_tail.to(bound.dtype)
    low, low_tail = low.to(bound.dtype), low_tail.to(bound.dtype)

    mine = tl.load(place + base + j, mask=mask, other=0)
    begin = start + chunk * CHUNK
    for step in range(CHUNK):
        at = begin + step
        here = mask & (at < end) & (at != mine)
        above = at >= split
        V, behind = load_ranked(rows, tails, base + at, here, F, FP)
        w = tl.load(weights + tl.where(above, 0, K * n) + base + at, mask=here, other=0.0)
        w_high = tl.where(above, w, 0.0)
        w_low = tl.where(above, 0.0, w)
        high += w_high[:, None] * V
        low += w_low[:, None] * V
        high_tail += w_high * behind
        low_tail += w_low * behind
    # If one of the sums over whole chunks holds the element itself, it is taken out again.
    above = mine >= begin + CHUNK
    summed = mask & (above | (mine < begin))
    V, behind = load_ranked(rows, tails, base + mine, summed, F, FP)
    w = tl.load(weights + tl.where(above, 0, K * n) + base + mine, mask=summed, other=0.0)
    w_high = tl.where(above, w, 0.0)
    w_low = tl.where(above, 0.0, w)
    high -= w_high[:, None] * V
    low -= w_low[:, None] * V
    high_tail -= w_high * behind
    low_tail -= w_low * behind
    return high, high_tail, low, low_tail


@triton.jit
def find_element(row, n, node, edge, top1, top2, arg, K: tl.constexpr, BLOCK: tl.constexpr):
    """For each lane a hub incidence and a head, and what it must know of its star."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    j = i // K
    k = i % K
    r = tl.load(row + j, mask=mask, other=0)
    v = tl.load(node + r, mask=mask, other=0)
    p = tl.load(edge + r, mask=mask, other=0)
    first = tl.load(top1 + v * K + k, mask=mask, other=0.0)
    second = tl.load(top2 + v * K + k, mask=mask, other=0.0)
    return mask, j, k, r, v, p, first, second, tl.load(arg + v * K + k, mask=mask, other=0)


@triton.jit
def forward(
    row, n, hub, hub_ptr, chunk_ptr, P, STEPS, place, ranked, weights, rows, until, node, edge, home,
    query, value, top1, top2, arg, M, num_a, num_b, den_a, den_b, QS, VS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr, CHUNK: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """What the edges of hubs gather in them."""
    mask, j, k, r, _, p, first, second, top = find_element(row, n, node, edge, top1, top2, arg, K, BLOCK)
    x = load_query(query, p, r, k, mask, QS, BY_EDGE)
    high, high_tail, low, low_tail = read_order(
        j, k, -x, mask, hub, hub_ptr, chunk_ptr, place, ranked, n, weights, rows, None, until, P, STEPS,
        K, F, FP, CHUNK,
    )  # fmt: skip
    a, b = as_reader(x, first, second, r == top, SLOPE)
    w_top = tl.where(r == top, 0.0, 1.0).to(x.dtype)
    num = high * a[:, None] + low * b[:, None]
    num += w_top[:, None] * load_channels(value, tl.load(edge + top, mask=mask, other=0), k, mask, VS, F, FP)
    store_forward(
        num, high_tail * a + low_tail * b + w_top, home, M, num_a, num_b, den_a, den_b, r, k, mask, K, F, FP
    )


@triton.jit
def backward(
    row, n, hub, hub_ptr, chunk_ptr, P, STEPS,
    place_y, ranked_y, weights_y, rows_y, until_y, place_x, ranked_x, weights_x, rows_x, tails_x, until_x, until_top,
    node, edge, home, query, key, at_node, value, top1, top2, arg, grad, delta, shift,
    M, dV_a, dV_b, dx_a, dx_b, dy_a, dy_b, d_at_incidence, QS, KS, VS, GS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr, HAS_NODE: tl.constexpr, CHUNK: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Each element as a reader of its hub, and as what the hub's other edges read."""
    mask, j, k, r, v, p, first, second, top = find_element(row, n, node, edge, top1, top2, arg, K, BLOCK)
    x = load_query(query, p, r, k, mask, QS, BY_EDGE)
    y = load_key(key, at_node, p, r, v, k, mask, KS, K, BY_EDGE, HAS_NODE)
    g, V, gone = load_gradient(grad, value, delta, p, k, mask, GS, VS, K, F, FP)

    high, high_tail, low, low_tail = read_order(
        j, k, -x, mask, hub, hub_ptr, chunk_ptr, place_y, ranked_y, n, weights_y, rows_y, None, until_y, P, STEPS,
        K, F, FP, CHUNK,
    )  # fmt: skip
    a, b, _, through = load_reader(x, shift, first, second, top, r, k, mask, K, SLOPE)
    b *= SLOPE
    slopes = high * a[:, None] + low * b[:, None]
    p_top = tl.load(edge + top, mask=mask, other=0)
    slopes += through[:, None] * load_channels(value, p_top, k, mask, VS, F, FP)
    dx = tl.sum(g * slopes, 1) - gone * (high_tail * a + low_tail * b + through)

    high, high_tail, low, low_tail = read_order(
        j, k, -y, mask, hub, hub_ptr, chunk_ptr, place_x, ranked_x, n, weights_x, rows_x, tails_x, until_x, P,
        STEPS, K, F, FP, CHUNK,
    )  # fmt: skip
    a, b = as_source(y, second, r != top, SLOPE)
    high *= a[:, None]
    low *= b[:, None]
    dy = tl.sum(V * (high + low * SLOPE), 1) - (high_tail * a + low_tail * b * SLOPE)
    dV = high + low

    h = tl.load(hub + j, mask=mask, other=0)
    begin = tl.load(chunk_ptr + h, mask=mask, other=0)
    end = tl.load(chunk_ptr + h + 1, mask=mask, other=0)
    said, said_tail = load_between(until_top, begin, end, mask, k, P, 0, K, F, FP)
    dV = tl.where((top == r)[:, None], said.to(x.dtype), dV)
    dy = tl.where(top == r, said_tail.to(x.dtype), dy)
    store_gradients(
        dx, dy, dV, home, M, dV_a, dV_b, dx_a, dx_b, dy_a, dy_b, d_at_incidence, r, k, mask, K, F, FP, HAS_NODE
    )
