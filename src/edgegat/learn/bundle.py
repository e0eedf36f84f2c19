"""Several files in one folder that belong together, replaced all at once or not at all.

The new files are written beside the old ones with ``.new`` behind their names. Then the manifest, which knows the
digest of each file, is replaced: a single rename, and the moment from which the new files count. Only then do
they take the old ones' names. Whoever reads takes, of each file and its ``.new``, the one that the manifest
means. So a crash at any moment leaves the old bundle or the new one, whole.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from edgegat.learn.files import NEW, digest, sync_folder, write_new


class DamagedBundleError(ValueError):
    """What is not as it was written, as half a sentence that begins with a file's name."""


def write_bundle(folder: Path, manifest: str, about: Mapping[str, Any], contents: Mapping[str, bytes]) -> None:
    """Write the files and, as JSON, the manifest that tells ``about`` them.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> write_bundle(folder, "about.json", {"version": 1}, {"a.txt": b"one"})
        >>> read_manifest(folder / "about.json")["version"], read_bundle(folder, "about.json")
        (1, {'a.txt': b'one'})
    """
    folder.mkdir(parents=True, exist_ok=True)
    _settle(folder, manifest)
    for name, content in contents.items():
        write_new(folder / name, content)
    whole = {**about, "files": {name: digest(content) for name, content in contents.items()}}
    text = json.dumps({**whole, "digest": _digest_of(whole)}, indent=1, allow_nan=False, ensure_ascii=False)
    new = write_new(folder / manifest, text.encode())
    sync_folder(folder)
    os.replace(new, folder / manifest)
    for name in contents:
        os.replace(folder / (name + NEW), folder / name)
    sync_folder(folder)


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest as it was written; what it says is not checked, see :func:`read_bundle`."""
    content = json.loads(path.read_bytes())
    if not isinstance(content, dict):
        raise DamagedBundleError(f"{path.name} holds no object")
    return content


def read_bundle(folder: Path, manifest: str) -> dict[str, bytes]:
    """All files, each as the manifest means it.

    Raises:
        DamagedBundleError: a file is missing, cut off or changed.
    """
    about = read_manifest(folder / manifest)
    rest = {key: value for key, value in about.items() if key != "digest"}
    if about.get("digest") != _digest_of(rest) or not isinstance(about.get("files"), dict):
        raise DamagedBundleError(f"{manifest} is not what was saved")
    return {name: _find(folder, name, wanted)[1] for name, wanted in about["files"].items()}


def _settle(folder: Path, manifest: str) -> None:
    """Finish the renames of a bundle whose writer was stopped after its manifest was in place."""
    try:
        files = read_manifest(folder / manifest)["files"]
        for name, wanted in files.items():
            path, _ = _find(folder, name, wanted)
            if path.name != name:
                os.replace(path, folder / name)
    except (OSError, ValueError, KeyError, AttributeError):
        return  # there is no whole bundle that could be lost


def _find(folder: Path, name: str, wanted: str) -> tuple[Path, bytes]:
    found = False
    for path in (folder / name, folder / (name + NEW)):
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            continue
        found = True
        if digest(content) == wanted:
            return path, content
    raise DamagedBundleError(f"{name} is {'not what was saved' if found else 'missing'}")


def _digest_of(values: Mapping[str, Any]) -> str:
    return digest(json.dumps(values, sort_keys=True).encode())
