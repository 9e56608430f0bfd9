"""Key sources: where a key comes from, and what happens when it cannot be had. What all promise stands in
tests/contract/test_key_source.py."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from keyring.errors import KeyringLocked

from memory.store.preferences import Store
from memory.vault.keys import KEY_BYTES, KEY_SOURCES, RawKey
from memory.vault.keys.credential import Credential
from memory.vault.keys.file import KeyFile
from memory.vault.keys.keychain import KeyringKey
from memory.vault.keys.passphrase import Passphrase
from memory.vault.keys.wrapped import WrappedKey
from memory.vault.lifecycle import rotate
from schemas.errors import (
    KeySourceError,
    WrongKeyError,
)
from tests.vaults import NOW, Remembered, cheap, image, opened, preference, source


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


@pytest.mark.parametrize("kind", KEY_SOURCES.rows)
def test_of_a_key_that_was_destroyed_no_file_and_no_entry_is_left(tmp_path: Path, kind: str) -> None:
    keys = source(kind, tmp_path)
    keys.key(create=True)
    keys.stage()
    assert keys.destroy()
    assert not list((tmp_path / "keys").glob("*")) and not Remembered(tmp_path / "keyring.json").entries


@pytest.mark.parametrize("kind", KEY_SOURCES.rows)
def test_a_source_that_vanishes_is_an_error_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    with closing(opened(tmp_path, source(kind, tmp_path))) as vault:
        Store(vault).add(preference("p1"), NOW)
    before = (tmp_path / "ada.vault").read_bytes()
    (tmp_path / "keys").rename(tmp_path / "away") if kind != "keyring" else None
    with monkeypatch.context() as away:
        away.setattr(Remembered, "failure", KeyringLocked("locked"))
        with pytest.raises(KeySourceError) as raised:
            opened(tmp_path, source(kind, tmp_path))
    assert raised.value.exit_code == 44 and len(str(raised.value)) > 40
    assert (tmp_path / "ada.vault").read_bytes() == before and not (tmp_path / "keys").exists()
    (tmp_path / "away").rename(tmp_path / "keys") if kind != "keyring" else None
    with closing(opened(tmp_path, source(kind, tmp_path))) as vault:
        assert len(Store(vault).preferences()) == 1


# Wrapped keys


def test_a_wrapped_key_says_nothing_of_the_key(tmp_path: Path) -> None:
    keys = WrappedKey(tmp_path / "ada.wrapped", cheap())
    key = keys.key(create=True)
    text = (tmp_path / "ada.wrapped").read_text()
    told = json.loads(text)
    assert (
        key.hex() not in text and "correct" not in text and (tmp_path / "ada.wrapped").stat().st_mode & 0o777 == 0o600
    )
    assert told["by"] == "argon2id" and set(told["with"]) == {"iterations", "memory_kib", "lanes", "salt"}
    assert len(bytes.fromhex(told["nonce"])) == 12 and len(bytes.fromhex(told["key"])) == KEY_BYTES + 16


def test_what_a_passphrase_costs_is_what_rfc_9106_recommends() -> None:
    told = Passphrase(lambda _: "").parameters()
    assert (told["iterations"], told["memory_kib"], told["lanes"], len(bytes.fromhex(told["salt"]))) == (
        3,
        65536,
        4,
        16,
    )


def test_a_wrong_passphrase(tmp_path: Path) -> None:
    opened(tmp_path, WrappedKey(tmp_path / "ada.wrapped", cheap())).close()
    before = image(tmp_path)
    with pytest.raises(WrongKeyError, match="passphrase does not fit") as raised:
        opened(tmp_path, WrappedKey(tmp_path / "ada.wrapped", cheap("wrong pony")))
    assert "pony" not in str(raised.value) and image(tmp_path) == before
    opened(tmp_path, WrappedKey(tmp_path / "ada.wrapped", cheap())).close()


def test_a_passphrase_is_the_same_however_it_was_typed(tmp_path: Path) -> None:
    key = WrappedKey(tmp_path / "ada.wrapped", cheap("café au lait")).key(create=True)
    assert WrappedKey(tmp_path / "ada.wrapped", cheap("cafe\u0301 au lait")).key(create=False) == key


@pytest.mark.parametrize("said", ["", "short", "half\ud800character"])
def test_passphrases_that_are_none(tmp_path: Path, said: str) -> None:
    with pytest.raises(KeySourceError):
        opened(tmp_path, WrappedKey(tmp_path / "ada.wrapped", cheap(said)))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["ada.lock"]


def test_the_passphrase_is_asked_for_once_and_told_when_it_is_new(tmp_path: Path) -> None:
    asked: list[bool] = []

    def ask(new: bool) -> str:
        asked.append(new)
        return "correct horse"

    keys = WrappedKey(tmp_path / "ada.wrapped", Passphrase(ask, memory_kib=64, iterations=1))
    opened(tmp_path, keys).close()
    rotate(tmp_path, "ada", keys)
    assert asked == [True]
    again = WrappedKey(tmp_path / "ada.wrapped", Passphrase(ask, memory_kib=64, iterations=1))
    opened(tmp_path, again).close()
    assert asked == [True, False]


def emptied(_: dict[str, Any]) -> dict[str, Any]:
    return {}


def changed(**told: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda before: {**before, **told}


@pytest.mark.parametrize(
    "change",
    [
        changed(key="00" * 48),
        changed(nonce="00" * 12),
        changed(nonce=""),
        changed(key="x"),
        changed(form="glovebox key 2"),
        changed(by="credential"),
        changed(**{"with": {}}),
        changed(**{"with": {"iterations": 1, "memory_kib": 1 << 40, "lanes": 4, "salt": "00" * 16}}),
        changed(**{"with": {"iterations": 1, "memory_kib": 64, "lanes": 4, "salt": "00" * 16}}),
        emptied,
    ],
)
def test_a_wrapped_key_that_was_changed(tmp_path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    path = tmp_path / "ada.wrapped"
    opened(tmp_path, WrappedKey(path, cheap())).close()
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    before = image(tmp_path)
    with pytest.raises((KeySourceError, WrongKeyError)):
        opened(tmp_path, WrappedKey(path, cheap()))
    assert image(tmp_path) == before


def test_the_wrapped_key_of_another_driver_does_not_pass_for_one_s_own(tmp_path: Path) -> None:
    WrappedKey(tmp_path / "ada.wrapped", cheap()).key(create=True)
    (tmp_path / "ada.wrapped").rename(tmp_path / "bob.wrapped")
    with pytest.raises(WrongKeyError):
        WrappedKey(tmp_path / "bob.wrapped", cheap()).key(create=False)


# Credentials


def test_no_credential_and_one_that_is_too_short(tmp_path: Path) -> None:
    with pytest.raises(KeySourceError, match="LoadCredentialEncrypted"):
        WrappedKey(tmp_path / "k", Credential(None)).key(create=True)
    with pytest.raises(KeySourceError, match="LoadCredentialEncrypted"):
        WrappedKey(tmp_path / "k", Credential(tmp_path / "none")).key(create=True)
    (tmp_path / "secret").write_bytes(b"s" * 31)
    with pytest.raises(KeySourceError, match="31 bytes"):
        WrappedKey(tmp_path / "k", Credential(tmp_path / "secret")).key(create=True)
    assert not (tmp_path / "k").exists()


def test_another_machine_s_credential(tmp_path: Path) -> None:
    for name in ("here", "there"):
        (tmp_path / name).write_bytes(name.encode() * 8)
    WrappedKey(tmp_path / "k", Credential(tmp_path / "here")).key(create=True)
    with pytest.raises(WrongKeyError, match="credential does not fit"):
        WrappedKey(tmp_path / "k", Credential(tmp_path / "there")).key(create=False)


def unsealer(folder: Path, script: str) -> str:
    """A program in the place of systemd-creds."""
    path = folder / "creds"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_a_sealed_credential_is_opened_by_systemd_creds(tmp_path: Path) -> None:
    (tmp_path / "sealed").write_bytes(b"t" * 40)
    program = unsealer(tmp_path, '[ "$1 $2 $4" = "--name=glovebox.key decrypt -" ] && cat "$3"')
    key = WrappedKey(tmp_path / "k", Credential(None, sealed=tmp_path / "sealed", program=program)).key(create=True)
    (tmp_path / "clear").write_bytes(b"t" * 40)
    assert WrappedKey(tmp_path / "k", Credential(tmp_path / "clear")).key(create=False) == key


def test_a_sealed_credential_that_does_not_open(tmp_path: Path) -> None:
    program = unsealer(tmp_path, "echo 'TPM is gone.' >&2; exit 1")
    for name, match in ((program, "TPM is gone"), (str(tmp_path / "nowhere"), "not installed")):
        with pytest.raises(KeySourceError, match=match):
            WrappedKey(tmp_path / "k", Credential(None, sealed=tmp_path / "sealed", program=name)).key(create=True)


# The keyring


def test_a_keyring_that_keeps_nothing_or_is_none(tmp_path: Path) -> None:
    import keyring.backends.fail
    import keyring.backends.null

    with pytest.raises(KeySourceError, match="did not keep"):
        opened(tmp_path, KeyringKey("ada", backend=keyring.backends.null.Keyring()))
    with pytest.raises(KeySourceError, match="cannot be used"):
        opened(tmp_path, KeyringKey("ada", backend=keyring.backends.fail.Keyring()))
    assert not (tmp_path / "ada.vault").exists()


def test_a_keyring_s_entry_that_is_no_key(tmp_path: Path) -> None:
    ring = Remembered(tmp_path / "keyring.json")
    ring.set_password("glovebox", "ada", "letmein")
    with pytest.raises(KeySourceError, match="no key of ours") as raised:
        KeyringKey("ada", backend=ring).key(create=True)
    assert "letmein" not in str(raised.value)


def test_a_change_of_keys_that_was_cut_short_between_two_entries(tmp_path: Path) -> None:
    ring = Remembered(tmp_path / "keyring.json")
    keys = KeyringKey("ada", backend=ring)
    opened(tmp_path, keys).close()
    keys.stage()
    ring.set_password("glovebox", "ada (next)", ring.entries["glovebox", "ada"])
    opened(tmp_path, keys).close()
    assert list(ring.entries) == [("glovebox", "ada")]


def test_the_package_s_own_choice_of_keyring_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring

    ring = Remembered(tmp_path / "keyring.json")
    monkeypatch.setattr(keyring, "get_keyring", lambda: ring)
    key = KeyringKey("ada").key(create=True)
    assert ring.entries == {("glovebox", "ada"): key.hex()}
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(KeySourceError, match="pip install"):
        KeyringKey("ada")
