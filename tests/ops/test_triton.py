"""The Triton kernels without a GPU: Triton's interpreter runs ``interpreted.py``, in processes of its own.

Triton reads TRITON_INTERPRET when it is imported, and a test run imports it early or late: only a new process
can be sure.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GROUPS = (
    "star_by",
    "test_node",
    "boundary",
    "heads or slopes",
    "not (star_by or test_node or boundary or heads or slopes)",
)


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="triton is not installed")
@pytest.mark.parametrize("group", GROUPS)
def test_under_the_interpreter(group):
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--no-header", "-k", group]
    # Lanes that are masked off compute on infinities, of which NumPy warns.
    options += ["-W", "ignore::RuntimeWarning:triton.runtime.interpreter"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "tests/ops/interpreted.py"],
        cwd=ROOT,
        env=_environment(),
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]
    assert "skipped" not in ran.stdout


def _environment() -> dict[str, str]:
    """This process's, without what would make the new one a worker of pytest-xdist."""
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    return inherited | {"TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"}
