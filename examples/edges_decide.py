"""Find the structuring customers: the nodes all look alike, what happens between them decides.

A bank's customers move money. Some split large sums into many payments, each just below the amount that
would be reported. A customer's own features (age, risk level) say nothing of it; neither does the number of
partners. Each relation carries the number and the total amount of its payments, and only together, and only
over all of a customer's relations, do they tell. Run it with
``python examples/edges_decide.py``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat import EGAT, EdgeGraph

CUSTOMERS, RELATIONS, LABELLED = 2000, 5000, 1000
EPOCHS = 100


def draw_bank(seed: int) -> EdgeGraph:
    """Customers, relations with the number and the total of their payments, and who is structuring."""
    g = torch.Generator().manual_seed(seed)
    popularity = torch.rand(CUSTOMERS, generator=g).pow(-0.4)
    ends = torch.multinomial(popularity, 2 * RELATIONS, replacement=True, generator=g).view(2, RELATIONS)
    ends = ends[:, ends[0] != ends[1]]

    # Every relation is large or small, in many or in few payments. Large in many payments is the suspicious
    # combination; each of the two alone is as frequent among honest customers.
    inclined = torch.rand(CUSTOMERS, generator=g) < 0.3
    split = torch.rand(ends.size(1), generator=g) < torch.where(inclined[ends].any(0), 0.8, 0.1)
    large = split | (torch.rand(ends.size(1), generator=g) < 0.5)
    many = split | (~large & (torch.rand(ends.size(1), generator=g) < 0.8))
    log_total = torch.where(large, 5.0, 3.0) + 0.4 * torch.randn(ends.size(1), generator=g)
    log_number = torch.where(many, 1.5, 0.5) + 0.2 * torch.randn(ends.size(1), generator=g)

    # A customer is structuring who splits in at least half of all relations.
    relations = torch.bincount(ends.flatten(), minlength=CUSTOMERS)
    splits = torch.bincount(ends[:, split].flatten(), minlength=CUSTOMERS)
    structuring = (relations > 0) & (2 * splits >= relations)

    known = torch.randperm(CUSTOMERS, generator=g)[:LABELLED]
    parts = known.split([LABELLED * 3 // 5, LABELLED // 5, LABELLED // 5])
    nobody = torch.zeros(CUSTOMERS, dtype=torch.bool)
    train, val, test = (nobody.index_fill(0, part, True) for part in parts)
    return EdgeGraph(
        x=torch.randn(CUSTOMERS, 3, generator=g),
        edge_index=ends,
        edge_attr=torch.stack([log_total - 4.0, 2.0 * (log_number - 1.0)], 1),
        y=structuring.long(),
        train_mask=train,
        val_mask=val,
        test_mask=test,
    )


def accuracy(logits: Tensor, y: Tensor, mask: Tensor) -> float:
    """Share of right answers among the masked nodes."""
    return float((logits.argmax(1) == y)[mask].float().mean())


def fit(name: str, model: torch.nn.Module, logits_of: Callable[[], Tensor], graph: EdgeGraph) -> float:
    """Train on the training nodes; return the test accuracy of the best epoch on the validation nodes."""
    assert graph.y is not None
    assert graph.train_mask is not None
    assert graph.val_mask is not None
    assert graph.test_mask is not None
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-3)
    best_val, test_at_best, started = -1.0, 0.0, time.perf_counter()
    for epoch in range(EPOCHS):
        model.train()
        optimizer.zero_grad()
        loss = F.cross_entropy(logits_of()[graph.train_mask], graph.y[graph.train_mask])
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            logits = logits_of()
        val = accuracy(logits, graph.y, graph.val_mask)
        if val >= best_val:
            best_val, test_at_best = val, accuracy(logits, graph.y, graph.test_mask)
        if sys.stdout.isatty() or epoch == EPOCHS - 1:
            print(f"\r{name:<28} epoch {epoch + 1:3d}/{EPOCHS}  validation {val:6.1%}", end="", flush=True)
    print(f"   {time.perf_counter() - started:.1f} s")
    return test_at_best


def main() -> None:
    """Train both models on the same graph and say what the edges bring."""
    graph = draw_bank(seed=0)
    assert graph.y is not None
    assert graph.test_mask is not None
    print(f"{graph}\nLabels: does this customer split large sums into many payments?\n")

    looped = graph.with_virtual_self_loops()  # once, not in every epoch
    torch.manual_seed(0)
    egat = EGAT(in_channels=3, edge_dim=2, out_channels=2, dropout=0.2)
    ours = fit("EGAT", egat, lambda: egat(looped.x, looped.stars, looped.edge_attr), graph)

    from torch_geometric.nn import GAT

    both_ways = graph.to_pyg().edge_index
    torch.manual_seed(0)
    gat = GAT(3, 64, num_layers=2, out_channels=2, heads=8, dropout=0.2)
    theirs = fit("GAT (sees no edge features)", gat, lambda: gat(graph.x, both_ways), graph)

    majority = float((graph.y[graph.test_mask] == graph.y.mode().values).float().mean())
    print(f"\nTest accuracy on {int(graph.test_mask.sum())} customers neither has seen")
    for name, result in (("always the commoner answer", majority), ("GAT", theirs), ("EGAT", ours)):
        print(f"  {name:<28}{result:6.1%}  {'█' * round(result * 40)}")


if __name__ == "__main__":
    main()
