"""What the tests of the vault share: a driver, a key, a clock, a second process, death at every line of a piece of work, and each
key source over what an earlier one left in a folder, with a keyring in a file."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from memory.settings import BackupSettings
from memory.store.preferences import Store
from memory.store.words import TEXT_COLUMNS
from memory.vault.keys import KEY_SOURCES, KeySource, Lock, RawKey
from memory.vault.keys.keychain import KeyringKey
from memory.vault.keys.passphrase import Passphrase
from memory.vault.keys.wrapped import WrappedKey
from memory.vault.lifecycle import Vault
from schemas.errors import WrongKeyError
from schemas.memory import Preference

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
KEY = RawKey(bytes(range(32)))
ROOT = Path(__file__).parents[1]


def clock() -> datetime:
    return NOW


def opened(folder: Path, key: KeySource = KEY, keep: BackupSettings | None = None) -> Vault:
    return Vault.open(folder, "ada", key, clock=clock, keep=keep)


def preference(name: str, value: str = "zebrafish polka", detail: str = "favorite_genres") -> Preference:
    return Preference(
        id=name,
        detail=detail,
        value=value,
        sentences=(f"nothing but {value} for me",),
        conversation="trip",
        confidence=0.8,
        valid_from=NOW,
    )


def every_word(store: Store) -> list[str]:
    """Every word of the driver that a vault holds, cell by cell."""
    cells = [cell for table, column in TEXT_COLUMNS for (cell,) in store.read(f"SELECT {column} FROM {table}")]  # noqa: S608
    return [cell for cell in cells if cell]


def image(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refused_and_untouched(folder: Path, key: RawKey = KEY) -> None:
    before = image(folder)
    with pytest.raises(WrongKeyError) as raised:
        opened(folder, key)
    assert {name: data for name, data in image(folder).items() if name != "ada.lock"} == {
        name: data for name, data in before.items() if name != "ada.lock"
    }
    assert raised.value.exit_code == 41 and bytes(range(32)).hex() not in str(raised.value)


def child(script: str, *arguments: str) -> subprocess.Popen[str]:
    """A second process that runs a script; its first line of output says that it has come to the point."""
    return subprocess.Popen([sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, text=True, cwd=ROOT)


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


WRITER = """
import sys, pathlib, datetime
from memory.vault.lifecycle import Vault
from schemas.errors import WrongKeyError
from memory.vault.keys import RawKey
from memory.store.preferences import Store
from schemas.memory import Preference
NOW = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
vault = Vault.open(pathlib.Path(sys.argv[1]), "ada", RawKey(bytes(range(32))), clock=lambda: NOW)
store = Store(vault)
forever = len(sys.argv) > 2
number = 0
while forever or number < 20:
    made = Preference(id=f"p{number}", detail="favorite_genres", value=f"value {number} " + "x" * 900,
                      sentences=(f"sentence {number}",), conversation="c", confidence=1.0, valid_from=NOW)
    store.add(made, NOW)
    number += 1
    if forever:
        print(number, flush=True)
print("written", flush=True)
sys.stdin.read()
"""
"""A second process that stores twenty preferences, or with a second argument goes on and tells how many it has stored."""


def killed_at_every_line(
    work: Callable[[], object],
    within: tuple[str, ...],
    before: Callable[[], object],
    afterwards: Callable[[], object],
    *,
    stride: int = 1,
) -> int:
    """Run a piece of work again and again in a process of its own that is killed (SIGKILL) one line later each time.

    Args:
        work: what is killed.
        within: names of modules whose lines count.
        before: prepares what the work finds, each time.
        afterwards: looks at what the killed process left, each time; and once more when the work was let end.
        stride: lines from one death to the next.

    Returns:
        How often it was killed.
    """
    for number in itertools.count(0):
        before()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside threads: they hold nothing that we need
            process = os.fork()
        if process == 0:
            _die_in(work, within, number * stride + 1)
        _, status = os.waitpid(process, 0)
        afterwards()
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            return number
        assert os.WTERMSIG(status) == signal.SIGKILL
    raise AssertionError


def _die_in(work: Callable[[], object], within: tuple[str, ...], lines: int) -> None:
    left = lines

    def line(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if event == "line":
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return line

    def call(frame: FrameType, event: str, argument: Any) -> Any:
        return line(frame, event, argument) if frame.f_globals.get("__name__") in within else None

    code = 3
    try:
        sys.settrace(call)
        work()
        code = 0
    finally:
        sys.settrace(None)
        os._exit(code)


# Key sources


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
