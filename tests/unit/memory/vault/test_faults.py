"""One writer, full disks, killed processes, folders that cannot be written."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from deploy.cli import main
from memory.store.preferences import Store
from memory.vault.keys import RawKey
from memory.vault.lifecycle import Vault, check, vault_path
from memory.vault.lock import VaultLock
from schemas.errors import (
    ConsentError,
    MemoryStoreError,
    StorageFullError,
    VaultBusyError,
)
from schemas.memory import Consent, Turn
from tests.vaults import (
    KEY,
    NOW,
    ROOT,
    WRITER,
    child,
    clock,
    first_line,
    image,
    opened,
    preference,
    refused_and_untouched,
)


def test_a_second_opening_in_the_same_process(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    with pytest.raises(VaultBusyError, match=str(os.getpid())):
        opened(tmp_path)
    vault.close()
    opened(tmp_path).close()


HOLDER = """
import sys, pathlib, datetime
from memory.vault.lifecycle import Vault
from memory.vault.keys import RawKey
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
from memory.vault.lifecycle import Vault
from memory.vault.keys import RawKey
from memory.store.preferences import Store
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
from memory.vault.lifecycle import Vault
from memory.vault.keys import RawKey
from memory.store.preferences import Store
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


def test_a_vault_that_was_being_made_when_the_power_went(tmp_path: Path) -> None:
    (tmp_path / "ada.new").write_bytes(b"half a vault")
    opened(tmp_path).close()
    assert not (tmp_path / "ada.new").exists()
    opened(tmp_path).close()


# More than one at once


def test_what_a_change_that_was_cut_off_left_is_cleaned_at_the_next_opening(tmp_path: Path) -> None:
    """Whatever it had begun beside the vault; what belongs to others stays."""
    with closing(Vault.open(tmp_path, "ada", KEY, clock=clock)):
        pass
    before = {path.name for path in tmp_path.iterdir()}
    ends = (
        ".rekeyed",
        ".rekeyed.part",
        ".rekeyed-wal",
        ".rekeyed-shm",
        ".rekeyed-journal",
        ".deleting.part",
        ".vault.part",
    )
    for end in (*ends, ".v3.backup.part"):
        (tmp_path / f"ada{end}").write_bytes(b"")
    others = {"adam.rekeyed-wal", "adam.deleting.part", "ada.pin"}
    for name in others:
        (tmp_path / name).write_bytes(b"")
    with closing(Vault.open(tmp_path, "ada", KEY, clock=clock)):
        pass
    assert {path.name for path in tmp_path.iterdir()} == before | others


def test_of_many_threads_one_opens_the_vault(tmp_path: Path) -> None:
    opened(tmp_path).close()
    begin, held, busy = threading.Barrier(8), list[Vault](), list[str]()

    def attempt() -> None:
        begin.wait()
        try:
            held.append(opened(tmp_path))
        except VaultBusyError as error:
            busy.append(str(error))

    threads = [threading.Thread(target=attempt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (
        len(held) == 1
        and len(busy) == 7
        and all(str(os.getpid()) in message or "unknown" in message for message in busy)
    )
    held[0].close()


def test_who_locked_a_file_that_went_meanwhile_tries_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, lock = tmp_path / "ada.lock", fcntl.flock
    tries: list[int] = []

    def slow(handle: int, how: int) -> None:
        if not tries:
            path.unlink()
        tries.append(handle)
        lock(handle, how)

    monkeypatch.setattr("memory.vault.lock.fcntl.flock", slow)
    first = VaultLock(path)
    assert len(tries) == 2 and path.exists()
    with pytest.raises(VaultBusyError):
        VaultLock(path)
    first.release()
    assert path.read_bytes() == b""
    VaultLock(path).release()


def test_the_command_line_beside_a_running_assistant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GLOVEBOX_DATA__FOLDER", str(tmp_path))
    vault = opened(tmp_path)
    for command in (["vault", "check"], ["vault", "rotate"], ["vault", "restore", "--version", "1", "--yes"]):
        assert main([*command, "--driver", "ada"]) == VaultBusyError.exit_code
        told = capsys.readouterr().err
        assert "ada" in told and str(os.getpid()) in told and "Traceback" not in told
    vault.close()


# A folder that cannot be written, and a clock that goes backwards

READ_ONLY = """
import os, sys, pathlib, datetime
from memory.vault.lifecycle import Vault, rotate, destroy
from memory.vault.keys import RawKey
from memory.store.preferences import Store
from schemas.errors import GloveboxError
folder, key = pathlib.Path(sys.argv[1]), RawKey(bytes(range(32)))
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
for work in (
    lambda: Vault.open(folder, "ada", key, clock=lambda: datetime.datetime.now(datetime.UTC)),
    lambda: Vault.open(folder, "bob", key, clock=lambda: datetime.datetime.now(datetime.UTC)),
    lambda: rotate(folder, "ada", key),
    lambda: destroy(folder, "ada", key),
):
    try:
        work()
        print("done")
    except GloveboxError as error:
        print(error.exit_code, error)
"""


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="glovebox-test-"))  # one that another user may look into
    try:
        with closing(opened(folder)) as vault:
            Store(vault).add(preference("p1"), NOW)
        for path in (folder, *folder.iterdir()):
            path.chmod(0o555 if path == folder else 0o444)
        before = image(folder)
        lines = child(READ_ONLY, str(folder)).communicate()[0].splitlines()
        assert [line.split()[0] for line in lines] == ["40"] * 4
        assert all("writable" in line for line in lines)
        assert image(folder) == before
        for path in (folder, *folder.iterdir()):
            path.chmod(0o755 if path == folder else 0o600)
        with closing(opened(folder)) as vault:
            assert len(Store(vault).preferences()) == 1
    finally:
        shutil.rmtree(folder)


def test_a_clock_that_was_set_back_loses_nothing_and_lengthens_a_pause(tmp_path: Path) -> None:
    now = NOW
    with closing(Vault.open(tmp_path, "ada", KEY, clock=lambda: now)) as vault:
        store = Store(vault)
        store.add(preference("p1"), now)
        store.set_consent(Consent(paused_until=now + timedelta(hours=1)))
        now = NOW - timedelta(days=4000)
        with pytest.raises(ConsentError):
            store.note(Turn(speaker="driver", text="hello", at=now), "trip", now)
        with pytest.raises(ConsentError), vault.transaction():
            vault.write("INSERT INTO turns (conversation, text, at, confidence) VALUES ('c', 't', '', 1)")
        store.set_consent(Consent())
        with store.transaction():
            store.add(preference("p2"), now)
            store.supersede("p1", now, "p2")
    with closing(Vault.open(tmp_path, "ada", KEY, clock=lambda: now)) as vault:
        held = {p.id: p for p in Store(vault).preferences(history=True)}
        assert set(held) == {"p1", "p2"} and Store(vault).history_of("p2") == ("p1",)
        assert held["p1"].valid_to == now < held["p1"].valid_from
    check(tmp_path, "ada", KEY)
