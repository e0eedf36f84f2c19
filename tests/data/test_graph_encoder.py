"""Two tables become a graph, and other tables the same way."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch

from edgegat.data import DataError, EncodedGraph, GraphEncoder, Schema, open_table
from tests.data.bank import change, customers, schema, transfers

DECLARED = schema(
    nodes={"features": {"age": "number", "income": "amount", "segment": "category", "opened": "time"}},
    edges={"features": {"amount": "amount", "booked": "time", "channel": "category"}},
)


def fit(roles: dict[str, Any] = DECLARED, **options: Any) -> tuple[GraphEncoder, EncodedGraph]:
    return GraphEncoder.fit(customers(), transfers(), roles, **options)


def same(one: EncodedGraph, other: EncodedGraph) -> bool:
    return all(
        torch.equal(getattr(one.graph, name), getattr(other.graph, name))
        for name in ("x", "edge_index", "edge_attr")
    )


def ends(encoded: EncodedGraph) -> list[tuple[str, str]]:
    names = encoded.ids.to_list()
    return [(names[s], names[t]) for s, t in encoded.graph.edge_index.T.tolist()]


def test_tensors_have_the_promised_types_and_shapes() -> None:
    encoder, encoded = fit()
    graph = encoded.graph
    assert (graph.x.dtype, graph.edge_attr.dtype, graph.edge_index.dtype) == (
        torch.float32,
        torch.float32,
        torch.int64,
    )
    assert graph.x.shape == (60, len(encoder.node_feature_names))
    assert graph.edge_attr.shape == (300, len(encoder.edge_feature_names))
    assert graph.edge_index.shape == (2, 300)
    assert encoded.edge_rows.dtype == np.int64
    assert encoded.ids.dtype == pl.String
    assert encoder.classes == encoded.classes == ["fraud", "ok"]
    assert graph.y is not None
    assert graph.y[:4].tolist() == [0, 1, 1, -1]


def test_table_to_graph_to_table_keeps_every_id_and_every_edge_in_order() -> None:
    nodes, edges = customers(), transfers()
    _, encoded = fit()
    assert encoded.in_table == nodes.height
    assert encoded.ids.to_list() == nodes["account"].to_list()
    assert ends(encoded) == list(zip(edges["payer"], edges["payee"], strict=True))
    assert encoded.edge_rows.tolist() == list(range(edges.height))


@pytest.mark.parametrize("directed", [True, False])
def test_an_aggregated_edge_leads_back_to_the_first_row_of_its_pair(directed: bool) -> None:
    roles = schema(edges={"parallel": "aggregate", "directed": directed})
    edges = pl.concat([transfers(), transfers().select(payer="payee", payee="payer", **KEPT)])
    encoder, encoded = GraphEncoder.fit(customers(), edges, roles)
    pairs = [
        tuple(pair) if directed else frozenset(pair) for pair in edges.select("payer", "payee").iter_rows()
    ]
    first = [row for row, pair in enumerate(pairs) if pair not in pairs[:row]]
    assert encoded.edge_rows.tolist() == first
    assert ends(encoded) == [edges.select("payer", "payee").row(row) for row in first]
    assert encoder.edge_feature_names[0] == "count"


KEPT = {name: pl.col(name) for name in ("amount", "booked", "currency", "channel")}


def test_aggregated_features_are_those_of_all_rows_of_the_pair() -> None:
    edges = pl.DataFrame(
        {
            "payer": ["a", "b", "a", "c"],
            "payee": ["b", "a", "b", "d"],
            "amount": [1.0, 2.0, 4.0, 8.0],
            "booked": ["2024-01-03", "2024-01-01", "2024-01-02", "2024-01-04"],
        }
    )
    ways = ["sum", "mean", "min", "max", "first", "last"]
    roles: dict[str, Any] = {
        "source": "payer",
        "target": "payee",
        "time": "booked",
        "directed": False,
        "parallel": "aggregate",
        "features": {"amount": {"type": "amount", "aggregate": ways}},
    }
    encoder, encoded = GraphEncoder.fit(None, edges, {"edges": roles})
    assert encoder.edge_feature_names == ["count", *(f"amount ({way})" for way in ways)]
    one_row = pl.DataFrame({"payer": ["x"], "payee": ["y"], "booked": ["2024-01-01"]})
    for number, value in enumerate([7.0, 7 / 3, 1.0, 4.0, 2.0, 1.0], start=1):
        alone = encoder.encode(None, one_row.with_columns(amount=pl.lit(value)))
        assert alone.graph.edge_attr[0, number] == encoded.graph.edge_attr[0, number], ways[number - 1]


def test_a_sum_of_flags_is_a_count_and_their_mean_a_share() -> None:
    edges = pl.DataFrame({"payer": ["a"] * 4 + ["c"], "payee": ["b"] * 4 + ["d"], "new": [1, 1, 1, 0, 0]})
    flags = {"new": {"type": "flag", "aggregate": ["sum", "mean"]}}
    roles = {"source": "payer", "target": "payee", "parallel": "aggregate", "features": flags}
    encoder, encoded = GraphEncoder.fit(None, edges, {"edges": roles})
    assert [column["type"] for column in encoder.to_dict()["edges"]["columns"]] == ["count", "count", "flag"]
    assert encoded.graph.edge_attr[:, 2].tolist() == [0.75, 0.0]


def test_nodes_that_only_edges_name_stand_behind_the_table_with_missing_features() -> None:
    edges = change(transfers(), "payee", {3: "Zoë Ç", 4: "another", 5: "Zoë Ç"})
    encoder, encoded = GraphEncoder.fit(customers(), edges, DECLARED)
    assert encoded.ids.to_list()[60:] == ["Zoë Ç", "another"]
    assert encoded.in_table == 60
    flags = [number for number, name in enumerate(encoder.node_feature_names) if name.endswith("is missing")]
    assert len(flags) == 4
    assert encoded.graph.x[60:, flags].eq(1).all()
    assert encoded.graph.x[:60, flags].eq(0).all()
    assert encoded.graph.y is not None
    assert encoded.graph.y[60:].tolist() == [-1, -1]
    assert any("2 nodes only in the edge table" in note for note in encoded.notes)


def test_nodes_without_edges_stay() -> None:
    edges = transfers().filter((pl.col("payer") != "C0007") & (pl.col("payee") != "C0007"))
    _, encoded = GraphEncoder.fit(customers(), edges, DECLARED)
    assert encoded.graph.num_nodes == 60
    assert 7 not in encoded.graph.edge_index


def test_without_features_nodes_and_edges_get_a_constant_one() -> None:
    encoder, encoded = GraphEncoder.fit(
        customers().select("account", "label"), transfers().select("payer", "payee"), BARE
    )
    assert encoded.graph.x.tolist() == [[1.0]] * 60
    assert encoded.graph.edge_attr.tolist() == [[1.0]] * 300
    assert encoder.node_feature_names == ["(constant)"]


BARE = {"nodes": {"id": "account", "label": "label"}, "edges": {"source": "payer", "target": "payee"}}


def test_without_a_node_table_nodes_are_those_of_the_edges() -> None:
    edges = transfers()
    encoder, encoded = GraphEncoder.fit(None, edges, {"edges": DECLARED["edges"]})
    met = dict.fromkeys(name for pair in edges.select("payer", "payee").iter_rows() for name in pair)
    assert encoded.ids.to_list() == list(met)
    assert (encoded.in_table, encoder.classes, encoded.split_kind) == (0, [], "none")
    assert encoded.graph.y is None


def test_a_self_transfer_stays_one_edge_and_no_virtual_self_loop_is_added() -> None:
    _, encoded = GraphEncoder.fit(customers(), change(transfers(), "payee", {0: "C0000"}), DECLARED)
    is_loop = encoded.graph.edge_index[0] == encoded.graph.edge_index[1]
    assert is_loop.nonzero().flatten().tolist() == [0]


def test_types_are_guessed_and_told() -> None:
    encoder, encoded = fit(schema())
    assert encoder.schema.nodes is not None
    guessed = {name: f.type for name, f in (encoder.schema.nodes.features or {}).items()}
    assert guessed == {"age": "number", "income": "amount", "segment": "category", "opened": "time"}
    assert set(encoder.schema.edges.features or {}) == {"amount", "channel"}
    assert "the node table: types were guessed, 'age' as number, 'income' as amount" in encoded.notes[0]


def test_what_is_left_out_is_told_with_its_reason() -> None:
    nodes = customers().with_columns(name=pl.Series([f"Customer {i} Name" for i in range(60)]), one=pl.lit(1))
    _, encoded = GraphEncoder.fit(nodes, transfers(), schema())
    assert (
        "the node table: left out 'name' (names or free text: hardly a value repeats), "
        "'one' (the same in every row)" in encoded.notes
    )


def test_aggregations_that_nobody_declared_are_spelled_out() -> None:
    encoder, _ = fit(schema(edges={"parallel": "aggregate"}))
    features = encoder.schema.edges.features or {}
    assert {name: f.aggregate for name, f in features.items()} == {"amount": ["sum"], "channel": ["last"]}


def test_scales_come_from_the_training_part_alone() -> None:
    roles = {**DECLARED, "split": {"column": "part"}}
    part = ["train"] * 40 + ["val"] * 10 + ["test"] * 10
    nodes = customers().with_columns(part=pl.Series(part))
    encoder, _ = GraphEncoder.fit(nodes, transfers(), roles)
    spoiled = nodes.with_columns(
        income=pl.when(pl.col("part") == "train").then("income").otherwise(1e9),
        segment=pl.when(pl.col("part") == "train").then("segment").otherwise(pl.lit("new")),
    )
    not_train = [f"C{i:04}" for i in range(40, 60)]
    outside = pl.col("payer").is_in(not_train) | pl.col("payee").is_in(not_train)
    dear = transfers().with_columns(amount=pl.when(outside).then(1e9).otherwise("amount"))
    again, _ = GraphEncoder.fit(spoiled, dear, roles)
    assert encoder.to_dict() == again.to_dict()
    cheap = transfers().with_columns(amount=pl.when(~outside).then(1e9).otherwise("amount"))
    assert encoder.to_dict()["edges"] != GraphEncoder.fit(nodes, cheap, roles)[0].to_dict()["edges"]
    old = nodes.with_columns(age=pl.when(pl.col("part") == "train").then(99).otherwise("age"))
    assert encoder.to_dict()["nodes"] != GraphEncoder.fit(old, transfers(), roles)[0].to_dict()["nodes"]


@pytest.mark.parametrize("parallel", ["keep", "aggregate"])
def test_a_split_by_time_learns_scales_from_the_past_alone(parallel: str) -> None:
    roles = schema(
        nodes={"features": {"age": "number"}},
        edges={"parallel": parallel, "features": {"amount": "amount"}},
        split={"by_time": True},
    )
    nodes, edges = customers(), transfers()
    booked = edges["booked"].str.to_datetime().dt.epoch("us")
    met = pl.concat([edges.select(account=end, booked=booked) for end in ("payer", "payee")])
    first = nodes.select("account").join(
        met.group_by("account").agg(pl.col("booked").min()), on="account", how="left"
    )
    first_edge = first["booked"].to_numpy()

    encoder, encoded = GraphEncoder.fit(nodes, edges, roles)
    cut = encoder.to_dict()["cut"]["train_end"]
    train, test = encoded.graph.train_mask, encoded.graph.test_mask
    assert encoded.split_kind == "time"
    assert train is not None
    assert test is not None
    assert first_edge[train.numpy()].max() == cut
    assert first_edge[test.numpy()].min() > cut

    later_nodes = nodes.with_columns(age=pl.when(first["booked"] > cut).then(999).otherwise("age"))
    later_edges = edges.with_columns(amount=pl.when(booked > cut).then(1e9).otherwise("amount"))
    assert (booked > cut).sum() > 0
    assert GraphEncoder.fit(later_nodes, later_edges, roles)[0].to_dict() == encoder.to_dict()
    earlier_edges = edges.with_columns(amount=pl.when(booked <= cut).then(1e9).otherwise("amount"))
    assert GraphEncoder.fit(nodes, earlier_edges, roles)[0].to_dict() != encoder.to_dict()


def test_a_split_by_time_goes_by_the_time_of_the_nodes_if_they_have_one() -> None:
    roles = {**DECLARED, "nodes": DECLARED["nodes"] | {"time": "opened"}, "split": {"by_time": True}}
    encoder, encoded = fit(roles)
    opened = customers()["opened"].str.to_datetime().dt.epoch("us").to_numpy()
    train, test = encoded.graph.train_mask, encoded.graph.test_mask
    assert train is not None
    assert test is not None
    assert opened[train.numpy()].max() == encoder.to_dict()["cut"]["train_end"] < opened[test.numpy()].min()


def test_edges_without_a_training_pair_are_told() -> None:
    part = ["train" if i % 2 else "test" for i in range(60)]
    nodes = customers().with_columns(part=pl.Series(part), label=pl.Series(["a", "a", "b", "b"] * 15))
    edges = transfers().filter(
        pl.col("payer").str.slice(4).cast(pl.Int64) % 2 != pl.col("payee").str.slice(4).cast(pl.Int64) % 2
    )
    roles = {**DECLARED, "split": {"column": "part", "ratio": [3, 0, 1]}}
    _, encoded = GraphEncoder.fit(nodes, edges, roles)
    assert any("no edge belongs to the training part alone" in note for note in encoded.notes)


def test_a_drawn_split_has_the_ratio_in_each_class_and_follows_the_seed() -> None:
    _, encoded = fit()
    graph = encoded.graph
    assert encoded.split_kind == "random"
    masks = [graph.train_mask, graph.val_mask, graph.test_mask]
    assert graph.y is not None
    assert all(mask is not None for mask in masks)
    sizes = [[int((mask & (graph.y == c)).sum()) for mask in masks if mask is not None] for c in (0, 1)]
    assert sizes == [[9, 3, 3], [18, 6, 6]]
    assert torch.equal(fit()[1].graph.train_mask, graph.train_mask)
    encoder, other = fit(split_seed=5)
    assert not torch.equal(other.graph.train_mask, graph.train_mask)
    assert encoder.schema.split.seed == 5
    assert torch.equal(fit({**DECLARED, "split": {"seed": 5}})[1].graph.train_mask, other.graph.train_mask)


def test_a_split_by_flags_gets_a_validation_part_drawn_from_training_and_again_the_same() -> None:
    flags = customers().with_columns(
        tr=pl.Series([i < 40 for i in range(60)]), te=pl.Series([i >= 40 for i in range(60)])
    )
    roles = {**DECLARED, "split": {"train": "tr", "test": "te"}}
    encoder, encoded = GraphEncoder.fit(flags, transfers(), roles)
    graph = encoded.graph
    assert encoded.split_kind == "flags"
    assert [int(mask.sum()) for mask in (graph.train_mask, graph.val_mask, graph.test_mask)] == [23, 7, 15]
    again = encoder.encode(flags, transfers(), labels=True).graph
    assert torch.equal(again.val_mask, graph.val_mask)
    assert torch.equal(again.test_mask, graph.test_mask)


def test_a_split_without_training_nodes_is_refused() -> None:
    nodes = customers().with_columns(part=pl.lit("test"))
    with pytest.raises(DataError, match="no labelled node is in the training part"):
        GraphEncoder.fit(nodes, transfers(), {**DECLARED, "split": {"column": "part"}})


def test_the_same_rows_get_the_same_bits_in_any_order_and_company() -> None:
    encoder, encoded = fit()
    order = np.random.default_rng(0).permutation(60)
    rows = np.random.default_rng(1).permutation(300)[:50]
    nodes = customers()[order].select(reversed(customers().columns))
    edges = transfers()[rows].select(reversed(transfers().columns))
    other = encoder.encode(nodes, edges)
    assert torch.equal(other.graph.x, encoded.graph.x[torch.from_numpy(order)])
    assert torch.equal(other.graph.edge_attr, encoded.graph.edge_attr[torch.from_numpy(rows)])
    assert other.graph.y is None
    assert (other.split_kind, other.graph.train_mask) == ("none", None)


@pytest.mark.parametrize("kind", ["csv", "gzip", "parquet", "pattern", "lazy", "pandas", "pyarrow"])
def test_the_same_table_in_another_form_is_the_same_graph(tmp_path: Path, kind: str) -> None:
    frames = customers().with_columns(age=pl.col("age").cast(pl.Float64)), transfers()
    sources: list[Any] = []
    for name, frame in zip(("customers", "transfers"), frames, strict=True):
        path = tmp_path / f"{name}.csv{'.gz' if kind == 'gzip' else ''}"
        if kind in ("csv", "gzip"):
            frame.write_csv(path, compression="gzip" if kind == "gzip" else "uncompressed")
        elif kind == "parquet":
            frame.write_parquet(path)
        elif kind == "pattern":
            for part, rows in enumerate(frame.iter_slices(17)):
                rows.write_csv(tmp_path / f"{name}-{part:02}.csv", separator=";")
        objects = {"lazy": frame.lazy, "pandas": frame.to_pandas, "pyarrow": frame.to_arrow}
        files = {"pattern": str(tmp_path / f"{name}-*.csv")}
        sources.append(objects[kind]() if kind in objects else files.get(kind, path))
    encoder, encoded = GraphEncoder.fit(*sources, schema())
    expected_encoder, expected = fit(schema())
    assert encoder.to_dict() == expected_encoder.to_dict()
    assert same(encoded, expected)
    assert encoded.ids.to_list() == expected.ids.to_list()
    assert torch.equal(encoded.graph.y, expected.graph.y)
    assert torch.equal(encoded.graph.test_mask, expected.graph.test_mask)


def test_a_later_process_gives_the_same_bits(tmp_path: Path) -> None:
    encoder, encoded = fit()
    (tmp_path / "encoder.json").write_text(json.dumps(encoder.to_dict()))
    customers().write_csv(tmp_path / "customers.csv")
    transfers().write_csv(tmp_path / "transfers.csv")
    program = """
import json, sys
import numpy as np
from edgegat.data import GraphEncoder
encoder = GraphEncoder.from_dict(json.load(open("encoder.json")))
graph = encoder.encode("customers.csv", "transfers.csv").graph
np.savez("graph.npz", x=graph.x, edge_attr=graph.edge_attr, edge_index=graph.edge_index)
"""
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)
    later = np.load(tmp_path / "graph.npz")
    for name in ("x", "edge_attr", "edge_index"):
        here = getattr(encoded.graph, name).numpy()
        assert later[name].dtype == here.dtype
        assert later[name].tobytes() == here.tobytes(), name


def test_unseen_categories_and_missing_cells_are_encoded_and_told() -> None:
    encoder, _ = fit()
    nodes = change(change(customers(), "segment", {0: "crypto"}), "age", {1: None})
    other = encoder.encode(nodes, transfers())
    segments = [n for n, name in enumerate(encoder.node_feature_names) if name.startswith("segment")]
    assert other.graph.x[0, segments].tolist() == [0.0] * len(segments)
    assert "segment: 1 cell unseen in training, like 'crypto'" in other.notes
    assert "age: 1 missing cells filled in; training had none" in other.notes


def test_labels_are_read_only_when_asked_for() -> None:
    encoder, encoded = fit()
    assert encoder.encode(customers().drop("label"), transfers()).graph.y is None
    assert torch.equal(encoder.encode(customers(), transfers(), labels=True).graph.y, encoded.graph.y)
    with pytest.raises(DataError, match=r"the node table has no column 'label' \(nodes.label\)"):
        encoder.encode(customers().drop("label"), transfers(), labels=True)
    with pytest.raises(DataError, match="there is no node table"):
        encoder.encode(None, transfers(), labels=True)


def test_a_label_that_was_never_learned_is_refused_with_its_place() -> None:
    encoder, _ = fit()
    with pytest.raises(DataError, match=r"row 4 \(counting from 0\): 'label' is 'maybe', which is no class"):
        encoder.encode(change(customers(), "label", {4: "maybe"}), transfers(), labels=True)


def test_a_declared_split_is_read_again_and_one_by_time_goes_on() -> None:
    part = customers().with_columns(part=pl.Series(["train", "val", "test"] * 20))
    encoder, encoded = GraphEncoder.fit(part, transfers(), {**DECLARED, "split": {"column": "part"}})
    again = encoder.encode(part, transfers(), labels=True)
    assert again.split_kind == "column"
    assert torch.equal(again.graph.test_mask, encoded.graph.test_mask)
    assert encoder.encode(part.drop("part"), transfers(), labels=True).split_kind == "none"
    roles = {**DECLARED, "nodes": DECLARED["nodes"] | {"time": "opened"}, "split": {"by_time": True}}
    encoder, _ = fit(roles)
    later = encoder.encode(customers().with_columns(opened=pl.lit("2025-01-01")), transfers(), labels=True)
    assert later.split_kind == "time"
    assert later.graph.test_mask is not None
    assert int(later.graph.test_mask.sum()) == 45


def test_what_is_no_feature_is_not_needed_again() -> None:
    encoder, encoded = fit(schema())
    again = encoder.encode(customers().drop("label"), transfers().drop("booked", "currency"))
    assert same(again, encoded)
    by_time = schema(edges={"parallel": "aggregate", "features": {"channel": "category"}})
    encoder, _ = fit(by_time)
    with pytest.raises(DataError, match="no column 'booked'"):
        encoder.encode(customers(), transfers().drop("booked"))


def test_a_missing_column_is_named_with_the_nearest_name() -> None:
    encoder, _ = fit()
    with pytest.raises(
        DataError, match=r"no column 'amount', named in edges.features. Did you mean 'Amount'\?"
    ):
        encoder.encode(customers(), transfers().rename({"amount": "Amount"}))
    with pytest.raises(DataError, match="no column 'booked'"):
        encoder.encode(customers(), transfers().drop("booked"))


def test_saved_and_loaded_it_is_the_same() -> None:
    for roles in (DECLARED, schema(edges={"parallel": "aggregate"}), schema(split={"by_time": True})):
        encoder, encoded = fit(roles)
        content = json.loads(json.dumps(encoder.to_dict()))
        loaded = GraphEncoder.from_dict(content)
        assert loaded.to_dict() == content
        assert loaded.classes == encoder.classes
        assert loaded.schema == encoder.schema
        assert same(loaded.encode(customers(), transfers()), encoded)


def _without(key: str) -> Any:
    def change_content(content: dict[str, Any]) -> None:
        del content[key]

    return change_content


def _set(*path: Any) -> Any:
    *way, last, value = path

    def change_content(content: Any) -> None:
        for key in way:
            content = content[key]
        content[last] = value

    return change_content


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_set("format", "other"), "is no graph encoder"),
        (_set("version", 2), "has version 2, but this edgegat reads versions up to 1: update edgegat"),
        (_set("version", None), "is damaged at version"),
        (_without("version"), "is damaged at version"),
        (_without("classes"), "is damaged at classes"),
        (_set("surprise", 1), "is damaged at surprise"),
        (_set("nodes", "columns", 0, "spread", "wide"), "is damaged at nodes.columns.0.number.spread"),
        (_set("nodes", "columns", 0, "spread", float("nan")), "is damaged at nodes.columns.0.number.spread"),
        (_set("nodes", "columns", 0, "spread", 0.0), "is damaged at nodes.columns.0.number.spread"),
        (_set("nodes", "columns", 0, "type", "colour"), "is damaged at nodes.columns.0"),
        (_set("nodes", "columns", []), "its schema and its encoders have different features"),
        (_set("table_schema", "edges", "source", ""), "is damaged at table_schema.edges.source"),
    ],
)
def test_foreign_newer_and_damaged_content_is_refused_in_one_sentence(spoil: Any, said: str) -> None:
    content = json.loads(json.dumps(fit()[0].to_dict()))
    spoil(content)
    with pytest.raises(DataError, match=r"^model\.json ") as refused:
        GraphEncoder.from_dict(content, "model.json")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("content", [None, [], "text", 3, {}])
def test_what_is_no_encoder_at_all_is_refused(content: object) -> None:
    with pytest.raises(DataError, match="the encoder is no graph encoder that edgegat has saved"):
        GraphEncoder.from_dict(content)


def test_a_schema_may_be_a_path_a_dictionary_or_a_schema(tmp_path: Path) -> None:
    path = tmp_path / "bank.toml"
    path.write_text('[nodes]\nid = "account"\nlabel = "label"\n[edges]\nsource = "payer"\ntarget = "payee"\n')
    by_path = GraphEncoder.fit(customers(), transfers(), path)[1]
    assert same(by_path, GraphEncoder.fit(customers(), transfers(), BARE)[1])
    assert same(by_path, GraphEncoder.fit(customers(), transfers(), Schema.from_dict(BARE))[1])
    with pytest.raises(DataError, match="a schema is a Schema, a path or a dictionary, but this is a int"):
        GraphEncoder.fit(customers(), transfers(), 7)  # type: ignore[arg-type]


def test_a_table_of_nodes_without_a_section_is_refused() -> None:
    with pytest.raises(DataError, match=r"is given as node table, but the schema has no \[nodes\] section"):
        GraphEncoder.fit(customers(), transfers(), {"edges": DECLARED["edges"]})


def test_a_label_without_a_node_table_is_refused() -> None:
    with pytest.raises(DataError, match="no node table is given"):
        GraphEncoder.fit(None, transfers(), DECLARED)


def test_opened_tables_are_taken_as_they_are() -> None:
    nodes, edges = open_table(customers(), "people"), open_table(transfers(), "payments")
    assert same(GraphEncoder.fit(nodes, edges, DECLARED)[1], fit()[1])


def test_steps_are_told_in_order() -> None:
    steps: list[tuple[str, int, int]] = []
    encoder, _ = fit(progress=lambda *step: steps.append(step))
    assert [number for _, number, _ in steps] == [0, 1, 2, 3, 4]
    assert {total for *_, total in steps} == {5}
    steps.clear()
    encoder.encode(customers(), transfers(), progress=lambda *step: steps.append(step))
    assert [number for _, number, _ in steps] == [0, 1, 2, 3, 4]


def test_importing_edgegat_loads_no_polars_and_reading_tables_no_torch() -> None:
    program = "import sys, {}; print([m for m in ('polars', 'torch', 'sklearn', 'pandas') if m in sys.modules])"
    for module, loaded in (
        ("edgegat", "[]"),
        ("edgegat.data", "[]"),
        ("edgegat.data; edgegat.data.GraphEncoder", "['polars']"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", program.format(module)], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == loaded
