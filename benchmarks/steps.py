"""What is measured: one forward and backward pass of ours and of its peers, on the same edges.

Every function takes a graph and returns a callable without arguments. What is prepared once for a graph in
real use (sorting, listing pairs of the line graph) is prepared before the callable is returned.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from edgegat import EGAT, EGATConv
from edgegat.graph import Stars, add_virtual_self_loops
from edgegat.ops import Backend, star_attention

Step = Callable[[], None]
HEADS, NODE_CHANNELS, EDGE_CHANNELS = 8, 8, 4


def egat_layer(edge_index: Tensor, num_nodes: int, backend: Backend = "auto") -> Step:
    """A middle layer of the paper's model: 8 heads, 64 node and 32 edge channels in and out."""
    torch.manual_seed(0)
    device = edge_index.device
    nodes, edges = HEADS * NODE_CHANNELS, HEADS * EDGE_CHANNELS
    conv = EGATConv(
        nodes, NODE_CHANNELS, edges, EDGE_CHANNELS, HEADS, independent_heads=True, backend=backend
    ).to(device)
    stars = Stars.build(edge_index, num_nodes)
    x = torch.randn(num_nodes, nodes, device=device, requires_grad=True)
    edge_attr = torch.randn(edge_index.size(1), edges, device=device, requires_grad=True)

    def step() -> None:
        h, e, m = conv(x, stars, edge_attr)
        assert e is not None
        leaves = [x, edge_attr, *conv.parameters()]
        torch.autograd.grad([h, e, m], leaves, [torch.ones_like(h), torch.ones_like(e), torch.ones_like(m)])

    return step


def gat_layer(edge_index: Tensor, num_nodes: int) -> Step:
    """PyG's GATConv with the same sizes, which reads edge features and never updates them."""
    from torch_geometric.nn import GATConv

    torch.manual_seed(0)
    device = edge_index.device
    nodes, edges = HEADS * NODE_CHANNELS, HEADS * EDGE_CHANNELS
    conv = GATConv(nodes, NODE_CHANNELS, heads=HEADS, edge_dim=edges, add_self_loops=False).to(device)
    both_ways = torch.cat([edge_index, edge_index.flip(0)], 1)
    x = torch.randn(num_nodes, nodes, device=device, requires_grad=True)
    edge_attr = torch.randn(edge_index.size(1), edges, device=device, requires_grad=True)

    def step() -> None:
        out = conv(x, both_ways, torch.cat([edge_attr, edge_attr]))
        torch.autograd.grad(out, [x, edge_attr, *conv.parameters()], torch.ones_like(out))

    return step


def line_graph_layer(edge_index: Tensor, num_nodes: int) -> Step:
    """GATConv on PyG's line graph: what a PyG user would do to let edges attend to edges.

    It is less than the edge block: the line graph forgets which node two edges share, and merges parallel
    edges.
    """
    from torch_geometric.data import Data
    from torch_geometric.nn import GATConv
    from torch_geometric.transforms import LineGraph

    torch.manual_seed(0)
    both_ways = torch.cat([edge_index, edge_index.flip(0)], 1)
    edges = HEADS * EDGE_CHANNELS
    attr = torch.randn(edge_index.size(1), edges, device=edge_index.device)
    line = LineGraph()(Data(edge_index=both_ways, edge_attr=torch.cat([attr, attr]), num_nodes=num_nodes))
    conv = GATConv(edges, EDGE_CHANNELS, heads=HEADS).to(edge_index.device)
    e = line.x.detach().requires_grad_()

    def step() -> None:
        out = conv(e, line.edge_index)
        torch.autograd.grad(out, [e, *conv.parameters()], torch.ones_like(out))

    return step


def edge_block(edge_index: Tensor, num_nodes: int, backend: Backend = "auto") -> Step:
    """``star_attention`` alone."""
    stars = Stars.build(edge_index, num_nodes)
    generator = torch.Generator().manual_seed(0)
    I, M, device = stars.num_incidences, stars.num_edges, edge_index.device
    shapes = (I, HEADS), (I, HEADS), (M, HEADS, EDGE_CHANNELS), (M, HEADS)
    leaves = [torch.randn(shape, generator=generator).to(device).requires_grad_() for shape in shapes]
    query, key, value, own = leaves

    def step() -> None:
        out = star_attention(query, key, value, own, stars, backend=backend)
        torch.autograd.grad(out, leaves, torch.ones_like(out))

    return step


def egat_training(
    edge_index: Tensor, num_nodes: int, in_channels: int, classes: int, backend: Backend = "auto"
) -> Step:
    """A full training step of the paper's model: forward, loss, backward, Adam."""
    torch.manual_seed(0)
    device = edge_index.device
    model = EGAT(in_channels, 1, classes, dropout=0.6, attention_dropout=0.6, backend=backend).to(device)
    loops, edge_attr = add_virtual_self_loops(
        edge_index, torch.randn(edge_index.size(1), 1, device=device), num_nodes
    )
    stars = Stars.build(loops, num_nodes)
    x, y = _task(num_nodes, in_channels, classes, device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4)
    return _training(lambda: model(x, stars, edge_attr), y, optimizer)


def gat_training(edge_index: Tensor, num_nodes: int, in_channels: int, classes: int) -> Step:
    """The same of PyG's two-layer GAT with the same hidden size.

    The features that enter are dropped out as in the GAT paper and in EGAT; PyG's model leaves that to its user.
    """
    from torch_geometric.nn import GAT

    torch.manual_seed(0)
    device = edge_index.device
    model = GAT(
        in_channels, HEADS * NODE_CHANNELS, num_layers=2, out_channels=classes, heads=HEADS, dropout=0.6
    ).to(device)
    both_ways = torch.cat([edge_index, edge_index.flip(0)], 1)
    x, y = _task(num_nodes, in_channels, classes, device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4)
    return _training(lambda: model(F.dropout(x, 0.6), both_ways), y, optimizer)


def _task(num_nodes: int, in_channels: int, classes: int, device: torch.device) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(num_nodes, in_channels, generator=generator)
    y = torch.randint(classes, (num_nodes,), generator=generator)
    return x.to(device), y.to(device)


def _training(logits_of: Callable[[], Tensor], y: Tensor, optimizer: torch.optim.Optimizer) -> Step:
    def step() -> None:
        optimizer.zero_grad()
        F.cross_entropy(logits_of(), y).backward()
        optimizer.step()

    return step
