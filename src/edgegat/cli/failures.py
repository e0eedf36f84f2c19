"""From an exception to an exit code and a sentence."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

FAILED, WRONG, STOPPED = 1, 2, 130
"""Asked for rightly, but it failed; wrong use or bad input; Ctrl-C, numbered as shells do."""


def explain(error: BaseException, arguments: Sequence[str]) -> tuple[int, str]:
    r"""The exit code, and what to tell the user.

    Args:
        error: what was raised.
        arguments: of the command line, to say how to go on.

    Example:
        >>> explain(PermissionError(13, "Permission denied", "scores.csv"), ["predict"])
        (1, 'scores.csv: Permission denied.')
        >>> explain(ZeroDivisionError("division by zero"), ["train", "a.csv"])
        (1, 'this should not have happened (ZeroDivisionError: division by zero). ...')
        >>> explain(KeyboardInterrupt(), ["train", "my table.csv"])
        (130, "Stopped. Go on with\n  edgegat train 'my table.csv' --resume")
    """
    from edgegat.learn.errors import CheckpointError, LearningError, OptionError, SavedModelError

    if isinstance(error, KeyboardInterrupt):
        return STOPPED, _how_to_go_on(str(error) or "Stopped.", arguments)
    if isinstance(error, CheckpointError | OptionError | SavedModelError) or _is_data_error(error):
        return WRONG, str(error)
    if isinstance(error, LearningError):
        return FAILED, str(error)
    if isinstance(error, OSError):
        about = "" if error.filename is None else f"{error.filename}: "
        return FAILED, f"{about}{error.strerror or error}."
    if isinstance(error, MemoryError):
        return FAILED, "the memory of this machine is too small for these tables."
    return FAILED, (
        f"this should not have happened ({type(error).__name__}: {error}). It is a mistake in edgegat, not yours; "
        "--debug shows where it is."
    )


def _is_data_error(error: BaseException) -> bool:
    """Without importing ``edgegat.data``, which who raised it has done."""
    return any(kind.__name__ == "DataError" for kind in type(error).__mro__)


def _how_to_go_on(said: str, arguments: Sequence[str]) -> str:
    if arguments[:1] != ["train"]:
        return f"{said} Nothing half done is left behind: the same command starts anew."
    again = [*arguments, *([] if "--resume" in arguments else ["--resume"])]
    return f"{said} Go on with\n  edgegat {shlex.join(again)}"
