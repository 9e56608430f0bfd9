"""What the tests of the vault share: a driver, a key, a clock, a second process, and death at every line of a piece of work."""

from __future__ import annotations

import itertools
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

from memory.settings import BackupSettings
from memory.store.preferences import Store
from memory.store.words import TEXT_COLUMNS
from memory.vault.keys import KeySource, RawKey
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
