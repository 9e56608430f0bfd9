"""One encrypted file a driver: opening it, locking it, writing it durably, wiping what was deleted, deleting it all.

Owns the open vault and what happens around it: making it, bringing its tables up to date, another key, its end. Knows nothing of
what the tables mean: that is `memory.store.preferences`. All access goes through `transaction` and `rows`.

What holds, and what it rests on:

- encryption: SQLCipher 4 (AES-256-CBC and HMAC-SHA512 a page) with a raw random key; nothing personal outside the file
- durability: WAL with ``synchronous=FULL``; a transaction that returned survives kill -9 and loss of power
- one writer: `memory.vault.lock`, and SQLite's own exclusive locking mode, which also keeps the WAL index out of a file
- deletion: ``secure_delete`` zeroes freed cells and pages, `wipe` folds the WAL into the file and empties it
- a wrong key, foreign, truncated or damaged file is an error and the file is left as it was (but for one case: damage that
  shows only with a WAL that a crash left behind; SQLite folds that in on closing)
- every page's HMAC is checked whenever it is read; all of them are read at once only after a crash and by `check`, because
  that takes the longer the more there is
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory.settings import BackupSettings
from memory.vault import rotation
from memory.vault.backups import Backup, backups, erase, erase_backups, listed, make_backup, over, prune, put_back
from memory.vault.cipher import APPLICATION_ID, PAGE_BYTES, connect, probe, require, sqlcipher, translated, utc_text
from memory.vault.files import (
    NAME_LENGTH,
    SUFFIX,
    Files,
    file_stem,
    make_folder,
    remove,
    sync_folder,
    vault_path,
    write_whole,
)
from memory.vault.keys import KeySource
from memory.vault.lock import VaultLock
from memory.vault.migrations import STEPS, VERSION
from schemas.errors import KeySourceError, MemoryStoreError, StorageFullError, VaultVersionError

__all__ = [
    "NAME_LENGTH",
    "SUFFIX",
    "Backup",
    "BackupSettings",
    "Destruction",
    "Vault",
    "backups",
    "check",
    "destroy",
    "erase_backups",
    "file_stem",
    "require_closed",
    "restore",
    "rotate",
    "utc_text",
    "vault_path",
]


_NOWHERE = Path(":memory:")
"""SQLite's name for a database without a file."""


class Vault:
    """An open vault. Not for use by several threads at once without the caller's lock, except where said."""

    def __init__(
        self,
        path: Path,
        connection: Any,
        lock: VaultLock | None,
        keep: BackupSettings,
        clock: Callable[[], datetime],
        key: bytes,
    ) -> None:
        """Used by `open` and `in_memory`."""
        self.secret = hmac.digest(key, b"glovebox marks", "sha256")
        """Made of the vault's key, and nowhere in its tables: whoever reads those without the key does not have it. Another with
        every change of keys."""
        self._keep, self._clock = keep, clock
        self.path = path
        self._connection = connection
        self._lock = lock
        self._guard = threading.RLock()
        self._closed = False

    @classmethod
    def open(
        cls, folder: Path, driver: str, keys: KeySource, *, clock: Callable[[], datetime],
        keep: BackupSettings | None = None,
    ) -> Vault:  # fmt: skip
        """Open a driver's vault; make it where there is none. What a crash cut short is finished or undone first.

        Args:
            folder: the data folder; made with mode 0700 where it is missing.
            driver: the driver's name.
            keys: where the key comes from.
            clock: aware current time, for the consent rules inside the vault.
            keep: how long copies from before an upgrade are kept.

        Raises:
            ConfigError: the name cannot be used.
            KeySourceError: no key.
            VaultBusyError: another process, or another part of this one, has it open.
            WrongKeyError: the key does not fit, or the file is damaged or no vault. It is left as it was.
            VaultVersionError: a newer program wrote it.
            StorageFullError: no space.
            MemoryStoreError: anything else; the message says what.
        """
        files, keep = Files.of(folder, driver), keep or BackupSettings()
        try:
            make_folder(folder)
        except OSError as error:
            raise MemoryStoreError(
                f"the data folder {folder} cannot be made ({error.strerror}): name one that this user can write with "
                "--home, in GLOVEBOX_HOME or in data.folder"
            ) from error
        lock = VaultLock(files.lock)
        try:
            with translated(files.vault):
                files.clear_parts()
            if files.going.exists():
                _destroy(files, keys)
            if files.vault.exists():
                key = _settled(files, keys)
                connection = _connect_checked(files, key, clock, keep)
            else:
                _require_new(files)
                key = keys.key(create=True)
                _create(files, key, clock)
                connection = _connect_checked(files, key, clock, keep)
            return cls(files.vault, connection, lock, keep, clock, key)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def in_memory(cls, *, clock: Callable[[], datetime]) -> Vault:
        """An empty vault of its own that has no file and is gone when it is closed: a guest's, and what tests run on.

        Encrypted all the same, under a random key that nobody is told.
        """
        key = secrets.token_bytes(32)
        connection = connect(_NOWHERE, key, clock)
        _migrate(connection)
        return cls(_NOWHERE, connection, None, BackupSettings(), clock, key)

    @property
    def folder(self) -> Path | None:
        """Where its files lie; None for one that has none."""
        return None if self.path == _NOWHERE else self.path.parent

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
                if self._lock is not None:
                    self._lock.release()

    @contextlib.contextmanager
    def transaction(self) -> Generator[None]:
        """All that is written inside is stored when the block ends, or nothing of it when it raises.

        May be nested: the outermost block decides.

        Raises:
            ConsentError: a trigger refused a write.
            StorageFullError: no space; what was stored before is intact.
            UnstorableTextError: a text is no valid Unicode, or too long.
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
            found = self._execute(sql, values)
            with translated(self.path):  # reading on meets pages that were not read yet
                return [tuple(row) for row in found.fetchall()]

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

    def erase_backups(self) -> int:
        """Erase copies from before a migration: they hold what is being erased here. Returns how many there were."""
        return erase(_files(self.path)) if self.folder else 0

    def prune_backups(self) -> int:
        """Erase copies that are kept long enough; returns how many there were."""
        return prune(_files(self.path), self._keep, self._clock()) if self.folder else 0

    def _execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        if self._closed:
            raise MemoryStoreError("the vault is closed: open it again")
        with translated(self.path):
            return self._connection.execute(sql, values)


# Around a vault that is closed


@dataclass(frozen=True, slots=True)
class Destruction:
    """What became of a driver's vault."""

    key_destroyed: bool
    """False: the key is shared with other vaults (an installation from before each had its own), so the files alone went."""
    files: tuple[str, ...]
    """Names of the files that were removed."""
    verified: bool
    """True: no file of the driver is left in the data folder, and no key either."""


def destroy(folder: Path, driver: str, keys: KeySource) -> Destruction:
    """Delete a driver: the key first, so that nothing of the rest can be read whatever happens, then every file.

    Cut short, it is finished when the vault is next opened, or by calling it again. Needs no key that fits.

    Raises:
        ConfigError: the name cannot be used.
        VaultBusyError: the vault is open.
        KeySourceError: the key cannot be reached to be destroyed; nothing was deleted.
        MemoryStoreError: a file cannot be removed; the key is gone.
    """
    files = Files.of(folder, driver)
    if not folder.is_dir():
        return Destruction(key_destroyed=keys.destroy(), files=(), verified=True)
    lock = VaultLock(files.lock)
    try:
        done = _destroy(files, keys)
        with translated(files.vault):
            lock.remove()
            sync_folder(folder)
    finally:
        lock.release()
    return Destruction(done.key_destroyed, done.files, verified=done.verified and not files.all())


def require_closed(folder: Path, drivers: Sequence[str]) -> None:
    """Make sure that nobody has one of these vaults open.

    Raises:
        ConfigError: a name cannot be used.
        VaultBusyError: somebody has.
    """
    for driver in drivers:
        files = Files.of(folder, driver)
        if files.vault.exists():
            VaultLock(files.lock).release()


def rotate(folder: Path, driver: str, keys: KeySource, *, to: KeySource | None = None) -> None:
    """Give a driver's vault a new key and destroy the old one; backups under the old key go.

    Args:
        folder: the data folder.
        driver: the driver's name.
        keys: the source of the present key; one with a PIN that is to move was made with ``to``, too.
        to: the source of the new one; None for the same source.

    Raises:
        VaultBusyError: the vault is open.
        KeySourceError: a source cannot be reached.
        WrongKeyError: the present key does not open the vault.
        StorageFullError: no room for a second copy of the vault.
        MemoryStoreError: there is no vault, or it failed. In all cases the vault opens with one of the two sources.
    """
    with _closed(folder, driver) as files:
        rotation.change(files, keys, to or keys)
        erase(files)


def check(folder: Path, driver: str, keys: KeySource) -> int:
    """Read and verify every page of a driver's vault (HMAC, trees, indexes against tables); returns its version.

    Raises:
        VaultBusyError: the vault is open.
        WrongKeyError: the key does not fit, or something is damaged.
        VaultVersionError: a newer program wrote it.
        schemas.errors.GloveboxError: as `Vault.open`.
    """
    with _closed(folder, driver) as files:
        key = _settled(files, keys)
        with translated(files.vault):
            probe(files.vault, key)
            connection = connect(files.vault, key, _never)
            try:
                version = int(connection.execute("PRAGMA user_version").fetchone()[0])
                _require_known(files.vault, version)
                require(files.vault, connection.execute("PRAGMA integrity_check(1)").fetchall() == [("ok",)])
                require(files.vault, not connection.execute("PRAGMA foreign_key_check").fetchall())
            finally:
                connection.close()
    return version


def restore(folder: Path, driver: str, keys: KeySource, version: int) -> None:
    """Put the backup of a version in the vault's place: what was stored after it is lost.

    Raises:
        VaultBusyError: the vault is open.
        MemoryStoreError: there is no such backup.
        schemas.errors.GloveboxError: as `Vault.open`.
    """
    files = Files.of(folder, driver)
    _require_folder(files)
    lock = VaultLock(files.lock)
    try:
        put_back(files, keys.key(create=False), version)
    finally:
        lock.release()


@contextlib.contextmanager
def _closed(folder: Path, driver: str) -> Generator[Files]:
    """The files of a vault that is there, with its lock."""
    files = Files.of(folder, driver)
    _require_folder(files)
    lock = VaultLock(files.lock)
    try:
        if not files.vault.exists():
            raise MemoryStoreError(f"there is no vault {files.vault}: it is made at the first start")
        yield files
    finally:
        lock.release()


def _require_folder(files: Files) -> None:
    if not files.folder.is_dir():
        raise MemoryStoreError(f"there is no data folder {files.folder}: nothing was stored there yet")


def _never() -> datetime:
    raise MemoryStoreError("a check does not write")


def _files(path: Path) -> Files:
    return Files(path.parent, path.name.removesuffix(SUFFIX))


def _destroy(files: Files, keys: KeySource) -> Destruction:
    with translated(files.vault):
        write_whole(files.going, b"")
    try:
        destroyed = keys.destroy()
    except KeySourceError:
        with translated(files.vault):
            remove(files.going)  # else the next opening would delete what the driver was told is still there
        raise
    with translated(files.vault):
        gone = [path for path in files.all() if path not in (files.lock, files.going)]
        for path in gone:
            remove(path)
        remove(files.going)
    left = [path for path in files.all() if path != files.lock]
    return Destruction(destroyed, tuple(path.name for path in gone), verified=destroyed and not left)


# Opening


def _settled(files: Files, keys: KeySource) -> bytes:
    """The key of a vault that is there; one that still has the key of all is given its own, if that can be done now."""
    rotation.settle(files, keys)
    key = keys.key(create=False)
    if keys.shared():
        with contextlib.suppress(StorageFullError, KeySourceError):  # then it keeps the old one until another day
            rotation.rotate(files, keys, keys)
            key = keys.key(create=False)
    return key


def _require_new(files: Files) -> None:
    """A vault is only made where there was none: not where one was lost and its backup is there."""
    held = listed(files)
    if held:
        raise MemoryStoreError(
            f"the vault {files.vault} is gone but a backup of version {held[-1].version} is there: put the vault back, or "
            f"run `glovebox vault restore --version {held[-1].version}`"
        )


def _create(files: Files, key: bytes, clock: Callable[[], datetime]) -> None:
    """Make a vault under another name and put it in place whole, so that a crash never leaves half a vault."""
    path, fresh = files.vault, files.fresh
    with translated(path):
        leftovers = [fresh, *(fresh.with_name(f"{fresh.name}{end}") for end in ("-wal", "-shm", "-journal")), files.wal]
        for leftover in leftovers:
            leftover.unlink(missing_ok=True)
        connection = connect(fresh, key, clock)
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


def _connect_checked(files: Files, key: bytes, clock: Callable[[], datetime], keep: BackupSettings) -> Any:
    """A connection to a vault that was there: its key, form and version are checked before anything is written."""
    path = files.vault
    with translated(path):
        probe(path, key)
        crashed = files.wal.exists() and files.wal.stat().st_size > 0
        require(
            path, crashed or path.stat().st_size % PAGE_BYTES == 0
        )  # SQLite itself sees whole pages that are missing
        connection = connect(path, key, clock)
        try:
            late = over(files, keep, clock())
            if crashed or late:
                require(path, connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)])
            have = int(connection.execute("PRAGMA user_version").fetchone()[0])
            _require_known(path, have)
            if have < VERSION:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                connection.close()
                make_backup(files, key, have)
                connection = connect(path, key, clock)
                _migrate(connection)
            if have == VERSION:
                prune(files, keep, clock())
        except BaseException:
            connection.close()
            raise
        return connection


def _migrate(connection: Any) -> None:
    """Carry out the steps that are missing, each in a transaction of its own with its version."""
    have = connection.execute("PRAGMA user_version").fetchone()[0]
    for version in range(have + 1, VERSION + 1):
        connection.executescript(f"BEGIN IMMEDIATE;\n{STEPS[version]}\nPRAGMA user_version = {version};\nCOMMIT;")


def _require_known(path: Path, version: int) -> None:
    if version > VERSION:
        raise VaultVersionError(
            f"the vault {path} has version {version} and this program knows {VERSION}: install a newer Glovebox"
        )
