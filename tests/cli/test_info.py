from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.cli.run import edgegat


def test_of_this_machine():
    said = edgegat("info")
    assert (said.code, torch.__version__ in said.out, "torch, naive" in said.out) == (0, True, True)
    content = edgegat("info", "--json").json
    assert content["versions"]["torch"] == torch.__version__
    assert "cpu" in content["devices"]


def test_of_what_is_no_model():
    Path("folder").mkdir()
    for name, says in (("nowhere", "is not there"), ("folder", "it has no config.json")):
        said = edgegat("info", name)
        assert (said.code, said.out, says in said.err) == (2, "", True)
    Path("folder/config.json").write_text("{")
    said = edgegat("info", "folder")
    assert (said.code, "config.json is not JSON" in said.err) == (2, True)


@pytest.mark.usefixtures("trained")
def test_of_a_model():
    said = edgegat("info", "model")
    assert (said.code, "  fraud, ok\n" in said.out, "heads                 8" in said.out) == (0, True, True)
    content = edgegat("info", "model", "--json").json
    egat = content["metrics"]["methods"]["EGAT"]["parts"]["test"]
    shown = said.out.split("on the test part\n")[1].split()
    assert shown == ["EGAT", f"{egat['accuracy']:.3f}", f"{egat['roc_auc']:.3f}", f"{egat['pr_auc']:.3f}"]
    assert max(map(len, said.out.splitlines())) < 100
