"""The README's Python, run from top to bottom as one program."""

from __future__ import annotations

import json
import re
from pathlib import Path

import torch

README = Path(__file__).parent.parent / "README.md"


def test_readme_runs(capsys):
    torch.manual_seed(0)
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 5
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)

    merged, gat, egat = capsys.readouterr().out.splitlines()
    assert merged == "4 columns became 2 edges: 2 pairs of equal opposite columns merged"
    assert max(json.loads(gat)) < 1e-6
    assert min(json.loads(egat)) > 1e-2


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)]+)\)", README.read_text(encoding="utf-8"))
    assert targets
    for target in targets:
        assert (README.parent / target).exists(), target
