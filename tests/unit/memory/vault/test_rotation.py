"""Another key for a vault, and the end of one: whatever is cut short, there is a vault that opens, or none at all."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from memory.store.preferences import Store
from memory.vault.keys import KeySource, RawKey
from memory.vault.keys.file import KeyFile
from memory.vault.lifecycle import Vault, backups, check, destroy, rotate, vault_path
from schemas.errors import KeySourceError, MemoryStoreError, StorageFullError, VaultBusyError, WrongKeyError
from tests.vaults import KEY, NOW, clock, image, killed_at_every_line, opened, preference

LINES = (
    "memory.vault.lifecycle",
    "memory.vault.rotation",
    "memory.vault.files",
    "memory.vault.cipher",
    "memory.vault.keys.file",
    "memory.vault.lock",
)


def filled(folder: Path, keys: KeySource, number: int = 3) -> None:
    with closing(opened(folder, keys)) as vault, vault.transaction():
        for one in range(number):
            Store(vault).add(preference(f"p{one}"), NOW)


def held(folder: Path, keys: KeySource) -> set[str]:
    with closing(opened(folder, keys)) as vault:
        return {p.id for p in Store(vault).preferences()}


def test_after_a_rotation_only_the_new_key_opens_the_vault(tmp_path: Path) -> None:
    keys = KeyFile(tmp_path / "keys" / "ada.key")
    filled(tmp_path, keys)
    old, before = keys.key(create=False), vault_path(tmp_path, "ada").read_bytes()
    rotate(tmp_path, "ada", keys)
    assert keys.key(create=False) != old and keys.staged() is None
    with pytest.raises(WrongKeyError):
        opened(tmp_path, RawKey(old))
    assert held(tmp_path, keys) == {"p0", "p1", "p2"}
    after = vault_path(tmp_path, "ada").read_bytes()
    pages = range(0, min(len(before), len(after)), 4096)
    assert not any(before[at + 16 : at + 4096] == after[at + 16 : at + 4096] for at in pages)
    assert sorted(image(tmp_path / "keys")) == ["ada.key"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["ada.lock", "ada.vault", "keys"]
    assert (tmp_path / "ada.vault").stat().st_mode & 0o777 == 0o600


def test_a_rotation_keeps_everything_of_the_vault(tmp_path: Path) -> None:
    filled(tmp_path, KEY)
    key = RawKey(bytes(range(32)))

    def content() -> list[object]:
        with closing(opened(tmp_path, key)) as vault:
            names = [
                name for (name,) in vault.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            ]
            rows = [vault.rows(f"SELECT * FROM {name} ORDER BY 1") for name in names]  # noqa: S608
            settings = [vault.rows(f"PRAGMA {name}") for name in ("user_version", "application_id", "journal_mode")]
            return [vault.rows("SELECT type, name, sql FROM sqlite_master ORDER BY name"), rows, settings]

    before = content()
    rotate(tmp_path, "ada", key)
    assert key.key(create=False) != bytes(range(32)) and content() == before
    check(tmp_path, "ada", key)


def test_a_rotation_of_what_is_not_there_is_open_or_has_another_key(tmp_path: Path) -> None:
    with pytest.raises(MemoryStoreError, match="no data folder"):
        rotate(tmp_path / "nowhere", "ada", RawKey(b"k" * 32))
    with pytest.raises(MemoryStoreError, match="no vault"):
        rotate(tmp_path, "ada", RawKey(b"k" * 32))
    vault = opened(tmp_path)
    with pytest.raises(VaultBusyError):
        rotate(tmp_path, "ada", KEY)
    vault.close()
    before = (tmp_path / "ada.vault").read_bytes()
    with pytest.raises(WrongKeyError):
        rotate(tmp_path, "ada", RawKey(b"?" * 32))
    assert (tmp_path / "ada.vault").read_bytes() == before and held(tmp_path, KEY) == set()


def test_a_rotation_without_room_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = KeyFile(tmp_path / "keys" / "ada.key")
    filled(tmp_path, keys)
    old = keys.key(create=False)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("memory.vault.rotation.copy_whole", full)
    with pytest.raises(StorageFullError):
        rotate(tmp_path, "ada", keys)
    assert keys.key(create=False) == old and keys.staged() is None
    assert held(tmp_path, keys) == {"p0", "p1", "p2"}


@pytest.mark.slow
def test_killed_at_every_line_of_a_rotation(tmp_path: Path) -> None:
    """A vault with a WAL that a crash left is given another key; wherever it dies, all is there under one of the two."""
    keys = KeyFile(tmp_path / "keys" / "ada.key")
    filled(tmp_path, keys)
    template = tmp_path.parent / f"{tmp_path.name}-template"
    shutil.copytree(tmp_path, template)
    first = keys.key(create=False)
    seen: set[bool] = set()

    def fresh() -> None:
        shutil.rmtree(tmp_path)
        shutil.copytree(template, tmp_path)

    def whole() -> None:
        assert held(tmp_path, keys) == {"p0", "p1", "p2"}
        seen.add(keys.key(create=False) == first)
        assert keys.staged() is None and not (tmp_path / "ada.rekeyed").exists()

    assert killed_at_every_line(lambda: rotate(tmp_path, "ada", keys), LINES, fresh, whole, stride=7) > 15
    assert seen == {True, False}


def test_another_source_for_a_vault(tmp_path: Path) -> None:
    old, new = KeyFile(tmp_path / "a" / "ada.key"), KeyFile(tmp_path / "b" / "ada.key")
    filled(tmp_path, old)
    rotate(tmp_path, "ada", old, to=new)
    assert held(tmp_path, new) == {"p0", "p1", "p2"}
    assert image(tmp_path / "a") == {} and sorted(image(tmp_path / "b")) == ["ada.key"]
    with pytest.raises(KeySourceError, match="missing"):
        opened(tmp_path, old)


@pytest.mark.slow
def test_killed_at_every_line_of_a_change_of_sources(tmp_path: Path) -> None:
    old, new = KeyFile(tmp_path / "a" / "ada.key"), KeyFile(tmp_path / "b" / "ada.key")
    filled(tmp_path, old)
    template = tmp_path.parent / f"{tmp_path.name}-template"
    shutil.copytree(tmp_path, template)

    def fresh() -> None:
        shutil.rmtree(tmp_path)
        shutil.copytree(template, tmp_path)

    def repeated() -> None:
        rotate(tmp_path, "ada", old, to=new)  # the same order again finishes it
        assert held(tmp_path, new) == {"p0", "p1", "p2"}
        assert image(tmp_path / "a") == {} and sorted(image(tmp_path / "b")) == ["ada.key"]

    work = lambda: rotate(tmp_path, "ada", old, to=new)  # noqa: E731
    assert killed_at_every_line(work, LINES, fresh, repeated, stride=13) > 10


def test_neither_key_fits_any_more(tmp_path: Path) -> None:
    keys = KeyFile(tmp_path / "keys" / "ada.key")
    filled(tmp_path, keys)
    keys.stage()
    path = tmp_path / "ada.vault"
    path.write_bytes(os.urandom(8192))
    before = image(tmp_path / "keys"), path.read_bytes()
    with pytest.raises(WrongKeyError):
        opened(tmp_path, keys)
    assert (image(tmp_path / "keys"), path.read_bytes()) == before


# From one key for all drivers to one for each


def test_a_vault_with_the_key_of_all_opens_and_gets_its_own(tmp_path: Path) -> None:
    shared = tmp_path / "vault.key"
    both = KeyFile(shared)
    for driver in ("ada", "bob"):
        with closing(Vault.open(tmp_path, driver, both, clock=clock)) as vault:
            Store(vault).add(preference(driver), NOW)
    common = shared.read_bytes()
    own = {driver: KeyFile(tmp_path / f"vault-{driver}.key", shared=shared) for driver in ("ada", "bob")}
    assert own["ada"].shared()
    assert held(tmp_path, own["ada"]) == {"ada"} and not own["ada"].shared()
    assert own["bob"].shared() and shared.read_bytes() == common
    with closing(Vault.open(tmp_path, "bob", own["bob"], clock=clock)) as vault:
        assert {p.id for p in Store(vault).preferences()} == {"bob"}
    keys = {common, *(one.key(create=False) for one in own.values())}
    assert len(keys) == 3 and shared.read_bytes() == common
    destroy(tmp_path, "ada", own["ada"])
    with closing(Vault.open(tmp_path, "bob", own["bob"], clock=clock)) as vault:
        assert {p.id for p in Store(vault).preferences()} == {"bob"}


def test_a_new_vault_has_its_own_key_from_the_start(tmp_path: Path) -> None:
    shared = tmp_path / "vault.key"
    KeyFile(shared).key(create=True)
    own = KeyFile(tmp_path / "vault-ada.key", shared=shared)
    opened(tmp_path, own).close()
    assert (tmp_path / "vault-ada.key").read_bytes() != shared.read_bytes()


@pytest.mark.slow
def test_killed_at_every_line_of_getting_its_own_key(tmp_path: Path) -> None:
    shared = tmp_path / "vault.key"
    filled(tmp_path, KeyFile(shared))
    template = tmp_path.parent / f"{tmp_path.name}-template"
    shutil.copytree(tmp_path, template)
    own = KeyFile(tmp_path / "vault-ada.key", shared=shared)

    def fresh() -> None:
        shutil.rmtree(tmp_path)
        shutil.copytree(template, tmp_path)

    def whole() -> None:
        assert held(tmp_path, own) == {"p0", "p1", "p2"}
        assert not own.shared() and (tmp_path / "vault.key").exists()

    assert killed_at_every_line(lambda: opened(tmp_path, own), LINES, fresh, whole, stride=13) > 10


def test_without_room_for_its_own_key_the_vault_keeps_the_key_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "vault.key"
    filled(tmp_path, KeyFile(shared))
    own = KeyFile(tmp_path / "vault-ada.key", shared=shared)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("memory.vault.rotation.copy_whole", full)
        assert held(tmp_path, own) == {"p0", "p1", "p2"} and own.shared()
    assert held(tmp_path, own) == {"p0", "p1", "p2"} and not own.shared()


# Deleting a driver


def test_nothing_of_a_deleted_driver_is_left(tmp_path: Path) -> None:
    keys, other = KeyFile(tmp_path / "keys" / "ada.key"), RawKey(b"b" * 32)
    filled(tmp_path, keys)
    Vault.open(tmp_path, "ada b", other, clock=clock).close()
    for name in ("ada.vault-wal", "ada.v1.backup", "ada.new", "ada.rekeyed", "ada.v1.backup.part"):
        (tmp_path / name).write_bytes(b"x" * 5000)
    keys.stage()
    done = destroy(tmp_path, "ada", keys)
    assert done.verified and done.key_destroyed and "ada.vault" in done.files and "ada.v1.backup" in done.files
    assert sorted(p.name for p in tmp_path.iterdir()) == ["ada%20b.lock", "ada%20b.vault", "keys"]
    assert image(tmp_path / "keys") == {} and backups(tmp_path, "ada") == ()
    Vault.open(tmp_path, "ada b", other, clock=clock).close()
    assert destroy(tmp_path, "ada", keys).verified
    assert held(tmp_path, keys) == set()


def test_a_deleted_driver_s_bytes_are_zeroed_first(tmp_path: Path) -> None:
    keys = KeyFile(tmp_path / "keys" / "ada.key")
    filled(tmp_path, keys)
    with (tmp_path / "ada.vault").open("rb") as vault, (tmp_path / "keys" / "ada.key").open("rb") as key:
        destroy(tmp_path, "ada", keys)
        assert set(vault.read()) == {0} and key.read() == bytes(32)


def test_a_driver_is_not_deleted_while_the_vault_is_open_or_its_key_cannot_be_reached(tmp_path: Path) -> None:
    class Gone(RawKey):
        def destroy(self) -> bool:
            raise KeySourceError("the keyring is locked")

    filled(tmp_path, KEY)
    vault = opened(tmp_path)
    with pytest.raises(VaultBusyError):
        destroy(tmp_path, "ada", KEY)
    vault.close()
    with pytest.raises(KeySourceError):
        destroy(tmp_path, "ada", Gone(bytes(range(32))))
    assert held(tmp_path, RawKey(bytes(range(32)))) == {"p0", "p1", "p2"}


def test_a_key_that_other_vaults_have_is_not_destroyed_and_said_so(tmp_path: Path) -> None:
    shared = tmp_path / "vault.key"
    filled(tmp_path, KeyFile(shared))
    done = destroy(tmp_path, "ada", KeyFile(tmp_path / "vault-ada.key", shared=shared))
    assert not done.key_destroyed and not done.verified and shared.exists()
    assert not (tmp_path / "ada.vault").exists()


@pytest.mark.slow
def test_killed_at_every_line_of_a_deletion(tmp_path: Path) -> None:
    """Once it has begun, what is left of the old vault is never shown again: opening finishes it and begins anew."""
    keys = KeyFile(tmp_path / "keys" / "ada.key")
    filled(tmp_path, keys)
    template = tmp_path.parent / f"{tmp_path.name}-template"
    shutil.copytree(tmp_path, template)
    seen: list[int] = []

    def fresh() -> None:
        shutil.rmtree(tmp_path)
        shutil.copytree(template, tmp_path)

    def all_or_nothing() -> None:
        began = (tmp_path / "ada.deleting").exists() or not (tmp_path / "ada.vault").exists()
        left = held(tmp_path, keys)
        assert left == (set() if began else {"p0", "p1", "p2"})
        assert not (tmp_path / "ada.deleting").exists()
        seen.append(len(left))

    assert killed_at_every_line(lambda: destroy(tmp_path, "ada", keys), LINES, fresh, all_or_nothing, stride=5) > 15
    assert set(seen) == {0, 3} and seen == sorted(seen, reverse=True)
