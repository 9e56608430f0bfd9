"""Older and newer vaults: what opening does to them, and the copy that is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory import migrations
from memory.store import Store
from memory.vault import vault_path
from schemas.errors import (
    MemoryStoreError,
    VaultVersionError,
)
from tests.vaults import NOW, opened, preference


def test_a_newer_vault(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    with vault.transaction():
        vault.write("PRAGMA user_version = 99")
    vault.close()
    before = vault_path(tmp_path, "ada").read_bytes()
    with pytest.raises(VaultVersionError, match="99"):
        opened(tmp_path)
    assert vault_path(tmp_path, "ada").read_bytes() == before


def test_an_older_vault_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = opened(tmp_path)
    Store(vault).add(preference("p1"), NOW)
    vault.close()
    later = migrations.VERSION + 1
    monkeypatch.setitem(migrations.STEPS, later, "CREATE TABLE later (x TEXT); INSERT INTO later VALUES ('new');")
    monkeypatch.setattr("memory.vault.VERSION", later)
    again = opened(tmp_path)
    assert again.rows("SELECT x FROM later") == [("new",)] and again.rows("PRAGMA user_version") == [(later,)]
    assert len(Store(again).preferences()) == 1
    again.close()


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(tmp_path).close()
    later = migrations.VERSION + 1
    monkeypatch.setitem(migrations.STEPS, later, "CREATE TABLE later (x TEXT); INSERT INTO nowhere VALUES (1);")
    monkeypatch.setattr("memory.vault.VERSION", later)
    with pytest.raises(MemoryStoreError):
        opened(tmp_path)
    monkeypatch.undo()
    vault = opened(tmp_path)
    assert vault.rows("PRAGMA user_version") == [(migrations.VERSION,)]
    assert vault.rows("SELECT name FROM sqlite_master WHERE name = 'later'") == []
    vault.close()
