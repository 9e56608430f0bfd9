"""Exports that were asked for by voice: files in the data folder, until something is forgotten.

Owns where they lie and that they go. They are not encrypted, so they are erased with the next thing that the driver has
forgotten: an older copy would still hold it.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memory.vault.files import file_stem, remove
from schemas.errors import MemoryStoreError, StorageFullError

FOLDER = "exports"


def save(folder: Path, driver: str, exported: Mapping[str, Any], now: datetime) -> Path:
    """Write an export for the driver's eyes only; returns its path.

    Raises:
        StorageFullError: no room for it.
        MemoryStoreError: it cannot be written.
    """
    path = folder / FOLDER / f"{file_stem(driver)}-{now:%Y-%m-%d-%H%M%S}.json"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(exported, stream, ensure_ascii=False, indent=2)
            stream.write("\n")
    except OSError as error:
        kind = StorageFullError if error.errno in (errno.ENOSPC, errno.EDQUOT) else MemoryStoreError
        raise kind(f"the export could not be written to {path}: {error.strerror}; free some space") from error
    return path


def erase(folder: Path, driver: str) -> int:
    """Zero and remove the exports of a driver; returns how many there were.

    Raises:
        MemoryStoreError: one cannot be removed.
    """
    stem = file_stem(driver)
    try:
        found = [
            path for path in (folder / FOLDER).glob("*.json") if path.name[: -len("-2026-11-21-080000.json")] == stem
        ]
        return sum(remove(path) for path in found)
    except OSError as error:
        raise MemoryStoreError(
            f"an export in {folder / FOLDER} cannot be removed ({error.strerror}): remove it"
        ) from error
