"""How kernels are compiled: on first use, once for each number of heads and channels, and kept on disk."""

from __future__ import annotations

import logging
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import event

_log = logging.getLogger("edgegat")


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that runs outside Python's lock.

    Numba keeps the machine code in ``__pycache__``, or in the user's cache directory where that is read-only;
    where no directory can be written, kernels are compiled in every process.
    """
    # Numba looks only at a kernel's own file and at its constants to see whether what it kept is out of date.
    function.__qualname__ += f".{_SOURCES:08x}"
    compiled = numba.njit(nogil=True, error_model="numpy")(function)
    try:
        compiled.enable_caching()
    except RuntimeError:
        _log.info("No directory can be written to keep compiled kernels in; NUMBA_CACHE_DIR names one.")
    _announcement.kernels.add(compiled)
    return compiled


def _fingerprint_of_sources() -> int:
    sources = sorted(Path(__file__).parent.rglob("_numba*.py"))
    return zlib.crc32(b"".join(source.read_bytes() for source in sources))


_SOURCES = _fingerprint_of_sources()


class _Announcement(event.Listener):  # type: ignore[misc]
    """One line when the first kernel is compiled: for whoever sits before a terminal that has fallen silent.

    A program whose output goes elsewhere gets it through ``logging`` alone.
    """

    def __init__(self) -> None:
        self.kernels: set[Any] = set()
        self.made = False

    def on_start(self, event: Any) -> None:
        if self.made or event.data["dispatcher"] not in self.kernels:
            return
        self.made = True
        line = "edgegat compiles its CPU kernels for this machine: a few seconds, once; the result is kept."
        _log.info(line)
        if sys.stderr is not None and sys.stderr.isatty():
            print(line, file=sys.stderr)

    def on_end(self, event: Any) -> None:
        pass


_announcement = _Announcement()
event.register("numba:compile", _announcement)
