"""The vault's key in the system's keyring (Secret Service, KWallet, macOS Keychain, ...) through the package ``keyring``.

Owns what the entries are called. For a desktop session: a device without one has no keyring that is open at start.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Generator
from typing import Any

from memory.vault.keys import KEY_BYTES, Lock
from schemas.errors import KeySourceError

SERVICE = "glovebox"


class KeyringKey:
    """The key of one vault as an entry of the keyring, in hexadecimal."""

    def __init__(self, name: str, *, backend: Any = None) -> None:
        """A source over the keyring.

        Args:
            name: tells this vault's entry from others'; the path of the vault, so that two data folders do not share a key.
            backend: a ``keyring.backend.KeyringBackend``; None for the one that the package chooses.

        Raises:
            KeySourceError: the package is not installed, or there is no keyring.
        """
        self._name, self._next = name, f"{name} (next)"
        if backend is None:
            try:
                import keyring
            except ImportError:
                raise KeySourceError(
                    "the package keyring is not installed: pip install 'glovebox[keyring]', or choose another "
                    "[memory.key] source"
                ) from None
            backend = keyring.get_keyring()
        self._backend = backend

    def key(self, *, create: bool) -> bytes:
        """See `KeySource`."""
        found = self._get(self._name)
        if found is None and create:
            found = secrets.token_bytes(KEY_BYTES)
            self._set(self._name, found)
        if found is None:
            raise KeySourceError(
                f"the keyring has no key for {self._name} but the vault exists: unlock or restore the keyring that it was "
                "made with, or delete the vault to begin anew (what it holds cannot be read without the key)"
            )
        return found

    def shared(self) -> bool:
        """Never."""
        return False

    def staged(self) -> bytes | None:
        """See `KeySource`."""
        return self._get(self._next)

    def stage(self, key: bytes | None = None) -> bytes:
        """See `KeySource`."""
        key = secrets.token_bytes(KEY_BYTES) if key is None else key
        self._set(self._next, key)
        return key

    def promote(self) -> None:
        """See `KeySource`. Cut short in between, both entries hold the new key, and the second is discarded later."""
        staged = self._get(self._next)
        if staged is not None:
            self._set(self._name, staged)
            self._delete(self._next)

    def discard(self) -> None:
        """See `KeySource`."""
        self._delete(self._next)

    def destroy(self) -> bool:
        """See `KeySource`."""
        self._delete(self._name)
        self._delete(self._next)
        return True

    def _get(self, name: str) -> bytes | None:
        with _reached():
            text = self._backend.get_password(SERVICE, name)
        if text is None:
            return None
        try:
            key = bytes.fromhex(text)
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise KeySourceError(f"the keyring's entry {SERVICE}/{name} is no key of ours: restore the keyring")
        return key

    def _set(self, name: str, key: bytes) -> None:
        with _reached():
            self._backend.set_password(SERVICE, name, key.hex())
        if self._get(name) != key:  # some backends accept and keep nothing, as keyring.backends.null does
            raise KeySourceError(
                "the keyring did not keep the key: choose another backend, or another [memory.key] source"
            )

    def _delete(self, name: str) -> None:
        if self._get(name) is not None:
            with _reached():
                self._backend.delete_password(SERVICE, name)


@contextlib.contextmanager
def _reached() -> Generator[None]:
    """The keyring's errors, and those of the bus that it is reached by, as ours; none of them holds a key."""
    try:
        yield
    except KeySourceError:
        raise
    except Exception as error:
        raise KeySourceError(
            f"the system's keyring cannot be used ({type(error).__name__}): unlock it, log in, or choose another "
            "[memory.key] source; the vault is as it was"
        ) from error


def opened(lock: Lock) -> KeyringKey:
    """See ``memory.vault.keys.KEY_SOURCES``."""
    return KeyringKey(str(lock.vault.absolute()))
