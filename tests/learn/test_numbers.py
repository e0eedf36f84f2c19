"""Numbers to be predicted, on edges and on nodes: from tables and tensors to predictions in the user's units."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import torch

from edgegat import EdgeGraph, EGATClassifier, EGATRegressor
from edgegat.data import DataError, GraphEncoder, Schema, draft_schema
from edgegat.learn import (
    LearningError,
    ModelOptions,
    OptionError,
    SavedModelError,
    TrainingInterrupted,
    TrainingOptions,
    boosting_numbers,
    evaluate_job,
    fit,
    load_model,
    measure_numbers,
    predict_job,
    predict_numbers,
    save_model,
    train_job,
)
from edgegat.learn.number_baselines import training_mean
from edgegat.learn.number_task import NumberTask
from edgegat.learn.pictures import draw_report
from tests.cli.run import edgegat

EDGES = {"source": "payer", "target": "payee", "label": "at_risk", "kind": "number"}
SCHEMA = {"nodes": {"id": "account"}, "edges": EDGES}
SMALL = ModelOptions(heads=4, directed=True, dropout=0.0)
QUICK = TrainingOptions(epochs=150)
TINY, SHORT = ModelOptions(heads=2, hidden_channels=2, edge_hidden_channels=2), TrainingOptions(epochs=6)


def bank(seed: int = 0, transfers: int = 400) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What is at risk in a transfer follows from its size and the wealth of both ends, each in its role."""
    draws = np.random.default_rng(seed)
    wealth = draws.normal(size=60)
    payer = draws.integers(60, size=transfers)
    payee = (payer + draws.integers(1, 60, size=transfers)) % 60
    size = draws.normal(size=transfers)
    accounts = pl.DataFrame({"account": [f"{seed}-{n}" for n in range(60)], "wealth": wealth})
    names = accounts["account"]
    return accounts, pl.DataFrame(
        {
            "payer": names.gather(payer),
            "payee": names.gather(payee),
            "size": size,
            "at_risk": 5000 + 1000 * (2 * size + wealth[payer] - 1.5 * wealth[payee]),
        }
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers") / "model"
    return train_job(*bank(), SCHEMA, SMALL, QUICK, output=folder), folder


def test_a_function_of_the_edge_and_both_ends_is_learnt_for_tables_never_seen(trained):
    report, folder = trained
    accounts, transfers = bank(seed=3)
    found = evaluate_job(folder, accounts, transfers)
    assert list(found.parts) == ["new"]
    assert found.unseen.r2 > 0.9
    predicted = predict_job(folder, accounts, transfers.drop("at_risk"))
    assert predicted.edges.columns == ["source", "target", "row", "prediction"]
    assert predicted.edges["source"].to_list() == transfers["payer"].to_list()
    again = measure_numbers(transfers["at_risk"], predicted.edges["prediction"])
    assert again.to_dict() == pytest.approx(found.unseen.to_dict())
    assert report.methods["EGAT"].parts["test"].r2 > 0.9


def test_the_report_is_about_numbers(trained):
    report, folder = trained
    assert list(report.methods) == ["EGAT", "mean of the training part", "gradient boosting"]
    assert {part: m.count for part, m in report.methods["EGAT"].parts.items()} == {
        "train": 240,
        "val": 80,
        "test": 80,
    }
    plain = report.to_dict()
    assert plain["kind"] == "number"
    assert not {"classes", "wanted", "reliability"} & set(plain)
    truth = bank()[1]["at_risk"].to_numpy()[load_parts(folder, "train")]
    assert plain["scale"] == pytest.approx({"mean": truth.mean(), "deviation": truth.std()})
    # The mean predicts itself: its R² on the rows that it is the mean of is zero by definition.
    assert report.methods["mean of the training part"].parts["train"].r2 == pytest.approx(0.0, abs=1e-12)
    assert 0.5 < report.methods["gradient boosting"].parts["test"].r2 < 1.0
    history = report.model.history
    assert history.metric == "rmse"
    assert history.best == min(history.val_metric)
    assert history.best == pytest.approx(report.methods["EGAT"].parts["val"].rmse, rel=1e-4)
    assert json.loads((folder / "metrics.json").read_text())["methods"]["EGAT"]["runs"]["rmse"]["std"] is None


def load_parts(folder, part: str) -> list[bool]:
    """Which rows of the edge table are in a part."""
    saved = load_model(folder)
    encoder = GraphEncoder.from_dict(saved.encoder)
    return encoder.encode(*bank(), labels=True).labelled_ids.is_in(saved.split[part]).to_list()


def test_a_saved_model_predicts_the_same_and_refuses_what_does_not_fit(trained, tmp_path):
    report, folder = trained
    loaded = load_model(folder)
    assert loaded.scale == report.model.scale
    first, again = (predict_job(model, *bank(3)).edges["prediction"] for model in (report.model, loaded))
    assert first.equals(again)
    assert json.loads((folder / "config.json").read_text())["format_version"] == 2
    for wrong in ({"classes": ("a", "b")}, {"scale": replace(loaded.scale, deviation=0.0)}):
        save_model(tmp_path, replace(loaded, **wrong))
        with pytest.raises(SavedModelError, match="do not fit each other"):
            load_model(tmp_path)
    with pytest.raises(DataError, match="no edge of the edge table has a label"):
        evaluate_job(folder, bank()[0], bank()[1].with_columns(at_risk=pl.lit(None, pl.Float64)))


@pytest.mark.parametrize("metric", ["rmse", "mae"])
def test_units_do_not_matter(metric):
    accounts, transfers = bank()
    millions = transfers.with_columns(pl.col("at_risk") * 1e6)
    options = TrainingOptions(epochs=25, metric=metric)
    small, large = (
        train_job(accounts, t, SCHEMA, TINY, options, baselines=False) for t in (transfers, millions)
    )
    assert small.model.history.train_loss == pytest.approx(large.model.history.train_loss, rel=1e-4)
    assert small.everybody == pytest.approx(large.everybody / 1e6, rel=1e-3)
    assert large.model.history.best == pytest.approx(1e6 * small.model.history.best, rel=1e-3)


def test_the_same_bits_again_and_after_an_interruption(tmp_path):
    _, encoded = GraphEncoder.fit(*bank(), SCHEMA)
    whole = fit(encoded.graph, TINY, SHORT)

    def stop(step: str, now: int, total: int) -> None:
        if now == 3:
            raise KeyboardInterrupt

    with pytest.raises(TrainingInterrupted):
        fit(encoded.graph, TINY, SHORT, checkpoints=tmp_path, progress=stop)
    resumed = fit(encoded.graph, TINY, SHORT, checkpoints=tmp_path, resume=True)
    assert torch.equal(whole.logits, resumed.logits)
    assert whole.history == resumed.history
    rows = predict_numbers(whole.model, encoded.graph, whole.scale)
    assert rows == pytest.approx(whole.scale.numbers(whole.logits), rel=1e-5)


def test_numbers_of_nodes():
    accounts, transfers = bank()
    received = transfers.group_by("payee").agg(pl.col("size").mean().alias("turnover"))
    nodes = accounts.join(received, left_on="account", right_on="payee", how="left")
    schema = {
        "nodes": {"id": "account", "label": "turnover", "kind": "number"},
        "edges": {"source": "payer", "target": "payee", "features": {"size": "number"}},
    }
    report = train_job(nodes, transfers, schema, SMALL, TrainingOptions(epochs=80))
    assert report.labels_on == "nodes"
    assert report.graph["labelled"] == received.height
    assert report.methods["EGAT"].parts["train"].r2 > 0.8
    table = predict_job(report.model, nodes, transfers).nodes
    assert table.columns == ["id", "prediction"]
    assert table["id"].to_list() == accounts["account"].to_list()


def test_the_regressor_has_the_classifiers_habits(trained, tmp_path):
    accounts, transfers = bank(seed=3)
    regressor = EGATRegressor(SCHEMA, heads=2, epochs=4)
    with pytest.raises(LearningError, match="this EGATRegressor has not learned anything"):
        regressor.predict(accounts, transfers)
    predicted = regressor.fit(accounts, transfers).predict(accounts, transfers)
    again = EGATRegressor.load(regressor.save(tmp_path / "model"))
    assert np.array_equal(predicted, again.predict(accounts, transfers))
    assert EGATRegressor.load(trained[1]).score(accounts, transfers) > 0.9
    with pytest.raises(LearningError, match=r"kind = 'number'.*take EGATRegressor"):
        EGATClassifier.load(trained[1])
    with pytest.raises(LearningError, match=r"kind = 'class'.*take EGATClassifier"):
        EGATRegressor({"edges": {**EDGES, "kind": "class"}}).fit(accounts, transfers)


def test_every_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for frame, name in zip(bank(), ("accounts.csv", "transfers.csv"), strict=True):
        frame.write_csv(name)
    tables = ("accounts.csv", "transfers.csv")
    init = edgegat("init", *tables)
    assert 'label = "at_risk"' in init.out
    assert "400 different numbers, to be predicted" in init.out
    train = edgegat("train", *tables, "--epochs", "20", "--set", "heads=2", "--repeat", "2")
    assert train.code == 0, train.err
    assert "gradient boosting" in train.out
    assert "mean and deviation of 2 runs" in train.out
    pictures = sorted(file.stem for file in (tmp_path / "model" / "pictures").iterdir())
    assert pictures == ["comparison", "learning_curves", "predictions", "residuals"]
    predict = edgegat("predict", "model", *tables)
    assert "The largest predictions, of 400 edges" in predict.out, predict.err
    assert pl.read_csv("scores.csv").columns == ["source", "target", "row", "prediction"]
    info = edgegat("info", "model")
    assert "RMSE, MAE and R² on the test part" in info.out, info.err
    evaluate = edgegat("evaluate", "model", *tables)
    assert "that it has not seen in training or validation: RMSE" in evaluate.out, evaluate.err
    said = json.loads(edgegat("evaluate", "model", *tables, "--json").out)
    assert set(said["unseen"]) == {"count", "rmse", "mae", "r2"}
    assert edgegat("train", *tables, "--set", "metric=roc_auc").code == 2


def test_a_text_among_the_numbers_is_told_with_its_place(tmp_path):
    accounts, transfers = bank()
    cells = transfers["at_risk"].round(2).cast(pl.String).to_list()
    cells[6] = "a lot"
    transfers.with_columns(at_risk=pl.Series(cells)).write_csv(tmp_path / "transfers.csv")
    for job in (train_job, GraphEncoder.fit):
        with pytest.raises(DataError, match=r"column 'at_risk': 1 cell(.|\n)*transfers.csv, line 8: 'a lot'"):
            job(accounts, tmp_path / "transfers.csv", SCHEMA)


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"edges": {"source": "a", "target": "b", "kind": "number"}}, "but there is no 'label'"),
        ({"edges": {**EDGES, "kind": "numbers"}}, "must be one of 'class', 'number'"),
    ],
)
def test_schemas_that_make_no_sense_are_refused(schema, said):
    with pytest.raises(DataError, match=said):
        Schema.from_dict(schema)


def test_numbers_that_leave_nothing_to_learn_are_refused():
    accounts, transfers = bank()
    same = transfers.with_columns(at_risk=pl.lit(7.0))
    with pytest.raises(DataError, match="has only 7: two different numbers at least"):
        train_job(accounts, same, SCHEMA)
    parts = {"split": {"column": "part"}}
    first = pl.when(pl.int_range(400) < 200)
    told = transfers.with_columns(
        first.then(7.0).otherwise("at_risk").alias("at_risk"),
        first.then(pl.lit("train")).otherwise(pl.lit("test")).alias("part"),
    )
    with pytest.raises(LearningError, match="the training part has 150 labelled edges, all 7"):
        train_job(accounts, told, SCHEMA | parts)
    with pytest.raises(LearningError, match="are too large or too close to each other"):
        train_job(accounts, transfers.with_columns(pl.col("at_risk") * 1e300), SCHEMA)
    with pytest.raises(OptionError, match="metric is 'accuracy', but what is to be learned is a number"):
        train_job(accounts, transfers, SCHEMA, training_options=TrainingOptions(metric="accuracy"))
    classes = {"edges": {**EDGES, "kind": "class", "label": "side"}}
    sides = transfers.with_columns(
        side=pl.when(pl.col("size") > 0).then(pl.lit("up")).otherwise(pl.lit("down"))
    )
    with pytest.raises(OptionError, match="metric is 'mae', which is of numbers"):
        train_job(None, sides, classes, training_options=TrainingOptions(metric="mae"))


def test_splits_are_drawn_without_regard_to_the_numbers_and_by_time_if_asked():
    accounts, transfers = bank()
    one, other = (
        GraphEncoder.fit(accounts, t, SCHEMA)[1].graph
        for t in (transfers, transfers.with_columns(-3 * pl.col("at_risk")))
    )
    assert torch.equal(one.test_mask, other.test_mask)
    some = transfers.with_columns(
        at_risk=pl.when(pl.int_range(400) < 100).then("at_risk"),
        day=pl.lit("2024-01-01").str.to_date() + pl.duration(days=pl.int_range(400)),
    )
    schema = {"edges": {**EDGES, "time": "day"}, "split": {"by_time": True}, "nodes": {"id": "account"}}
    graph = GraphEncoder.fit(accounts, some, schema)[1].graph
    assert graph.labelled.nonzero().flatten().tolist() == list(range(100))
    assert graph.test_mask.nonzero().flatten().tolist() == list(range(80, 100))


def test_a_few_different_numbers_are_drafted_as_classes():
    accounts, transfers = bank()
    few = transfers.with_columns(at_risk=pl.int_range(400) % 5).rename({"at_risk": "alert"})
    text = draft_schema(accounts, few)
    assert Schema.from_text(text).edges.kind == "class"
    assert Schema.from_text(text).edges.label == "alert"
    assert Schema.from_text(draft_schema(accounts, transfers)).edges.kind == "number"


def test_metrics_agree_with_scikit_learn():
    from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

    draws = np.random.default_rng(0)
    truth, said = draws.normal(size=50), draws.normal(size=50)
    metrics = measure_numbers(truth, said)
    assert metrics.rmse == pytest.approx(root_mean_squared_error(truth, said))
    assert metrics.mae == pytest.approx(mean_absolute_error(truth, said))
    assert metrics.r2 == pytest.approx(r2_score(truth, said))
    assert measure_numbers([2.0, 2.0], [1.0, 3.0]).r2 is None
    with pytest.raises(LearningError, match=r"shape \(0,\)"):
        measure_numbers([], [])


def graph_of(y: list[float]) -> EdgeGraph:
    """A path whose edges have these numbers."""
    ends = torch.stack([torch.arange(len(y)), torch.arange(1, len(y) + 1)])
    features = torch.arange(len(y)).float().unsqueeze(1)
    return EdgeGraph(
        torch.ones(len(y) + 1, 1), ends, features, torch.tensor(y, dtype=torch.float64), labels_on="edges"
    )


def test_graphs_with_numbers_say_what_they_hold_and_refuse_what_is_none():
    graph = graph_of([1.0, float("nan"), 3.0])
    assert graph.num_classes == 0
    assert "labelled=2" in repr(graph)
    assert graph.with_virtual_self_loops().labelled.tolist() == [True, False, True, *[False] * 4]
    task = NumberTask.of(graph)
    assert task.loss(torch.zeros(2, 1)).item() == 1.0
    assert training_mean(graph).logits.shape == (3, 1)
    with pytest.raises(ValueError, match=r"y\[1\] is inf"):
        graph_of([1.0, float("inf")])


def test_boosting_takes_the_round_that_validates_best():
    graph = graph_of([float(n % 7) for n in range(90)])
    parts = {"train_mask": torch.arange(90) % 3 > 0, "val_mask": torch.arange(90) % 3 == 0}
    trees = boosting_numbers(replace(graph, **parts))
    assert 1 <= trees.epochs < 200
    assert boosting_numbers(graph).epochs == 200


def test_pictures_of_rows_that_are_all_the_same(trained, tmp_path):
    report, _ = trained
    flat = {"EGAT": np.full_like(report.truth, 5.0)}
    for file in draw_report(replace(report, truth=flat["EGAT"], probabilities=flat), tmp_path):
        assert file.stat().st_size > 1000
