"""The pictures of a training: what they show, and that equal ones are equal files."""

from __future__ import annotations

from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from edgegat.learn import History, LearningError, measure, reliability
from edgegat.learn.pictures import draw_report
from edgegat.learn.repeats import Repeats
from edgegat.learn.report import MethodReport

NAMES = ["learning_curves", "confusion", "ranking", "reliability", "scores", "comparison"]


def report(classes=("cleared", "$fraud$"), runs=3, one_class=False):
    """What draw_report reads of a TrainReport."""
    generator = np.random.default_rng(0)
    labels = np.where(np.arange(60) < 40, np.arange(60) % len(classes), -1)
    p = generator.dirichlet(np.ones(len(classes)), 60)
    truth = np.zeros(20, np.int64) if one_class else labels[:20]
    metrics = measure(truth, p[:20], wanted=1)
    history = History("log_loss", [0.7, 0.5], [0.6, None], [0.6, None], [0.5, None], [0.1, 0.1], 1)
    accuracy = {"accuracy": Repeats((0.5, 0.75, 1.0)[:runs])}
    return SimpleNamespace(
        model=SimpleNamespace(history=history),
        classes=list(classes),
        wanted=1,
        judge="test",
        methods={name: MethodReport(name, {"test": metrics}, accuracy, 1.0) for name in ("EGAT", "other")},
        reliability=reliability(truth == 1, p[:20, 1]),
        truth=truth,
        probabilities={"EGAT": p[:20], "other": p[20:40]},
        everybody=p[:, 1],
        labels=labels,
        labels_on="nodes",
    )


def texts(file):
    """SVG draws letters as paths; matplotlib leaves the text itself in comments."""
    return [node.text.strip() for node in ElementTree.parse(file, _with_comments()).iter() if _is_comment(node)]


def _with_comments():
    return ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))


def _is_comment(node):
    return node.tag is ElementTree.Comment


def test_all_pictures_say_what_they_show(tmp_path):
    files = draw_report(report(), tmp_path / "pictures")
    assert [file.stem for file in files] == NAMES
    curves, confusion, ranking, reliable, scores, comparison = map(texts, files)
    assert "kept: epoch 1" in curves
    assert "accuracy" in curves
    assert {"cleared", "$fraud$", "what is true"} <= set(confusion)
    assert "found (share of '$fraud$')" in ranking
    assert any(text.startswith("EGAT  0.") for text in ranking)
    assert "predicted probability of '$fraud$'" in reliable
    assert {"How all 60 nodes scored", "cleared (20)"} <= set(scores)
    assert {"3 splits: each, mean, 95 % interval", "0.750"} <= set(comparison)


def test_equal_reports_give_equal_files(tmp_path):
    first, second = (draw_report(report(), tmp_path / name) for name in "ab")
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_one_run_of_many_classes_where_the_wanted_one_is_missing(tmp_path, suffix):
    names = [f"class {number}" for number in range(15)]
    files = draw_report(report(names, runs=1, one_class=True), tmp_path, suffix)
    assert [file.name for file in files] == [name + suffix for name in NAMES]
    assert min(file.stat().st_size for file in files) > 4000


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LearningError, match=r"file/pictures: Not a directory"):
        draw_report(report(), tmp_path / "file" / "pictures")
