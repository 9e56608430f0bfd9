"""Another key for a vault, so that a crash at any point leaves one that opens.

Owns the order of things. The new key is made durable beside the old one (`memory.vault.keys.KeySource.stage`), a copy
of the vault is encrypted with it, the copy takes the vault's place by one rename, and only then the old key is
destroyed. Whichever of the two keys opens the vault after a crash says how far it had come; `settle` finishes it or undoes it.

Works on a vault that is closed and whose lock the caller holds.
"""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

from memory.vault.cipher import connect, fits, give_key, probe, require, translated
from memory.vault.files import Files, copy_whole, remove, sync_folder
from memory.vault.keys import KeySource
from memory.vault.keys.pinned import PinnedKey
from memory.vault.keys.wrapped import give_way
from schemas.errors import GloveboxError, KeySourceError, MemoryStoreError, WrongKeyError


def settle(files: Files, keys: KeySource) -> None:
    """After a rotation that was cut short: finish it if the vault has the new key already, else undo it.

    Raises:
        WrongKeyError: neither key opens the vault; both are kept.
        KeySourceError: no key can be had.
    """
    staged = keys.staged()
    if staged is not None:
        try:
            present = keys.key(create=False)
        except (KeySourceError, WrongKeyError):
            if not fits(files.vault, staged):
                raise
            present = None
        if fits(files.vault, present):
            keys.discard()
        elif fits(files.vault, staged):
            keys.promote()
        else:
            with translated(files.vault):
                require(files.vault, sound=False)
    else:
        keys.discard()  # a process that was killed while it wrote the key may have left a part of it
    with translated(files.vault):
        _clear(files)


def change(files: Files, old: KeySource, new: KeySource) -> None:
    """`rotate`, after `settle` where the source stays. A key that a PIN wraps moves by its wrapping first, and is changed there.

    Raises:
        PinError: there is a PIN, and it was not entered.
        schemas.errors.GloveboxError: as `settle` and `rotate`.
    """
    if isinstance(old, PinnedKey) and new is not old:
        if old.guarded:
            old.move(new)
            new = old
        else:
            old = old.device
    if new is old:
        settle(files, old)
    rotate(files, old, new)


def rotate(files: Files, old: KeySource, new: KeySource) -> None:
    """Give the vault a new random key, from the same source or another one, and destroy the old key.

    Args:
        files: the driver's; the vault is closed, its lock held.
        old: the source that opens it now; it was settled.
        new: the source of the new key; the same object for the same source.

    Raises:
        WrongKeyError: the old key does not open the vault.
        KeySourceError: a source cannot be had.
        StorageFullError: no room for a second copy of the vault.
        MemoryStoreError: anything else. In all cases the vault opens with one of the two sources.
    """
    if new is not old and _has_moved(files, new):
        give_way(old, new)
        return
    key = old.key(create=False)
    fold(files, key)
    try:
        fresh = new.stage()
        with translated(files.rekeyed):
            copy_whole(files.vault, files.rekeyed)
        give_key(files.rekeyed, key, fresh)
    except BaseException:
        with contextlib.suppress(GloveboxError, OSError):
            _clear(files)
            new.discard()
        raise
    with translated(files.vault):
        files.rekeyed.replace(files.vault)
        sync_folder(files.folder)
    new.promote()
    if new is not old:
        give_way(old, new)


def _has_moved(files: Files, new: KeySource) -> bool:
    """Whether an earlier change to another source was cut short when all but the old key's end was done."""
    try:
        if fits(files.vault, new.staged()):
            new.promote()
            return True
        return fits(files.vault, new.key(create=False))
    except (KeySourceError, WrongKeyError):
        return False


def fold(files: Files, key: bytes) -> None:
    """Check a closed vault wholly and fold a WAL that a crash left into it, so that the file alone is the vault.

    Raises:
        WrongKeyError: the key does not fit, or the file is damaged.
        MemoryStoreError: the WAL could not be folded in.
    """
    with translated(files.vault):
        probe(files.vault, key)
        connection = connect(files.vault, key, _no_clock)
        try:
            require(files.vault, connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)])
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            connection.close()
        if busy or (files.wal.exists() and files.wal.stat().st_size > 0):
            raise MemoryStoreError(f"the write-ahead log of {files.vault} could not be folded in: is the disk full?")


def _clear(files: Files) -> None:
    """Remove the copy and whatever was begun beside it: its part, and what the engine opens with it."""
    for name in files.folder.glob(f"{files.rekeyed.name}*"):
        remove(name)


def _no_clock() -> datetime:
    return datetime.now(UTC)  # nothing is written that could ask for it
