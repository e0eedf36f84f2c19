"""Which backends the tests hold to the naive one, the truth: all others that work here."""

from __future__ import annotations

import pytest

from edgegat.ops import available_backends

FAST = tuple(name for name in available_backends() if name != "naive")

each_backend = pytest.mark.parametrize("backend", FAST)

each_other_than_torch = pytest.mark.parametrize(
    "backend",
    [name for name in FAST if name != "torch"]
    or [pytest.param("none", marks=pytest.mark.skip(reason="no other fast backend than torch works here"))],
)
