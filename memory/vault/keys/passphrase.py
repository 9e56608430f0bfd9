"""Wrapping by a passphrase through Argon2id.

Owns the derivation and its cost. Does not ask anybody: the passphrase comes from a function that the program gives.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Callable
from typing import Any

from memory.vault.keys import KEY_BYTES, Lock
from memory.vault.keys.wrapped import WrappedKey
from schemas.errors import KeySourceError

ITERATIONS = 3
LANES = 4
MEMORY_KIB = 64 * 1024
SALT_BYTES = 16
"""RFC 9106, section 4: the second recommended option (t=3, p=4, m=64 MiB, 128-bit salt, 256-bit tag), which is the one for
devices that cannot give 2 GiB. What it costs here: docs/log.md."""

MOST_MEMORY_KIB = 4 * 1024 * 1024
"""More than 4 GiB in a key file is not ours: it would stop the device."""
MOST_ITERATIONS = 100
MOST_LANES = 64

SHORTEST = 8
"""Characters of a new passphrase: NIST SP 800-63B-4, 3.1.1.2, asks for 8 at least where it is not the only factor (the file is
the other one)."""


class Passphrase:
    """Derives the wrapping key from a passphrase."""

    name = "argon2id"
    what = "the passphrase"

    def __init__(
        self, ask: Callable[[bool], str], *, memory_kib: int = MEMORY_KIB, iterations: int = ITERATIONS
    ) -> None:
        """A wrapper by a passphrase.

        Args:
            ask: gives the passphrase; told True when it is a new one, which a person types twice. Called once at most: what it
                gave is kept in memory, so that changing the key does not ask again.
            memory_kib: cost of new wrappings; tests take less.
            iterations: as above.
        """
        self._ask = ask
        self._said: str | None = None
        self._memory_kib, self._iterations = memory_kib, iterations

    def parameters(self) -> dict[str, Any]:
        """See `Wrapper`."""
        return {
            "iterations": self._iterations,
            "memory_kib": self._memory_kib,
            "lanes": LANES,
            "salt": secrets.token_hex(SALT_BYTES),
        }

    def derive(self, parameters: dict[str, Any], *, new: bool) -> bytes:
        """See `Wrapper`."""
        from argon2.low_level import Type, hash_secret_raw

        try:
            cost = {name: int(parameters[name]) for name in ("iterations", "memory_kib", "lanes")}
            salt = bytes.fromhex(parameters["salt"])
        except (KeyError, TypeError, ValueError):
            raise KeySourceError("the wrapped key does not say how it was made: put it back from a backup") from None
        if not (
            1 <= cost["iterations"] <= MOST_ITERATIONS
            and 1 <= cost["lanes"] <= MOST_LANES
            and 8 * cost["lanes"] <= cost["memory_kib"] <= MOST_MEMORY_KIB
            and len(salt) >= SALT_BYTES
        ):
            raise KeySourceError("the wrapped key names a cost that no wrapping of ours has: put it back from a backup")
        return hash_secret_raw(
            self._passphrase(new=new),
            salt,
            time_cost=cost["iterations"],
            memory_cost=cost["memory_kib"],
            parallelism=cost["lanes"],
            hash_len=KEY_BYTES,
            type=Type.ID,
        )

    def _passphrase(self, *, new: bool) -> bytes:
        said = self._ask(new) if self._said is None else self._said
        if not said:
            raise KeySourceError("no passphrase was given: type it, or name a file that holds it")
        if new and len(said) < SHORTEST:
            raise KeySourceError(
                f"the passphrase is too short: use at least {SHORTEST} characters, better several words"
            )
        self._said = said
        try:  # the same characters from another keyboard (NFC: as RFC 8265, section 4, prepares passwords)
            return unicodedata.normalize("NFC", said).encode("utf-8")
        except UnicodeEncodeError:
            raise KeySourceError("the passphrase is no valid Unicode: type it anew") from None


def opened(lock: Lock) -> WrappedKey:
    """See ``memory.vault.keys.KEY_SOURCES``."""
    return WrappedKey(lock.wrapped, Passphrase(lock.passphrase))
