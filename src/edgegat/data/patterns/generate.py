"""Many small networks as one graph, each with one question."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from edgegat.data.errors import DataError
from edgegat.data.patterns.answers import ANSWERS
from edgegat.data.patterns.networks import ASKED, network
from edgegat.graph import EdgeGraph


def pattern_graph(name: str, questions: int = 1000, seed: int = 0) -> EdgeGraph:
    """As many networks as questions, beside each other in one graph, with no edge between them.

    In each network one account is asked about. It is marked, has the label, and belongs to one part: 60 percent of
    the networks train, 20 validate, 20 test, so a test network was never seen. The answer is computed from the
    finished network, by :data:`~edgegat.data.patterns.ANSWERS`.

    Nodes: a one, and the mark. Edges, from payer to payee: the amount and its logarithm.

    Args:
        name: one of :data:`~edgegat.data.patterns.ANSWERS`.
        questions: how many.
        seed: of everything that is drawn.

    Example:
        >>> graph = pattern_graph("fan-in", questions=10)
        >>> graph.y[graph.x[:, 1] > 0].bincount().sum().item(), int(graph.test_mask.sum())
        (10, 2)
    """
    if name not in ANSWERS:
        raise DataError(f"there is no pattern {name!r}; there are {', '.join(ANSWERS)}.")
    draws = np.random.default_rng([seed, list(ANSWERS).index(name)])
    asked, answers, ends, amounts = [], [], [], []
    num_nodes = 0
    for question in range(questions):
        transfers, accounts = network(name, question % 2 == 0, draws)
        name_of = num_nodes + draws.permutation(accounts)
        asked.append(name_of[ASKED])
        answers.append(int(ANSWERS[name](transfers, ASKED)))
        ends += [(name_of[payer], name_of[payee]) for payer, payee, _ in transfers]
        amounts += [amount for *_, amount in transfers]
        num_nodes += accounts

    places = torch.tensor(np.array(asked))
    x = torch.zeros(num_nodes, 2)
    x[:, 0] = 1.0
    x[places, 1] = 1.0
    y = torch.full((num_nodes,), -1)
    y[places] = torch.tensor(answers)
    amount = torch.tensor(amounts, dtype=torch.float32)
    cuts = [round(0.6 * questions), round(0.8 * questions)]
    parts = np.split(draws.permutation(questions), cuts)
    masks: dict[str, Any] = {}
    for part, numbers in zip(("train_mask", "val_mask", "test_mask"), parts, strict=True):
        masks[part] = torch.zeros(num_nodes, dtype=torch.bool)
        masks[part][places[torch.from_numpy(numbers)]] = True
    return EdgeGraph(
        x=x,
        edge_index=torch.tensor(np.array(ends)).t().contiguous(),
        edge_attr=torch.stack([amount, amount.log()], 1),
        y=y,
        **masks,
    )
