"""Where a vault's key comes from: one source a file behind `KeySource`.

Owns the port, the key in memory and the registry of sources. A vault's key is always 32 random bytes of its own; a passphrase, a
systemd credential or a TPM only *wraps* it (`memory.vault.keys.wrapped`), so that it can be destroyed for one driver alone and
changed without them. Knows nothing of the vault.

| source | module | the key lies | protected by |
|---|---|---|---|
| file | `memory.vault.keys.file` | in a file | its mode: for development |
| passphrase | `memory.vault.keys.passphrase` | wrapped, in a file | a passphrase through Argon2id |
| credential | `memory.vault.keys.credential` | wrapped, in a file | a secret that systemd decrypts (TPM or the machine's own key) |
| keyring | `memory.vault.keys.keychain` | in the system's keyring | the desktop session |
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from schemas.errors import KeySourceError
from schemas.registry import Registry, Row

KEY_BYTES = 32
"""256 bits: what SQLCipher takes as a raw key for AES-256 (zetetic.net/sqlcipher/sqlcipher-api, ``PRAGMA key``)."""


@dataclass(frozen=True, slots=True)
class Lock:
    """What a key source may be made of: which vault it is for, and what is configured."""

    driver: str
    vault: Path
    """The vault's file."""
    stem: str
    """The driver's name as it stands in names of files."""
    wrapped: Path
    """Where a wrapped key of this vault lies."""
    key_file: Path
    """Where the key lies in clear: the setting ``data.key_file``."""
    passphrase: Callable[[bool], str]
    """Asks for the passphrase; True: for a new one, twice."""
    credential: Path | None
    """The secret that systemd hands to the service; None where systemd did not start us."""
    sealed: Path | None
    """The same, still sealed."""


KEY_SOURCES = Registry(
    "key source",
    "glovebox.key_sources",
    {
        "file": Row("memory.vault.keys.file:opened"),
        "credential": Row("memory.vault.keys.credential:opened"),
        "keyring": Row("memory.vault.keys.keychain:opened", extra="keyring"),
        "passphrase": Row("memory.vault.keys.passphrase:opened"),
    },
)
"""Each takes a `Lock` and gives a `KeySource`; what is not there says so when it is asked for the key."""


class KeySource(Protocol):
    """Gives the key of one vault, and can hold a second one while the vault changes to it.

    A change of keys is `stage`, then the vault is encrypted anew, then `promote`. Each of the three is durable when it returns
    and happens wholly or not at all, so that at any moment the vault opens with the key or with the staged one.

    Every method raises KeySourceError when the source cannot be reached; the message says what to do.
    """

    def key(self, *, create: bool) -> bytes:
        """The vault's key, `KEY_BYTES` long.

        Args:
            create: True only when the vault is about to be made: the source may then make the key. For a vault that is
                there already a missing key is an error, never a new key.

        Raises:
            KeySourceError: the key cannot be had; the message says what to do.
        """
        ...

    def shared(self) -> bool:
        """Whether other vaults have the same key, so that it cannot be destroyed with this one."""
        ...

    def staged(self) -> bytes | None:
        """The key that was made by `stage` and neither promoted nor discarded, or None."""
        ...

    def stage(self, key: bytes | None = None) -> bytes:
        """Keep a second key beside the present one: this, or a new random one. One that was staged before is discarded."""
        ...

    def promote(self) -> None:
        """Put the staged key in the place of the present one, which is destroyed unless it is shared."""
        ...

    def discard(self) -> None:
        """Destroy the staged key, if there is one, and clear what a killed process left of writing one."""
        ...

    def destroy(self) -> bool:
        """Destroy all keys of this vault; may be called again. False: a shared key is left, which other vaults need."""
        ...


class RawKey:
    """A key that is held in memory. For tests, and for callers that fetched the key themselves."""

    def __init__(self, key: bytes) -> None:
        """A source of this key.

        Raises:
            KeySourceError: it is not `KEY_BYTES` long.
        """
        if len(key) != KEY_BYTES:
            raise KeySourceError(f"the vault key has {len(key)} bytes and needs {KEY_BYTES}: give 32 random bytes")
        self._key: bytes | None = key
        self._staged: bytes | None = None

    def key(self, *, create: bool) -> bytes:
        """The key, whether or not the vault exists."""
        del create
        if self._key is None:
            raise KeySourceError("the key was destroyed: nothing can open what it encrypted")
        return self._key

    def shared(self) -> bool:
        """Never."""
        return False

    def staged(self) -> bytes | None:
        """See `KeySource`."""
        return self._staged

    def stage(self, key: bytes | None = None) -> bytes:
        """See `KeySource`."""
        self._staged = secrets.token_bytes(KEY_BYTES) if key is None else key
        return self._staged

    def promote(self) -> None:
        """See `KeySource`."""
        self._key, self._staged = self._staged or self._key, None

    def discard(self) -> None:
        """See `KeySource`."""
        self._staged = None

    def destroy(self) -> bool:
        """See `KeySource`."""
        self._key = self._staged = None
        return True
