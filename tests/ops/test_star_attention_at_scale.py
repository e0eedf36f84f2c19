"""``star_attention`` where pairs cannot be listed: held to a few readers, to a formula, to a small copy."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from edgegat.graph import Stars
from edgegat.ops import star_attention, star_attention_weights
from tests.ops.backends import each_backend
from tests.ops.compare import TOLERANCE, assert_close, normal_like, run, to
from tests.ops.graphs import KINDS, hub_graph, random_graph, simple_star, star_inputs
from tests.ops.truth import STAR_LOGITS

COPIES = 5000


@each_backend
@pytest.mark.parametrize("kind", KINDS)
def test_a_long_list_of_small_stars_in_float32(kind, backend):
    """Running sums over the whole list lose the later stars: every copy of a graph must answer as the first."""
    small = random_graph(6, 10)
    ends = torch.stack([small.node[small.slot[0]], small.node[small.slot[1]]])
    ends[1] = torch.where(small.slot[1] < 0, ends[0], ends[1])
    columns = (ends.unsqueeze(1) + 6 * torch.arange(COPIES).view(1, -1, 1)).reshape(2, -1)
    stars = Stars.build(columns, 6 * COPIES)

    inputs = to(torch.float64, star_inputs(small, 2, 3, torch.float32, kind))
    upstream = normal_like(inputs["value"])
    truth = run(partial(star_attention, stars=small, backend="naive"), inputs, [upstream])
    repeated = {n: t.float().repeat(COPIES, *[1] * (t.dim() - 1)) for n, t in inputs.items()}
    got = run(
        partial(star_attention, stars=stars, backend=backend), repeated, [upstream.float().repeat(COPIES, 1, 1)]
    )
    first_and_last = {n: t.view(COPIES, *truth[n].shape) for n, t in got.items()}
    for copy in (0, COPIES // 2, COPIES - 1):
        assert_close(
            {n: t[copy] for n, t in first_and_last.items()}, truth, TOLERANCE[torch.float32], STAR_LOGITS
        )


@each_backend
@pytest.mark.parametrize("kind", KINDS)
def test_a_star_of_100000_edges_read_by_a_few(kind, backend):
    """10¹⁰ pairs. The weights of chosen readers are listed, and lead to what the backend says."""
    stars = hub_graph(100_000, num_nodes=1000)
    inputs = star_inputs(stars, 1, 2, kind=kind)
    out = star_attention(**inputs, stars=stars, backend=backend)
    top = stars.edge[inputs["key"][: stars.ptr[1], 0].argmax()]
    readers = torch.cat([top.view(1), torch.tensor([0, 1, 50_000, 99_999])]).unique()
    logits = {name: t for name, t in inputs.items() if name != "value"}
    beta = star_attention_weights(**logits, stars=stars, edges=readers)
    for p in readers.tolist():
        rows = beta.reader == p
        expected = (beta.weight[rows].unsqueeze(-1) * inputs["value"][beta.source[rows]]).sum(0)
        torch.testing.assert_close(out[p], expected, rtol=0, atol=1e-10)


@each_backend
def test_the_gradients_of_a_star_of_100000_edges(backend):
    """All logits zero: everybody reads the mean of the star, and tells everybody its share."""
    d = 100_000
    stars = simple_star(d)
    inputs = star_inputs(stars, 1, 2) | {
        "query": torch.zeros(2 * d, 1, dtype=torch.float64),
        "key": torch.zeros(2 * d, 1, dtype=torch.float64),
        "self_logit": torch.zeros(d, 1, dtype=torch.float64),
    }
    V, g = inputs["value"], normal_like(inputs["value"])
    got = run(partial(star_attention, stars=stars, backend=backend), inputs, [g])
    mean, slope = V.mean(0, keepdim=True), 0.2
    torch.testing.assert_close(got["out0"], mean.expand_as(V), rtol=0, atol=1e-12)
    torch.testing.assert_close(got["dvalue"], g.mean(0, keepdim=True).expand_as(V), rtol=0, atol=1e-12)
    own = slope / d * (g * (V - mean)).sum(-1)
    torch.testing.assert_close(got["dself_logit"], own, rtol=0, atol=1e-15)
    # A reader's logits rise together: what its neighbours gain the pair with itself loses. It is the difference
    # of two sums of 100,000 terms and size 1, each of which rounds off about √d ε = 7e-14.
    torch.testing.assert_close(got["dquery"][:d], -own, rtol=0, atol=5e-14)
    # dy_q = Σ_p β_pq φ' g_p·(V_q - out_p), over all p but q itself.
    key = slope / d * (g.sum(0, keepdim=True) * (V - mean)).sum(-1) - own
    torch.testing.assert_close(got["dkey"][:d], key, rtol=0, atol=1e-12)
    assert not got["dkey"][d:].any()  # at their leaves the edges are alone
