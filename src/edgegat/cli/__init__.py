"""The command line: one short file per command, nothing but arguments and printing.

Nothing heavy is imported before a command needs it, so that ``edgegat --help`` answers at once.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """The command ``edgegat``."""
    # Threads that wait for work sleep instead of spinning: on a busy machine training takes a fifth of the time.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        from edgegat.cli.app import app

        app(prog_name="edgegat")
    except KeyboardInterrupt:  # while a command was being found, where nobody else listens
        sys.exit(130)
