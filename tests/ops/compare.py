"""An operation's output and every gradient, and how far two of them are apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

Results = dict[str, Tensor]

# float32 is held to the truth in float64 *on the rounded inputs*, so this is the operation's own error.
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}


def normal_like(t: Tensor, seed: int = 99) -> Tensor:
    """An upstream gradient: the same numbers, whatever the type of ``t``."""
    g = torch.Generator().manual_seed(seed)
    return torch.randn(t.shape, generator=g, dtype=torch.float64).to(t.dtype)


def run(
    operation: Callable[..., Tensor | Sequence[Tensor]],
    inputs: Mapping[str, Tensor],
    upstream: Sequence[Tensor] | None = None,
) -> Results:
    """Outputs as ``out0, out1, ...`` and the gradient of each input as ``d<name>``."""
    leaves = {name: t.detach().clone().requires_grad_() for name, t in inputs.items()}
    outputs = operation(**leaves)
    outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    upstream = upstream or [normal_like(out, seed=99 + i) for i, out in enumerate(outputs)]
    grads = torch.autograd.grad(outputs, list(leaves.values()), upstream)
    results = {f"out{i}": out.detach() for i, out in enumerate(outputs)}
    return results | {f"d{name}": grad for name, grad in zip(leaves, grads, strict=True)}


def errors(got: Results, truth: Results, together: Sequence[str] = ()) -> dict[str, float]:
    """The largest error of each result, relative to its largest true value.

    The gradients named in ``together`` belong to the logits of one softmax and share a scale, the largest of
    them all: where the softmax is saturated one of them may vanish, and its rounding errors are those of the
    others. Where all of them vanish (a lonely edge reads itself alone), the scale is 1, that of the inputs.
    """
    scale = {name: float(t.abs().amax()) if t.numel() else 0.0 for name, t in truth.items()}
    shared = max((scale[name] for name in together), default=0.0)
    scale |= dict.fromkeys(together, shared)
    assert got.keys() == truth.keys()
    apart = {}
    for name, t in truth.items():
        assert got[name].shape == t.shape, name
        error = float((got[name].double() - t).abs().amax()) if t.numel() else 0.0
        assert error == error, f"{name} has NaN"
        apart[name] = error / (scale[name] if scale[name] > 1e-12 else 1.0)
    return apart


def assert_close(got: Results, truth: Results, tolerance: float, together: Sequence[str] = ()) -> None:
    apart = errors(got, truth, together)
    wrong = {name: error for name, error in apart.items() if not error <= tolerance}
    assert not wrong, f"more than {tolerance:g} apart: {wrong}"
