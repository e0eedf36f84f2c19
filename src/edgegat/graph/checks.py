"""Readable refusals of graphs that are not graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from edgegat.graph.stars import check_edge_index

if TYPE_CHECKING:
    from edgegat.graph.edge_graph import EdgeGraph


def check_graph(graph: EdgeGraph) -> None:
    """Raise on the first thing that is wrong: what, where, and what to do."""
    for name in ("x", "edge_index", "edge_attr", "y", "train_mask", "val_mask", "test_mask"):
        tensor = getattr(graph, name)
        if tensor is None and name not in ("x", "edge_index", "edge_attr"):
            continue
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{name} is of type {type(tensor).__name__}, but it must be a torch.Tensor.")
        if tensor.device != graph.x.device:
            raise ValueError(f"{name} is on {tensor.device}, but x is on {graph.x.device}.")
    check_features("x", graph.x, "one row per node")
    check_edge_index(graph.edge_index, graph.num_nodes)
    check_features("edge_attr", graph.edge_attr, "one row per edge")
    check_edge_rows(graph.edge_attr, graph.num_edges)
    if graph.edge_attr.dtype != graph.x.dtype:
        raise TypeError(
            f"edge_attr is {graph.edge_attr.dtype} and x is {graph.x.dtype}: convert one with .to(dtype)."
        )
    if graph.labels_on not in ("nodes", "edges"):
        raise ValueError(f"labels_on is {graph.labels_on!r}, but it must be one of 'nodes', 'edges'.")
    rows = graph.num_nodes if graph.labels_on == "nodes" else graph.num_edges
    if graph.y is not None:
        numbers = graph.y.dtype == torch.float64
        meaning = (
            "numbers to predict, NaN where unknown" if numbers else "class numbers from 0, -1 where unknown"
        )
        _check_rows("y", graph.y, torch.float64 if numbers else torch.long, rows, meaning)
        if numbers and bool(graph.y.isinf().any()):
            row = int(graph.y.isinf().nonzero()[0])
            raise ValueError(f"y[{row}] is {float(graph.y[row])}, but a number to predict is finite, or NaN.")
        if not numbers and graph.y.numel() and int(graph.y.min()) < -1:
            row = int(graph.y.argmin())
            raise ValueError(
                f"y[{row}] is {int(graph.y[row])}, but classes are numbered from 0, and -1 is unknown."
            )
    for name in ("train_mask", "val_mask", "test_mask"):
        mask = getattr(graph, name)
        if mask is not None:
            _check_rows(name, mask, torch.bool, rows, f"True where the {graph.labels_on[:-1]} belongs to it")


def check_edge_rows(edge_attr: Tensor, num_edges: int) -> None:
    """Refuse an ``edge_attr`` that is not ``[M, D]``."""
    if edge_attr.dim() != 2:
        raise ValueError(
            f"edge_attr has shape {tuple(edge_attr.shape)}, but it must have two dimensions: one row per edge, "
            "one column per feature."
        )
    if edge_attr.size(0) != num_edges:
        raise ValueError(
            f"edge_attr has {edge_attr.size(0)} rows, but edge_index has {num_edges} columns: "
            "every edge needs exactly one row of features."
        )


def check_features(name: str, features: Tensor, rows: str) -> None:
    """Refuse features that are not ``[rows, columns]`` of finite floating-point numbers."""
    if features.dim() != 2:
        raise ValueError(
            f"{name} has shape {tuple(features.shape)}, but it must have two dimensions: {rows}, one column "
            "per feature."
        )
    if not features.is_floating_point():
        raise TypeError(
            f"{name} is {features.dtype}, but features must be floating point: call {name}.float()."
        )
    finite = features.isfinite()
    if not bool(finite.all()):
        row, column = (int(i) for i in (~finite).nonzero()[0])
        wrong = int((~finite).sum())
        raise ValueError(
            f"{name}[{row}, {column}] is {float(features[row, column])} ({wrong} non-finite values in all): "
            "fill in or remove missing and infinite values first."
        )


def _check_rows(name: str, tensor: Tensor, dtype: torch.dtype, rows: int, meaning: str) -> None:
    if tensor.shape != (rows,):
        raise ValueError(f"{name} has shape {tuple(tensor.shape)}, but it must be [{rows}]: {meaning}.")
    if tensor.dtype != dtype:
        raise TypeError(
            f"{name} is {tensor.dtype}, but it must be {dtype}: {meaning}. Call {name}.to({dtype})."
        )
