"""The same from Python in five lines."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone

from edgegat import EGATClassifier
from edgegat.data import DataError, Schema
from edgegat.learn import LearningError, OptionError, SavedModelError
from tests.learn.tables import SCHEMA, bank

OPTIONS = {"heads": 2, "hidden_channels": 4, "epochs": 60}
BANK = bank(labelled=0.8)


@pytest.fixture(scope="module")
def fitted() -> EGATClassifier:
    return EGATClassifier(SCHEMA, **OPTIONS).fit(*BANK)


def test_fit_predict_score(fitted):
    p = fitted.predict_proba(*BANK)
    assert p.shape == (90, 2)
    assert np.allclose(p.sum(1), 1)
    assert list(fitted.classes_) == ["cleared", "reported"]
    said = fitted.predict(*BANK)
    assert (said == fitted.classes_[p.argmax(1)]).all()
    truth = np.array([("cleared", "reported")[n % 2] for n in range(90)])
    assert (said == truth).mean() > 0.9
    assert fitted.score(*BANK) == fitted.report_.methods["EGAT"].parts["test"].accuracy
    assert list(fitted.report_.methods) == ["EGAT"]


def test_three_classes():
    tables = bank(classes=3)
    p = EGATClassifier(SCHEMA, **OPTIONS | {"epochs": 3}).fit(*tables).predict_proba(*tables)
    assert p.shape == (90, 3)
    assert np.allclose(p.sum(1), 1)


def test_paths_and_no_node_table(fitted, tmp_path):
    nodes, edges = BANK.write(tmp_path)
    assert np.allclose(fitted.predict_proba(nodes, edges), fitted.predict_proba(*BANK), atol=1e-6)
    everybody = {*BANK.transfers["payer"], *BANK.transfers["payee"]}
    assert len(fitted.predict(None, edges)) == len(everybody)


def test_strangers_in_the_edge_table_are_no_rows(fitted):
    assert fitted.predict(BANK.customers.head(10), BANK.transfers).shape == (10,)
    assert fitted.predict_proba(BANK.customers.head(10), BANK.transfers).shape == (10, 2)


def test_save_and_load(fitted, tmp_path):
    loaded = EGATClassifier.load(fitted.save(tmp_path / "model"))
    assert np.array_equal(loaded.predict_proba(*BANK), fitted.predict_proba(*BANK))
    assert loaded.score(*BANK) == fitted.score(*BANK)
    assert loaded.get_params()["heads"] == 2
    again = loaded.fit(*BANK)
    assert np.array_equal(again.predict_proba(*BANK), fitted.predict_proba(*BANK))


def test_params_as_scikit_learn_wants_them():
    classifier = EGATClassifier("bank.toml", **OPTIONS)
    params = classifier.get_params()
    assert params["schema"] == "bank.toml"
    assert (params["heads"], params["epochs"], params["num_layers"]) == (2, 60, 2)
    copy = clone(classifier)
    assert copy is not classifier
    assert copy.get_params() == params
    assert classifier.set_params(heads=4, seed=3) is classifier
    assert (classifier.get_params()["heads"], copy.get_params()["heads"]) == (4, 2)
    assert repr(EGATClassifier("bank.toml", **OPTIONS)) == (
        "EGATClassifier('bank.toml', heads=2, hidden_channels=4, epochs=60)"
    )


def test_wrong_options_are_told_at_once():
    with pytest.raises(
        OptionError, match=r"there is no option 'learning_rat'\. Did you mean 'learning_rate'\?"
    ):
        EGATClassifier(SCHEMA, learning_rat=0.1)
    classifier = EGATClassifier(SCHEMA, heads=2)
    with pytest.raises(OptionError, match="heads is 0, but"):
        classifier.set_params(heads=0, seed=9)
    assert (classifier.get_params()["heads"], classifier.get_params()["seed"]) == (2, 0)


def test_failures_are_readable(fitted, tmp_path):
    with pytest.raises(LearningError, match="has not learned anything yet: call fit first"):
        EGATClassifier(SCHEMA).predict(*BANK)
    with pytest.raises(DataError, match=r"there is no file .*none\.csv"):
        fitted.predict(str(tmp_path / "none.csv"), BANK.transfers)
    with pytest.raises(DataError, match="no file"):
        EGATClassifier(tmp_path / "none.toml").fit(*BANK)
    with pytest.raises(SavedModelError, match="is no saved model"):
        EGATClassifier.load(tmp_path)


def test_a_schema_object_does_too():
    classifier = EGATClassifier(Schema.from_dict(SCHEMA), **OPTIONS | {"epochs": 2}).fit(*BANK)
    assert classifier.predict(*BANK).shape == (90,)


def test_the_class_is_there_without_loading_tables():
    code = (
        "import sys; from edgegat import EGATClassifier; print('polars' in sys.modules, 'torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]
