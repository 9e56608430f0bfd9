"""The configured key source: which file or entry holds whose key, and how a passphrase is asked for."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from deploy.cli import main
from deploy.config import Config, load_config
from deploy.drivers.keys import device_key, key_source
from memory.vault.keys.file import KeyFile
from memory.vault.keys.keychain import KeyringKey
from memory.vault.keys.wrapped import WrappedKey
from schemas.errors import ConfigError, KeySourceError, WrongKeyError
from tests.vaults import KEY, opened


def config(folder: Path, environment: dict[str, str] | None = None, **flags: str) -> Config:
    named = {"home": str(folder), "driver.name": "ada"} | {
        key.replace("__", "."): value for key, value in flags.items()
    }
    return load_config(flags=named, environment={"HOME": str(folder)} | (environment or {}))


def test_under_a_home_every_driver_has_a_key_file_of_the_name(tmp_path: Path) -> None:
    for name in ("ada", "bob"):
        source = device_key(config(tmp_path, driver__name=name))
        assert isinstance(source, KeyFile)
        source.key(create=True)
    assert sorted(path.name for path in (tmp_path / "keys").iterdir()) == ["ada.key", "bob.key"]
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in (tmp_path / "keys").iterdir())


def test_a_configured_key_file_gets_the_driver_s_name(tmp_path: Path) -> None:
    key_source(config(tmp_path, data__key_file=str(tmp_path / "vault.key"))).key(create=True)
    key_source(config(tmp_path, data__key_file=str(tmp_path / "ada.key"))).key(create=True)
    assert sorted(path.name for path in tmp_path.glob("*.key")) == ["ada.key", "vault-ada.key"]


def test_a_vault_of_an_older_installation_goes_on_opening(tmp_path: Path) -> None:
    shared = tmp_path / "vault.key"
    opened(tmp_path, KeyFile(shared)).close()
    source = key_source(config(tmp_path, data__key_file=str(shared)))
    opened(tmp_path, source).close()
    assert (tmp_path / "vault-ada.key").exists() and shared.exists()
    with pytest.raises(WrongKeyError):
        opened(tmp_path, KeyFile(shared))


def test_every_source_by_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "glovebox.key").write_bytes(b"s" * 32)
    given = config(tmp_path, {"CREDENTIALS_DIRECTORY": str(tmp_path)}, memory__key__source="credential")
    source = device_key(given)
    assert isinstance(source, WrappedKey) and len(source.key(create=True)) == 32
    assert (tmp_path / "keys" / "ada.wrapped").exists()
    without = key_source(config(tmp_path, memory__key__source="credential"))
    with pytest.raises(KeySourceError, match="LoadCredentialEncrypted"):
        without.key(create=False)
    monkeypatch.setattr("keyring.get_keyring", object)
    assert isinstance(device_key(config(tmp_path, memory__key__source="keyring")), KeyringKey)
    with pytest.raises(ConfigError, match=r"memory\.key\.source"):
        config(tmp_path, memory__key__source="post-it")


def test_a_passphrase_from_a_file_that_is_its_owner_s_alone(tmp_path: Path) -> None:
    file = tmp_path / "words"
    file.write_text("correct horse\nand more\n")
    named = config(tmp_path, memory__key__source="passphrase", memory__key__passphrase_file=str(file))
    file.chmod(0o644)
    with pytest.raises(KeySourceError, match="chmod 600"):
        key_source(named).key(create=True)
    file.chmod(0o600)
    key = key_source(named).key(create=True)
    file.write_text("correct horse\r\n")
    assert key_source(named).key(create=False) == key
    file.unlink()
    with pytest.raises(KeySourceError, match="cannot be read"):
        key_source(named).key(create=False)


def test_a_passphrase_from_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    said = iter(["correct horse", "wrong horse", "correct horse", "correct horse", "correct horse"])
    source = config(tmp_path, memory__key__source="passphrase")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(KeySourceError, match="no terminal"):
        key_source(source).key(create=True)
    monkeypatch.setattr("sys.stdin", Terminal())

    def typed(_: str) -> str:
        return next(said)

    monkeypatch.setattr("getpass.getpass", typed)
    with pytest.raises(KeySourceError, match="differ"):
        key_source(source).key(create=True)
    key = key_source(source).key(create=True)
    assert key_source(source).key(create=False) == key and list(said) == []


def test_check_rotate_and_move_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLOVEBOX_DRIVER__NAME", "ada")
    home = ["--home", str(tmp_path), "--driver", "ada"]
    assert main([*home, "vault", "check"]) == 40 and "no vault" in capsys.readouterr().err
    opened(tmp_path, key_source(config(tmp_path))).close()
    before = (tmp_path / "keys" / "ada.key").read_bytes()
    assert main([*home, "vault", "check"]) == 0 and "whole: version" in capsys.readouterr().out
    assert main([*home, "vault", "rotate", "--json"]) == 0
    assert '"key_source": "file"' in capsys.readouterr().out
    assert (tmp_path / "keys" / "ada.key").read_bytes() != before
    (tmp_path / "words").write_text("correct horse")
    (tmp_path / "words").chmod(0o600)
    words = ["--set", f"memory.key.passphrase_file={tmp_path / 'words'}"]
    assert main([*home, *words, "vault", "rotate", "--to", "passphrase"]) == 0
    assert 'source = "passphrase"' in capsys.readouterr().out
    assert not (tmp_path / "keys" / "ada.key").exists()
    assert main([*home, "vault", "check"]) == 44
    assert main([*home, *words, "--set", "memory.key.source=passphrase", "vault", "check", "--json"]) == 0
    assert '"key_source": "passphrase"' in capsys.readouterr().out
    assert (
        main([*home, *words, "--set", "memory.key.source=passphrase", "vault", "restore", "--version", "1", "--yes"])
        == 40
    )


def test_a_path_is_printed_whole_however_long_it_is_and_narrow_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("GLOVEBOX_DRIVER__NAME", "ada")
    home = tmp_path / "a home [bold] of [/red] many words" / "-".join(["long"] * 30)
    home.mkdir(parents=True)
    assert main(["--home", str(home), "--driver", "ada", "vault", "check"]) == 40
    assert str(home / "ada.vault") in capsys.readouterr().err
    opened(home, key_source(config(home))).close()
    assert main(["--home", str(home), "--driver", "ada", "vault", "check"]) == 0
    assert capsys.readouterr().out.startswith(f"{home / 'ada.vault'} is whole: version")


def test_a_vault_that_another_key_made_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened(tmp_path, KEY).close()
    key_source(config(tmp_path)).key(create=True)
    assert main(["--home", str(tmp_path), "--driver", "ada", "vault", "check"]) == WrongKeyError.exit_code
    assert "left as it is" in capsys.readouterr().err
