"""Stars of many edges: sorted, cut into chunks, whole chunks summed once, one chunk read pair by pair.

The sources of a star stand in the order of their keys, the readers of the backward pass in that of their
queries. A reader looks up where its LeakyReLU bends; that place lies in one chunk. What lies in the chunks above
has one weight, ``exp(y)``, what lies below the other, ``exp(s y)``: running sums over chunks give both. Only the
chunk in between is read pair by pair.

The edge with the star's largest key stays out of all sums (its weight there is zero): everybody reads it by itself,
and it reads the sums as they are. So a key that drowns all others cannot drown what its own edge reads. All weights
are relative to the second largest key, all sums in float64.

``J`` are the hub incidences, standing star by star, and in each head they are ordered inside their star: ``order``
and ``edges`` ``[K, J]`` say which incidence and edge stand at a place, ``place [K, J]`` where a hub incidence stands,
``ranked [K, J]`` are the values in order, and ``weights [2, K, J]`` the two weights in order.
"""
# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

from __future__ import annotations

import triton
import triton.language as tl

from edgegat.ops.star._triton_pairs import add_gradients
from edgegat.ops.star._triton_parts import edge_reference, finish, largest_other, leaky, load_key, load_query


@triton.jit
def gather_rows(
    row, n, edge, node, per_row, at_node, gathered, stride,
    K: tl.constexpr, BY_EDGE: tl.constexpr, HAS_NODE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Queries or keys of all hub incidences, ``[K, J]``."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n * K
    j = i // K
    k = i % K
    r = tl.load(row + j, mask=mask, other=0)
    p = tl.load(edge + r, mask=mask, other=0)
    v = tl.load(node + r, mask=mask, other=0)
    y = load_key(per_row, at_node, p, r, v, k, mask, stride, K, BY_EDGE, HAS_NODE)
    tl.store(gathered + k * n + j, y, mask=mask)


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
def load_log(x, shift, top1, top2, arg, r, v, k, mask, K: tl.constexpr, SLOPE: tl.constexpr):
    """The log of a reader's denominator, in float64."""
    largest = x.to(tl.float64) + largest_other(top1, top2, arg, r, v, k, mask, K).to(tl.float64)
    return leaky(largest, SLOPE) - tl.load(shift + r * K + k, mask=mask, other=0.0)


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
    z = x.to(tl.float64) + tl.load(top2 + v * K + k, mask=mask, other=0.0)
    r = tl.load(order + i, mask=mask, other=0)
    log = load_log(x, shift, top1, top2, arg, r, v, k, mask, K, SLOPE)
    tl.store(weights + i, tl.exp((z - log).to(x.dtype)), mask=mask)
    tl.store(weights + K * n + i, tl.exp((z * SLOPE - log).to(x.dtype)), mask=mask)


@triton.jit
def load_row(value, tail, p, k, mask, VS, K: tl.constexpr, F: tl.constexpr, CP: tl.constexpr):
    """``F`` values of edge ``p`` and one more channel behind them: ``tail[p, k]``, or a one without it."""
    c = tl.arange(0, CP)
    V = tl.load(
        value + (p * VS + k * F)[:, None] + c[None, :], mask=mask[:, None] & (c < F)[None, :], other=0.0
    )
    if tail is None:
        return tl.where((c == F)[None, :], 1.0, V)
    else:
        last = tl.load(tail + p * K + k, mask=mask, other=0.0)
        return tl.where((c == F)[None, :], last[:, None], V)


@triton.jit
def sum_chunks(
    chunk_hub, chunk_start, P, hub_ptr, edges, n, weights, value, tail, sums, VS,
    K: tl.constexpr, F: tl.constexpr, CP: tl.constexpr, CHUNK: tl.constexpr,
):  # fmt: skip
    """The weighted sums over each chunk, for both weights: ``sums [2, K, F + 1, P]``."""
    chunk = tl.program_id(0)
    k = tl.program_id(1)
    place = tl.load(chunk_start + chunk) + tl.arange(0, CHUNK)
    mask = place < tl.load(hub_ptr + tl.load(chunk_hub + chunk) + 1)
    at = k * n + place
    p = tl.load(edges + at, mask=mask, other=0)
    V = load_row(value, tail, p, k, mask, VS, K, F, CP).to(tl.float64)
    c = tl.arange(0, CP)
    for side in tl.static_range(2):
        w = tl.load(weights + side * K * n + at, mask=mask, other=0.0).to(tl.float64)
        out = sums + (side * K + k) * (F + 1) * P + chunk
        tl.store(out + c * P, tl.sum(w[:, None] * V, 0), mask=c < F + 1)


@triton.jit
def sum_top_chunks(
    chunk_hub, chunk_start, P, hub_node, hub_ptr, edge, order, edges, ranked, n, top1, arg, value, grad, out, shift,
    sums, VS, GS, K: tl.constexpr, F: tl.constexpr, CP: tl.constexpr, SLOPE: tl.constexpr, CHUNK: tl.constexpr,
):  # fmt: skip
    """What the readers of each chunk say to the star's largest key: ``Σ β g`` and ``Σ φ' β g·(V - out)``.

    Where that key dominates, every reader's answer is all but its value: their difference is taken reader by
    reader, before a sum could drown it. ``sums [K, F + 1, P]``.
    """
    chunk = tl.program_id(0)
    k = tl.program_id(1)
    h = tl.load(chunk_hub + chunk)
    at_node = tl.load(hub_node + h) * K + k
    place = tl.load(chunk_start + chunk) + tl.arange(0, CHUNK)
    mask = place < tl.load(hub_ptr + h + 1)
    at = k * n + place
    r = tl.load(order + at, mask=mask, other=0)
    top = tl.load(arg + at_node)
    mask = mask & (r != top)
    p = tl.load(edges + at, mask=mask, other=0)
    c = tl.arange(0, CP)
    whole = mask[:, None] & (c < F)[None, :]
    x = tl.load(ranked + at, mask=mask, other=0.0)
    z = x.to(tl.float64) + tl.load(top1 + at_node)
    beta = tl.where(mask, tl.exp(tl.load(shift + r * K + k, mask=mask, other=0.0)), 0.0).to(tl.float64)
    g = tl.load(grad + (p * GS + k * F)[:, None] + c[None, :], mask=whole, other=0.0)
    o = tl.load(out + (p * K + k)[:, None] * F + c[None, :], mask=whole, other=0.0)
    V = tl.load(value + tl.load(edge + top) * VS + k * F + c, mask=c < F, other=0.0)
    through = tl.where(z > 0, beta, beta * SLOPE) * tl.sum(g * (V[None, :] - o), 1)
    said = tl.where((c == F)[None, :], through[:, None], beta[:, None] * g.to(tl.float64))
    tl.store(sums + k * (F + 1) * P + chunk + c * P, tl.sum(said, 0), mask=c < F + 1)


@triton.jit
def load_values(value, p, k, mask, VS, F: tl.constexpr, FP: tl.constexpr):
    """The channels of edge ``p`` in head ``k``, in float64."""
    f = tl.arange(0, FP)
    places = value + (p * VS + k * F)[:, None] + f[None, :]
    return tl.load(places, mask=mask[:, None] & (f < F)[None, :], other=0.0).to(tl.float64)


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
def load_weighted(
    edges, weights, at, above, mask, k, n, value, tail, VS, K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr
):
    """The channels at a place, what stands behind them, and the weight on its side of the split; in float64."""
    p = tl.load(edges + at, mask=mask, other=0)
    w = tl.load(weights + tl.where(above, 0, K * n) + at, mask=mask, other=0.0).to(tl.float64)
    V = load_values(value, p, k, mask, VS, F, FP)
    if tail is None:
        return V, 1.0, w
    else:
        return V, tl.load(tail + p * K + k, mask=mask, other=0.0).to(tl.float64), w


@triton.jit
def read_order(
    j, k, bound, mask, hub, hub_ptr, chunk_ptr, edges, place, ranked, n, weights, until, P,
    value, tail, VS, STEPS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, CHUNK: tl.constexpr,
):  # fmt: skip
    """The weighted sums over all others in the star: of those ranked above ``bound``, and of the rest.

    Of their channels, and of what stands behind those: ``tail``, or a one without it.
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

    mine = tl.load(place + base + j, mask=mask, other=0)
    begin = start + chunk * CHUNK
    for step in range(CHUNK):
        at = begin + step
        here = mask & (at < end) & (at != mine)
        above = at >= split
        V, behind, w = load_weighted(edges, weights, base + at, above, here, k, n, value, tail, VS, K, F, FP)
        w_high = tl.where(above, w, 0.0)
        w_low = tl.where(above, 0.0, w)
        high += w_high[:, None] * V
        low += w_low[:, None] * V
        high_tail += w_high * behind
        low_tail += w_low * behind
    # If one of the sums over whole chunks holds the element itself, it is taken out again.
    above = mine >= begin + CHUNK
    summed = mask & (above | (mine < begin))
    V, behind, w = load_weighted(edges, weights, base + mine, above, summed, k, n, value, tail, VS, K, F, FP)
    w_high = tl.where(above, w, 0.0)
    w_low = tl.where(above, 0.0, w)
    high -= w_high[:, None] * V
    low -= w_low[:, None] * V
    high_tail -= w_high * behind
    low_tail -= w_low * behind
    return high, high_tail, low, low_tail


@triton.jit
def forward(
    readers, n_readers, hub, hub_ptr, chunk_ptr, row, edges, place, ranked, n, weights, until, P, STEPS,
    edge, node, partner, query, key, own, value, top1, top2, arg, out, lse, QS, KS, OS, VS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr, SECOND: tl.constexpr, CHUNK: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """What the readers (hub incidences) gather in their hubs."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n_readers * K
    j = tl.load(readers + i // K, mask=mask, other=0)
    k = i % K
    r = tl.load(row + j, mask=mask, other=0)
    v = tl.load(node + r, mask=mask, other=0)
    p = tl.load(edge + r, mask=mask, other=0)
    x = load_query(query, p, r, k, mask, QS, BY_EDGE)
    high, high_tail, low, low_tail = read_order(
        j, k, -x, mask, hub, hub_ptr, chunk_ptr, edges, place, ranked, n, weights, until, P,
        value, None, VS, STEPS, K, F, FP, CHUNK,
    )  # fmt: skip
    top = tl.load(arg + v * K + k, mask=mask, other=0)
    z1 = x.to(tl.float64) + tl.load(top1 + v * K + k, mask=mask, other=0.0)
    z2 = x.to(tl.float64) + tl.load(top2 + v * K + k, mask=mask, other=0.0)
    m, itself, is_loop = edge_reference(
        query, key, own, top1, top2, arg, partner, node, r, p, k, mask, tl.where(top == r, z2, z1),
        QS, KS, OS, K, BY_EDGE, SLOPE,
    )  # fmt: skip
    w_top = tl.where(top == r, 0.0, tl.exp(leaky(z1, SLOPE) - m))
    w_high = tl.exp(z2 - m)
    w_low = tl.exp(z2 * SLOPE - m)
    p_top = tl.load(edge + top, mask=mask, other=0)
    num = high * w_high[:, None] + low * w_low[:, None]
    num += w_top[:, None] * load_values(value, p_top, k, mask, VS, F, FP)
    den = high_tail * w_high + low_tail * w_low + w_top
    num, den = num.to(x.dtype), den.to(x.dtype)
    finish(num, den, m, itself, is_loop, value, out, lse, p, k, mask, VS, K, F, FP, SLOPE, SECOND)


@triton.jit
def backward(
    readers, n_readers, hub, hub_ptr, chunk_ptr, row, n, P, STEPS,
    edges_y, place_y, ranked_y, weights_y, until_y, edges_x, place_x, ranked_x, weights_x, until_x, until_top,
    edge, node, query, key, at_node, value, top1, top2, arg, grad, delta, out, shift,
    d_query, d_key, d_at_incidence, d_value, QS, KS, VS, GS,
    K: tl.constexpr, F: tl.constexpr, FP: tl.constexpr, SLOPE: tl.constexpr,
    BY_EDGE: tl.constexpr, HAS_NODE: tl.constexpr, CHUNK: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Each element as a reader of its hub, and as what the hub's other edges read."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n_readers * K
    j = tl.load(readers + i // K, mask=mask, other=0)
    k = i % K
    r = tl.load(row + j, mask=mask, other=0)
    v = tl.load(node + r, mask=mask, other=0)
    p = tl.load(edge + r, mask=mask, other=0)
    x = load_query(query, p, r, k, mask, QS, BY_EDGE)
    y = load_key(key, at_node, p, r, v, k, mask, KS, K, BY_EDGE, HAS_NODE)
    top = tl.load(arg + v * K + k, mask=mask, other=0)
    first = tl.load(top1 + v * K + k, mask=mask, other=0.0)
    second = tl.load(top2 + v * K + k, mask=mask, other=0.0)

    high, high_tail, low, low_tail = read_order(
        j, k, -x, mask, hub, hub_ptr, chunk_ptr, edges_y, place_y, ranked_y, n, weights_y, until_y, P,
        value, None, VS, STEPS, K, F, FP, CHUNK,
    )  # fmt: skip
    log = load_log(x, shift, top1, top2, arg, r, v, k, mask, K, SLOPE)
    z1 = x.to(tl.float64) + first
    z2 = x.to(tl.float64) + second
    beta = tl.where(top == r, 0.0, tl.exp(leaky(z1, SLOPE) - log))
    w_top = tl.where(z1 > 0, beta, beta * SLOPE)
    w_high = tl.exp(z2 - log)
    w_low = tl.exp(z2 * SLOPE - log) * SLOPE
    p_top = tl.load(edge + top, mask=mask, other=0)
    slopes = high * w_high[:, None] + low * w_low[:, None]
    slopes += w_top[:, None] * load_values(value, p_top, k, mask, VS, F, FP)
    slope = high_tail * w_high + low_tail * w_low + w_top
    answer = load_values(out, p, k, mask, K * F, F, FP)
    dx = tl.sum(load_values(grad, p, k, mask, GS, F, FP) * (slopes - slope[:, None] * answer), 1)

    high, high_tail, low, low_tail = read_order(
        j, k, -y, mask, hub, hub_ptr, chunk_ptr, edges_x, place_x, ranked_x, n, weights_x, until_x, P,
        grad, delta, GS, STEPS, K, F, FP, CHUNK,
    )  # fmt: skip
    d = tl.minimum(y - second, 0.0)  # above zero for the largest key only, which takes the other branch
    w_high = tl.exp(d).to(tl.float64)
    w_low = tl.exp(d * SLOPE).to(tl.float64)
    high *= w_high[:, None]
    low *= w_low[:, None]
    dy = tl.sum(load_values(value, p, k, mask, VS, F, FP) * (high + low * SLOPE), 1)
    dy -= high_tail * w_high + low_tail * w_low * SLOPE
    dV = high + low

    h = tl.load(hub + j, mask=mask, other=0)
    begin = tl.load(chunk_ptr + h, mask=mask, other=0)
    end = tl.load(chunk_ptr + h + 1, mask=mask, other=0)
    said, said_tail = load_between(until_top, begin, end, mask, k, P, 0, K, F, FP)
    dV = tl.where((top == r)[:, None], said, dV)
    dy = tl.where(top == r, said_tail, dy)
    add_gradients(
        dx.to(x.dtype), dy.to(x.dtype), dV.to(x.dtype), d_query, d_key, d_at_incidence, d_value, r, p, k, mask,
        K, F, FP, BY_EDGE, HAS_NODE,
    )  # fmt: skip
