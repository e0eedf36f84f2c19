"""``python -m edgegat`` is the command ``edgegat``."""

from edgegat.cli import main

main()
