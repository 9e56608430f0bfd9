"""Copies of a vault from before its tables were changed: made, listed, put back, erased.

Owns backups as files, and how long they stay. They are byte for byte copies and so encrypted with the vault's key, and lie beside
it. They go when they are too old or too many (`BackupSettings`), and all of them with whatever is erased or let go, with a
rotation of keys and with the driver: a copy must not keep what the vault no longer does.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory.settings import BackupSettings
from memory.vault.cipher import probe, translated
from memory.vault.files import PART, Files, copy_whole, remove
from schemas.errors import MemoryStoreError


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that lies beside the vault."""

    path: Path
    version: int
    """The version that the vault had."""
    at: datetime
    bytes: int


def backups(folder: Path, driver: str) -> tuple[Backup, ...]:
    """The backups of a driver's vault, oldest version first. Needs no key and no lock.

    Raises:
        schemas.errors.ConfigError: no usable name.
    """
    return listed(Files.of(folder, driver))


def listed(files: Files) -> tuple[Backup, ...]:
    """See `backups`."""
    found: list[Backup] = []
    for path in files.backups():
        version = path.suffixes[-2].removeprefix(".v")
        if version.isdecimal():
            status = path.stat()
            found.append(Backup(path, int(version), datetime.fromtimestamp(status.st_mtime, UTC), status.st_size))
    return tuple(sorted(found, key=lambda one: one.version))


def over(files: Files, settings: BackupSettings, now: datetime) -> tuple[Backup, ...]:
    """Those that are too old or too many. By a clock that was set back none is too old."""
    newest_first = sorted(listed(files), key=lambda one: (one.at, one.version), reverse=True)
    return tuple(
        one
        for place, one in enumerate(newest_first)
        if place >= settings.most or now - one.at >= timedelta(days=settings.days)
    )


def prune(files: Files, settings: BackupSettings, now: datetime) -> int:
    """Zero and remove those that are too old or too many, and what a crash left of one; returns how many there were.

    Raises:
        MemoryStoreError: one cannot be removed.
    """
    with translated(files.vault):
        _remove_parts(files)
        return sum(remove(one.path) for one in over(files, settings, now))


def erase_backups(folder: Path, driver: str) -> int:
    """Zero and remove the backups of a driver's vault; returns how many there were. The vault may be open.

    Raises:
        MemoryStoreError: one cannot be removed.
    """
    return erase(Files.of(folder, driver))


def erase(files: Files) -> int:
    """See `erase_backups`."""
    with translated(files.vault):
        _remove_parts(files)
        return sum(remove(path) for path in files.backups())


def _remove_parts(files: Files) -> None:
    for part in files.folder.glob(f"{files.stem}.v*.backup{PART}"):
        remove(part)


def make_backup(files: Files, key: bytes, version: int) -> Path:
    """Copy a vault that is closed and has no WAL left; an older copy of the same version is replaced.

    Raises:
        StorageFullError: no room for it.
        WrongKeyError: the copy cannot be read.
    """
    target = files.backup(version)
    with translated(target):
        copy_whole(files.vault, target)
        probe(target, key)
    return target


def put_back(files: Files, key: bytes, version: int) -> None:
    """Put a backup in the vault's place, whole or not at all; the caller holds the lock and the vault is closed.

    Raises:
        MemoryStoreError: there is no such backup.
        WrongKeyError: the key does not open it; the vault is left as it was.
    """
    source = files.backup(version)
    if not source.is_file():
        held = ", ".join(str(one.version) for one in listed(files)) or "none"
        raise MemoryStoreError(f"there is no backup of version {version} of {files.vault}; there are: {held}")
    with translated(source):
        probe(source, key)
        remove(files.wal)  # of the vault that goes; without it the old file is what its last checkpoint left
        copy_whole(source, files.vault)
