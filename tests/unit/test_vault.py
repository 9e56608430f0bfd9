"""The vault: keys, locks, damage, full disks, killed processes, and what its files hold."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory import migrations
from memory.erasure import FEW_NEEDLES, found_in_files
from memory.keys import KEY_BYTES, KeyFile, RawKey
from memory.store import Store
from memory.cipher import PAGE_BYTES
from memory.vault import Vault, check, file_stem, utc_text, vault_path
from schemas.errors import (
    ConfigError,
    ConsentError,
    KeySourceError,
    MemoryStoreError,
    StorageFullError,
    VaultBusyError,
    VaultVersionError,
    WrongKeyError,
)
from schemas.memory import Consent, Preference, Turn

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
KEY = RawKey(bytes(range(32)))
ROOT = Path(__file__).parents[2]


def clock() -> datetime:
    return NOW


def opened(folder: Path, key: RawKey | KeyFile = KEY) -> Vault:
    return Vault.open(folder, "ada", key, clock=clock)


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


def image(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def child(script: str, *arguments: str) -> subprocess.Popen[str]:
    """A second process that runs a script; its first line of output says that it has come to the point."""
    return subprocess.Popen([sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, text=True, cwd=ROOT)


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


# Opening


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


# Wrong keys and damage


def refused_and_untouched(folder: Path, key: RawKey = KEY) -> None:
    before = image(folder)
    with pytest.raises(WrongKeyError) as raised:
        opened(folder, key)
    assert {name: data for name, data in image(folder).items() if name != "ada.lock"} == {
        name: data for name, data in before.items() if name != "ada.lock"
    }
    assert raised.value.exit_code == 41 and bytes(range(32)).hex() not in str(raised.value)


def test_a_wrong_key(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    opened(tmp_path).close()
    refused_and_untouched(tmp_path, RawKey(b"?" * 32))
    assert capfd.readouterr() == ("", "")
    opened(tmp_path).close()


def test_a_wrong_key_for_a_vault_whose_process_was_killed(tmp_path: Path) -> None:
    """What a crash left in the WAL survives somebody's try with another key."""
    process = child(WRITER, str(tmp_path))
    assert first_line(process) == "written"
    process.kill()
    process.communicate()
    assert (tmp_path / "ada.vault-wal").stat().st_size > 0
    refused_and_untouched(tmp_path, RawKey(b"?" * 32))
    vault = opened(tmp_path)
    assert len(Store(vault).preferences()) == 20
    vault.close()


Harm = Callable[[bytes], bytes]


def cut(start: int | None = None, end: int | None = None, head: bytes = b"") -> Harm:
    return lambda data: head + data[start:end]


def damaged(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes(byte ^ 0xFF for byte in data[middle : middle + 64]) + data[middle + 64 :]


@pytest.mark.parametrize(
    "harm",
    [
        cut(end=0),
        cut(end=100),
        cut(end=4096),
        cut(end=-4096),
        cut(end=-1000),
        cut(16, head=b"\xff" * 16),
        cut(16, head=b"SQLite format 3\0"),
        cut(end=0, head=b"This is a letter to my aunt.\n" * 400),
    ],
    ids=["empty", "stub", "one page", "a page short", "cut in a page", "salt", "plain header", "text"],
)
def test_a_damaged_file(tmp_path: Path, harm: Harm) -> None:
    vault = opened(tmp_path)
    with vault.transaction():
        for number in range(60):
            Store(vault).add(preference(f"p{number}"), NOW)
    vault.close()
    path = vault_path(tmp_path, "ada")
    path.write_bytes(harm(path.read_bytes()))
    refused_and_untouched(tmp_path)


def test_a_flipped_bit_is_an_error_whenever_its_page_is_read(tmp_path: Path) -> None:
    """Opening does not read every page, unless there was a crash; `check` does, and so does whatever needs the page."""
    vault = opened(tmp_path)
    with vault.transaction():
        for number in range(60):
            Store(vault).add(preference(f"p{number}"), NOW)
    stored = Store(vault).preferences(history=True)
    vault.close()
    path = vault_path(tmp_path, "ada")
    whole = path.read_bytes()
    met = 0
    for page in range(len(whole) // PAGE_BYTES):
        place = page * PAGE_BYTES + 1000
        harmed = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        path.write_bytes(harmed)
        with pytest.raises(WrongKeyError):
            check(tmp_path, "ada", KEY)
        try:
            with closing(opened(tmp_path)) as vault:
                assert Store(vault).preferences(history=True) == stored
        except WrongKeyError:
            met += 1
        assert path.read_bytes() == harmed
    assert met > 10


def test_another_program_s_database_under_the_same_key(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    with vault.transaction():
        vault.write("PRAGMA application_id = 7")
    vault.close()
    refused_and_untouched(tmp_path)


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


def test_a_vault_that_was_being_made_when_the_power_went(tmp_path: Path) -> None:
    (tmp_path / "ada.new").write_bytes(b"half a vault")
    opened(tmp_path).close()
    assert not (tmp_path / "ada.new").exists()
    opened(tmp_path).close()


# Keys


def test_a_key_file_is_made_once(tmp_path: Path) -> None:
    source = KeyFile(tmp_path / "keys" / "ada.key")
    opened(tmp_path, source).close()
    path = tmp_path / "keys" / "ada.key"
    assert path.stat().st_size == KEY_BYTES and path.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in path.parent.iterdir()] == ["ada.key"]
    made = path.read_bytes()
    opened(tmp_path, source).close()
    assert path.read_bytes() == made and len(set(made)) > 8


def test_a_missing_key_file_is_never_replaced(tmp_path: Path) -> None:
    source = KeyFile(tmp_path / "ada.key")
    opened(tmp_path, source).close()
    (tmp_path / "ada.key").unlink()
    with pytest.raises(KeySourceError, match="missing"):
        opened(tmp_path, source)
    assert not (tmp_path / "ada.key").exists()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o700, 0o660])
def test_a_key_file_that_others_may_use(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "ada.key"
    path.write_bytes(b"k" * 32)
    path.chmod(mode)
    with pytest.raises(KeySourceError, match="chmod 600"):
        KeyFile(path).key(create=False)


@pytest.mark.parametrize("data", [b"", b"k" * 31, b"k" * 33])
def test_a_key_file_of_another_length(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "ada.key"
    path.write_bytes(data)
    path.chmod(0o600)
    with pytest.raises(KeySourceError, match="needs 32"):
        KeyFile(path).key(create=True)
    with pytest.raises(KeySourceError, match="needs 32"):
        RawKey(data)


def test_a_key_file_that_is_no_plain_file(tmp_path: Path) -> None:
    (tmp_path / "real.key").write_bytes(b"k" * 32)
    (tmp_path / "real.key").chmod(0o600)
    (tmp_path / "ada.key").symlink_to(tmp_path / "real.key")
    with pytest.raises(KeySourceError, match="plain file"):
        KeyFile(tmp_path / "ada.key").key(create=False)
    with pytest.raises(KeySourceError):
        KeyFile(tmp_path).key(create=True)


def test_a_key_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(KeySourceError, match="cannot be written"):
        KeyFile(tmp_path / "file" / "ada.key").key(create=True)


# One writer


def test_a_second_opening_in_the_same_process(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    with pytest.raises(VaultBusyError, match=str(os.getpid())):
        opened(tmp_path)
    vault.close()
    opened(tmp_path).close()


HOLDER = """
import sys, pathlib, datetime
from memory.vault import Vault
from memory.keys import RawKey
now = lambda: datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
vault = Vault.open(pathlib.Path(sys.argv[1]), "ada", RawKey(bytes(range(32))), clock=now)
print("open", flush=True)
sys.stdin.read()
"""


def test_a_second_process_and_what_is_left_when_it_is_killed(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert first_line(process) == "open"
    with pytest.raises(VaultBusyError, match=f"process {process.pid}"):
        opened(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    opened(tmp_path).close()


# Faults while writing

WRITER = """
import sys, pathlib, datetime
from memory.vault import Vault
from memory.keys import RawKey
from memory.store import Store
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


def test_killed_while_writing_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    process = child(WRITER, str(tmp_path), "forever")
    acknowledged = 0
    while acknowledged < 60:
        acknowledged = int(first_line(process))
    process.kill()
    rest, _ = process.communicate()
    acknowledged = max([acknowledged, *(int(line) for line in rest.split() if line.isdecimal())])
    vault = opened(tmp_path)
    found = Store(vault).preferences()
    assert {p.id for p in found} >= {f"p{number}" for number in range(acknowledged)}
    assert all(p.value.startswith(f"value {p.id[1:]} ") and p.sentences == (f"sentence {p.id[1:]}",) for p in found)
    assert len(found) <= acknowledged + 1
    vault.close()


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


def test_a_full_disk_keeps_what_was_stored(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    store = Store(vault)
    store.add(preference("p0"), NOW)
    vault.rows("PRAGMA max_page_count = 80")

    def fill() -> None:
        for number in range(1, 2000):
            store.add(preference(f"p{number}", value=f"v{number}" + "x" * 900), NOW)

    with pytest.raises(StorageFullError) as raised:
        fill()
    assert raised.value.exit_code == 60
    stored = {p.id for p in store.preferences()}
    assert "p0" in stored and len(stored) > 5
    vault.close()
    again = opened(tmp_path)
    assert {p.id for p in Store(again).preferences()} == stored
    assert all(len(p.sentences) == 1 for p in Store(again).preferences())
    again.close()


LIMITED = """
import sys, pathlib, datetime, resource
from memory.vault import Vault
from memory.keys import RawKey
from memory.store import Store
from schemas.errors import StorageFullError
from schemas.memory import Preference
NOW = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
vault = Vault.open(pathlib.Path(sys.argv[1]), "ada", RawKey(bytes(range(32))), clock=lambda: NOW)
store = Store(vault)
limit = (pathlib.Path(sys.argv[1]) / "ada.vault-wal").stat().st_size + 400_000
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
number = 0
try:
    while True:
        store.add(Preference(id=f"p{number}", detail="favorite_genres", value="x" * 900, sentences=(f"s{number}",),
                             conversation="c", confidence=1.0, valid_from=NOW), NOW)
        number += 1
except StorageFullError:
    print(number, len(store.preferences()), flush=True)
"""


def test_a_write_that_the_system_refuses(tmp_path: Path) -> None:
    """A real refusal of the operating system in the middle of a WAL write, by a limit on the size of files."""
    process = child(LIMITED, str(tmp_path))
    output, _ = process.communicate()
    acknowledged, visible = (int(word) for word in output.split())
    assert acknowledged == visible > 3
    vault = opened(tmp_path)
    assert len(Store(vault).preferences()) == acknowledged
    vault.close()


SHUT = """
import sys, pathlib, datetime, resource
from memory.vault import Vault
from memory.keys import RawKey
from memory.store import Store
from schemas.memory import Preference
NOW = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
vault = Vault.open(pathlib.Path(sys.argv[1]), "ada", RawKey(bytes(range(32))), clock=lambda: NOW)
store = Store(vault)
for number in range(20):
    store.add(Preference(id=f"p{number}", detail="favorite_genres", value="x" * 900, sentences=(f"s{number}",),
                         conversation="c", confidence=1.0, valid_from=NOW), NOW)
limit = vault.path.stat().st_size + 8192
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
vault.close()
print(vault.path.stat().st_size <= limit, flush=True)
"""


def test_a_disk_that_fills_up_while_the_vault_is_closed(tmp_path: Path) -> None:
    """The WAL cannot be folded in wholly: the file is then short, and the WAL has what is missing."""
    output, _ = child(SHUT, str(tmp_path)).communicate()
    assert output.strip() == "True" and (tmp_path / "ada.vault-wal").stat().st_size > 0
    refused_and_untouched(tmp_path, RawKey(b"?" * 32))
    vault = opened(tmp_path)
    assert len(Store(vault).preferences()) == 20
    vault.close()


def test_no_room_for_a_new_vault(tmp_path: Path) -> None:
    script = LIMITED.replace(
        "vault = Vault", "resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))\ntry:\n    Vault", 1
    )
    script = script.split("store = Store")[0] + "except StorageFullError as error:\n    print(error.code, flush=True)\n"
    output, _ = child(script, str(tmp_path)).communicate()
    assert output.strip() == "storage_full"
    assert not vault_path(tmp_path, "ada").exists()
    opened(tmp_path).close()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(MemoryStoreError, match="cannot be made"):
        opened(tmp_path / "file" / "data")


# What the files hold


def test_nothing_is_ever_in_clear_and_nothing_stays(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    store = Store(vault)
    needles = ["zebrafish polka", "nothing but", "quokka", "favorite_genres", "preferences"]

    store.add(preference("p1"), NOW)
    store.note(Turn(speaker="driver", text="i met a quokka", at=NOW), "trip", NOW)
    assert found_in_files(tmp_path, needles) == ()
    stored = image(tmp_path)

    store.erase(["p1"])
    store.erase_turns([number for number, _ in store.turns()])
    store.wipe()
    assert found_in_files(tmp_path, needles) == ()
    assert (tmp_path / "ada.vault-wal").stat().st_size == 0
    assert store.words() == []
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

    monkeypatch.setattr("memory.cipher.unlock", no_key)
    vault = opened(tmp_path)
    store = Store(vault)
    with vault.transaction():
        for number in range(300):
            store.add(preference(f"p{number}", value=f"zebrafish{number:03} " + "x" * 500), NOW)

    def seen() -> set[bytes]:
        return {found for data in image(tmp_path).values() for found in re.findall(rb"zebrafish\d{3}", data)}

    assert len(seen()) == 300
    store.erase([f"p{number}" for number in range(300) if number != 7])
    store.wipe()
    assert vault.rows("PRAGMA freelist_count")[0][0] > 50
    assert seen() == {b"zebrafish007"}
    vault.close()


# Consent beneath Python


def forbid(store: Store, consent: Consent) -> None:
    store.set_consent(consent)
    assert store.consent() == consent


@pytest.mark.parametrize(
    ("consent", "detail"),
    [
        (Consent(opted_out=frozenset({"favorite_genres"})), "favorite_genres"),
        (Consent(opted_out=frozenset({"music"})), "favorite_genres"),
        (Consent(opted_out=frozenset({"entertainment_and_media"})), "favorite_genres"),
        (Consent(private_trip=True), "favorite_genres"),
        (Consent(paused_until=NOW + timedelta(seconds=1)), "favorite_genres"),
        (Consent(), "dietary_preference"),
    ],
)
def test_no_sql_gets_round_consent(tmp_path: Path, consent: Consent, detail: str) -> None:
    vault = opened(tmp_path)
    store = Store(vault)
    store.add(preference("held"), NOW)
    forbid(store, consent)
    refused = preference("p1", detail=detail)
    with pytest.raises(ConsentError):
        store.add(refused, NOW)
    columns = "id, detail, value, conversation, confidence, status, valid_from"
    insert = f"INSERT INTO preferences ({columns}) VALUES (?, ?, 'v', 'c', 1, 'active', ?)"  # noqa: S608
    with pytest.raises(ConsentError), vault.transaction():
        vault.write(insert, ("p1", detail, utc_text(NOW)))
    with pytest.raises(ConsentError), vault.transaction():
        vault.write(insert.replace("INSERT", "INSERT OR REPLACE"), ("held", detail, utc_text(NOW)))
    with pytest.raises(ConsentError), vault.transaction():
        vault.write("UPDATE preferences SET detail = ?", (detail,))
    if detail == "favorite_genres":
        with pytest.raises(ConsentError):
            store.merge(preference("held"), "again", NOW, "c", 1.0, NOW)
        with pytest.raises(ConsentError), vault.transaction():
            vault.write("INSERT INTO sentences (preference, text, said_at, conversation) VALUES ('held', 's', '', '')")
    assert store.preferences(history=True) == (preference("held"),)
    vault.close()


def test_a_category_that_is_in_no_tree_cannot_be_stored(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    Store(vault)
    with pytest.raises(ConsentError), vault.transaction():
        vault.write(
            "INSERT INTO preferences (id, detail, value, conversation, confidence, status, valid_from) "
            "VALUES ('p', 'blood_type', 'v', 'c', 1, 'active', '')"
        )
    vault.close()


@pytest.mark.parametrize("consent", [Consent(private_trip=True), Consent(paused_until=NOW + timedelta(days=1))])
def test_no_turn_and_no_entry_of_the_log_while_silent(tmp_path: Path, consent: Consent) -> None:
    vault = opened(tmp_path)
    store = Store(vault)
    forbid(store, consent)
    with pytest.raises(ConsentError):
        store.note(Turn(speaker="driver", text="hello", at=NOW), "c", NOW)
    with pytest.raises(ConsentError), vault.transaction():
        vault.write("INSERT INTO turns (conversation, text, at, confidence) VALUES ('c', 't', '', 1)")
    with pytest.raises(ConsentError), vault.transaction():
        vault.write("INSERT INTO decisions (at, conversation, outcome) VALUES ('', 'c', 'pass')")
    assert store.turns() == () and store.logged() == []
    vault.close()


def test_the_log_is_append_only(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    with vault.transaction():
        vault.write("INSERT INTO decisions (at, conversation, outcome) VALUES ('', 'c', 'pass')")
    for sql in ("UPDATE decisions SET outcome = 'append'", "DELETE FROM decisions"):
        with pytest.raises(MemoryStoreError), vault.transaction():
            vault.write(sql)
    assert len(Store(vault).logged()) == 1
    vault.close()


def test_times_are_written_in_one_form() -> None:
    assert utc_text(NOW) == "2026-03-01T08:00:00.000000+00:00"
    with pytest.raises(MemoryStoreError, match="zone"):
        utc_text(NOW.replace(tzinfo=None))
