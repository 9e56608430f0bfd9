"""The harness that kills writers: nothing is lost in fifty deaths, and it would see it if something were."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from deploy.lab.memory import crash
from deploy.lab.memory.crash_writer import NOW
from deploy.lab.memory.old_vaults import ROWS, make_old_vault
from memory.vault.keys import RawKey
from memory.vault.lifecycle import Vault
from memory.vault.migrations import VERSION


def test_nothing_is_lost_or_there_by_half(tmp_path: Path) -> None:
    outcome = crash.crash(50, 7, tmp_path)
    assert outcome.failures == []
    assert outcome.kills.total() == 50 and outcome.kills["write"] > 30 and len(outcome.kills) >= 4
    assert outcome.acknowledged > 20 and outcome.cut_short.total() > 5
    assert list(tmp_path.iterdir()) == []


def test_interrupted_it_tells_what_it_has_seen(tmp_path: Path) -> None:
    def stop(done: int) -> None:
        if done == 3:
            signal.raise_signal(signal.SIGTERM)

    outcome = crash.crash(50, 7, tmp_path, stop)
    assert outcome.interrupted and outcome.summary()["interrupted"] and outcome.kills.total() == 3
    assert outcome.failures == [] and list(tmp_path.iterdir()) == []


def after_every_kill(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Do this when a writer is dead, before anybody looks at what it has left."""
    waitpid = os.waitpid

    def waited(child: int, options: int) -> tuple[int, int]:
        found = waitpid(child, options)
        if os.WIFSIGNALED(found[1]):
            act()
        return found

    monkeypatch.setattr(os, "waitpid", waited)


def test_a_lost_write_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that forgets what it has acknowledged: the log beside the vault is gone after every kill."""

    def forget() -> None:
        for wal in tmp_path.rglob("live/ada.vault-wal"):
            wal.unlink()

    after_every_kill(monkeypatch, forget)
    monkeypatch.setattr(crash, "SHARES", {"write": 1.0})
    monkeypatch.setattr(crash, "OPENING_SHARE", 0.0)
    outcome = crash.crash(8, 3, tmp_path)
    assert any("acknowledged" in failure for failure in outcome.failures), (
        outcome.failures
    )  # a file without its log may break, too


def test_half_a_write_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A preference whose sentences are gone: as if its two tables had been written one after the other."""

    def halve() -> None:
        for path in tmp_path.rglob("live/ada.vault"):
            with (
                closing(Vault.open(path.parent, "ada", RawKey(crash.KEY), clock=lambda: NOW)) as vault,
                vault.transaction(),
            ):
                vault.write("DELETE FROM sentences WHERE id = (SELECT max(id) FROM sentences)")

    after_every_kill(monkeypatch, halve)
    monkeypatch.setattr(crash, "SHARES", {"write": 1.0})
    monkeypatch.setattr(crash, "OPENING_SHARE", 0.0)
    outcome = crash.crash(8, 3, tmp_path)
    assert any("sentences" in failure for failure in outcome.failures)


def test_every_version_has_something_in_every_table_that_it_added(tmp_path: Path) -> None:
    assert set(ROWS) == set(range(1, VERSION + 1))
    tables = make_old_vault(tmp_path, "ada", bytes(32), VERSION)
    assert [name for name, rows in tables.items() if not rows] == []
