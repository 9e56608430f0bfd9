"""``glovebox models``: getting, removing, saying why; with a model of the user's own catalogue on a stick."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from deploy.cli import main
from models.catalog.web import Web

CONTENT = b"GGUF, more or less"


@pytest.fixture
def stick(own_home: Path) -> Path:
    """A stick with a model that the user's own catalogue adds."""
    folder = own_home / "stick"
    folder.mkdir()
    (folder / "own.gguf").write_bytes(CONTENT)
    own = own_home / "config" / "glovebox" / "models.toml"
    own.parent.mkdir(parents=True)
    own.write_text(
        f"""
[[model]]
id = "my-own"
role = "llm"
source = "weights"
entry = "*.gguf"
licence = "MIT"
origin = "a friend"
files = [{{ path = "own.gguf", bytes = {len(CONTENT)}, sha256 = "{hashlib.sha256(CONTENT).hexdigest()}" }}]

[[model.ways]]
kind = "address"
base = "https://friend.example/models"
""",
        encoding="utf-8",
    )
    return folder


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def knock(self: Web, url: str, answers: Any) -> None:
        del self, url
        answers.put(False)

    monkeypatch.setattr(Web, "_knock", knock)


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_model_is_got_listed_verified_and_removed(stick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "get", "my-own", "--from", str(stick)]) == 0
    told = capsys.readouterr().err
    assert f"from {stick}" in told and "MIT" in told and "every byte is as its makers publish it" in told
    assert main(["models", "get", "my-own", "--json"]) == 0
    assert lines(capsys.readouterr().out) == [{"model": "my-own", "fetched": False, "way": None, "bytes": len(CONTENT)}]
    assert main(["models", "list", "--json"]) == 0
    rows = {row["id"]: row for row in lines(capsys.readouterr().out)[0]["models"]}
    assert rows["my-own"]["state"] == "present" and rows["my-own"]["makers"] is True
    assert rows["whisper-base"]["state"] == "can be fetched" and rows["whisper-base"]["bytes"] == 147_882_941
    assert main(["models", "verify", "my-own"]) == 0
    assert main(["models", "remove", "my-own", "--json"]) == 0
    assert main(["models", "remove", "my-own"]) == 31


@pytest.mark.usefixtures("offline")
def test_what_cannot_be_reached_is_one_line(stick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del stick
    assert main(["models", "get", "my-own"]) == 31
    told = capsys.readouterr().err
    assert told == "Error: my-own could not be fetched: friend.example cannot be reached\n"
    assert main(["models", "get", "my-own", "--json"]) == 31
    assert lines(capsys.readouterr().out)[0]["error"]["exit_code"] == 31


def test_a_small_device_fetches_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--profile", "small", "models", "get"]) == 0
    assert capsys.readouterr().err == ""


def test_an_import_that_is_not_the_makers_needs_a_word_and_is_marked(
    stick: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (stick / "own.gguf").write_bytes(b"GGUF of somebody else")
    assert main(["models", "import", "my-own", str(stick)]) == 32
    assert "--unverified" in capsys.readouterr().err
    assert main(["models", "import", "my-own", str(stick), "--unverified"]) == 0
    assert "was not checked: it has digests that the catalogue knows and these are others" in capsys.readouterr().out
    assert main(["models", "list", "--json"]) == 0
    rows = {row["id"]: row for row in lines(capsys.readouterr().out)[0]["models"]}
    assert rows["my-own"]["state"] == "present, unchecked"


def test_why_tells_every_role_and_what_would_be_better(stick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--set", "llm.model=my-own", "models", "get", "my-own", "--from", str(stick)]) == 0
    capsys.readouterr()
    settings = ["--set", "llm.model=my-own", "--set", "asr.model=whisper-base"]
    assert main([*settings, "models", "why", "--json"]) == 0
    roles = {role["role"]: role for role in lines(capsys.readouterr().out)[0]["roles"]}
    assert roles["asr"]["engine"] == "pocketsphinx" and "whisper-base" in roles["asr"]["missed"][0]["why"]
    assert roles["tts"]["engine"] == "espeak"
    assert roles["llm"]["model"] == "language-small" and "GGUF" in roles["llm"]["missed"][0]["why"]
    assert main(["--profile", "small", "models", "why"]) == 0
    told = capsys.readouterr().out
    assert "Recogniser: pocketsphinx" in told and "would be better" not in told
