"""The data folder at start: what is open to others is closed or refused, what an older version left is removed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deploy.machine.belongings import secure
from schemas.errors import ConfigError


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    (made / "keys").mkdir(parents=True, mode=0o700)
    (made / "exports").mkdir(mode=0o700)
    made.chmod(0o700)
    for name in ("ada.vault", "ada.pin", "keys/ada.wrapped", "keys/ada.key", "exports/ada.json"):
        (made / name).write_text("x")
        (made / name).chmod(0o600)
    return made


def test_what_is_closed_is_left_alone(home: Path) -> None:
    assert secure(home) == ()
    assert secure(home / "none") == ()


@pytest.mark.parametrize("open_", [0o777, 0o750, 0o701])
def test_an_open_folder_is_closed_and_told_of(home: Path, open_: int) -> None:
    home.chmod(open_)
    (told,) = secure(home)
    assert mode(home) == 0o700 and f"{open_:04o}" in told
    assert secure(home) == ()


@pytest.mark.parametrize("name", ["ada.vault", "ada.pin", "keys/ada.wrapped", "exports/ada.json", "keys", "exports"])
def test_what_lies_in_it_is_closed_too(home: Path, name: str) -> None:
    (home / name).chmod(0o755)
    assert len(secure(home)) == 1
    assert mode(home / name) == (0o600 if "." in name else 0o700)


def test_a_key_that_others_could_read_is_left_for_its_source_to_refuse(home: Path) -> None:
    (home / "keys" / "ada.key").chmod(0o644)
    assert secure(home) == () and mode(home / "keys" / "ada.key") == 0o644


def test_a_link_is_not_followed(home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("x")
    outside.chmod(0o644)
    (home / "ada.backup").symlink_to(outside)
    assert secure(home) == () and mode(outside) == 0o644


def test_a_folder_that_anybody_may_exchange_is_refused(home: Path) -> None:
    home.parent.chmod(0o777)
    with pytest.raises(ConfigError, match="anybody may exchange"):
        secure(home)
    home.parent.chmod(0o1777)  # as /tmp: only the owner may rename what lies there
    assert secure(home) == ()


def test_a_folder_of_somebody_else_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: home.stat().st_uid + 1)
    with pytest.raises(ConfigError, match="belongs to another user"):
        secure(home)


def test_what_cannot_be_closed_is_refused_in_one_sentence(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.chmod(0o777)

    def denied(path: Path, mode: int) -> None:
        del mode
        raise PermissionError(1, "Operation not permitted", str(path))

    monkeypatch.setattr(Path, "chmod", denied)
    with pytest.raises(ConfigError, match="cannot be closed"):
        secure(home)


def test_the_log_that_an_older_version_kept_in_clear_is_removed(home: Path) -> None:
    for name in ("decisions.jsonl", "decisions.jsonl.1"):
        (home / name).write_text('{"action":"navigate_to"}\n')
        (home / name).chmod(0o600)
    assert len(secure(home)) == 2
    assert not list(home.glob("decisions*"))
