"""Writing files so that a crash, a full disk or a pulled plug leaves the old content or the new, never half."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

NEW = ".new"


def replace_file(path: Path, content: bytes) -> None:
    """Write beside the file, make sure it is on the disk, then rename: the name has the old content or the new.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "note.txt"
        >>> replace_file(path, b"kept")
        >>> path.read_bytes(), [file.name for file in path.parent.iterdir()]
        (b'kept', ['note.txt'])
    """
    new = write_new(path, content)
    os.replace(new, path)
    sync_folder(path.parent)


def write_new(path: Path, content: bytes) -> Path:
    """Write ``path`` with ``.new`` behind its name, down to the disk; return that name."""
    new = path.with_name(path.name + NEW)
    with new.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return new


def sync_folder(folder: Path) -> None:
    """Make sure that renames in this folder are on the disk. Windows does it by itself and cannot be asked."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def digest(content: bytes) -> str:
    """SHA-256, as text.

    Example:
        >>> digest(b"")[:12]
        'e3b0c44298fc'
    """
    return hashlib.sha256(content).hexdigest()
