"""Readable refusals of what does not fit a layer or a model."""

from __future__ import annotations

from torch import Tensor

from edgegat.graph import Stars


def check_inputs(x: Tensor, edge_attr: Tensor, stars: Stars, in_channels: int, edge_dim: int) -> None:
    """Say which of ``x``, ``edge_attr`` and the graph does not fit the others or the layer."""
    for name, features, rows, what, channels, argument in (
        ("x", x, stars.num_nodes, "nodes", in_channels, "in_channels"),
        ("edge_attr", edge_attr, stars.num_edges, "edges", edge_dim, "edge_dim"),
    ):
        if features.dim() != 2 or features.size(1) != channels:
            raise ValueError(
                f"{name} has shape {tuple(features.shape)}, but {argument}={channels} here: it must be "
                f"[{rows}, {channels}]."
            )
        if features.size(0) != rows:
            raise ValueError(f"{name} has {features.size(0)} rows, but the graph has {rows} {what}.")
    if edge_attr.dtype != x.dtype:
        raise TypeError(f"edge_attr is {edge_attr.dtype} and x is {x.dtype}: convert one with .to(dtype).")
    if stars.device != x.device:
        raise ValueError(f"the graph is on {stars.device}, but x is on {x.device}: move one with .to(device).")


def check_probability(name: str, value: float) -> float:
    """Return ``value`` if dropping with it makes sense."""
    if not 0.0 <= value < 1.0:
        raise ValueError(f"{name} is {value}, but it must be at least 0 and below 1.")
    return value


def check_positive(**sizes: int) -> None:
    """Every size must be a whole number from 1."""
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ValueError(f"{name} is {size!r}, but it must be a whole number, 1 or more.")


def check_choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """``value`` must be one of a few names."""
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}, but it must be one of {', '.join(map(repr, allowed))}.")
