"""The PIN of a driver, which a change of profile and the deletion of everything ask for.

Owns its file, ``NAME.pin`` in the data folder: an Argon2id hash, how often it was missed, until when nobody may try. The file is
written before the answer is given, so that pulling the plug does not give another try. It guards a screen that
somebody sits in front of; against whoever has the disk the vault's key does.
"""

from __future__ import annotations

import json
import os
import re
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

PIN = re.compile(r"[0-9]{4,12}")
"""What a PIN is: something that can be typed with one finger."""

FREE_TRIES = 3
"""Misses before the first wait."""
FIRST_WAIT_S, LONGEST_WAIT_S = 30, 3600
"""The wait begins with half a minute and doubles with every further miss: 4 digits then take years to try out."""

# OWASP's Password Storage Cheat Sheet, Argon2id with the least memory of its equivalents above 15 MiB: 19 MiB, t = 2, p = 1.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a try."""

    right: bool
    wait_s: int = 0
    """Seconds until the next try; 0: at once."""


class Pins:
    """The PINs of the drivers of one data folder."""

    def __init__(self, folder: Path) -> None:
        """PINs in this folder, which need not exist yet."""
        self._folder, self._lock = folder, threading.Lock()

    def has(self, driver: str) -> bool:
        """Whether this driver has a PIN."""
        return self._file(driver).exists()

    def set(self, driver: str, pin: str) -> None:
        """Give a driver a PIN.

        Raises:
            ValueError: it is not 4 to 12 digits.
        """
        if not PIN.fullmatch(pin):
            raise ValueError("a PIN is 4 to 12 digits")
        with self._lock:
            self._write(driver, {"hash": _HASHER.hash(pin), "missed": 0, "until": None})

    def remove(self, driver: str) -> None:
        """Take a driver's PIN away; with the driver it goes, too."""
        with self._lock:
            self._file(driver).unlink(missing_ok=True)

    def try_(self, driver: str, pin: str, now: datetime) -> Tried:
        """Whether this is the driver's PIN; a driver without one is let in. From the third miss on the waits grow."""
        with self._lock:
            if not self._file(driver).exists():
                return Tried(right=True)
            held = self._read(driver)
            until = datetime.fromisoformat(held["until"]) if held["until"] else None
            if until is not None and now < until:
                # A clock that was set back must not keep the driver out for longer than the longest wait.
                left = min(int((until - now).total_seconds()) + 1, LONGEST_WAIT_S)
                return Tried(right=False, wait_s=left)
            missed = int(held["missed"]) + 1
            wait = _wait(missed)
            ends = (now + timedelta(seconds=wait)).isoformat() if wait else None
            self._write(driver, {"hash": held["hash"], "missed": missed, "until": ends})
            try:
                _HASHER.verify(held["hash"], pin[:64])
            except (VerificationError, InvalidHashError):
                return Tried(right=False, wait_s=wait)
            self._write(driver, {"hash": held["hash"], "missed": 0, "until": None})
            return Tried(right=True)

    def _file(self, driver: str) -> Path:
        return pin_file(self._folder, driver)

    def _read(self, driver: str) -> dict[str, Any]:  # a damaged file lets nobody in
        blocked: dict[str, Any] = {"hash": "", "missed": 0, "until": None}
        try:
            return blocked | json.loads(self._file(driver).read_text("utf-8"))
        except (OSError, ValueError):
            return blocked

    def _write(self, driver: str, value: dict[str, Any]) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        target = self._file(driver)
        fresh = target.with_suffix(".pin.new")
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(value, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(target)


def pin_file(folder: Path, driver: str) -> Path:
    """Where a driver's PIN is kept."""
    return folder / f"{driver}.pin"


def _wait(missed: int) -> int:
    over = missed - FREE_TRIES
    return 0 if over < 0 else min(FIRST_WAIT_S * 2 ** min(over, 12), LONGEST_WAIT_S)
