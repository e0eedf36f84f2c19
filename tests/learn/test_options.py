"""Options: all mistakes at once, and JSON there and back."""

from __future__ import annotations

import json

import pytest

from edgegat.learn import ModelOptions, OptionError, TrainingOptions


def test_json_and_back():
    for options in (ModelOptions(heads=3, activation="relu"), TrainingOptions(metric="pr_auc", seed=9)):
        assert type(options).from_dict(json.loads(json.dumps(options.to_dict()))) == options


def test_all_mistakes_at_once():
    with pytest.raises(OptionError) as refused:
        TrainingOptions.from_dict({"epochs": 0, "metric": "speed", "patiense": 3, "mixed_precision": 1})
    said = str(refused.value).split("\n")
    assert said[0] == "there is no option 'patiense'. Did you mean 'patience'?"
    assert "epochs is 0, but it must be a whole number from 1 to 1000000." in said
    assert any(line.startswith("metric is 'speed', but it must be one of 'accuracy'") for line in said)
    assert "mixed_precision is 1, but it must be one of True, False." in said


def test_transit_has_no_direction():
    with pytest.raises(
        OptionError, match="'transit', which reads both ends of an edge alike: set directed=false"
    ):
        ModelOptions(directed=True, edge_attention="transit")


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (ModelOptions, "heads", 2.0),
        (ModelOptions, "heads", True),
        (ModelOptions, "dropout", 1.0),
        (ModelOptions, "dropout", float("nan")),
        (ModelOptions, "edge_attention", "line graph"),
        (ModelOptions, "directed", "yes"),
        (TrainingOptions, "learning_rate", "fast"),
        (TrainingOptions, "clip", -1.0),
        (TrainingOptions, "seed", -1),
        (TrainingOptions, "device", ""),
        (TrainingOptions, "device", None),
        (TrainingOptions, "backend", "cuda"),
    ],
)
def test_values_that_cannot_be(kind, name, value):
    with pytest.raises(OptionError, match=f"^{name} is "):
        kind(**{name: value})


def test_names_load_lazily_and_a_wrong_one_is_told():
    import edgegat.learn as learn

    with pytest.raises(AttributeError, match=r"no attribute 'Foo'; it offers .*CheckpointError"):
        learn.Foo  # noqa: B018
    assert set(learn.__all__) <= set(dir(learn))
    for name in learn.__all__:
        assert getattr(learn, name).__name__ == name
