"""The citation graphs Cora, CiteSeer and PubMed, with the paper's feature on their edges."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np
import torch

from edgegat.data.datasets.graph_dataset import GraphDataset, find_folder
from edgegat.data.errors import DataError
from edgegat.graph import EdgeGraph

_NAMES = ("Cora", "CiteSeer", "PubMed")
_FILES = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")


class Planetoid(GraphDataset):
    """Cora, CiteSeer or PubMed: papers, and who cites whom, with the public split.

    An edge is one column, as everywhere here, so there are half as many as in PyG. Its only feature is the
    number of its adjacent edges (section 5.2 of the paper). The paper does not say that it was scaled, so it is
    not: on PubMed it goes to 300. Node features are divided by their sum, as in GCN and GAT. ``ids`` are the
    papers' numbers in the files.

    The files are pickles: read them from a source that you trust.

    Args:
        root: the folder with ``<name>/raw/ind.*`` in it, which is only read. By default
            ``$EDGEGAT_DATA/planetoid``. If the files are not there, PyG downloads them to it.
        name: ``"Cora"``, ``"CiteSeer"`` or ``"PubMed"``.
        normalize_features: divide each node's features by their sum.
        standardize_edges: bring the edge feature to mean 0 and variance 1.
    """

    def __init__(
        self,
        root: str | PathLike[str] | None = None,
        name: str = "Cora",
        *,
        normalize_features: bool = True,
        standardize_edges: bool = False,
    ) -> None:
        if name not in _NAMES:
            raise DataError(f"there is no citation graph {name!r}; there are {', '.join(map(repr, _NAMES))}.")
        graph = _read(find_folder(root, "planetoid"), name).with_topological_edge_feature()
        if normalize_features:
            graph = replace(graph, x=graph.x / graph.x.sum(1, keepdim=True).clamp(min=1))
        if standardize_edges:
            count = graph.edge_attr
            graph = replace(graph, edge_attr=(count - count.mean()) / count.std(correction=0))
        super().__init__(name, graph, np.arange(graph.num_nodes))


def _read(root: Path, name: str) -> EdgeGraph:
    # PyG's own data set writes a processed copy beside the files; its reader does not.
    from torch_geometric.io import read_planetoid_data

    folder = root / name / "raw"
    files = [folder / f"ind.{name.lower()}.{part}" for part in _FILES]
    if not all(file.is_file() for file in files):
        _download(root, name)
    try:
        data = read_planetoid_data(str(folder), name.lower())
    except Exception as error:  # whatever a broken pickle raises
        raise _broken(folder, name, repr(error)) from error
    if not torch.isfinite(data.x).all():
        raise _broken(folder, name, "the node features are not all numbers")
    if not data.test_mask.any():  # half a line is no error there
        raise _broken(folder, name, f"{files[-1].name} names no paper")
    return EdgeGraph.from_pyg(data)


def _broken(folder: Path, name: str, reason: str) -> DataError:
    return DataError(
        f"{folder} cannot be read as the citation graph {name}: {reason}. Remove the folder to download it again, "
        "or copy ind.* from the folder data of github.com/kimiyoung/planetoid."
    )


def _download(root: Path, name: str) -> None:
    from torch_geometric.datasets import Planetoid as Downloader

    try:
        Downloader(str(root), name)
    except Exception as error:  # no network, no permission, half a file
        raise DataError(
            f"{root / name / 'raw'} has no ind.{name.lower()}.* files, and they could not be downloaded: "
            f"{error!r}. Copy them there from the folder data of github.com/kimiyoung/planetoid."
        ) from error
