"""What docs/trade.md says can be run, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "trade.md"


def test_the_example_runs_and_prints_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(
        r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    exec(compile(example, str(PAGE), "exec"), {})
    said = example.strip().rsplit("# ", 1)[1]
    assert capsys.readouterr().out.strip() == said


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)]+)\)", PAGE.read_text(encoding="utf-8"))
    assert len(targets) == 3
    for target in targets:
        assert (PAGE.parent / target).exists(), target
