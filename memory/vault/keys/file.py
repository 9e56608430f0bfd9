"""A key in a file: for development only, since whoever reads the file reads the vault.

Owns the file's form (32 bytes, mode 0600, a plain file of ours) and the step from one key for all drivers, which older
installations have, to one for each.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Generator
from pathlib import Path

from memory.vault.files import OWNER_ONLY, PART, make_folder, remove, replace_key, retire, write_whole
from memory.vault.keys import KEY_BYTES, Lock
from schemas.errors import KeySourceError


class KeyFile:
    """The key of one vault in a file of its own.

    The file is made with mode 0600 and refused when others may read or write it, or when it belongs to somebody else.
    """

    def __init__(self, path: Path, *, shared: Path | None = None) -> None:
        """A source that reads, or at the vault's making writes, this file.

        Args:
            path: the file of this vault alone.
            shared: a file that held the key of every vault before each had its own. A vault that was made with it goes on
                opening, and is given its own key by `memory.vault.lifecycle.Vault.open`. It is never written and never removed.
        """
        self._path = path
        self._shared = shared
        self._next = path.with_name(f"{path.name}.next")

    def key(self, *, create: bool) -> bytes:
        """The key in the file; made of the system's random source where it is missing and may be made."""
        if create and not os.path.lexists(self._path):
            with _written(self._path):
                make_folder(self._path.parent)
                write_whole(self._path, secrets.token_bytes(KEY_BYTES))
        return _read(self._shared if self.shared() and self._shared is not None else self._path)

    def shared(self) -> bool:
        """True while the vault still has the key of all."""
        return self._shared is not None and not os.path.lexists(self._path) and os.path.lexists(self._shared)

    def staged(self) -> bytes | None:
        """See `KeySource`."""
        return _read(self._next) if os.path.lexists(self._next) else None

    def stage(self, key: bytes | None = None) -> bytes:
        """See `KeySource`."""
        key = secrets.token_bytes(KEY_BYTES) if key is None else key
        with _written(self._next):
            make_folder(self._next.parent)
            write_whole(self._next, key)
        return key

    def promote(self) -> None:
        """See `KeySource`."""
        if os.path.lexists(self._next):
            with _written(self._path):
                replace_key(self._next, self._path)

    def discard(self) -> None:
        """See `KeySource`."""
        with _written(self._next):
            retire(self._next)
            for path in (self._path, self._next):
                remove(path.with_name(f"{path.name}{PART}"))

    def destroy(self) -> bool:
        """See `KeySource`."""
        left = self.shared()
        with _written(self._path):
            for path in (self._path, self._next):
                remove(path)
                remove(path.with_name(f"{path.name}{PART}"))
        return not left


@contextlib.contextmanager
def _written(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise KeySourceError(
            f"the key file {path} cannot be written ({error.strerror}): make its folder writable"
        ) from error


def _read(path: Path) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        raise KeySourceError(
            f"the key file {path} is missing but its vault exists: put the key file back from a backup, "
            "or delete the vault to begin anew (what it holds cannot be read without the key)"
        ) from None
    except OSError as error:
        raise KeySourceError(
            f"the key file {path} cannot be opened ({error.strerror}): it must be a plain file of yours"
        ) from error
    try:
        _check(path, os.fstat(handle))
        key = os.read(handle, KEY_BYTES + 1)
    finally:
        os.close(handle)
    if len(key) != KEY_BYTES:
        raise KeySourceError(
            f"the key file {path} holds {'more than ' if len(key) > KEY_BYTES else ''}"
            f"{min(len(key), KEY_BYTES)} bytes and needs {KEY_BYTES}: put it back from a backup"
        )
    return key


def _check(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise KeySourceError(f"the key file {path} is not a plain file: give the path of one")
    mode = stat.S_IMODE(status.st_mode)
    if mode & ~OWNER_ONLY:
        raise KeySourceError(f"the key file {path} has mode {mode:04o} and others may use it: run chmod 600 on it")
    if status.st_uid != os.geteuid():
        raise KeySourceError(
            f"the key file {path} belongs to user id {status.st_uid}, not to {os.geteuid()}: "
            "run as its owner or change its owner"
        )


def opened(lock: Lock) -> KeyFile:
    """A file of the driver's own: the configured one if it has the driver's name, else one beside it with the name in it.

    The configured one is then what all drivers' vaults had before each had a key of its own. ``{driver}`` in the name stands
    for the driver's.
    """
    named = lock.key_file.with_name(lock.key_file.name.replace("{driver}", lock.stem))
    if named.stem == lock.stem:
        return KeyFile(named)
    return KeyFile(named.with_name(f"{named.stem}-{lock.stem}{named.suffix}"), shared=named)
