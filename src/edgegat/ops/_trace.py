"""Which kernels ran: for tests that must know, and for anyone who asks why something is slow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_listeners: list[list[str]] = []


def note(kernel: str) -> None:
    """Called by every kernel as it runs, with its name: ``"star/torch"``."""
    for names in _listeners:
        names.append(kernel)


@contextmanager
def record_kernels() -> Iterator[list[str]]:
    """Collect the names of the kernels that run inside the block, forward and backward, in order.

    Example:
        >>> import torch
        >>> from edgegat.graph import Stars
        >>> from edgegat.ops import record_kernels, star_attention
        >>> stars = Stars.build(torch.tensor([[0], [1]]), num_nodes=2)
        >>> per_end, per_edge = torch.zeros(2, 1), torch.zeros(1, 1)
        >>> with record_kernels() as ran:
        ...     _ = star_attention(per_end, per_end, torch.ones(1, 1, 3), per_edge, stars, backend="torch")
        >>> ran
        ['star/torch']
    """
    names: list[str] = []
    _listeners.append(names)
    try:
        yield names
    finally:
        _listeners[:] = [other for other in _listeners if other is not names]
