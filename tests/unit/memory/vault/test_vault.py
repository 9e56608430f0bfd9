"""The open vault: settings, names, transactions, what its files hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memory.rights.erasure import FEW_NEEDLES, found_in_files
from memory.store.preferences import Store
from memory.vault import migrations
from memory.vault.keys import RawKey
from memory.vault.lifecycle import Vault, file_stem, utc_text
from schemas.errors import (
    ConfigError,
    MemoryStoreError,
)
from schemas.memory import Turn
from tests.vaults import KEY, NOW, clock, every_word, image, opened, preference


def test_what_was_written_is_there_after_opening_again(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    Store(vault).add(preference("p1"), NOW)
    vault.close()
    again = opened(tmp_path)
    assert Store(again).preferences() == (preference("p1"),)
    again.close()


def test_a_vault_is_its_owner_s_alone_and_leaves_no_files_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    vault = opened(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    Store(vault).add(preference("p1"), NOW)
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())
    vault.close()
    assert sorted(path.name for path in folder.iterdir()) == ["ada.lock", "ada.vault"]


def test_settings_of_the_connection(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    wanted = {
        "secure_delete": 1,
        "temp_store": 2,
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "user_version": migrations.VERSION,
        "locking_mode": "exclusive",
    }
    assert {name: vault.rows(f"PRAGMA {name}")[0][0] for name in wanted} == wanted
    vault.close()


def test_a_closed_vault_says_so(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    vault.close()
    vault.close()
    with pytest.raises(MemoryStoreError, match="closed"):
        vault.rows("SELECT 1")


@pytest.mark.parametrize(
    ("driver", "stem"), [("ada", "ada"), ("Ada Lovelace", "ada%20lovelace"), ("JOSÉ", "jos%C3%A9")]
)
def test_names_become_file_names(driver: str, stem: str) -> None:
    assert file_stem(driver) == stem


@pytest.mark.parametrize("driver", ["", "  ", "../ada", "a/b", "a.vault", "a\0b", "x" * 41, "a\nb"])
def test_names_that_are_no_names(tmp_path: Path, driver: str) -> None:
    with pytest.raises(ConfigError):
        Vault.open(tmp_path / "data", driver, KEY, clock=clock)
    assert not (tmp_path / "data").exists()


def test_two_drivers_have_two_files(tmp_path: Path) -> None:
    one, two = opened(tmp_path), Vault.open(tmp_path, "bob", RawKey(b"b" * 32), clock=clock)
    Store(one).add(preference("p1"), NOW)
    assert Store(two).preferences() == ()
    one.close()
    two.close()


def test_a_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    store = Store(vault)

    def half() -> None:
        with vault.transaction():
            store.add(preference("p1"), NOW)
            with vault.transaction():
                store.add(preference("p2"), NOW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert store.preferences() == ()
    with pytest.raises(MemoryStoreError, match="transaction"):
        vault.write("DELETE FROM preferences")
    vault.close()


def test_times_are_written_in_one_form() -> None:
    assert utc_text(NOW) == "2026-03-01T08:00:00.000000+00:00"
    with pytest.raises(MemoryStoreError, match="zone"):
        utc_text(NOW.replace(tzinfo=None))


# What the files hold


def test_nothing_is_ever_in_clear_and_nothing_stays(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    store = Store(vault)
    needles = ["zebrafish polka", "nothing but", "quokka", "favorite_genres", "preferences"]

    store.add(preference("p1"), NOW)
    store.note(Turn(speaker="driver", text="i met a quokka", at=NOW), "trip", NOW)
    assert found_in_files(tmp_path, needles) == ()
    stored = image(tmp_path)

    store.erase("preferences", ["p1"])
    store.erase("turns", [number for number, _ in store.turns()])
    store.wipe()
    assert found_in_files(tmp_path, needles) == ()
    assert (tmp_path / "ada.vault-wal").stat().st_size == 0
    assert every_word(store) == []
    assert image(tmp_path)["ada.vault"] != stored["ada.vault"]
    vault.close()
    assert found_in_files(tmp_path, needles) == ()


def test_the_search_of_files_finds_what_is_in_clear(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name, data in {"a": b"..Zebrafish Polka..", "b": "ZEBRAFISH".encode("utf-16-le")}.items():
        (tmp_path / "deep" / name).write_bytes(data)
    assert [p.name for p in found_in_files(tmp_path, ["zebrafish"])] == ["a", "b"]
    assert found_in_files(tmp_path, ["ze", ""]) == () and found_in_files(tmp_path, ["whale song"]) == ()
    (tmp_path / "deep" / "c").write_bytes(b"x" * ((1 << 20) - 4) + b"zebrafish")
    assert [p.name for p in found_in_files(tmp_path, ["zebrafish"])] == ["a", "b", "c"]
    many = [f"whale song number {number}" for number in range(FEW_NEEDLES)]
    assert found_in_files(tmp_path, many) == ()
    assert [p.name for p in found_in_files(tmp_path, [*many, "zebrafish"])] == ["a", "b", "c"]


def test_deleted_cells_are_zeroed_beneath_the_encryption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same settings on a file without a key: what was deleted is in no page, free or not, and in no WAL frame."""

    def no_key(connection: object, key: bytes) -> None:
        pass

    monkeypatch.setattr("memory.vault.cipher.unlock", no_key)
    vault = opened(tmp_path)
    store = Store(vault)
    with vault.transaction():
        for number in range(300):
            store.add(preference(f"p{number}", value=f"zebrafish{number:03} " + "x" * 500), NOW)

    def seen() -> set[bytes]:
        return {found for data in image(tmp_path).values() for found in re.findall(rb"zebrafish\d{3}", data)}

    assert len(seen()) == 300
    store.erase("preferences", [f"p{number}" for number in range(300) if number != 7])
    store.wipe()
    assert vault.rows("PRAGMA freelist_count")[0][0] > 50
    assert seen() == {b"zebrafish007"}
    vault.close()
