"""A graph whose edges carry as much as its nodes."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat.graph.checks import check_edge_rows, check_features, check_graph
from edgegat.graph.merging import Conflict, Repeats, merge_reciprocal
from edgegat.graph.self_loops import add_virtual_self_loops
from edgegat.graph.stars import Stars, check_edge_index
from edgegat.graph.topology import count_adjacent_edges

if TYPE_CHECKING:
    from torch_geometric.data import Data

LabelsOn = Literal["nodes", "edges"]
MASKS = ("train_mask", "val_mask", "test_mask")


@dataclass(frozen=True, eq=False)
class EdgeGraph:
    """Node features, one row per edge, labels and masks. Checked when it is made, immutable afterwards.

    An undirected edge is **one** column of ``edge_index``, not two. Edges are never reordered; virtual
    self-loops stand behind the given edges.

    Attributes:
        x: ``[N, F]`` node features, floating point.
        edge_index: ``[2, M]`` node numbers, ``torch.int64``.
        edge_attr: ``[M, D]`` edge features, of the type of ``x``.
        y: ``[N]`` class numbers from 0, ``torch.int64``, ``-1`` where unknown; or numbers to predict,
            ``torch.float64``, NaN where unknown. Optional.
        train_mask, val_mask, test_mask: ``[N]`` booleans. Optional.
        labels_on: ``"nodes"``, or ``"edges"``: then ``y`` and the masks have a row for each edge, ``[M]``.
        note: what was done to make this graph from another, in words.

    Example:
        >>> graph = EdgeGraph(
        ...     x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 2]]), edge_attr=torch.ones(2, 4)
        ... )
        >>> graph
        EdgeGraph(num_nodes=3, num_edges=2, node_features=3, edge_features=4)
        >>> graph.with_virtual_self_loops().num_edges
        5
    """

    x: Tensor
    edge_index: Tensor
    edge_attr: Tensor
    y: Tensor | None = None
    train_mask: Tensor | None = None
    val_mask: Tensor | None = None
    test_mask: Tensor | None = None
    labels_on: LabelsOn = "nodes"
    note: str = ""

    def __post_init__(self) -> None:
        check_graph(self)

    @property
    def num_nodes(self) -> int:
        """``N``."""
        return self.x.size(0)

    @property
    def num_edges(self) -> int:
        """``M``, virtual self-loops included once they were added."""
        return self.edge_index.size(1)

    @property
    def num_classes(self) -> int:
        """One more than the largest class number; 0 without classes."""
        if self.y is None or self.y.numel() == 0 or self.y.is_floating_point():
            return 0
        return int(self.y.max()) + 1

    @property
    def labelled(self) -> Tensor:
        """``[N]`` (``[M]`` of edges): where ``y`` is known."""
        if self.y is None:
            rows = self.num_nodes if self.labels_on == "nodes" else self.num_edges
            return torch.zeros(rows, dtype=torch.bool, device=self.x.device)
        return ~self.y.isnan() if self.y.is_floating_point() else self.y >= 0

    @cached_property
    def stars(self) -> Stars:
        """The incidences of this graph, built on first use and kept."""
        return Stars.build(self.edge_index, self.num_nodes)

    def to(self, device: torch.device | str) -> EdgeGraph:
        """The same graph on another device."""
        moved: dict[str, Any] = {name: tensor.to(device) for name, tensor in self._tensors().items()}
        return replace(self, **moved)

    def with_virtual_self_loops(self) -> EdgeGraph:
        """The paper's rule: see :func:`edgegat.graph.add_virtual_self_loops`."""
        edge_index, edge_attr = add_virtual_self_loops(self.edge_index, self.edge_attr, self.num_nodes)
        looped: dict[str, Any] = {"edge_index": edge_index, "edge_attr": edge_attr}
        if self.labels_on == "nodes":
            return replace(self, **looped)
        new = edge_index.size(1) - self.num_edges
        labels = {name: t for name, t in self._tensors().items() if name in ("y", *MASKS)}
        unlabelled: dict[str, Any] = {
            name: F.pad(t, (0, new), value=0 if name != "y" else nan if t.is_floating_point() else -1)
            for name, t in labels.items()
        }
        return replace(self, **looped, **unlabelled)

    def with_topological_edge_feature(self) -> EdgeGraph:
        """Append the number of adjacent edges to the edge features (the paper's only one on citations).

        Call it before virtual self-loops are added, or those are counted too.
        """
        count = count_adjacent_edges(self.stars).to(self.edge_attr.dtype).unsqueeze(1)
        return replace(self, edge_attr=torch.cat([self.edge_attr, count], 1))

    @classmethod
    def from_pyg(
        cls,
        data: Data,
        conflict: Conflict = "keep",
        self_loops: Repeats = "keep",
        parallel: Repeats = "keep",
        directed: bool = False,
    ) -> EdgeGraph:
        """From a PyG ``Data``, whose undirected edges are two columns each: those become one, unless the graph is
        ``directed``; then every column is an edge from its first node to its second.

        The policies are those of :func:`edgegat.graph.merge_reciprocal`; ``note`` says what was done. A graph
        without ``edge_attr`` gets edges with no features, one without ``x`` nodes with none.

        Example:
            >>> from torch_geometric.data import Data
            >>> both_ways = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
            >>> graph = EdgeGraph.from_pyg(Data(edge_index=both_ways, num_nodes=3))
            >>> graph.edge_index.tolist(), graph.note
            ([[0, 1], [1, 2]], '4 columns became 2 edges: 2 pairs of equal opposite columns merged')
        """
        if data.edge_index is None:
            raise ValueError("the Data object has no edge_index.")
        edge_index = data.edge_index
        x = data.x
        if x is None:
            x = torch.zeros(int(data.num_nodes or 0), 0, device=edge_index.device)
        check_features("x", x, "one row per node")
        check_edge_index(edge_index, x.size(0))
        edge_attr = data.edge_attr
        if edge_attr is None:
            edge_attr = x.new_zeros(edge_index.size(1), 0)
        if edge_attr.dim() == 1:
            edge_attr = edge_attr.unsqueeze(1)
        # Merging changes the row numbers: what is wrong is told by those of the caller.
        check_edge_rows(edge_attr, edge_index.size(1))
        check_features("edge_attr", edge_attr.to(x.dtype), "one row per edge")
        masks: dict[str, Any] = {name: getattr(data, name, None) for name in MASKS}
        merged = merge_reciprocal(edge_index, edge_attr, conflict, self_loops, parallel, directed)
        return cls(
            x=x,
            edge_index=merged.edge_index,
            edge_attr=merged.edge_attr.to(x.dtype),
            y=getattr(data, "y", None),
            note=merged.summary,
            **masks,
        )

    def to_pyg(self, directed: bool = False) -> Data:
        """To a PyG ``Data`` with two columns per edge (one per self-loop): column ``e`` is edge ``e``, the
        reverse columns stand behind all of them. A ``directed`` one has the first columns only.
        """
        from torch_geometric.data import Data

        if self.labels_on == "edges" and not directed:
            raise ValueError("labels on edges have one row per edge, not two: use to_pyg(directed=True).")
        two_ended = (self.edge_index[0] != self.edge_index[1]) & (not directed)
        edge_index = torch.cat([self.edge_index, self.edge_index.flip(0)[:, two_ended]], 1)
        edge_attr = torch.cat([self.edge_attr, self.edge_attr[two_ended]])
        rest = {name: t for name, t in self._tensors().items() if name not in ("edge_index", "edge_attr")}
        return Data(edge_index=edge_index, edge_attr=edge_attr, **rest)

    def _tensors(self) -> dict[str, Tensor]:
        entries: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: entry for name, entry in entries.items() if isinstance(entry, Tensor)}

    def __repr__(self) -> str:
        parts = [
            f"num_nodes={self.num_nodes}",
            f"num_edges={self.num_edges}",
            f"node_features={self.x.size(1)}",
            f"edge_features={self.edge_attr.size(1)}",
        ]
        if self.y is not None:
            parts.append(f"labelled={int(self.labelled.sum())}")
        return f"EdgeGraph({', '.join(parts)})"
