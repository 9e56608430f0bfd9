"""Files that hold what was computed from other files, so that the next start need not do it again.

Owns where they lie and whether they are whole: a file's name has the key of what it was computed from and the digest of what is
in it, so one that was cut short, changed or written for something else is never used, and is taken away. Whatever goes wrong, the
answer is "there is none": it is computed again. Does not own what is computed. Nothing personal may be put here.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

KEY = 16
"""Hexadecimal digits of a key in a name: 64 bits, against chance. Whoever may write here may write the models, too."""


def key_of(*parts: object) -> str:
    """A key for what these describe; bytes are taken as they are, all else as it is written."""
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else repr(part).encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:KEY]


def opened(folder: Path | None, kind: str, key: str) -> BinaryIO | None:
    """The file of this kind with this key, at its beginning, if it is whole; else None.

    Args:
        folder: None: nothing is kept anywhere.
        kind: what it is, a word.
        key: from ``key_of``.
    """
    for path in sorted(folder.glob(f"{kind}-{key}-*")) if folder is not None else ():
        with contextlib.suppress(OSError):
            file = path.open("rb")
            if hashlib.file_digest(file, "sha256").hexdigest() == path.name.rpartition("-")[2]:
                file.seek(0)
                return file
            file.close()
            path.unlink()
    return None


def keep(folder: Path | None, kind: str, key: str, write: Callable[[BinaryIO], object]) -> None:
    """Keep one; those of the same kind with other keys go. Where there is no room, nothing is kept.

    Args:
        folder: made if it is not there; None: nothing is kept anywhere.
        kind: what it is, a word.
        key: from ``key_of``.
        write: given the file, writes what shall be in it.
    """
    if folder is None:
        return
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        number, made = tempfile.mkstemp(prefix=f".{kind}-", dir=folder)
        try:
            with os.fdopen(number, "w+b") as file:
                write(file)
                file.flush()
                file.seek(0)
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            for old in (*folder.glob(f"{kind}-*"), *folder.glob(f".{kind}-*")):
                if old != Path(made):
                    old.unlink(missing_ok=True)
            Path(made).rename(folder / f"{kind}-{key}-{digest}")
        except BaseException:
            Path(made).unlink(missing_ok=True)
            raise
