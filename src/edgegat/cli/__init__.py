"""The command line: one short file per command, nothing but arguments and printing.

Nothing heavy is imported before a command needs it, so that ``edgegat --help`` answers at once.
"""

from __future__ import annotations

import sys


def main() -> None:
    """The command ``edgegat``."""
    try:
        from edgegat.cli.app import app

        app(prog_name="edgegat")
    except KeyboardInterrupt:  # while a command was being found, where nobody else listens
        sys.exit(130)
