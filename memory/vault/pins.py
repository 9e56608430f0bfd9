"""The PINs of the drivers: who has one, and how often it may be tried.

Owns ``NAME.pin`` in the data folder: how often it was missed, until when nobody may try. The file is written before the answer is
given, by one process at a time, so that neither pulling the plug nor asking twice at once gives another try. What a PIN opens is
`memory.vault.keys.pinned`'s. An installation from before PINs wrapped the key has a hash of the PIN in that file: it is told apart
by it, and gives way to a wrapping when the PIN is next entered (`Pins.adopt`).
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memory.vault.files import PART, file_stem, make_folder, remove, retire, write_whole
from memory.vault.keys import KeySource
from memory.vault.keys.pinned import COST, Cost, PinnedKey
from schemas.errors import MemoryStoreError, PinError, WrongKeyError

PIN = re.compile(r"[0-9]{4,12}")
"""What a PIN is: something that can be typed with one finger."""

FREE_TRIES = 3
"""Misses before the first wait."""
FIRST_WAIT_S, LONGEST_WAIT_S = 30, 3600
"""The wait begins with half a minute and doubles with every further miss: 4 digits then take years to try out."""

KEYS = "keys"
"""Folder of wrapped keys in the data folder."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a try."""

    right: bool
    wait_s: int = 0
    """Seconds until the next try; 0: at once."""
    key: PinnedKey | None = None
    """Opens the driver's vault, where it was right."""


class Pins:
    """The PINs of the drivers of one data folder."""

    def __init__(
        self,
        folder: Path,
        device: Callable[[str], KeySource],
        *,
        to: Callable[[str], KeySource] | None = None,
        cost: Cost = COST,
    ) -> None:
        """PINs in this folder, which need not exist yet.

        Args:
            folder: the data folder.
            device: gives the device's own source of a driver's key.
            to: gives the source that a driver's key is about to move to.
            cost: of a try; tests take less.
        """
        self._to = to
        self._folder, self._device, self._cost, self._lock = folder, device, cost, threading.Lock()

    def has(self, driver: str) -> bool:
        """Whether this driver has a PIN. One whose file is damaged has one: it lets nobody in."""
        return os.path.lexists(self._wrapped(driver)) or "hash" in self._read(driver)

    def source(self, driver: str, pin: str | None = None) -> PinnedKey:
        """Where the key of a driver's vault comes from; without the PIN of a driver who has one it gives none.

        Who brings a PIN along was let in by `try_` before.
        """
        to = self._to(driver) if self._to is not None and self.has(driver) else None
        return PinnedKey(self._device(driver), self._wrapped(driver), pin, to=to, cost=self._cost)

    def set(self, driver: str, pin: str, proven: PinnedKey | None = None) -> None:
        """Give a driver a PIN, or another one. With the driver's vault open, or its lock held.

        Args:
            driver: whose.
            pin: the new one.
            proven: as `try_` gave it for the present PIN; None where there is none.

        Raises:
            ValueError: it is not 4 to 12 digits.
            PinError: there is one, and it was not entered.
            KeySourceError: the key cannot be wrapped.
        """
        if not PIN.fullmatch(pin):
            raise ValueError("a PIN is 4 to 12 digits")
        with self._alone():
            if proven is None and self.has(driver):
                raise PinError(f"{driver} has a PIN: enter it")
            (proven or self.source(driver)).set(pin)
            self._write(driver, {})

    def adopt(self, driver: str, pin: str, proven: PinnedKey) -> None:
        """Let a PIN of before wrap the key from now on. With the driver's vault open.

        Raises:
            KeySourceError: the key cannot be wrapped now; the PIN stays as it was.
        """
        if not proven.guarded and "hash" in self._read(driver):
            self.set(driver, pin, proven)

    def take_away(self, driver: str, proven: PinnedKey | None) -> None:
        """Let a driver's vault open without a PIN from now on; as `set`."""
        with self._alone():
            if proven is None and self.has(driver):
                raise PinError(f"{driver} has a PIN: enter it")
            (proven or self.source(driver)).take_away()
            self._forget(driver)

    def forget(self, driver: str) -> None:
        """With a driver that is gone goes how often the PIN was missed."""
        with self._alone():
            self._forget(driver)

    def try_(self, driver: str, pin: str, now: datetime) -> Tried:
        """Whether this is the driver's PIN; a driver without one is let in. From the third miss on the waits grow.

        Raises:
            KeySourceError: the device's secret cannot be had; this counts as a miss.
        """
        with self._alone():
            if not self.has(driver):
                return Tried(right=True, key=self.source(driver))
            held = self._read(driver)
            until = datetime.fromisoformat(held["until"]) if held.get("until") else None
            if until is not None and now < until:
                longest = now + timedelta(seconds=LONGEST_WAIT_S)
                if until > longest:  # a clock that was set back must not keep the driver out for longer than that
                    until = longest
                    self._write(driver, {**held, "until": until.isoformat()})
                return Tried(right=False, wait_s=int((until - now).total_seconds()) + 1)
            missed = int(held.get("missed", 0)) + 1
            wait = _wait(missed)
            ends = (now + timedelta(seconds=wait)).isoformat() if wait else None
            self._write(driver, {**held, "missed": missed, "until": ends})
            key = self._opened(driver, pin[:64], held)
            if key is None:
                return Tried(right=False, wait_s=wait)
            self._write(driver, {"hash": held["hash"]} if not key.guarded else {})
            return Tried(right=True, key=key)

    def require(self, driver: str, pin: str | None, now: datetime) -> PinnedKey:
        """What opens a driver's vault, where the PIN is right or there is none.

        Raises:
            PinError: it is missing or wrong, or was tried too often.
            KeySourceError: as `try_`.
        """
        if not self.has(driver):
            return self.source(driver)
        if pin is None:
            raise PinError(f"{driver} has a PIN: enter it")
        tried = self.try_(driver, pin, now)
        if tried.key is None:
            later = f": try again in {tried.wait_s} seconds" if tried.wait_s else ""
            raise PinError(f"that is not the PIN of {driver}, or it was tried too often{later}", tried.wait_s)
        return tried.key

    def _opened(self, driver: str, pin: str, held: dict[str, Any]) -> PinnedKey | None:
        key = self.source(driver, pin)
        if key.guarded:
            try:
                key.key(create=False)
            except WrongKeyError:
                return None
            return key
        from argon2 import PasswordHasher
        from argon2.exceptions import InvalidHashError, VerificationError

        try:
            PasswordHasher().verify(held["hash"], pin)
        except (VerificationError, InvalidHashError):
            return None
        return self.source(driver)

    def _wrapped(self, driver: str) -> Path:
        return self._folder / KEYS / f"{file_stem(driver)}.locked"

    def _file(self, driver: str) -> Path:
        return self._folder / f"{file_stem(driver)}.pin"

    def _forget(self, driver: str) -> None:
        retire(self._file(driver))

    def _read(self, driver: str) -> dict[str, Any]:
        """What is known of a driver's tries; of a damaged file, that nothing fits."""
        try:
            held = json.loads(self._file(driver).read_text("utf-8"))
            if held.get("until"):
                datetime.fromisoformat(held["until"])
            return {"missed": int(held.get("missed") or 0), **{k: held[k] for k in ("hash", "until") if k in held}}
        except (FileNotFoundError, NotADirectoryError):  # where there is no folder there is no file in it
            return {}
        except (OSError, ValueError, TypeError, AttributeError):
            return {"hash": "", "missed": FREE_TRIES}

    def _write(self, driver: str, value: dict[str, Any]) -> None:
        try:
            make_folder(self._folder)
            write_whole(self._file(driver), json.dumps(value).encode("ascii"))
        except OSError as error:
            raise MemoryStoreError(
                f"{self._file(driver)} cannot be written ({error.strerror}): without it no PIN can be tried"
            ) from error

    @contextlib.contextmanager
    def _alone(self) -> Generator[None]:
        """One try at a time, also between processes."""
        with self._lock:
            try:
                make_folder(self._folder)
                handle = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except OSError as error:
                raise MemoryStoreError(f"the data folder {self._folder} cannot be used ({error.strerror})") from error
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                for part in self._folder.glob(
                    f"*.pin{PART}"
                ):  # of a change that was cut off: nobody else writes one now
                    remove(part)
                yield
            finally:
                os.close(handle)


def _wait(missed: int) -> int:
    over = missed - FREE_TRIES
    return 0 if over < 0 else min(FIRST_WAIT_S * 2 ** min(over, 12), LONGEST_WAIT_S)
