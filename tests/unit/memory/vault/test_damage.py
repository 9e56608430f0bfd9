"""Wrong keys and damaged, foreign, truncated files: a named error, and the file is left as it was."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from memory.store.preferences import Store
from memory.vault.cipher import PAGE_BYTES
from memory.vault.keys import RawKey
from memory.vault.lifecycle import check, vault_path
from schemas.errors import (
    WrongKeyError,
)
from tests.vaults import KEY, NOW, WRITER, child, first_line, opened, preference, refused_and_untouched


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
