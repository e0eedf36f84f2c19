"""The examples run, and show what they say."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import torch

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_edges_decide(capsys, monkeypatch):
    spec = importlib.util.spec_from_file_location("edges_decide", EXAMPLES / "edges_decide.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    monkeypatch.setattr(example, "EPOCHS", 30)
    with torch.random.fork_rng():
        example.main()
    results = re.findall(r"^  (.*?) +([\d.]+)%", capsys.readouterr().out, re.MULTILINE)
    share = {name: float(percent) for name, percent in results}
    assert share["EGAT"] > 85
    assert share["GAT"] < 70
