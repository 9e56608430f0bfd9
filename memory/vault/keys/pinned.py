"""The key of a vault whose driver may have a PIN: with one, it is wrapped by the PIN and the device's secret together.

Owns the derivation and its cost, and the order in which a PIN is set, changed and taken away. Without a PIN the key is what the
device's source gives, and there is no file here. With one the device's source holds a secret that opens nothing by itself, and the
vault's key lies in a file of its own (`memory.vault.keys.wrapped`) that names this secret by a fingerprint:

    set, change:  stage a new secret -> wrap the key under PIN and new secret, in the file's place -> promote the secret
    take away:    stage the key itself -> take the file away -> promote it
    move:         stage a secret in the other source -> wrap the key under PIN and that secret, in the file's place -> promote it
                  -> destroy the secret of before

A process that is killed in between leaves a vault that opens with the PIN of before or with the new one, or from the one source or
the other: the fingerprint says which of the two secrets the file was made with. How often a PIN may be tried is
`memory.vault.pins`'s.
"""

from __future__ import annotations

import hmac
import os
import secrets
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.vault.keys import KEY_BYTES, KeySource
from memory.vault.keys.wrapped import WrappedKey, give_way
from schemas.errors import KeySourceError, PinError, WrongKeyError

SALT_BYTES = 16
LANES = 1


@dataclass(frozen=True, slots=True)
class Cost:
    """What one try of a PIN costs whoever tries: Argon2id on one core."""

    iterations: int = 3
    memory_kib: int = 32 * 1024


COST = Cost()
"""Above the least of OWASP's Password Storage Cheat Sheet (19 MiB, t = 2, p = 1). 90 ms of one core of a server (docs/log.md):
a core of a Raspberry Pi may be five times slower and stays under half a second. Not measured on one."""

MOST = Cost(iterations=100, memory_kib=1 << 20)
"""A file that names more is not ours: it would stop the device."""


class PinnedKey:
    """The key of one vault, with or without a PIN. Meets ``memory.vault.keys.KeySource``."""

    def __init__(
        self, device: KeySource, path: Path, pin: str | None = None, *, to: KeySource | None = None, cost: Cost = COST
    ) -> None:
        """A source over the device's own.

        Args:
            device: what opens the vault as long as there is no PIN.
            path: the file of the key that a PIN wraps; there only with a PIN.
            pin: what was entered; None for nothing.
            to: the source that the secret is about to move to, and may have moved to already when it was cut short.
            cost: of new wrappings; tests take less.
        """
        self._device, self._path, self._cost = device, path, cost
        self._from, self._to = device, to
        self._pin = pin
        self._key: bytes | None = None
        """As the PIN has opened it; kept so that it is derived once."""

    @property
    def device(self) -> KeySource:
        """The device's own source."""
        return self._device

    @property
    def guarded(self) -> bool:
        """Whether a PIN wraps the key."""
        return os.path.lexists(self._path)

    def key(self, *, create: bool) -> bytes:
        """See `KeySource`.

        Raises:
            PinError: there is a PIN, and none or another one was entered.
        """
        if not self.guarded:
            return self._device.key(create=create)
        if self._key is None:
            self._settle()
            self._key = self._file().key(create=False)
        return self._key

    def shared(self) -> bool:
        """See `KeySource`."""
        return not self.guarded and self._device.shared()

    def staged(self) -> bytes | None:
        """See `KeySource`."""
        return self._file().staged() if self.guarded else self._device.staged()

    def stage(self, key: bytes | None = None) -> bytes:
        """See `KeySource`: with a PIN the second key is wrapped as the first is."""
        return self._file().stage(key) if self.guarded else self._device.stage(key)

    def promote(self) -> None:
        """See `KeySource`."""
        self._key = None
        if self.guarded:
            self._file().promote()
        else:
            self._device.promote()
            self._clear()

    def discard(self) -> None:
        """See `KeySource`."""
        if self.guarded:
            self._settle()
            self._file().discard()
        else:
            self._device.discard()
            self._clear()

    def destroy(self) -> bool:
        """See `KeySource`. Needs no PIN: nothing of what it destroys can be read afterwards."""
        self._key = None
        self._file().destroy()
        return self._device.destroy()

    def set(self, pin: str) -> None:
        """From now on this PIN opens the vault, and nothing else. To be called with the vault open or its lock held.

        Raises:
            PinError: there is a PIN already and it was not entered.
            KeySourceError: the device's source cannot be written, or a change of keys is to be finished first.
        """
        key = self._settled_key()
        if self._device.shared():
            raise KeySourceError(
                "this vault still has the key of all vaults of this device: make room for a copy of it and start again"
            )
        secret = self._device.stage()
        _Wrapped(self._path, self._device, pin, self._cost, secret).put(key)
        self._device.promote()
        self._pin, self._key = pin, key

    def take_away(self) -> None:
        """From now on the device opens the vault without a PIN. To be called with the vault open or its lock held.

        Raises:
            PinError: the PIN was not entered.
            KeySourceError: as `set`.
        """
        if not self.guarded:
            return
        self._device.stage(self._settled_key())
        self._file().unmake()
        self._device.promote()
        self._clear()
        self._pin = self._key = None

    def move(self, to: KeySource) -> None:
        """From now on the secret comes from another source, and the one of before is destroyed. With the vault's lock held.

        Called again after it was cut short it goes on where it was.

        Raises:
            PinError: the PIN was not entered.
            KeySourceError: a source cannot be reached.
        """
        key = self.key(create=False)
        if self._device is not to:
            secret = to.stage()
            _Wrapped(self._path, to, self._pin, self._cost, secret).put(key)
            to.promote()
            self._device = to
        give_way(self._from, to)

    def _settled_key(self) -> bytes:
        key = self.key(create=False)
        if self.staged() is not None:
            raise KeySourceError("a change of this vault's key was cut short: open the vault once, then try again")
        return key

    def _settle(self) -> None:
        """After a change of PINs that was cut short: finish it if the file was made with the new secret, else undo it."""
        made_with = self._file().made_with()
        if self._to is not None and self._to is not self._device and _holds(self._to, made_with):
            self._device = self._to
        elif not _holds(self._device, made_with, strictly=True):
            raise KeySourceError(
                f"{self._path} was made with another secret of this device: put that one back from a backup, or finish "
                "`glovebox vault rotate --to` if that was cut short"
            )

    def _file(self) -> _Wrapped:
        return _Wrapped(self._path, self._device, self._pin, self._cost)

    def _clear(self) -> None:
        """What a killed process left beside a file that is gone."""
        if not self.guarded and self._path.parent.is_dir():
            self._file().discard()


class _Wrapped(WrappedKey):
    """The file of a key that a PIN wraps."""

    def __init__(self, path: Path, device: KeySource, pin: str | None, cost: Cost, secret: bytes | None = None) -> None:
        super().__init__(path, _Pin(device, pin, cost, secret))

    def made_with(self) -> str:
        """The fingerprint of the device's secret that the file was made with."""
        return str((self.told() or {}).get("device", ""))


class _Pin:
    """Derives the wrapping key from a PIN and the device's secret; meets ``memory.vault.keys.wrapped.Wrapper``."""

    name = "pin"
    what = "the PIN"

    def __init__(self, device: KeySource, pin: str | None, cost: Cost, secret: bytes | None) -> None:
        self._device, self._pin, self._cost, self._own = device, pin, cost, secret

    def parameters(self) -> dict[str, Any]:
        return {
            "iterations": self._cost.iterations,
            "memory_kib": self._cost.memory_kib,
            "salt": secrets.token_hex(SALT_BYTES),
            "device": fingerprint(self._secret()),
        }

    def derive(self, parameters: dict[str, Any], *, new: bool) -> bytes:
        """Argon2id of the PIN, which the device's secret has keyed before: without the secret not one PIN can be tried."""
        del new
        from argon2.low_level import Type, hash_secret_raw

        if self._pin is None:
            raise PinError("this memory has a PIN: enter it")
        try:
            cost = Cost(int(parameters["iterations"]), int(parameters["memory_kib"]))
            salt = bytes.fromhex(parameters["salt"])
        except (KeyError, TypeError, ValueError):
            raise KeySourceError("the wrapped key does not say how it was made: put it back from a backup") from None
        if not (
            1 <= cost.iterations <= MOST.iterations
            and 8 * LANES <= cost.memory_kib <= MOST.memory_kib
            and len(salt) >= SALT_BYTES
        ):
            raise KeySourceError("the wrapped key names a cost that no wrapping of ours has: put it back from a backup")
        said = unicodedata.normalize("NFC", self._pin).encode("utf-8", "replace")
        return hash_secret_raw(
            hmac.digest(self._secret(), b"glovebox pin\0" + said, "sha256"),
            salt,
            time_cost=cost.iterations,
            memory_cost=cost.memory_kib,
            parallelism=LANES,
            hash_len=KEY_BYTES,
            type=Type.ID,
        )

    def _secret(self) -> bytes:
        return self._own if self._own is not None else self._device.key(create=False)


def _holds(device: KeySource, made_with: str, *, strictly: bool = False) -> bool:
    """Whether a source holds the secret with this fingerprint; one that is only staged becomes its own, another staged one goes.

    Raises:
        KeySourceError: the source cannot be had, where that is not to be taken for a no (``strictly``).
    """
    try:
        staged = device.staged()
        if staged is not None and hmac.compare_digest(fingerprint(staged), made_with):
            device.promote()
        else:
            device.discard()
        return hmac.compare_digest(fingerprint(device.key(create=False)), made_with)
    except (KeySourceError, WrongKeyError):
        if strictly:
            raise
        return False


def fingerprint(secret: bytes) -> str:
    """Tells one secret of a device from another; of 32 random bytes it gives nothing away."""
    return hmac.digest(secret, b"glovebox device", "sha256")[:8].hex()
