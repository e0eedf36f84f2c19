"""An operation's output and every gradient, and how far two of them are apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

Results = dict[str, Tensor]

# float32 is held to the truth in float64 *on the rounded inputs*, so this is the operation's own error.
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}


def normal_like(t: Tensor, seed: int = 99) -> Tensor:
    """An upstream gradient: the same numbers in float32 and float64."""
    g = torch.Generator().manual_seed(seed)
    return torch.randn(t.shape, generator=g, dtype=torch.float32).to(t.dtype)


def run(
    operation: Callable[..., Tensor | Sequence[Tensor]],
    inputs: Mapping[str, Tensor],
    upstream: Sequence[Tensor] | None = None,
) -> Results:
    """Outputs as ``out0, out1, ...`` and the gradient of each input as ``d<name>``."""
    leaves = {name: t.detach().requires_grad_() for name, t in inputs.items()}
    outputs = operation(**leaves)
    outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    upstream = upstream or [normal_like(out, seed=99 + i) for i, out in enumerate(outputs)]
    grads = torch.autograd.grad(outputs, list(leaves.values()), upstream, materialize_grads=True)
    results = {f"out{i}": out.detach() for i, out in enumerate(outputs)}
    return results | {f"d{name}": grad for name, grad in zip(leaves, grads, strict=True)}


def to(dtype: torch.dtype, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: t.to(dtype) for name, t in inputs.items()}


def errors(
    got: Results, truth: Results, together: Sequence[str] = (), smallest_scale: float = 0.0
) -> dict[str, float]:
    """The largest error of each result, relative to its largest true value.

    The gradients named in ``together`` belong to the logits of one softmax and share a scale, the largest of
    them all: where the softmax is saturated one of them may vanish, and its rounding errors are those of the
    others. Where all of them vanish (a lonely edge reads itself alone), the scale is 1, that of the inputs. On
    a drawn graph of one or two edges they may all but vanish: ``smallest_scale`` bounds the scale from below.
    """
    scale = {name: float(t.abs().amax()) if t.numel() else 0.0 for name, t in truth.items()}
    shared = max([smallest_scale, *(scale[name] for name in together)])
    scale |= dict.fromkeys(together, shared)
    assert got.keys() == truth.keys()
    apart = {}
    for name, t in truth.items():
        assert got[name].shape == t.shape, name
        error = float((got[name].double() - t).abs().amax()) if t.numel() else 0.0
        assert error == error, f"{name} has NaN"
        apart[name] = error / (scale[name] if scale[name] > 1e-12 else 1.0)
    return apart


def assert_close(
    got: Results,
    truth: Results,
    tolerance: float,
    together: Sequence[str] = (),
    smallest_scale: float = 0.0,
) -> None:
    apart = errors(got, truth, together, smallest_scale)
    wrong = {name: error for name, error in apart.items() if not error <= tolerance}
    assert not wrong, f"more than {tolerance:g} apart: {wrong}"
