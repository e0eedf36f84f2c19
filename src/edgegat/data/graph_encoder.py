"""Two tables become a graph, and next month's tables the same way."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from edgegat.data._words import count
from edgegat.data.edge_rows import EdgeRows
from edgegat.data.encoded import EncodedGraph
from edgegat.data.encoders import FeatureEncoder
from edgegat.data.errors import DataError
from edgegat.data.labelled import LabelledRows, labels_asked_for
from edgegat.data.labels import Labels, strata
from edgegat.data.partition import Partition
from edgegat.data.progress import Progress, ignore_progress
from edgegat.data.reading import TableSource
from edgegat.data.resolve import resolve
from edgegat.data.schema import Schema
from edgegat.data.splits import TimeCut
from edgegat.data.two_tables import STEPS, TwoTables, edge_types, node_types, open_both


@dataclass(frozen=True, eq=False)
class GraphEncoder:
    """All that was learned about two tables: the same row becomes the same tensor entries ever after.

    Made by :meth:`fit`. The feature encoders learn from the training part alone: of the nodes, all that are
    neither in validation nor in test (unlabelled ones belong to the graph that is trained on); of the rows of the
    edge table, those between two such nodes; of a split by time, nothing from after the training part's end. With
    ``parallel = "aggregate"``, those rows are aggregated by themselves.

    Attributes:
        schema: with nothing left to guess.
        classes: what the class numbers mean; empty if the schema has no label, or one that is a number.

    Example:
        >>> import polars as pl
        >>> people = pl.DataFrame({"name": ["Ann", "Bob", "Cem", "Dee"], "fraud": ["yes", "no", "no", "yes"]})
        >>> transfers = pl.DataFrame({"from": ["Ann", "Bob"], "to": ["Bob", "Eve"], "amount": [9.5, 120.0]})
        >>> schema = {"nodes": {"id": "name", "label": "fraud"}, "edges": {"source": "from", "target": "to"}}
        >>> encoder, encoded = GraphEncoder.fit(people, transfers, schema)
        >>> encoded.graph
        EdgeGraph(num_nodes=5, num_edges=2, node_features=1, edge_features=1, labelled=4)
        >>> encoded.ids.to_list(), encoded.in_table, encoder.classes, encoder.edge_feature_names
        (['Ann', 'Bob', 'Cem', 'Dee', 'Eve'], 4, ['no', 'yes'], ['amount'])
        >>> again = GraphEncoder.from_dict(encoder.to_dict()).encode(None, transfers.reverse())
        >>> again.ids.to_list(), bool((again.graph.edge_attr == encoded.graph.edge_attr.flip(0)).all())
        (['Bob', 'Eve', 'Ann'], True)
    """

    schema: Schema
    classes: list[str]
    _nodes: FeatureEncoder
    _edges: FeatureEncoder
    _cut: TimeCut | None = None

    @property
    def node_feature_names(self) -> list[str]:
        """What the columns of ``x`` are."""
        return self._nodes.names

    @property
    def edge_feature_names(self) -> list[str]:
        """What the columns of ``edge_attr`` are."""
        return self._edges.names

    @classmethod
    def fit(
        cls,
        nodes: TableSource | None,
        edges: TableSource,
        schema: Schema | str | PathLike[str] | dict[str, Any],
        *,
        split_seed: int | None = None,
        progress: Progress = ignore_progress,
    ) -> tuple[Self, EncodedGraph]:
        """Learn from two tables, and encode them.

        Args:
            nodes: the node table, see :func:`edgegat.data.open_table`; ``None`` if there is none.
            edges: the edge table.
            schema: what the columns mean; a path is that of a TOML file.
            split_seed: instead of the schema's ``split.seed``.
            progress: called at the start of each step.

        Raises:
            DataError: something in the tables or in the schema is wrong.
        """
        progress(STEPS[0], 0, len(STEPS))
        declared = Schema.of(schema)
        if split_seed is not None:
            split = declared.split.model_copy(update={"seed": split_seed})
            declared = declared.model_copy(update={"split": split})
        node_table, edge_table = open_both(nodes, edges)
        declared.check_columns(node_table, edge_table)
        resolved, notes = resolve(declared, node_table, edge_table)
        with_time = resolved.split.by_time or resolved.labels_on == "edges"
        tables = TwoTables.read(resolved, node_table, edge_table, progress, with_time)

        classes: list[str] = []
        y: Labels | None = None
        partition = tables.undivided()
        labelled = LabelledRows.find(resolved, node_table, edge_table, tables)
        if labelled is not None:
            classes, y = labelled.read()
            partition = labelled.divide(y)

        progress(STEPS[4], 4, len(STEPS))
        all_edges = tables.edges()
        node_cells, edge_cells = tables.to_learn_from(partition, all_edges, notes)
        encoder = cls(
            resolved,
            classes,
            FeatureEncoder.fit(node_cells, node_types(resolved)),
            FeatureEncoder.fit(edge_cells, edge_types(resolved)),
            partition.cut,
        )
        return encoder, encoder._encode(tables, all_edges, y, partition, notes, labelled)

    def encode(
        self,
        nodes: TableSource | None,
        edges: TableSource,
        *,
        labels: bool = False,
        progress: Progress = ignore_progress,
    ) -> EncodedGraph:
        """Encode other tables in the same way: new nodes, unseen categories, columns in another order.

        Args:
            nodes: the node table; without it, all features of nodes are missing.
            edges: the edge table.
            labels: whether to read labels, too, and a declared split if there is one (columns, if the table has
                them, or the time at which training ended). A split that was drawn is not drawn again.
            progress: called at the start of each step.

        Raises:
            DataError: a column is missing, or something in the tables is wrong.
        """
        progress(STEPS[0], 0, len(STEPS))
        node_table, edge_table = open_both(nodes, edges)
        self.schema.check_columns(node_table, edge_table, training=False)
        cut = self._cut if labels else None
        with_time = cut is not None or (labels and self.schema.labels_on == "edges")
        tables = TwoTables.read(self.schema, node_table, edge_table, progress, with_time)
        y: Labels | None = None
        partition, labelled = tables.undivided(), None
        if labels:
            labelled = labels_asked_for(self.schema, node_table, edge_table, tables)
            _, y = labelled.read(self.classes)
            partition = labelled.divide_again(y, cut)
        progress(STEPS[4], 4, len(STEPS))
        return self._encode(tables, tables.edges(), y, partition, [], labelled)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, for :meth:`from_dict` of this and later versions."""
        content = _Content(
            format="edgegat graph encoder",
            version=1,
            table_schema=self.schema,
            classes=self.classes,
            nodes=self._nodes,
            edges=self._edges,
            cut=self._cut,
        )
        return content.model_dump(mode="json")

    @classmethod
    def from_dict(cls, content: object, name: str = "the encoder") -> Self:
        """The encoder that was saved; ``name`` is what error messages call it.

        Raises:
            DataError: it comes from elsewhere, from a newer version, or is damaged.
        """
        if not isinstance(content, dict) or content.get("format") != "edgegat graph encoder":
            raise DataError(f"{name} is no graph encoder that edgegat has saved.")
        version = content.get("version")
        if isinstance(version, int) and version > 1:
            raise DataError(
                f"{name} has version {version}, but this edgegat reads versions up to 1: update edgegat."
            )
        try:
            saved = _Content.model_validate(content)
        except ValidationError as error:
            detail = error.errors(include_url=False)[0]
            path = ".".join(str(part) for part in detail["loc"])
            raise DataError(f"{name} is damaged at {path} ({detail['msg']}): save it again.") from None
        encoder = cls(saved.table_schema, saved.classes, saved.nodes, saved.edges, saved.cut)
        if saved.nodes.types != node_types(saved.table_schema) or saved.edges.types != edge_types(
            saved.table_schema
        ):
            raise DataError(
                f"{name} is damaged: its schema and its encoders have different features: save it again."
            )
        return encoder

    def _encode(
        self,
        tables: TwoTables,
        edges: EdgeRows,
        y: Labels | None,
        partition: Partition,
        notes: list[str],
        labelled: LabelledRows | None,
    ) -> EncodedGraph:
        import torch

        from edgegat.graph import EdgeGraph

        numbering = tables.numbering
        x, unseen_in_nodes = self._nodes.encode(tables.node_cells, len(numbering.ids))
        edge_attr, unseen_in_edges = self._edges.encode(edges.cells, len(edges.first_row))
        strangers = len(numbering.ids) - numbering.in_table
        if strangers and self._nodes.columns:
            notes = [
                *notes,
                f"{count(strangers, 'node')} only in the edge table: all node features are missing",
            ]
        masks = (
            {} if y is None else {name: torch.from_numpy(m) for name, m in partition.masks(strata(y)).items()}
        )
        graph = EdgeGraph(
            x=torch.from_numpy(x),
            edge_index=torch.from_numpy(np.stack([edges.source, edges.target])),
            edge_attr=torch.from_numpy(edge_attr),
            y=None if y is None else torch.from_numpy(y),
            train_mask=masks.get("train_mask"),
            val_mask=masks.get("val_mask"),
            test_mask=masks.get("test_mask"),
            labels_on="edges" if self.schema.labels_on == "edges" else "nodes",
        )
        return EncodedGraph(
            graph,
            numbering.ids,
            numbering.in_table,
            edges.first_row,
            self.classes,
            [*notes, *unseen_in_nodes, *unseen_in_edges],
            partition.kind,
            labelled.ids if labelled is not None and labelled.on == "edges" else None,
        )


class _Content(BaseModel):
    """What is saved."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    format: Literal["edgegat graph encoder"]
    version: Literal[1]
    table_schema: Schema
    classes: list[str]
    nodes: FeatureEncoder
    edges: FeatureEncoder
    cut: TimeCut | None
