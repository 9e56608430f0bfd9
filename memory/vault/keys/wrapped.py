"""A vault's random key in a small file beside, encrypted under a key that comes from elsewhere.

Owns the file's form and the wrapping: AES-256-GCM (NIST SP 800-38D) under a key that a `Wrapper` derives, with everything else
in the file and the vault's name as authenticated data, so that neither a parameter nor the file of another driver can be put
in its place unnoticed. Destroying the file destroys the vault's key, whatever becomes of the wrapper's own secret.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Generator
from pathlib import Path
from typing import Any, Protocol

from memory.vault.files import PART, make_folder, remove, replace_key, retire, write_whole
from memory.vault.keys import KEY_BYTES, KeySource
from schemas.errors import KeySourceError, WrongKeyError

FORM = "glovebox key 1"

NONCE_BYTES = 12
"""96 bits, as NIST SP 800-38D 5.2.1.1 recommends; every wrapping has a key of its own by its salt, so none is used twice."""

LARGEST = 4096
"""Bytes: a key file has some 400."""


class Wrapper(Protocol):
    """Derives the key that wraps, from a secret that only it knows."""

    name: str
    """As it stands in the file."""

    what: str
    """What does not fit if unwrapping fails, in words: ``the passphrase``."""

    def parameters(self) -> dict[str, Any]:
        """What a new wrapping is derived with; public, kept in the file."""
        ...

    def derive(self, parameters: dict[str, Any], *, new: bool) -> bytes:
        """The wrapping key, `KEY_BYTES` long.

        Args:
            parameters: as `parameters` gave them when the wrapping was made.
            new: True for a vault that is about to be made.

        Raises:
            KeySourceError: the secret cannot be had, or the parameters are none.
        """
        ...


class WrappedKey:
    """The key of one vault, wrapped, in a file."""

    def __init__(self, path: Path, wrapper: Wrapper) -> None:
        """A source over this file, which is made with the vault; its folder too.

        A staged key's name says who wrapped it: two sources may have the file in one place, and neither finishes or undoes what
        the other began.
        """
        self._path = path
        self._next = path.with_name(f"{path.name}.{wrapper.name}.next")
        self._wrapper = wrapper

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def key(self, *, create: bool) -> bytes:
        """See `KeySource`; the wrapping key is derived each time.

        Raises:
            KeySourceError: the file or the wrapper's secret is missing.
            WrongKeyError: the wrapper's secret does not fit, or the file was changed.
        """
        if create and not os.path.lexists(self._path):
            return self._make(self._path, new=True)
        return self._read(self._path)

    def shared(self) -> bool:
        """Never: every vault has a key of its own."""
        return False

    def staged(self) -> bytes | None:
        """See `KeySource`."""
        return self._read(self._next) if os.path.lexists(self._next) else None

    def stage(self, key: bytes | None = None) -> bytes:
        """See `KeySource`."""
        return self._make(self._next, new=False, key=key)

    def put(self, key: bytes) -> None:
        """Wrap this key anew in the place of what is there: whole or not at all."""
        fresh = self._path.with_name(f"{self._path.name}.fresh")
        self._make(fresh, new=False, key=key)
        with self._written():
            replace_key(fresh, self._path)

    def told(self) -> dict[str, Any] | None:
        """What the wrapping was derived with, as `Wrapper.parameters` gave it; None where there is no file.

        Raises:
            KeySourceError: it is no wrapped key of this wrapper.
        """
        if not os.path.lexists(self._path):
            return None
        told = self._told(self._path).get("with")
        if not isinstance(told, dict):
            raise self._no_key(self._path)
        return dict(told)

    def unmake(self) -> None:
        """Take the file away, whatever becomes of the key."""
        with self._written():
            retire(self._path)

    def promote(self) -> None:
        """See `KeySource`."""
        if os.path.lexists(self._next):
            with self._written():
                replace_key(self._next, self._path)

    def discard(self) -> None:
        """See `KeySource`."""
        with self._written():
            retire(self._next)
            self._clear()

    def _clear(self) -> None:
        fresh = self._path.with_name(f"{self._path.name}.fresh")
        for path in (self._path, self._next, fresh):
            remove(path.with_name(f"{path.name}{PART}"))
        remove(fresh)

    def destroy(self) -> bool:
        """See `KeySource`; whoever wrapped it."""
        with self._written():
            for path in (self._path, *self._path.parent.glob(f"{self._path.name}.*")):
                remove(path)
        return True

    def _make(self, path: Path, *, new: bool, key: bytes | None = None) -> bytes:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        key = secrets.token_bytes(KEY_BYTES) if key is None else key
        nonce, parameters = secrets.token_bytes(NONCE_BYTES), self._wrapper.parameters()
        wrapping = self._wrapper.derive(parameters, new=new)
        sealed = AESGCM(wrapping).encrypt(nonce, key, self._about(parameters))
        told = {"form": FORM, "by": self._wrapper.name, "with": parameters, "nonce": nonce.hex(), "key": sealed.hex()}
        with self._written():
            make_folder(path.parent)
            write_whole(path, json.dumps(told, indent=1).encode("ascii") + b"\n")
        return key

    def _read(self, path: Path) -> bytes:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        told = self._told(path)
        try:
            parameters, nonce, sealed = dict(told["with"]), bytes.fromhex(told["nonce"]), bytes.fromhex(told["key"])
        except (KeyError, TypeError, ValueError):
            raise self._no_key(path) from None
        wrapping = self._wrapper.derive(parameters, new=False)
        try:
            key = AESGCM(wrapping).decrypt(nonce, sealed, self._about(parameters))
        except (InvalidTag, ValueError):
            raise WrongKeyError(
                f"{self._wrapper.what} does not fit {path}, or that file was changed; nothing was changed now: "
                "try again, or put the file back from a backup"
            ) from None
        if len(key) != KEY_BYTES:
            raise self._no_key(path)
        return key

    def _told(self, path: Path) -> dict[str, Any]:
        try:
            data = path.read_bytes()[: LARGEST + 1]
            told: Any = json.loads(data)
        except FileNotFoundError:
            raise KeySourceError(
                f"the wrapped key {path} is missing but its vault exists: put it back from a backup, or delete the "
                "vault to begin anew (what it holds cannot be read without the key)"
            ) from None
        except OSError as error:
            raise KeySourceError(f"the wrapped key {path} cannot be read ({error.strerror})") from error
        except ValueError:
            raise self._no_key(path) from None
        if not isinstance(told, dict) or told.get("form") != FORM:
            raise self._no_key(path)
        if told.get("by") != self._wrapper.name:
            raise KeySourceError(
                f"{path} was wrapped by another source than {self._wrapper.name}: choose that one in [memory.key] source"
            )
        return told

    def _about(self, parameters: dict[str, Any]) -> bytes:
        told = {"form": FORM, "by": self._wrapper.name, "with": parameters, "for": self._path.name}
        return json.dumps(told, sort_keys=True).encode("utf-8")

    @staticmethod
    def _no_key(path: Path) -> KeySourceError:
        return KeySourceError(f"{path} is no wrapped key of this program, or is damaged: put it back from a backup")

    @contextlib.contextmanager
    def _written(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise KeySourceError(
                f"the wrapped key {self._path} cannot be written ({error.strerror}): make its folder writable"
            ) from error


def give_way(old: KeySource, new: KeySource) -> None:
    """Destroy the key of a source whose vault has one from another source now.

    Two wrapping sources have one file in turn: there the new key took the old one's place when it was promoted.
    """
    if not (isinstance(old, WrappedKey) and isinstance(new, WrappedKey) and old.path == new.path):
        old.destroy()
