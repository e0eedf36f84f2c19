"""Which backend runs: by argument, by environment, by itself; and without anything that is not needed."""

from __future__ import annotations

import subprocess
import sys
from typing import get_args

import pytest
import torch

from edgegat.ops import Backend, _backends, available_backends, record_kernels, star_attention
from tests.ops.backends import FAST
from tests.ops.graphs import random_graph, star_inputs

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _no_wish_from_outside(monkeypatch):
    monkeypatch.delenv("EDGEGAT_BACKEND", raising=False)


@pytest.fixture
def only_naive_works(monkeypatch):
    monkeypatch.setattr(_backends, "available_backends", lambda device="cpu": ("naive",))


def test_torch_and_the_truth_are_always_there_and_the_truth_comes_last():
    assert available_backends()[-2:] == ("torch", "naive")
    assert available_backends("cpu") == available_backends(CPU) == available_backends()
    assert set(available_backends()) <= set(get_args(Backend))
    assert "torch" in FAST
    assert "naive" not in FAST


def test_auto_takes_the_first():
    assert _backends.choose_backend("auto", CPU) == available_backends()[0]


@pytest.mark.parametrize("name", available_backends())
def test_the_environment_chooses_for_auto(name, monkeypatch):
    monkeypatch.setenv("EDGEGAT_BACKEND", name)
    assert _backends.choose_backend("auto", CPU) == name


@pytest.mark.parametrize("name", available_backends())
def test_an_argument_counts_more_than_the_environment(name, monkeypatch):
    monkeypatch.setenv("EDGEGAT_BACKEND", "naive" if name != "naive" else "torch")
    assert _backends.choose_backend(name, CPU) == name


@pytest.mark.parametrize("nothing", ["", "auto"])
def test_an_empty_environment_changes_nothing(nothing, monkeypatch):
    monkeypatch.setenv("EDGEGAT_BACKEND", nothing)
    assert _backends.choose_backend("auto", CPU) == available_backends()[0]


def test_an_unknown_name_is_refused_and_says_who_asked(monkeypatch):
    allowed = ", ".join(repr(name) for name in get_args(Backend))
    with pytest.raises(ValueError, match=rf"^backend is 'fast', but it must be one of {allowed}\.$"):
        _backends.choose_backend("fast", CPU)
    monkeypatch.setenv("EDGEGAT_BACKEND", "cuda")
    with pytest.raises(ValueError, match=rf"^EDGEGAT_BACKEND is 'cuda', but it must be one of {allowed}\.$"):
        _backends.choose_backend("auto", CPU)


@pytest.mark.usefixtures("only_naive_works")
def test_a_backend_that_does_not_work_here_is_refused_and_the_others_are_named(monkeypatch):
    with pytest.raises(RuntimeError, match=r"^backend asks for 'torch'.* on cpu; available there: naive\.$"):
        _backends.choose_backend("torch", CPU)
    monkeypatch.setenv("EDGEGAT_BACKEND", "torch")
    with pytest.raises(RuntimeError, match=r"^EDGEGAT_BACKEND asks for 'torch'"):
        _backends.choose_backend("auto", CPU)


@pytest.mark.parametrize("name", available_backends())
def test_the_operation_runs_what_the_environment_says(name, monkeypatch):
    monkeypatch.setenv("EDGEGAT_BACKEND", name)
    stars = random_graph(5, 9)
    with record_kernels() as ran:
        star_attention(**star_inputs(stars, 1, 1), stars=stars)
    assert ran[0] == f"star/{name}"


def test_recordings_nest_and_end():
    stars = random_graph(5, 9)
    inputs = star_inputs(stars, 1, 1)
    with record_kernels() as outer:
        star_attention(**inputs, stars=stars, backend="naive")
        with record_kernels() as inner:
            star_attention(**inputs, stars=stars, backend="torch")
    star_attention(**inputs, stars=stars, backend="naive")
    assert outer == ["star/naive", "star/torch"]
    assert inner == ["star/torch"]


def test_a_recording_ends_with_an_error_too():
    stars = random_graph(5, 9)
    with pytest.raises(ZeroDivisionError), record_kernels() as ran:
        raise ZeroDivisionError
    star_attention(**star_inputs(stars, 1, 1), stars=stars, backend="naive")
    assert ran == []


def test_torch_and_numpy_are_enough():
    """Everything else is hidden; the operations import and run, and nothing warns when torch is asked for."""
    code = """
import sys, warnings
warnings.simplefilter("error")
for name in ("torch_geometric", "numba", "polars", "pydantic", "sklearn", "safetensors", "typer", "matplotlib"):
    sys.modules[name] = None
import torch
from edgegat.graph import Stars
from edgegat.ops import star_attention
stars = Stars.build(torch.tensor([[0, 1], [1, 2]]), 3)
zeros, value = torch.zeros(4, 1), torch.tensor([[[2.0]], [[4.0]]])
print(star_attention(zeros, zeros, value, torch.zeros(2, 1), stars, backend="torch").flatten().tolist())
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.strip() == "[3.0, 3.0]", ran.stderr
