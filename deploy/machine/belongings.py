"""The data folder when the program starts: whose it is and who may read it, and what an older version left lying there.

What is too open is closed and told of. What nobody here can close, or what others may have exchanged meanwhile, is refused with one
sentence. A key file that others could read is not closed but left to its key source, which refuses it: it may be known by now.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from deploy.drivers.keys import KEYS
from memory.rights.exports import FOLDER as EXPORTS
from memory.vault.files import OWNER_ONLY, remove
from schemas.errors import ConfigError

OTHERS = 0o077
OUTDATED = ("decisions.jsonl", "decisions.jsonl.1")
"""Written up to version 0.1.0 in clear text, on private trips, too."""

_log = logging.getLogger("glovebox.data")


def secure(folder: Path) -> tuple[str, ...]:
    """Close a data folder and what lies in it to all but its owner; a line for each thing that was mended.

    Args:
        folder: the data folder; nothing is done where it does not exist.

    Raises:
        ConfigError: it belongs to somebody else, others may exchange it, or it cannot be closed.
    """
    if not folder.is_dir():
        return ()
    try:
        mended = [*_closed(folder), *_cleared(folder)]
    except OSError as error:
        raise ConfigError(
            f"{error.filename or folder} is open to other users and cannot be closed ({error.strerror}): "
            f"run chmod -R go= {folder} as its owner, or name another folder with --home"
        ) from None
    for line in mended:
        _log.warning("%s", line)
    return tuple(mended)


def _closed(folder: Path) -> Iterator[str]:
    folder = folder.resolve()
    held = folder.stat()
    if os.geteuid() not in (held.st_uid, 0):
        raise ConfigError(
            f"the data folder {folder} belongs to another user (number {held.st_uid}): name one of your own with --home"
        )
    for above in folder.parents:
        mode = above.stat().st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise ConfigError(
                f"anybody may exchange the data folder {folder}, because {above} is open to all for writing: "
                f"chmod o-w {above}, or name another folder with --home"
            )
    for place in (folder, folder / KEYS, folder / EXPORTS):
        if not place.is_dir() or place.is_symlink():
            continue
        yield from _without_others(place, 0o700)
        for file in sorted(place.iterdir()):
            if file.is_file() and not file.is_symlink() and file.suffix != ".key":
                yield from _without_others(file, OWNER_ONLY)


def _without_others(path: Path, wanted: int) -> Iterator[str]:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & OTHERS:
        path.chmod(wanted)
        yield f"{path} was open to other users (mode {mode:04o}) and is closed now ({wanted:04o})"


def _cleared(folder: Path) -> Iterator[str]:
    for name in OUTDATED:
        if remove(folder / name):
            yield f"{folder / name} was removed: decisions of the gate are no longer written down"
