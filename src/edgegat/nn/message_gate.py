"""The place where PyG's explainers put their edge mask."""

from __future__ import annotations

import sys

import torch
from torch import Tensor, nn


class MessageGate(nn.Module):
    """Scales what flows over each edge, when an explainer asks.

    ``torch_geometric.explain`` looks through a model for ``MessagePassing`` modules and sets a mask, one number
    per column of ``edge_index``, on each. This module answers to that name without being one, because a real
    base class would make every ``import edgegat.nn`` load PyG. Without a mask it does nothing.

    Example:
        >>> gate = MessageGate()
        >>> gate(num_edges=3) is None
        True
        >>> gate._edge_mask = torch.tensor([1.0, 0.0])
        >>> gate(num_edges=3)  # the third edge is a virtual self-loop, of which the explainer knows nothing
        tensor([1., 0., 1.])
    """

    def __init__(self) -> None:
        super().__init__()
        self.explain: bool | None = None
        self._edge_mask: Tensor | None = None
        self._loop_mask: Tensor | None = None
        self._apply_sigmoid = False

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        # isinstance() asks here when type() says no. PyG is imported by whoever can ask about MessagePassing.
        message_passing = sys.modules.get("torch_geometric.nn.conv.message_passing")
        return message_passing.MessagePassing if message_passing else MessageGate

    def __reduce__(self) -> tuple[type, tuple[()], dict[str, object]]:
        # Pickle compares the class it writes with __class__ above, and would refuse once PyG is loaded.
        return MessageGate, (), self.__dict__

    def _get_name(self) -> str:
        return "MessageGate"

    @property
    def is_set(self) -> bool:
        """Whether an explainer has set a mask."""
        return self._edge_mask is not None

    def clear(self) -> None:
        """Forget the mask."""
        self._edge_mask = None

    def forward(self, num_edges: int) -> Tensor | None:
        """``[num_edges]`` factors, or ``None`` when nobody has set a mask."""
        mask = self._edge_mask
        if mask is None:
            return None
        if self._apply_sigmoid:
            mask = mask.sigmoid()
        return torch.cat([mask, mask.new_ones(num_edges - mask.numel())])
