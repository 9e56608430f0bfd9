"""Older and newer vaults: what opening does to them, and the copy that is kept."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deploy.lab.memory.old_vaults import content, kept, make_old_vault
from memory.rights.erasure import found_in_files
from memory.settings import BackupSettings
from memory.store.preferences import Store
from memory.vault import migrations
from memory.vault.keys import RawKey
from memory.vault.lifecycle import backups, check, erase_backups, restore, rotate, vault_path
from memory.vault.migrations import VERSION
from schemas.errors import MemoryStoreError, StorageFullError, VaultBusyError, VaultVersionError, WrongKeyError
from tests.vaults import KEY, NOW, image, killed_at_every_line, opened, preference

OLD = range(1, VERSION)
RAW = bytes(range(32))


def everything(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    with closing(opened(folder)) as vault:
        return content(SimpleNamespace(execute=vault.rows))


def test_a_newer_vault(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    with vault.transaction():
        vault.write("PRAGMA user_version = 99")
    vault.close()
    before = vault_path(tmp_path, "ada").read_bytes()
    with pytest.raises(VaultVersionError, match="99"):
        opened(tmp_path)
    with pytest.raises(VaultVersionError, match="99"):
        check(tmp_path, "ada", KEY)
    assert vault_path(tmp_path, "ada").read_bytes() == before
    assert backups(tmp_path, "ada") == ()


@pytest.mark.parametrize("version", OLD)
def test_a_vault_of_every_older_version_is_brought_up_to_date(tmp_path: Path, version: int) -> None:
    before = make_old_vault(tmp_path, "ada", RAW, version)
    assert check(tmp_path, "ada", KEY) == version and everything(tmp_path) != before
    assert kept(before, everything(tmp_path)) and check(tmp_path, "ada", KEY) == VERSION
    with closing(opened(tmp_path)) as vault:
        store = Store(vault)
        assert {(p.id, p.value, p.sentences) for p in store.preferences(history=True)} == {
            ("p1", "jazz", ("i love jazz",)),
            ("p0", "rock", ("rock it is 🎸",)),
        }
        assert store.history_of("p1") == ("p0",) and store.consent().opted_out == {"news_and_podcasts"}
        store.add(preference("p9", detail="favorite_songs"), NOW)


@pytest.mark.parametrize("version", OLD)
def test_before_an_upgrade_a_copy_is_made_and_kept(tmp_path: Path, version: int) -> None:
    make_old_vault(tmp_path, "ada", RAW, version)
    old = vault_path(tmp_path, "ada").read_bytes()
    with closing(opened(tmp_path)):
        (backup,) = backups(tmp_path, "ada")
        assert (backup.version, backup.path.name) == (version, f"ada.v{version}.backup")
        assert backup.path.stat().st_mode & 0o777 == 0o600 and backup.bytes == len(old)
        assert found_in_files(tmp_path, ["i love jazz", "preferences", "rock it is"]) == ()
    assert backup.path.read_bytes() == old
    opened(tmp_path).close()
    assert backup.path.read_bytes() == old
    opened(tmp_path, keep=BackupSettings(most=0)).close()
    assert backups(tmp_path, "ada") == () and sorted(image(tmp_path)) == ["ada.lock", "ada.vault"]


def held(folder: Path) -> list[int]:
    return [one.version for one in backups(folder, "ada")]


def copies(folder: Path, days: dict[int, float]) -> None:
    """Backups of these versions, so many days old."""
    for version, age in days.items():
        path = folder / f"ada.v{version}.backup"
        shutil.copy(vault_path(folder, "ada"), path)
        at = (NOW - timedelta(days=age)).timestamp()
        os.utime(path, (at, at))


def test_copies_are_kept_for_a_month_and_three_at_most(tmp_path: Path) -> None:
    opened(tmp_path).close()
    copies(tmp_path, {1: 40, 2: 29.9, 3: 20, 4: 10, 5: -3})
    (tmp_path / "ada.v4.backup.part").write_bytes(b"half")
    (tmp_path / "bob.v1.backup").write_bytes(b"another's")
    opened(tmp_path, keep=BackupSettings(days=30, most=9)).close()
    assert held(tmp_path) == [2, 3, 4, 5] and not list(tmp_path.glob("*.part"))
    opened(tmp_path).close()
    assert held(tmp_path) == [3, 4, 5]
    opened(tmp_path, keep=BackupSettings(days=15)).close()
    assert held(tmp_path) == [4, 5]
    with closing(opened(tmp_path)) as vault:
        copies(tmp_path, {2: 31})
        assert vault.prune_backups() == 1 and held(tmp_path) == [4, 5]
    opened(tmp_path, keep=BackupSettings(days=0)).close()
    assert held(tmp_path) == [5]  # of tomorrow: the clock was set back
    opened(tmp_path, keep=BackupSettings(most=0)).close()
    assert held(tmp_path) == [] and (tmp_path / "bob.v1.backup").exists()


def test_a_copy_is_no_reason_to_read_every_page_but_letting_it_go_is(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as vault:
        Store(vault).add(preference("p1"), NOW)
        with vault.transaction():
            for number in range(200):
                vault.write("INSERT INTO meta VALUES (?, ?)", (f"key {number}", "x" * 400))
    copies(tmp_path, {1: 1})
    path = vault_path(tmp_path, "ada")
    raw = bytearray(path.read_bytes())
    raw[-2000] ^= 1  # a page that opening does not need
    path.write_bytes(raw)
    vault = opened(tmp_path)
    vault.close()
    os.utime(tmp_path / "ada.v1.backup", (0, 0))
    with pytest.raises(WrongKeyError):
        opened(tmp_path)
    assert held(tmp_path) == [1]


def test_a_vault_that_is_up_to_date_is_not_copied(tmp_path: Path) -> None:
    opened(tmp_path).close()
    opened(tmp_path).close()
    assert backups(tmp_path, "ada") == ()


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(opened(tmp_path)) as vault:
        Store(vault).add(preference("p1"), NOW)
    later = VERSION + 1
    monkeypatch.setitem(migrations.STEPS, later, "CREATE TABLE later (x TEXT); INSERT INTO nowhere VALUES (1);")
    monkeypatch.setattr("memory.vault.lifecycle.VERSION", later)
    with pytest.raises(MemoryStoreError):
        opened(tmp_path)
    assert [one.version for one in backups(tmp_path, "ada")] == [VERSION]
    monkeypatch.undo()
    vault = opened(tmp_path)
    assert vault.rows("PRAGMA user_version") == [(VERSION,)]
    assert vault.rows("SELECT name FROM sqlite_master WHERE name = 'later'") == []
    assert len(Store(vault).preferences()) == 1
    vault.close()


def test_an_upgrade_without_room_for_the_copy_does_not_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = make_old_vault(tmp_path, "ada", RAW, 1)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("memory.vault.backups.copy_whole", full)
        with pytest.raises(StorageFullError, match="intact"):
            opened(tmp_path)
    assert check(tmp_path, "ada", KEY) == 1 and backups(tmp_path, "ada") == ()
    assert kept(before, everything(tmp_path))


@pytest.mark.slow
def test_killed_at_every_line_of_an_upgrade(tmp_path: Path) -> None:
    before = make_old_vault(tmp_path, "ada", RAW, 1)
    template = tmp_path.parent / f"{tmp_path.name}-template"
    shutil.copytree(tmp_path, template)

    def fresh() -> None:
        shutil.rmtree(tmp_path)
        shutil.copytree(template, tmp_path)

    def finished() -> None:
        assert kept(before, everything(tmp_path))
        opened(tmp_path, keep=BackupSettings(most=0)).close()
        assert check(tmp_path, "ada", KEY) == VERSION and backups(tmp_path, "ada") == ()

    lines = ("memory.vault.lifecycle", "memory.vault.files", "memory.vault.backups", "memory.vault.cipher")
    assert killed_at_every_line(lambda: opened(tmp_path), lines, fresh, finished, stride=7) > 15


def test_a_backup_is_put_back(tmp_path: Path) -> None:
    before = make_old_vault(tmp_path, "ada", RAW, 2)
    with closing(opened(tmp_path)) as vault:
        Store(vault).erase("preferences", ["p1", "p0"])
        with pytest.raises(VaultBusyError):
            restore(tmp_path, "ada", KEY, 2)
    damaged = vault_path(tmp_path, "ada")
    damaged.write_bytes(bytes(damaged.stat().st_size))
    with pytest.raises(MemoryStoreError, match=r"no backup of version 1 .* there are: 2"):
        restore(tmp_path, "ada", KEY, 1)
    with pytest.raises(WrongKeyError):
        restore(tmp_path, "ada", RawKey(b"?" * 32), 2)
    restore(tmp_path, "ada", KEY, 2)
    assert check(tmp_path, "ada", KEY) == 2 and kept(before, everything(tmp_path))
    with pytest.raises(MemoryStoreError, match="no data folder"):
        restore(tmp_path / "nowhere", "ada", KEY, 2)


def test_a_lost_vault_whose_backup_is_there_is_not_begun_anew(tmp_path: Path) -> None:
    make_old_vault(tmp_path, "ada", RAW, 2)
    opened(tmp_path).close()
    vault_path(tmp_path, "ada").unlink()
    with pytest.raises(MemoryStoreError, match="vault restore --version 2"):
        opened(tmp_path)
    assert not vault_path(tmp_path, "ada").exists()
    restore(tmp_path, "ada", KEY, 2)
    opened(tmp_path).close()


def test_backups_are_erased_while_the_vault_is_open(tmp_path: Path) -> None:
    make_old_vault(tmp_path, "ada", RAW, 1)
    with closing(opened(tmp_path)) as vault:
        path = backups(tmp_path, "ada")[0].path
        (tmp_path / "ada.v3.backup.part").write_bytes(b"half")
        with path.open("rb") as handle:
            assert vault.erase_backups() == 1
            assert set(handle.read()) == {0}
        assert backups(tmp_path, "ada") == () and not list(tmp_path.glob("*.part"))
    shutil.copy(vault_path(tmp_path, "ada"), tmp_path / "ada.v1.backup")
    assert erase_backups(tmp_path, "ada") == 1 and erase_backups(tmp_path, "ada") == 0


def test_a_rotation_takes_the_backups_of_the_old_key_along(tmp_path: Path) -> None:
    make_old_vault(tmp_path, "ada", RAW, 1)
    opened(tmp_path).close()
    keys = RawKey(RAW)
    rotate(tmp_path, "ada", keys)
    assert backups(tmp_path, "ada") == ()
    opened(tmp_path, keys).close()
