"""The frame of all tables: searching, resuming, splitting, speaking to the user."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from edgegat.learn.errors import LearningError
from experiments import command, results, runs, tasks
from experiments.answer import Answer
from experiments.memory import most_memory
from experiments.runs import Laboratory, Run
from experiments.search import trials
from experiments.show import as_markdown, say
from experiments.table import Choice, Row, as_lists, final, search
from tests.experiments.small import method_that, right_on, toy_table, two_groups, write_as_cora

ROOT = Path(__file__).parents[2]


def test_a_search_chooses_by_validation_nodes_alone(tmp_path, monkeypatch):
    def answer(graph, settings, seed, device):
        return Answer(right_on(graph, graph.val_mask if settings["good on"] == "val" else graph.test_mask))

    method_that(monkeypatch, answer)
    table = toy_table(space={"good on": ["test", "val"]})
    with Laboratory(write_as_cora(tmp_path)) as laboratory:
        (choice,) = search(table, [(table.rows[0], "Cora")], laboratory, 2, 1, float("inf"))
        assert choice.settings == {"good on": "val"}
        assert [tried["accuracy"] for tried in choice.tried] == [0.0, 1.0]
        (cell,) = final(table, [(table.rows[0], "Cora")], [choice], laboratory, seeds=2)
    assert cell["test"]["accuracy"] == [0.0, 0.0]
    assert cell["val"]["accuracy"] == [1.0, 1.0]
    assert cell["seeds"] == [0, 1]


def test_a_search_whose_training_diverges_takes_something_else(tmp_path, monkeypatch):
    def answer(graph, settings, seed, device):
        if settings["rate"] > 1:
            raise LearningError("the loss became nan in epoch 2.")
        return Answer(right_on(graph, graph.test_mask))

    method_that(monkeypatch, answer)
    table = toy_table(space={"rate": [10.0, 0.1]})
    cells = [(table.rows[0], "Cora")]
    with Laboratory(write_as_cora(tmp_path)) as laboratory:
        (choice,) = search(table, cells, laboratory, 2, 1, float("inf"))
        (cell,) = final(table, cells, [Choice({"rate": 10.0})], laboratory, seeds=1)
    assert choice.settings == {"rate": 0.1}
    assert cell["failed"] == {"0": "the loss became nan in epoch 2."}
    assert cell["seeds"] == []


def test_when_time_is_up_only_those_trials_count_that_every_method_had(tmp_path, monkeypatch):
    asked = []

    def answer(graph, settings, seed, device):
        asked.append(settings["number"])
        if len(asked) == 5:  # two of each, and the third of the first
            monkeypatch.setattr(runs.time, "monotonic", lambda: 1e12)
        return Answer(right_on(graph, graph.val_mask if settings["number"] == 2 else graph.test_mask))

    method_that(monkeypatch, answer)
    table = toy_table(space={"number": [0, 1, 2, 3, 4]})
    monkeypatch.setattr("experiments.table.trials", lambda space, count: [{"number": n} for n in range(count)])
    cells = [(Row(name, "toy", space=table.rows[0].space), "Cora") for name in ("One", "Other")]
    with Laboratory(write_as_cora(tmp_path)) as laboratory:
        choices = search(table, cells, laboratory, 5, 1, 1e11)
        assert not laboratory.finished
    assert asked == [0, 0, 1, 1, 2]
    assert [len(choice.tried) for choice in choices] == [2, 2]
    assert [choice.settings for choice in choices] == [{"number": 0}] * 2


def test_finalists_are_looked_at_with_more_seeds(tmp_path, monkeypatch):
    """Number 3 is lucky with the first seed, number 2 is good with all of them."""
    asked = []

    def answer(graph, settings, seed, device):
        asked.append((settings["number"], seed))
        good = settings["number"] == 2 or (settings["number"] == 3 and seed == 1000)
        sure = 1 + (settings["number"] == 3)
        return Answer(sure * right_on(graph, graph.val_mask if good else graph.test_mask))

    method_that(monkeypatch, answer)
    table = replace(toy_table(space={"number": [0, 1, 2, 3]}), finalists=2)
    with Laboratory(write_as_cora(tmp_path)) as laboratory:
        (choice,) = search(table, [(table.rows[0], "Cora")], laboratory, 4, 3, float("inf"))
    assert choice.settings == {"number": 2}
    assert sorted(asked[:4]) == [(0, 1000), (1, 1000), (2, 1000), (3, 1000)]
    assert sorted(asked[4:]) == [(2, 1001), (2, 1002), (3, 1001), (3, 1002)]
    assert {tried["settings"]["number"]: tried["seeds"] for tried in choice.tried} == {0: 1, 1: 1, 2: 3, 3: 3}


def test_trials_are_different_and_begin_with_the_first_of_each():
    space = {"a": [1, 2, 3], "b": ["x", "y"]}
    chosen = trials(space, 4)
    assert chosen[0] == {"a": 1, "b": "x"}
    assert len({json.dumps(settings) for settings in chosen}) == 4
    assert chosen == trials(space, 4)
    everything = {json.dumps(settings) for settings in trials(space, 99)}
    assert everything == {json.dumps({"a": a, "b": b}) for a in space["a"] for b in space["b"]}
    assert trials({}, 5) == [{}]


def test_finished_runs_are_not_run_again_unless_the_code_changed(tmp_path, monkeypatch):
    ran = []

    def answer(graph, settings, seed, device):
        ran.append(seed)
        if len(ran) == 3:
            raise KeyboardInterrupt
        return Answer(right_on(graph, graph.val_mask), epochs=7)

    method_that(monkeypatch, answer)
    write_as_cora(tmp_path)
    wanted = [Run("Toy", "toy", "cora", seed) for seed in range(4)]
    kept = tmp_path / "kept" / "toy.jsonl"
    with Laboratory(tmp_path, kept=kept) as laboratory, pytest.raises(KeyboardInterrupt):
        laboratory.carry_out(wanted)
    with kept.open("a") as file:
        file.write('{"run": {"row": "T')  # the power failed in the middle of a line
    with Laboratory(tmp_path, kept=kept) as laboratory:
        outcomes = laboratory.carry_out(wanted)
    assert ran == [0, 1, 2, 2, 3]
    assert [outcome.run.seed for outcome in outcomes] == [0, 1, 2, 3]
    assert [outcome.epochs for outcome in outcomes] == [7, 7, 7, 7]

    monkeypatch.setattr(runs, "digest_of_code", lambda: "other code")
    with Laboratory(tmp_path, kept=kept) as laboratory:
        laboratory.carry_out(wanted[:1])
    assert ran[5:] == [0]


def test_workers_do_what_this_process_does(tmp_path):
    write_as_cora(tmp_path)
    settings = {"epochs": 3, "backend": "torch"}
    wanted = [Run("EGAT", "egat", "cora", seed, settings) for seed in range(3)]
    with Laboratory(tmp_path) as here, Laboratory(tmp_path, workers=2) as spread:
        one, other = as_lists(here.carry_out(wanted)), as_lists(spread.carry_out(wanted))
    assert one["test"] == other["test"]
    assert len(set(one["test"]["log_loss"])) == 3  # seeds differ


def test_seeds_divide_the_labelled_nodes_three_to_one_to_one(tmp_path):
    y = torch.tensor([0] * 20 + [1] * 10 + [-1] * 10)
    graph = two_groups()
    tasks.write(tmp_path, "trade-b-3", graph.__class__(graph.x, graph.edge_index, graph.edge_attr, y))
    one, again, other = (tasks.load("trade-b-3", tmp_path, seed) for seed in (0, 0, 1))
    for number, sizes in ((0, [12, 4, 4]), (1, [6, 2, 2]), (-1, [0, 0, 0])):
        masks = (one.train_mask, one.val_mask, one.test_mask)
        assert [int((mask & (y == number)).sum()) for mask in masks] == sizes
    assert torch.equal(one.test_mask, again.test_mask)
    assert not torch.equal(one.test_mask, other.test_mask)


def test_seeds_draw_a_quarter_of_the_training_nodes_for_validation_and_leave_the_test_alone(tmp_path):
    tasks.write(tmp_path, "ethereum", two_groups())
    one, other = (tasks.load("ethereum", tmp_path, seed) for seed in (0, 1))
    given = two_groups()
    assert torch.equal(one.test_mask, given.test_mask)
    assert torch.equal(one.train_mask | one.val_mask, given.train_mask | given.val_mask)
    assert not (one.train_mask & one.val_mask).any()
    assert int(one.val_mask.sum()) == 4  # a quarter of ten, of each class, rounded
    assert not torch.equal(one.val_mask, other.val_mask)


def test_memory_of_a_block_is_what_it_took():
    with most_memory() as most:
        block = torch.ones(30_000_000)
        del block
    if most.bytes is None:
        pytest.skip("this system does not tell how much memory a process takes")
    assert 110e6 < most.bytes < 200e6


def test_without_tables_the_tensors_suffice(tmp_path):
    write_as_cora(tmp_path)
    code = (
        "import sys\n"
        "class Bare:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name in ('polars', 'pydantic', 'typer', 'rich', 'matplotlib'): raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Bare())\n"
        "from experiments.command import main; from experiments.table1 import TABLE\n"
        f"main(TABLE, ['--only', 'egat', '--dataset', 'cora', '--seeds', '1', '--epochs', '2', '--tensors', "
        f"{str(tmp_path)!r}, '--out', {str(tmp_path / 'out.json')!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert results.read(tmp_path / "out.json")["cells"][0]["epochs"] == [2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--only", "egatt"], "--only is 'egatt', but it must be one of "),
        (
            ["--only", "egat", "--dataset", "korra"],
            "--dataset is 'korra', but it must be one of cora, citeseer",
        ),
        (["--all", "--seeds", "0"], "'0' is no whole number from 1"),
        ([], "say which method with --only, or --all"),
        (["--all", "--device", "gpu"], "device is 'gpu', but here there is only"),
        (["--all", "--tensors", "nowhere"], "nowhere/cora.npz: there is no such file"),
    ],
)
def test_mistakes_are_told_in_a_sentence(arguments, said, capsys):
    from experiments.table1 import TABLE

    with pytest.raises(SystemExit) as stopped:
        command.main(TABLE, arguments)
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err


def test_a_piece_is_printed_beside_the_committed_and_the_published_figure(tmp_path, monkeypatch, capsys):
    method_that(monkeypatch, lambda graph, settings, seed, device: Answer(right_on(graph, graph.test_mask)))
    table = toy_table(published={"Cora": "12.3 ± 0.4"})
    write_as_cora(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    cell = {"row": "Toy", "column": "Cora", "settings": {}, "trials": [], "seeds": [0, 1]}
    committed = results.merge(results.read(tmp_path / "none"), [cell | {"test": {"accuracy": [0.5, 0.7]}}], {})
    results.write(tmp_path / "toy.json", committed)
    command.main(table, ["--only", "toy", "--seeds", "3", "--tensors", str(tmp_path)])
    printed = capsys.readouterr().out
    for figure in ("100.0 ± 0.0 (3)", "60.0 ± 14.1 (2)", "12.3 ± 0.4"):
        assert figure in printed
    assert not list((tmp_path / "build").rglob("*.jsonl"))
    assert as_markdown(table, committed)[2] == "| Toy | 60.0 ± 14.1 (2) | 12.3 ± 0.4 |"


def test_new_cells_take_the_place_of_old_ones_and_name_their_environment():
    def cell(row, value):
        return {"row": row, "column": "Cora", "seeds": [0], "test": {"accuracy": [value]}}

    first = results.merge(
        {"environments": [], "cells": []}, [cell("A", 0.1), cell("B", 0.2)], {"machine": "one"}
    )
    second = results.merge(first, [cell("B", 0.3)], {"machine": "two"})
    assert [e["machine"] for e in second["environments"]] == ["one", "two"]
    assert [(c["row"], c["test"]["accuracy"], c["environment"]) for c in second["cells"]] == [
        ("A", [0.1], 0),
        ("B", [0.3], 1),
    ]
    third = results.merge(second, [cell("A", 0.4)], {"machine": "three"})
    assert [e["machine"] for e in third["environments"]] == ["two", "three"]
    assert say(results.cell_of(third, "A", "Cora"), "accuracy") == "40.0 ± 0.0 (1)"
