"""A citation graph that fits in the head, as a task, and a method whose answers a test decides."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from edgegat.graph import EdgeGraph
from experiments import tasks
from experiments.answer import Answer
from experiments.table import Row, Table

N = 40


def two_groups() -> EdgeGraph:
    """Two rings of 20 papers with chords; even features tell the rings apart, with a lot of noise."""
    torch.manual_seed(0)
    y = (torch.arange(N) >= N // 2).long()
    ring = torch.arange(N)
    ahead = [(ring % 20 + step) % 20 + 20 * y for step in (1, 2, 5)]
    edge_index = torch.cat([torch.stack([ring, target]) for target in ahead], 1)
    part = torch.arange(N) % 20
    return EdgeGraph(
        x=torch.rand(N, 6) + 0.4 * torch.nn.functional.one_hot(y, 6),
        edge_index=edge_index,
        edge_attr=torch.ones(edge_index.size(1), 1),
        y=y,
        train_mask=part < 5,
        val_mask=(part >= 5) & (part < 10),
        test_mask=part >= 10,
    )


def write_as_cora(folder: Path) -> Path:
    tasks.write(folder, "cora", two_groups())
    return folder


def method_that(monkeypatch: pytest.MonkeyPatch, answer: Callable[..., Answer]) -> None:
    """For the length of a test there is a method called toy."""
    module = ModuleType("experiments.methods.toy")
    module.answer = answer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "experiments.methods.toy", module)


def right_on(graph: EdgeGraph, mask: torch.Tensor) -> torch.Tensor:
    """Logits that are right on these nodes and wrong on all others."""
    assert graph.y is not None
    named = torch.where(mask, graph.y, 1 - graph.y)
    return 4.0 * torch.nn.functional.one_hot(named, 2)


def toy_table(**row: Any) -> Table:
    return Table("toy", "a toy", [Row("Toy", "toy", **row)], {"Cora": ["cora"]}, seeds=3)
