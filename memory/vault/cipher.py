"""SQLCipher: connections with the vault's settings, whether a key fits, another key for a file, errors as ours.

Owns everything that touches the engine without knowing what the tables mean.
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import tempfile
from collections.abc import Callable, Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlcipher3 import dbapi2

from models.text import letters
from schemas.errors import (
    ConsentError,
    MemoryStoreError,
    StorageFullError,
    UnstorableTextError,
    VaultBusyError,
    WrongKeyError,
)

sqlcipher: Any = dbapi2  # an extension module without type hints

APPLICATION_ID = 0x474C5642
"""``GLVB``: tells our vaults from other SQLCipher files under the same key."""

PAGE_BYTES = 4096
"""SQLCipher 4's default page; a vault is never smaller than one."""

PROBE_BYTES = 256 * 1024
"""What must fit beside the vault for a failed write not to be blamed on space: some tens of pages, as a WAL grows by."""


def utc_text(moment: datetime) -> str:
    """A moment as the vault writes it: UTC, always of the same length, so that text order is time order.

    Raises:
        MemoryStoreError: the moment has no time zone.
    """
    if moment.tzinfo is None:
        raise MemoryStoreError("a time without a zone cannot be stored: give an aware datetime")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def unlock(connection: Any, key: bytes) -> None:
    """Give a new connection its key; whether it fits shows when the file is first read."""
    connection.execute("PRAGMA cipher_log_level = NONE")  # else SQLCipher writes to stderr what we raise as an error
    connection.execute(f"PRAGMA key = \"x'{key.hex()}'\"")


def connect(path: Path, key: bytes, clock: Callable[[], datetime]) -> Any:
    """A connection with the vault's settings; nothing has been read from the file yet but its mode."""
    connection = sqlcipher.connect(str(path), isolation_level=None, check_same_thread=False, timeout=0.0)
    try:
        unlock(connection, key)
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.create_function("glovebox_now", 0, lambda: utc_text(clock()))
        connection.create_function("glovebox_letters", 1, letters, deterministic=True)
    except BaseException:
        connection.close()
        raise
    return connection


def probe(path: Path, key: bytes) -> None:
    """Whether the key opens the file, by a connection that only reads it.

    With a wrong key the real connection would, on closing, fold a WAL that a crash left behind into the file.

    Raises:
        WrongKeyError: it does not, or the file is damaged or no vault.
    """
    require(path, path.stat().st_size >= PAGE_BYTES)
    connection = sqlcipher.connect(f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True)
    try:
        unlock(connection, key)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        require(path, connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID)
    except sqlcipher.DatabaseError as error:
        # A disk that was full while the WAL was folded in leaves the file short of pages that the WAL still has: the key
        # fits, and whether all is there is for the real connection to say.
        left = path.with_name(f"{path.name}-wal")
        if error.sqlite_errorcode & 0xFF != sqlcipher.SQLITE_CORRUPT or not left.exists() or not left.stat().st_size:
            raise
    finally:
        connection.close()


def fits(path: Path, key: bytes | None) -> bool:
    """Whether a key opens a vault."""
    if key is None:
        return False
    try:
        with translated(path):
            probe(path, key)
    except WrongKeyError:
        return False
    return True


def give_key(path: Path, old: bytes, new: bytes) -> None:
    """Encrypt a file anew, in place: for a copy, since a crash leaves it unreadable. Its form and content stay as they are.

    Raises:
        WrongKeyError: the old key does not fit, or the copy cannot be read with the new one.
        StorageFullError: no space.
    """
    with translated(path):
        connection = sqlcipher.connect(str(path), isolation_level=None, timeout=0.0)
        try:
            unlock(connection, old)
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA journal_mode = MEMORY")  # no file with pages under the old key beside it
            require(path, connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID)
            connection.execute(f"PRAGMA rekey = \"x'{new.hex()}'\"")
        finally:
            connection.close()
        probe(path, new)
        with path.open("rb+") as file:
            os.fsync(file.fileno())


def require(path: Path, sound: bool) -> None:
    """Raise that a file is no vault of this key unless it was found sound.

    Raises:
        WrongKeyError: it was not.
    """
    if not sound:
        raise WrongKeyError(_no_vault(path))


def _no_vault(path: Path) -> str:
    return (
        f"the key does not open {path}, or the file is damaged or no vault; it was left as it is: give the key that it "
        "was made with, put the file back from a backup, or move it away to begin a new one"
    )


def _no_room(path: Path) -> bool:
    """Whether a write failed for want of space: SQLite calls only ENOSPC so, not a quota or a limit on file sizes."""
    limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    written = [file.stat().st_size for file in path.parent.glob(f"{path.stem}.*")]
    if limit != resource.RLIM_INFINITY and max(written, default=0) + PROBE_BYTES > limit:
        return True
    try:
        with tempfile.TemporaryFile(dir=path.parent) as file:
            file.write(bytes(PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.errno in _FULL
    return False


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextlib.contextmanager
def translated(path: Path) -> Generator[None]:
    """SQLCipher's errors as ours; its messages name tables and columns, never content, but are left out all the same.

    Raises:
        schemas.errors.GloveboxError: the one that fits.
    """
    try:
        yield
    except sqlcipher.Error as error:
        code = int(getattr(error, "sqlite_errorcode", 0) or 0)
        name = getattr(error, "sqlite_errorname", None) or type(error).__name__
        if code & 0xFF == sqlcipher.SQLITE_FULL or (code & 0xFF == sqlcipher.SQLITE_IOERR and _no_room(path)):
            raise _full(path) from error
        if code & 0xFF in (sqlcipher.SQLITE_CORRUPT, sqlcipher.SQLITE_NOTADB):
            raise WrongKeyError(_no_vault(path)) from error
        if code & 0xFF in (sqlcipher.SQLITE_BUSY, sqlcipher.SQLITE_LOCKED):
            raise VaultBusyError(f"another program reads {path} itself: end it, or wait for it") from error
        if code & 0xFF in (sqlcipher.SQLITE_READONLY, sqlcipher.SQLITE_CANTOPEN, sqlcipher.SQLITE_PERM):
            raise MemoryStoreError(
                f"{path} cannot be written ({name}): make the file and its folder writable for this user"
            ) from error
        if code & 0xFF == sqlcipher.SQLITE_TOOBIG:
            raise UnstorableTextError("a text is too long for the vault: say it in parts") from error
        if "consent" in str(error):
            raise ConsentError("consent forbids this write: ask Consent.forbids before writing") from error
        raise MemoryStoreError(f"the vault {path} failed ({name})") from error
    except UnicodeEncodeError:  # its message holds the text
        raise UnstorableTextError(
            "a text holds half a character (a lone surrogate) and cannot be stored: send it as valid Unicode"
        ) from None
    except OSError as error:
        if error.errno in _FULL:
            raise _full(path) from error
        raise MemoryStoreError(f"the vault {path} cannot be used ({error.strerror})") from error


def _full(path: Path) -> StorageFullError:
    return StorageFullError(f"no space left to write {path}; what was stored before is intact: free some space")
