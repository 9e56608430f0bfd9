"""The files of one driver: what they are called, and how they are written, replaced and removed.

Owns names and durability on the file system: a cut of the power leaves either what was or what is to be. Knows nothing of what
is in the files.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from schemas.errors import ConfigError

NAME_LENGTH = 40
"""Most characters of a driver's name: encoded they stay under the 255 bytes of a file name."""

SUFFIX = ".vault"

PART = ".part"
"""Ending of a file that is being written and will take another's place when it is whole."""

OWNER_ONLY = 0o600

_BLOCK = 1 << 20


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


@dataclass(frozen=True, slots=True)
class Files:
    """Everything that lies in a data folder for one driver. No other driver's file has a name that begins ``STEM.``."""

    folder: Path
    stem: str

    @classmethod
    def of(cls, folder: Path, driver: str) -> Files:
        """The files of a driver.

        Raises:
            ConfigError: no usable name.
        """
        return cls(folder, file_stem(driver))

    def named(self, ending: str) -> Path:
        """A file of the driver by its ending."""
        return self.folder / f"{self.stem}{ending}"

    @property
    def vault(self) -> Path:
        """The encrypted database."""
        return self.named(SUFFIX)

    @property
    def wal(self) -> Path:
        """Its write-ahead log; there only while it is open, or after a crash."""
        return self.named(f"{SUFFIX}-wal")

    @property
    def lock(self) -> Path:
        """The name of the lock."""
        return self.named(".lock")

    @property
    def fresh(self) -> Path:
        """A vault that is being made."""
        return self.named(".new")

    @property
    def rekeyed(self) -> Path:
        """A copy that is being given another key."""
        return self.named(".rekeyed")

    @property
    def going(self) -> Path:
        """Says that the driver is being deleted, until nothing is left."""
        return self.named(".deleting")

    def backup(self, version: int) -> Path:
        """The copy of the vault from before it left a version."""
        return self.named(f".v{version}.backup")

    def backups(self) -> tuple[Path, ...]:
        """All backups that there are, oldest version first."""
        found = self.folder.glob(f"{self.stem}.v*.backup")
        return tuple(sorted(found, key=lambda path: (len(path.name), path.name)))

    def all(self) -> tuple[Path, ...]:
        """Every file of the driver that there is."""
        return tuple(sorted(path for path in self.folder.glob(f"{self.stem}.*") if path.is_file() or path.is_symlink()))

    def clear_parts(self) -> None:
        """Remove what was begun beside the vault and has not taken its place. Whoever calls this holds the vault's lock.

        Copies from before a change of the tables are `memory.vault.backups`', one with another key `memory.vault.rotation`'s.
        """
        for path in (self.vault, self.going):
            remove(path.with_name(f"{path.name}{PART}"))


def sync_folder(folder: Path) -> None:
    """Make names that were created, renamed or removed in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Make a folder for its owner alone, and those above it that are missing, all of them durable."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)
        sync_folder(path.parent)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))


def write_whole(path: Path, data: bytes) -> None:
    """Write a small file for its owner alone: whole or not at all, in the place of one that is there."""
    _whole(path, io.BytesIO(data))


def copy_whole(source: Path, target: Path) -> None:
    """Copy a file for its owner alone: whole or not at all, in the place of one that is there."""
    with source.open("rb") as old:
        _whole(target, old)


def _whole(path: Path, source: BinaryIO) -> None:
    part = path.with_name(f"{path.name}{PART}")
    part.unlink(missing_ok=True)
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, OWNER_ONLY)
        with os.fdopen(handle, "wb") as file:
            shutil.copyfileobj(source, file, _BLOCK)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        remove(part)
        raise
    part.replace(path)
    sync_folder(path.parent)


def replace_key(fresh: Path, path: Path) -> None:
    """Put a file in the place of another, whose bytes are zeroed; on flash the old ones may survive in worn blocks."""
    handle = _opened(path)
    try:
        fresh.replace(path)
        sync_folder(path.parent)
        if handle is not None:
            _zero(handle)
    finally:
        if handle is not None:
            os.close(handle)


def remove(path: Path) -> bool:
    """Zero a file's bytes and remove it; False where there was none. Of a link only the link goes."""
    if not path.exists() and not path.is_symlink():
        return False
    handle = _opened(path)
    try:
        if handle is not None:
            _zero(handle)
        path.unlink(missing_ok=True)
        sync_folder(path.parent)
    finally:
        if handle is not None:
            os.close(handle)
    return True


def retire(path: Path) -> bool:
    """`remove`, so that a crash leaves no zeroed file under a name that is read: it is renamed to one that is cleared first."""
    if not os.path.lexists(path):
        return False
    part = path.with_name(f"{path.name}{PART}")
    path.replace(part)
    sync_folder(path.parent)
    return remove(part)


def _opened(path: Path) -> int | None:
    """The file to write zeroes into; None for a link, for what is linked elsewhere, too, and where there is none."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    if os.fstat(handle).st_nlink > 1:
        os.close(handle)
        return None
    return handle


def _zero(handle: int) -> None:
    left = os.fstat(handle).st_size
    place = 0
    while left > place:
        place += os.pwrite(handle, bytes(min(_BLOCK, left - place)), place)
    os.fsync(handle)
