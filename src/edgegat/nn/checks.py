"""Readable refusals of what does not fit a layer or a model."""

from __future__ import annotations

import torch
from torch import Tensor

from edgegat.graph import Stars

_WITHOUT = {
    "x": "nodes without features are torch.zeros(N, 0), with in_channels=0",
    "edge_attr": "edges without features are torch.zeros(M, 0), with edge_dim=0",
}


def check_tensors(x: object, edge_attr: object) -> None:
    """PyG's ``Data`` has ``None`` where nothing was given."""
    for name, given in (("x", x), ("edge_attr", edge_attr)):
        if not isinstance(given, Tensor):
            what = "None" if given is None else f"a {type(given).__name__}"
            raise TypeError(f"{name} is {what}, but it must be a tensor: {_WITHOUT[name]}.")


def check_inputs(
    x: Tensor, edge_attr: Tensor, stars: Stars, in_channels: int, edge_dim: int, weights: torch.dtype
) -> None:
    """Say which of ``x``, ``edge_attr`` and the graph does not fit the others or the layer, whose ``weights`` are
    of that type.
    """
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
            raise ValueError(
                f"{name} has {features.size(0)} rows, but the graph has {rows} {what}: give each of them a row."
            )
    if edge_attr.dtype != x.dtype:
        raise TypeError(f"edge_attr is {edge_attr.dtype} and x is {x.dtype}: convert one with .to(dtype).")
    if x.dtype != weights and not torch.is_autocast_enabled(x.device.type):
        other_way = f", or the module with .to({x.dtype})" if x.is_floating_point() else ""
        raise TypeError(
            f"x and edge_attr are {x.dtype}, but the weights are {weights}: convert the features with "
            f".to({weights}){other_way}."
        )
    if stars.device != x.device:
        raise ValueError(f"the graph is on {stars.device}, but x is on {x.device}: move one with .to(device).")


def check_probability(name: str, value: float) -> float:
    """Return ``value`` if dropping with it makes sense."""
    if not 0.0 <= value < 1.0:
        raise ValueError(f"{name} is {value}, but it must be at least 0 and below 1.")
    return value


def check_positive(**sizes: int) -> None:
    """Every size must be a whole number from 1."""
    _check_at_least(1, sizes)


def check_widths(**sizes: int) -> None:
    """Features may be none: every size must be a whole number from 0."""
    _check_at_least(0, sizes)


def _check_at_least(least: int, sizes: dict[str, int]) -> None:
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < least:
            raise ValueError(f"{name} is {size!r}, but it must be a whole number, {least} or more.")


def check_choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """``value`` must be one of a few names."""
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}, but it must be one of {', '.join(map(repr, allowed))}.")


def check_direction(directed: bool, edge_attention: object) -> None:
    """The cheap edge block cannot tell the ends of an edge apart."""
    if directed and edge_attention == "transit":
        raise ValueError(
            "edge_attention='transit' reads both ends of an edge alike: it has no directed form. Choose "
            "edge_attention='star' with directed=True."
        )
