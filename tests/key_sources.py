"""What the tests of key sources share: a lock, each source over what an earlier one left in a folder, and a keyring in a file."""

from __future__ import annotations

import json
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from memory.vault.keys import KEY_SOURCES, KeySource, Lock
from memory.vault.keys.keychain import KeyringKey
from memory.vault.keys.passphrase import Passphrase
from memory.vault.keys.wrapped import WrappedKey


class Remembered(KeyringBackend):
    """A keyring of keyring's own kind. Its entries lie in a file, so that they outlive a process that is killed."""

    priority = 1  # pyright: ignore[reportAssignmentType] - keyring reads a plain number
    failure: Exception | None = None

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    @property
    def entries(self) -> dict[tuple[str, str], str]:
        """What it holds now, by service and name."""
        if self.failure is not None:
            raise self.failure
        told: list[list[str]] = json.loads(self._file.read_text()) if self._file.exists() else []
        return {(service, name): password for service, name, password in told}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._keep(self.entries | {(service, username): password})

    def delete_password(self, service: str, username: str) -> None:
        entries = self.entries
        if entries.pop((service, username), None) is None:
            raise PasswordDeleteError(username)
        self._keep(entries)

    def _keep(self, entries: dict[tuple[str, str], str]) -> None:
        self._file.write_text(json.dumps([[*entry, password] for entry, password in entries.items()]))


def cheap(said: str = "correct horse") -> Passphrase:
    return Passphrase(lambda _: said, memory_kib=64, iterations=1)


def lock(folder: Path, driver: str = "ada") -> Lock:
    """What a source is made of: everything is configured, and all that it writes can lie in the folder."""
    secret = folder / "secret"
    secret.write_bytes(b"s" * 32)
    return Lock(
        driver=driver,
        vault=folder / f"{driver}.vault",
        stem=driver,
        wrapped=folder / "keys" / f"{driver}.wrapped",
        key_file=folder / "keys" / "{driver}.key",
        passphrase=lambda _: "correct horse",
        credential=secret,
        sealed=None,
    )


def source(kind: str, folder: Path, driver: str = "ada") -> KeySource:
    """A source over what an earlier one of its kind left in this folder, as in a process that begins anew."""
    made_of = lock(folder, driver)
    match kind:
        case "keyring":
            return KeyringKey(str(made_of.vault), backend=Remembered(folder / "keyring.json"))
        case "passphrase":
            return WrappedKey(made_of.wrapped, cheap())
        case _:
            return KEY_SOURCES.opener(kind)(made_of)
