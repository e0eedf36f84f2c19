"""The most memory that something takes, on top of what was taken before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import torch

_SELF = Path("/proc/self")


@dataclass
class Most:
    """``bytes`` is known after the block; ``None`` where the system does not tell."""

    bytes: int | None = None


@contextmanager
def most_memory(device: str = "cpu") -> Iterator[Most]:
    """Of the GPU, if it is one; else of this process, on Linux."""
    most = Most()
    if device.startswith("cuda"):
        torch.cuda.init()
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        yield most
        most.bytes = torch.cuda.max_memory_allocated(device) - before
        return
    with suppress(OSError):
        (_SELF / "clear_refs").write_text("5")  # the highest mark begins anew
    taken = _status("VmRSS")
    yield most
    highest = _status("VmHWM")
    if taken is not None and highest is not None:
        most.bytes = max(highest - taken, 0)


def _status(name: str) -> int | None:
    with suppress(OSError):
        for line in (_SELF / "status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) * 1024
    return None
