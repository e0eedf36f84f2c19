"""Stars of many edges: sorted, cut into chunks, whole chunks summed once (``_triton_hub_order.py``), and read here.

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

from edgegat.ops.star._triton_hub_order import load_ranked, load_reader
from edgegat.ops.star._triton_parts import (
    as_reader,
    as_source,
    load_channels,
    load_gradient,
    load_key,
    load_query,
    store_forward,
    store_gradients,
)


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
