"""Every test of a command has a folder of its own to be in."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
