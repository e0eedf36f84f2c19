"""Exact edge attention without a single pair, in plain PyTorch: any device, any float type.

The derivation is in ``README.md`` beside this file; its letters are used here. Heads and channels come first
and incidences last, because scans along a contiguous dimension are the fast ones.

Precision: weights and weighted values are float32 (float64 if the inputs are). Float64 in any case are the
running sums, which lose everything otherwise, and the differences of logits, whose rounding at ±100 would
show in the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from edgegat.graph import Stars


def star_attention(
    query: Tensor, key: Tensor, value: Tensor, self_logit: Tensor, stars: Stars, negative_slope: float
) -> Tensor:
    """Same contract as :func:`edgegat.ops.star_attention`."""
    out: Tensor = _StarAttention.apply(query, key, value, self_logit, stars, negative_slope)  # type: ignore[no-untyped-call]
    return out


class _StarAttention(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        self_logit: Tensor,
        stars: Stars,
        slope: float,
    ) -> Tensor:
        work = torch.promote_types(query.dtype, torch.float32)
        x, y, own = (t.double().t().contiguous() for t in (query, key, self_logit))
        V = value.to(work).permute(1, 2, 0)
        out, lse, read, share = _forward(x, y, own, V, stars, slope)
        ctx.stars, ctx.slope = stars, slope
        ctx.save_for_backward(query, key, value, self_logit, out, lse, read, share)
        return out.permute(2, 0, 1).to(value.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        query, key, value, self_logit, out, lse, read, share = ctx.saved_tensors
        x, y, own = (t.double().t().contiguous() for t in (query, key, self_logit))
        V = value.to(out.dtype).permute(1, 2, 0)
        g = grad.to(out.dtype).permute(1, 2, 0)
        grads = _backward(x, y, own, V, out, lse, read, share, g, ctx.stars, ctx.slope)
        dx, dy, dV, down = grads
        return (
            dx.t().to(query.dtype),
            dy.t().to(key.dtype),
            dV.permute(2, 0, 1).to(value.dtype),
            down.t().to(self_logit.dtype),
            None,
            None,
        )


def _forward(
    x: Tensor, y: Tensor, own: Tensor, V: Tensor, stars: Stars, slope: float
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """From ``x, y [K, I]``, ``own [K, M]`` and ``V [K, F, M]`` to the output and what the backward needs.

    Returns ``out [K, F, M]``, ``lse [K, M]`` (log of the softmax's denominator) and, for the gradient of the
    queries, ``read [K, F, I]`` and ``share [K, I]``: per incidence ``Σ φ' β V`` and ``Σ φ' β`` over its star.
    """
    exp = _exponential(V.dtype)
    order = _order(reader=x, source=y, stars=stars)
    top = _top_two(y, stars)
    values = _with_ones(V)[..., stars.edge]

    shifted = y - top.largest[:, stars.node]
    hi, lo = _split_sums(order, exp(shifted), exp(slope * shifted), values, stars)
    z = x + top.largest[:, stars.node]
    m = F.leaky_relu(z, slope)
    hi, lo = hi * exp(z - m).unsqueeze(1), lo * exp(slope * z - m).unsqueeze(1)

    # The edge that holds the star's largest key cannot be told from its neighbours by subtraction: it reads
    # them one by one instead, which is one pass over the star.
    is_top = _is_top(top, stars)
    x_of_top = torch.zeros_like(top.largest).scatter_add(1, stars.node.expand_as(x), x * is_top)
    x_top = x_of_top[:, stars.node]
    m_top = F.leaky_relu(x_top + top.second[:, stars.node], slope)
    logit = x_top + y
    weight = exp(F.leaky_relu(logit, slope) - m_top).masked_fill(is_top, 0.0)
    hi_top, lo_top = (
        _star_sums((weight * side).unsqueeze(1) * values, stars) for side in (logit > 0, logit <= 0)
    )
    hi = torch.where(is_top.unsqueeze(1), hi_top[..., stars.node], hi)
    lo = torch.where(is_top.unsqueeze(1), lo_top[..., stars.node], lo)
    m = torch.where(is_top, m_top, m).masked_fill(stars.degree[stars.node] < 2, -torch.inf)

    # One edge, two stars and itself: combine by the largest of the three.
    at, exists = stars.slot.clamp(min=0), stars.slot >= 0
    m_ends = _at_ends(m.unsqueeze(1), at, stars).squeeze(1).masked_fill(~exists, -torch.inf)
    m_own = F.leaky_relu(own, slope)
    m_all = torch.maximum(m_own, m_ends.amax(1))
    scale = exp(m_ends - m_all.unsqueeze(1))
    sums = (_at_ends(hi + lo, at, stars) * scale.unsqueeze(1)).sum(2)
    total = sums + exp(m_own - m_all).unsqueeze(1) * _with_ones(V)
    denominator = total[:, -1]
    lse = m_all + denominator.double().log()

    to_beta = exp(m - lse[:, stars.edge]).unsqueeze(1)
    slopes = (hi + slope * lo) * to_beta
    return total[:, :-1] / denominator.unsqueeze(1), lse, slopes[:, :-1], slopes[:, -1]


def _backward(
    x: Tensor,
    y: Tensor,
    own: Tensor,
    V: Tensor,
    out: Tensor,
    lse: Tensor,
    read: Tensor,
    share: Tensor,
    g: Tensor,
    stars: Stars,
    slope: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The same computation with queries and keys swapped, and ``(g, g·out) / denominator`` as the values."""
    delta = (g * out).sum(1)
    g_at, delta_at, V_at = g[..., stars.edge], delta[:, stars.edge], V[..., stars.edge]
    dx = (g_at * read).sum(1) - delta_at * share

    exp = _exponential(V.dtype)
    order = _order(reader=y, source=x, stars=stars)
    top = _top_two(y, stars)
    values = torch.cat([g_at, delta_at.unsqueeze(1)], 1)
    lse_at = lse[:, stars.edge]

    # Scaled by the second largest key every weight below is at most one, also the largest key's own. A lonely
    # edge has no second key and nothing to pass on; unmasked, its weight would drown the running sums.
    reference = top.second[:, stars.node]
    lonely = stars.degree[stars.node] < 2
    z = x + reference
    above, below = ((logit - lse_at).masked_fill(lonely, -torch.inf) for logit in (z, slope * z))
    hi, lo = _split_sums(order, exp(above), exp(below), values, stars)
    is_top = _is_top(top, stars)
    shifted = (y - reference).masked_fill(is_top, 0.0)
    hi, lo = hi * exp(shifted).unsqueeze(1), lo * exp(slope * shifted).unsqueeze(1)
    slopes = hi + slope * lo
    dy = (V_at * slopes[:, :-1]).sum(1) - slopes[:, -1]
    dV_at = (hi + lo)[:, :-1]

    # The largest key is read by all others directly. Where it dominates, each of their answers is all but its
    # value: the difference is taken reader by reader, before the sum could drown it.
    logit = x + top.largest[:, stars.node]
    beta = exp((F.leaky_relu(logit, slope) - lse_at).masked_fill(is_top, -torch.inf))
    apart = (g_at * (_along(V_at, top.at[:, stars.node]) - out[..., stars.edge])).sum(1)
    through = beta * apart * torch.full_like(apart, slope).masked_fill(logit > 0, 1.0)
    of_top = _star_sums(torch.cat([beta.unsqueeze(1) * g_at, through.unsqueeze(1)], 1), stars)[..., stars.node]
    dy = torch.where(is_top, of_top[:, -1], dy)
    dV_at = torch.where(is_top.unsqueeze(1), of_top[:, :-1], dV_at)

    at, exists = stars.slot.clamp(min=0), stars.slot >= 0
    beta_own = exp(F.leaky_relu(own, slope) - lse)
    at_ends = _at_ends(dV_at, at, stars).masked_fill(~exists, 0.0)
    dV = at_ends.sum(2) + beta_own.unsqueeze(1) * g
    slope_own = torch.full_like(beta_own, slope).masked_fill(own > 0, 1.0)
    down = slope_own * beta_own * ((g * V).sum(1) - delta)
    return dx, dy, dV, down


def _exponential(dtype: torch.dtype) -> Callable[[Tensor], Tensor]:
    """``exp`` of float64 differences, in the precision of the values."""
    return lambda difference: difference.to(dtype).exp()


class _Order(NamedTuple):
    """Every star sorted by its sources, and where each reader splits it. All ``[K, I]``."""

    by_source: Tensor  # the incidence at each sorted place, stars one after the other
    place: Tensor  # the sorted place of each incidence
    split: Tensor  # the first place in its star whose source is larger than minus the reader


def _order(reader: Tensor, source: Tensor, stars: Stars) -> _Order:
    """Sort sources and (negated) readers of every star together: a reader then stands at its split."""
    K, I = source.shape
    # Stable, sources first: a source equal to minus the reader (a logit of exactly zero) stays below it.
    by_value = torch.cat([source, -reader], 1).sort(dim=1, stable=True).indices
    node = torch.cat([stars.node, stars.node])[by_value]
    merged = by_value.gather(1, node.sort(dim=1, stable=True).indices)
    is_source = merged < I
    sources_so_far = is_source.cumsum(1)
    places = torch.empty_like(merged).scatter_(1, merged, sources_so_far)
    place, split = places[:, :I] - 1, places[:, I:]
    everyone = torch.arange(I, device=source.device).expand(K, I)
    by_source = torch.empty_like(place).scatter_(1, place, everyone)
    return _Order(by_source, place, split)


class _TopTwo(NamedTuple):
    """The largest and second largest key of each star, ``[K, N]``; zero where the star has none."""

    largest: Tensor
    second: Tensor
    at: Tensor  # the incidence that holds the largest; the first of equals


def _top_two(y: Tensor, stars: Stars) -> _TopTwo:
    K, I = y.shape
    N = stars.num_nodes
    node = stars.node.expand(K, I)
    nowhere = torch.full((K, N), -torch.inf, dtype=y.dtype, device=y.device)
    largest = nowhere.scatter_reduce(1, node, y, "amax")
    everyone = torch.arange(I, device=y.device).expand(K, I)
    candidates = torch.where(y == largest[:, stars.node], everyone, I)
    at = torch.full((K, N), I, dtype=torch.long, device=y.device).scatter_reduce(1, node, candidates, "amin")
    rest = y.masked_fill(at[:, stars.node] == everyone, -torch.inf)
    second = nowhere.scatter_reduce(1, node, rest, "amax")
    return _TopTwo(
        largest.masked_fill(stars.degree < 1, 0.0),
        second.masked_fill(stars.degree < 2, 0.0),
        at.masked_fill(stars.degree < 1, 0),
    )


def _is_top(top: _TopTwo, stars: Stars) -> Tensor:
    """``[K, I]``: does this incidence hold its star's largest key?"""
    return top.at[:, stars.node] == torch.arange(stars.num_incidences, device=top.at.device)


def _split_sums(order: _Order, hi: Tensor, lo: Tensor, values: Tensor, stars: Stars) -> tuple[Tensor, Tensor]:
    """Per reader: the ``hi``-weighted sum above its split and the ``lo``-weighted sum below, without itself.

    ``hi, lo [K, I]`` and ``values [K, C, I]`` belong to the sources; both results are ``[K, C, I]``.
    """
    own_is_above = (order.place >= order.split).unsqueeze(1)
    start, end = stars.ptr[stars.node], stars.ptr[stars.node + 1]
    sums = []
    for weight, first, last, own_counts in (
        (hi, order.split, end.expand_as(order.split), own_is_above),
        (lo, start.expand_as(order.split), order.split, ~own_is_above),
    ):
        weighted = weight.unsqueeze(1) * values
        until = _running_sums(_along(weighted, order.by_source))
        in_range = _along(until, last) - _along(until, first)
        sums.append((in_range - weighted * own_counts).to(values.dtype))
    return sums[0], sums[1]


def _star_sums(t: Tensor, stars: Stars) -> Tensor:
    """Sum ``[K, C, I]`` over each star: ``[K, C, N]``."""
    until = _running_sums(t)
    return (until[..., stars.ptr[1:]] - until[..., stars.ptr[:-1]]).to(t.dtype)


def _running_sums(t: Tensor) -> Tensor:
    """Exclusive prefix sums along the last dimension, one longer than ``t``, in float64."""
    return F.pad(t.cumsum(-1, dtype=torch.float64), (1, 0))


def _along(t: Tensor, index: Tensor) -> Tensor:
    """``t[k, c, index[k, i]]``: gather ``[K, C, *]`` along its last dimension by ``[K, I]``."""
    return t.gather(2, index.unsqueeze(1).expand(-1, t.size(1), -1))


def _at_ends(t: Tensor, at: Tensor, stars: Stars) -> Tensor:
    """From incidences ``[K, C, I]`` to both ends of every edge ``[K, C, 2, M]``."""
    return t[..., at] if stars.num_edges else t.new_zeros(*t.shape[:2], 2, 0)


def _with_ones(V: Tensor) -> Tensor:
    """Append a channel of ones: the numerator's sums then carry the denominator with them."""
    return torch.cat([V, torch.ones_like(V[:, :1])], 1)
