"""Which backends the tests hold to the naive one, the truth: all others that work here."""

from __future__ import annotations

import pytest

from edgegat.ops import available_backends

FAST = tuple(name for name in available_backends() if name != "naive")

each_backend = pytest.mark.parametrize("backend", FAST)
