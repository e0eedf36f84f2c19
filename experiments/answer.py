"""What a method says, and how good it is."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from edgegat.graph import EdgeGraph
from edgegat.learn import measure

METRICS = ("accuracy", "macro_f1", "roc_auc", "pr_auc", "log_loss")


class Answer(NamedTuple):
    """``logits [N, C]`` of all nodes, on the CPU (logarithms of probabilities will do), and the epochs it took."""

    logits: Tensor
    epochs: int = 0


def judge(logits: Tensor, graph: EdgeGraph, mask: Tensor | None) -> dict[str, float | None]:
    """All metrics on one part; the last class is the wanted one."""
    assert graph.y is not None
    assert mask is not None
    part = mask & (graph.y >= 0)
    probabilities = logits[part].double().softmax(1)
    found = measure(graph.y[part].numpy(), probabilities.numpy(), wanted=logits.size(1) - 1)
    return {name: getattr(found, name) for name in METRICS}
