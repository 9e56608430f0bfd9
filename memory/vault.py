"""One encrypted file a driver: opening it, locking it, writing it durably, wiping what was deleted.

Owns the SQLCipher connection, its settings and the translation of its errors. Knows nothing of what the tables mean:
that is `memory.store`. All access goes through `transaction` and `rows`.

What holds, and what it rests on:

- encryption: SQLCipher 4 (AES-256-CBC and HMAC-SHA512 a page) with a raw random key; nothing personal outside the file
- durability: WAL with ``synchronous=FULL``; a transaction that returned survives kill -9 and loss of power
- one writer: `memory.lock`, and SQLite's own exclusive locking mode, which also keeps the WAL index out of a file
- deletion: ``secure_delete`` zeroes freed cells and pages, `wipe` folds the WAL into the file and empties it
- a wrong key, foreign, truncated or damaged file is an error and the file is left as it was (but for one case: damage that
  shows only with a WAL that a crash left behind; SQLite folds that in on closing)
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import tempfile
import threading
import unicodedata
from collections.abc import Callable, Generator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlcipher3 import dbapi2

from memory.keys import KeySource, sync_folder
from memory.lock import VaultLock
from memory.migrations import STEPS, VERSION
from schemas.errors import (
    ConfigError,
    ConsentError,
    MemoryStoreError,
    StorageFullError,
    VaultBusyError,
    VaultVersionError,
    WrongKeyError,
)

sqlcipher: Any = dbapi2  # an extension module without type hints

APPLICATION_ID = 0x474C5642
"""``GLVB``: tells our vaults from other SQLCipher files under the same key."""

PAGE_BYTES = 4096
"""SQLCipher 4's default page; a vault is never smaller than one."""

NAME_LENGTH = 40
"""Most characters of a driver's name: encoded they stay under the 255 bytes of a file name."""

SUFFIX = ".vault"

PROBE_BYTES = 256 * 1024
"""What must fit beside the vault for a failed write not to be blamed on space: some tens of pages, as a WAL grows by."""


def file_stem(driver: str) -> str:
    """The name under which a driver's files lie: the same for the same name in any case, safe on any file system.

    Raises:
        ConfigError: no usable name.
    """
    name = unicodedata.normalize("NFC", driver).strip().casefold()
    if not 0 < len(name) <= NAME_LENGTH or not all(c.isalnum() or c in " _-'" for c in name):
        raise ConfigError(
            f"{driver[:NAME_LENGTH]!r} cannot be a driver's name: use 1 to {NAME_LENGTH} letters, digits, spaces, "
            "hyphens, apostrophes"
        )
    return quote(name, safe="")


def vault_path(folder: Path, driver: str) -> Path:
    """Where a driver's vault lies in a data folder."""
    return folder / f"{file_stem(driver)}{SUFFIX}"


def utc_text(moment: datetime) -> str:
    """A moment as the vault writes it: UTC, always of the same length, so that text order is time order.

    Raises:
        MemoryStoreError: the moment has no time zone.
    """
    if moment.tzinfo is None:
        raise MemoryStoreError("a time without a zone cannot be stored: give an aware datetime")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


class Vault:
    """An open vault. Not for use by several threads at once without the caller's lock, except where said."""

    def __init__(self, path: Path, connection: Any, lock: VaultLock) -> None:
        """Used by `open`."""
        self.path = path
        self._connection = connection
        self._lock = lock
        self._guard = threading.RLock()
        self._closed = False

    @classmethod
    def open(cls, folder: Path, driver: str, keys: KeySource, *, clock: Callable[[], datetime]) -> Vault:
        """Open a driver's vault; make it where there is none.

        Args:
            folder: the data folder; made with mode 0700 where it is missing.
            driver: the driver's name.
            keys: where the key comes from.
            clock: aware current time, for the consent rules inside the vault.

        Raises:
            ConfigError: the name cannot be used.
            KeySourceError: no key.
            VaultBusyError: another process, or another part of this one, has it open.
            WrongKeyError: the key does not fit, or the file is damaged or no vault. It is left as it was.
            VaultVersionError: a newer program wrote it.
            StorageFullError: no space.
            MemoryStoreError: anything else; the message says what.
        """
        path = vault_path(folder, driver)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise MemoryStoreError(f"the data folder {folder} cannot be made ({error.strerror})") from error
        lock = VaultLock(path.with_suffix(".lock"))
        try:
            key = keys.key(create=not path.exists())
            if not path.exists():
                _create(path, key, clock)
            return cls(path, _connect_checked(path, key, clock), lock)
        except BaseException:
            lock.release()
            raise

    @property
    def closed(self) -> bool:
        """True after `close`."""
        return self._closed

    def close(self) -> None:
        """Fold the WAL into the file and release the lock; may be called again."""
        with self._guard:
            if not self._closed:
                self._closed = True
                with contextlib.suppress(sqlcipher.Error):
                    self._connection.close()
                self._lock.release()

    @contextlib.contextmanager
    def transaction(self) -> Generator[None]:
        """All that is written inside is stored when the block ends, or nothing of it when it raises.

        May be nested: the outermost block decides.

        Raises:
            ConsentError: a trigger refused a write.
            StorageFullError: no space; what was stored before is intact.
            MemoryStoreError: the vault is closed or failed.
        """
        with self._guard:
            if self._connection.in_transaction:
                yield
                return
            self._execute("BEGIN IMMEDIATE")
            try:
                yield
                self._execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite itself rolls back some failures
                    with contextlib.suppress(sqlcipher.Error):
                        self._connection.execute("ROLLBACK")
                raise

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query; any thread may call it."""
        with self._guard:
            return [tuple(row) for row in self._execute(sql, values).fetchall()]

    def write(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Carry out one statement inside `transaction`; returns how many rows it touched.

        Raises:
            MemoryStoreError: there is no transaction (a defect in the caller).
        """
        with self._guard:
            if not self._connection.in_transaction:
                raise MemoryStoreError("a write outside a transaction")
            return int(self._execute(sql, values).rowcount)

    def wipe(self) -> None:
        """After a deletion: fold the WAL into the file and empty it, so that no page of before is left in either.

        Raises:
            MemoryStoreError: the WAL could not be emptied.
        """
        with self._guard:
            busy, _, _ = self._execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if busy:
                raise MemoryStoreError("the write-ahead log could not be emptied: another connection reads the vault")

    def _execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        if self._closed:
            raise MemoryStoreError("the vault is closed: open it again")
        with _translated(self.path):
            return self._connection.execute(sql, values)


def _create(path: Path, key: bytes, clock: Callable[[], datetime]) -> None:
    """Make a vault under another name and put it in place whole, so that a crash never leaves half a vault."""
    fresh = path.with_suffix(".new")
    for leftover in (fresh, fresh.with_name(fresh.name + "-wal"), fresh.with_name(fresh.name + "-shm")):
        leftover.unlink(missing_ok=True)
    with _translated(path):
        connection = _connect(fresh, key, clock)
        try:
            fresh.chmod(0o600)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            _migrate(connection)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except BaseException:
            connection.close()
            fresh.unlink(missing_ok=True)
            raise
        connection.close()
    fresh.replace(path)
    sync_folder(path.parent)


def _connect(path: Path, key: bytes, clock: Callable[[], datetime]) -> Any:
    """A connection with the vault's settings; nothing has been read from the file yet but its mode."""
    connection = sqlcipher.connect(str(path), isolation_level=None, check_same_thread=False, timeout=0.0)
    try:
        _unlock(connection, key)
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.create_function("glovebox_now", 0, lambda: utc_text(clock()))
    except BaseException:
        connection.close()
        raise
    return connection


def _unlock(connection: Any, key: bytes) -> None:
    connection.execute("PRAGMA cipher_log_level = NONE")  # else SQLCipher writes to stderr what we raise as an error
    connection.execute(f"PRAGMA key = \"x'{key.hex()}'\"")


def _connect_checked(path: Path, key: bytes, clock: Callable[[], datetime]) -> Any:
    """A connection to a vault that was there: its key, form and version are checked before anything is written."""
    with _translated(path):
        _require(path, path.stat().st_size >= PAGE_BYTES)
        _probe(path, key)
        connection = _connect(path, key, clock)
        try:
            _require(path, connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)])
            _require_known(path, connection.execute("PRAGMA user_version").fetchone()[0])
            _migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _probe(path: Path, key: bytes) -> None:
    """Whether the key opens the file, by a connection that only reads it.

    With a wrong key the real connection would, on closing, fold a WAL that a crash left behind into the file.
    """
    probe = sqlcipher.connect(f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True)
    try:
        _unlock(probe, key)
        probe.execute("SELECT count(*) FROM sqlite_master").fetchone()
        _require(path, probe.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID)
    except sqlcipher.DatabaseError as error:
        # A disk that was full while the WAL was folded in leaves the file short of pages that the WAL still has: the key
        # fits, and whether all is there is for the real connection to say.
        left = path.with_name(f"{path.name}-wal")
        if error.sqlite_errorcode & 0xFF != sqlcipher.SQLITE_CORRUPT or not left.exists() or not left.stat().st_size:
            raise
    finally:
        probe.close()


def _migrate(connection: Any) -> None:
    """Carry out the steps that are missing, each in a transaction of its own with its version."""
    have = connection.execute("PRAGMA user_version").fetchone()[0]
    for version in range(have + 1, VERSION + 1):
        connection.executescript(f"BEGIN IMMEDIATE;\n{STEPS[version]}\nPRAGMA user_version = {version};\nCOMMIT;")


def _require(path: Path, sound: bool) -> None:
    if not sound:
        raise WrongKeyError(_no_vault(path))


def _require_known(path: Path, version: int) -> None:
    if version > VERSION:
        raise VaultVersionError(
            f"the vault {path} has version {version} and this program knows {VERSION}: install a newer Glovebox"
        )


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
        return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return False


@contextlib.contextmanager
def _translated(path: Path) -> Generator[None]:
    """SQLCipher's errors as ours; its messages name tables and columns, never content, but are left out all the same."""
    try:
        yield
    except sqlcipher.Error as error:
        code = int(getattr(error, "sqlite_errorcode", 0) or 0)
        name = getattr(error, "sqlite_errorname", None) or type(error).__name__
        if code & 0xFF == sqlcipher.SQLITE_FULL or (code & 0xFF == sqlcipher.SQLITE_IOERR and _no_room(path)):
            raise StorageFullError(
                f"no space left to write {path}; what was stored before is intact: free some space"
            ) from error
        if code & 0xFF in (sqlcipher.SQLITE_CORRUPT, sqlcipher.SQLITE_NOTADB):
            raise WrongKeyError(_no_vault(path)) from error
        if code & 0xFF in (sqlcipher.SQLITE_BUSY, sqlcipher.SQLITE_LOCKED):
            raise VaultBusyError(f"another program reads {path} itself: end it, or wait for it") from error
        if "consent" in str(error):
            raise ConsentError("consent forbids this write: ask Consent.forbids before writing") from error
        raise MemoryStoreError(f"the vault {path} failed ({name})") from error
    except OSError as error:
        raise MemoryStoreError(f"the vault {path} cannot be used ({error.strerror})") from error
