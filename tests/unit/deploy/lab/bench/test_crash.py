"""The harness that kills writers: nothing is lost in fifty deaths, and it would see it if something were."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from deploy.lab.memory import crash
from deploy.lab.memory.old_vaults import ROWS, make_old_vault
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


def test_a_lost_write_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that forgets what it has acknowledged: the log beside the vault is gone after every kill."""
    kill = crash._kill

    def forgetful(child: int) -> None:
        kill(child)
        for wal in tmp_path.rglob("live/ada.vault-wal"):
            wal.unlink()

    monkeypatch.setattr(crash, "_kill", forgetful)
    monkeypatch.setattr(crash, "SHARES", {"write": 1.0})
    monkeypatch.setattr(crash, "OPENING_SHARE", 0.0)
    outcome = crash.crash(8, 3, tmp_path)
    assert any("acknowledged" in failure for failure in outcome.failures), (
        outcome.failures
    )  # a file without its log may break, too


def test_half_a_write_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A preference whose sentences are gone: as if its two tables had been written one after the other."""
    kill = crash._kill

    def halving(child: int) -> None:
        kill(child)
        for path in tmp_path.rglob("live/ada.vault"):
            with crash._opened(path.parent) as vault, vault.transaction():
                vault.write("DELETE FROM sentences WHERE id = (SELECT max(id) FROM sentences)")

    monkeypatch.setattr(crash, "_kill", halving)
    monkeypatch.setattr(crash, "SHARES", {"write": 1.0})
    monkeypatch.setattr(crash, "OPENING_SHARE", 0.0)
    outcome = crash.crash(8, 3, tmp_path)
    assert any("sentences" in failure for failure in outcome.failures)


def test_every_version_has_something_in_every_table_that_it_added(tmp_path: Path) -> None:
    assert set(ROWS) == set(range(1, VERSION + 1))
    tables = make_old_vault(tmp_path, "ada", bytes(32), VERSION)
    assert [name for name, rows in tables.items() if not rows] == []
