"""One writer, full disks, killed processes, folders that cannot be written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memory.keys import RawKey
from memory.store import Store
from memory.vault import vault_path
from schemas.errors import (
    MemoryStoreError,
    StorageFullError,
    VaultBusyError,
)
from tests.vaults import NOW, ROOT, WRITER, child, first_line, opened, preference, refused_and_untouched


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


def test_a_vault_that_was_being_made_when_the_power_went(tmp_path: Path) -> None:
    (tmp_path / "ada.new").write_bytes(b"half a vault")
    opened(tmp_path).close()
    assert not (tmp_path / "ada.new").exists()
    opened(tmp_path).close()
