"""Settings of the whole test run."""

from __future__ import annotations

import os

import torch

if "PYTEST_XDIST_WORKER" in os.environ:
    # Every worker has a core; more threads than cores make the suite slower, not faster.
    torch.set_num_threads(1)
