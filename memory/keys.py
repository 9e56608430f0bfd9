"""Where a vault's key comes from.

Owns the key sources behind one protocol: a key file (development) and a key in memory (tests). Knows nothing of the vault
beyond that its key is 32 random bytes, and never derives a key from words: a passphrase source belongs here too, but has
to bring its own derivation.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import Protocol

from schemas.errors import KeySourceError

KEY_BYTES = 32
"""256 bits: what SQLCipher takes as a raw key for AES-256 (zetetic.net/sqlcipher/sqlcipher-api, ``PRAGMA key``)."""

OWNER_ONLY = 0o600


class KeySource(Protocol):
    """Gives the key of one vault."""

    def key(self, *, create: bool) -> bytes:
        """The vault's key, `KEY_BYTES` long.

        Args:
            create: True only when the vault is about to be made: the source may then make the key. For a vault that is
                there already a missing key is an error, never a new key.

        Raises:
            KeySourceError: the key cannot be had; the message says what to do.
        """
        ...


class RawKey:
    """A key that is held in memory. For tests, and for callers that fetched the key themselves."""

    def __init__(self, key: bytes) -> None:
        """A source of this key.

        Raises:
            KeySourceError: it is not `KEY_BYTES` long.
        """
        if len(key) != KEY_BYTES:
            raise KeySourceError(f"the vault key has {len(key)} bytes and needs {KEY_BYTES}: give 32 random bytes")
        self._key = key

    def key(self, *, create: bool) -> bytes:
        """The key, whether or not the vault exists."""
        del create
        return self._key


class KeyFile:
    """A key in a file beside nothing else: for development only, since whoever reads the file reads the vault.

    The file is made with mode 0600 and refused when others may read or write it, or when it belongs to somebody else.
    """

    def __init__(self, path: Path) -> None:
        """A source that reads, or at the vault's making writes, this file."""
        self._path = path

    def key(self, *, create: bool) -> bytes:
        """The key in the file; made of the system's random source where it is missing and may be made."""
        if create and not self._path.exists():
            self._make()
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            raise KeySourceError(
                f"the key file {self._path} is missing but its vault exists: put the key file back from a backup, "
                "or delete the vault to begin anew (what it holds cannot be read without the key)"
            ) from None
        except OSError as error:
            raise KeySourceError(
                f"the key file {self._path} cannot be opened ({error.strerror}): it must be a plain file of yours"
            ) from error
        try:
            self._check(os.fstat(handle))
            key = os.read(handle, KEY_BYTES + 1)
        finally:
            os.close(handle)
        if len(key) != KEY_BYTES:
            raise KeySourceError(
                f"the key file {self._path} holds {'more than ' if len(key) > KEY_BYTES else ''}"
                f"{min(len(key), KEY_BYTES)} bytes and needs {KEY_BYTES}: put it back from a backup"
            )
        return key

    def _check(self, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            raise KeySourceError(f"the key file {self._path} is not a plain file: give the path of one")
        mode = stat.S_IMODE(status.st_mode)
        if mode & ~OWNER_ONLY:
            raise KeySourceError(
                f"the key file {self._path} has mode {mode:04o} and others may use it: run chmod 600 on it"
            )
        if status.st_uid != os.geteuid():
            raise KeySourceError(
                f"the key file {self._path} belongs to user id {status.st_uid}, not to {os.geteuid()}: "
                "run as its owner or change its owner"
            )

    def _make(self) -> None:
        """Write a new key: whole or not at all, and never over one that is there."""
        fresh = self._path.with_name(f"{self._path.name}.{secrets.token_hex(4)}.new")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, OWNER_ONLY)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(secrets.token_bytes(KEY_BYTES))
                    file.flush()
                    os.fsync(file.fileno())
                with contextlib.suppress(FileExistsError):
                    os.link(fresh, self._path)
            finally:
                fresh.unlink()
            sync_folder(self._path.parent)
        except OSError as error:
            raise KeySourceError(
                f"the key file {self._path} cannot be written ({error.strerror}): make its folder writable"
            ) from error


def sync_folder(folder: Path) -> None:
    """Make names that were created or renamed in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
