"""``glovebox models``: getting, removing, saying why; with a model of the user's own catalogue on a stick."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deploy.cli import main
from deploy.machine import trial
from models.catalog import Catalog
from models.catalog.web import Web
from schemas.errors import ModelDamagedError
from tests.networks.language import write_tiny

CONTENT = b"GGUF, more or less"
RUBBISH = b"GGUF" + hashlib.shake_256(b"seed").digest(4_000)


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
role = "talker"
source = "weights"
entry = "*.gguf"
licence = "MIT"
origin = "a friend"
files = [{{ path = "own.gguf", bytes = {len(CONTENT)}, sha256 = "{hashlib.sha256(CONTENT).hexdigest()}" }}]

[[model.ways]]
kind = "address"
base = "https://friend.example/models"

[[model]]
id = "my-other"
role = "talker"
source = "weights"
entry = "*.gguf"
names = ["*.gguf"]
licence = "MIT"
origin = "a friend who counts no bytes"
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
    assert f"from {stick}" in told and "MIT" in told and "every byte is as the catalogue has it" in told
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


def test_an_import_that_the_catalogue_does_not_know_needs_a_word_can_be_loaded_and_is_marked(
    stick: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = stick / "own.gguf"
    file.write_bytes(RUBBISH)
    assert main(["models", "import", "my-own", str(stick)]) == 32
    assert "--unverified" in capsys.readouterr().err
    assert main(["models", "import", "my-own", str(stick), "--unverified"]) == 32
    assert "my-own cannot be loaded, so it was not taken: " in capsys.readouterr().err
    write_tiny(file)
    assert main(["models", "import", "my-own", str(stick), "--unverified"]) == 0
    assert "has other digests for it, so where it comes from is not known. It can be loaded." in capsys.readouterr().out
    assert main(["models", "list", "--json"]) == 0
    rows = {row["id"]: row for row in lines(capsys.readouterr().out)[0]["models"]}
    assert rows["my-own"]["state"] == "present, unchecked"


@pytest.mark.parametrize(
    ("model", "content"),
    [("piper-en-us-lessac-low", {"a.onnx": b"x" * 999, "a.onnx.json": b"{}"}),
     ("whisper-base-en", dict.fromkeys(("model.bin", "config.json", "tokenizer.json", "vocabulary.txt"), b"{}")),
     ("my-other", {"q.gguf": RUBBISH})],
)  # fmt: skip
@pytest.mark.usefixtures("stick")
def test_rubbish_is_not_imported_where_no_digest_is_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], model: str, content: dict[str, bytes]
) -> None:
    for name in ("faster_whisper", "piper"):
        pytest.importorskip(name)
    for name, data in content.items():
        (tmp_path / name).write_bytes(data)
    assert main(["models", "import", model, str(tmp_path)]) == 32
    told = capsys.readouterr().err
    assert f"model {model} cannot be loaded, so it was not taken: " in told and told.count("\n") == 1


def test_what_ends_the_process_that_loads_it_is_not_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    model = Catalog().model("gemma-3-270m")
    monkeypatch.setattr(trial.sys, "executable", "/bin/false")
    with pytest.raises(ModelDamagedError, match=r"gemma-3-270m cannot be loaded, .*: the engine breaks off"):
        trial.tried(model, tmp_path)


def test_a_flipped_bit_is_found_when_the_model_is_to_be_used(
    real_models: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a large file whose size and time stay as they were; nothing of it is loaded, and nobody vouches for it."""
    folder = real_models("piper-en-us-joe-medium").parent
    shutil.copytree(folder, tmp_path / "models" / folder.name)
    voice = next((tmp_path / "models" / folder.name).glob("*.onnx"))
    stamp = voice.stat()
    with voice.open("r+b") as stream:
        stream.seek(stamp.st_size // 2)
        (byte,) = stream.read(1)
        stream.seek(-1, 1)
        stream.write(bytes([byte ^ 1]))
    os.utime(voice, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    here = ["--set", f"data.models={tmp_path / 'models'}"]
    assert main([*here, "models", "why", "--json"]) == 0
    roles = {role["role"]: role for role in lines(capsys.readouterr().out)[0]["roles"]}
    assert roles["tts"]["engine"] == "espeak" and "is damaged" in roles["tts"]["missed"][0]["why"]
    assert main([*here, "models", "verify", folder.name]) == 32
    assert main([*here, "doctor"]) in (0, 1)
    assert "is damaged" in capsys.readouterr().out


@pytest.mark.slow
def test_why_tells_every_role_and_what_would_be_better(stick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--set", "talker.model=my-own", "models", "get", "my-own", "--from", str(stick)]) == 0
    capsys.readouterr()
    settings = ["--set", "talker.model=my-own", "--set", "asr.model=whisper-base"]
    assert main([*settings, "models", "why", "--json"]) == 0
    roles = {role["role"]: role for role in lines(capsys.readouterr().out)[0]["roles"]}
    assert roles["asr"]["engine"] == "pocketsphinx" and "whisper-base" in roles["asr"]["missed"][0]["why"]
    assert roles["tts"]["engine"] == "espeak"
    assert roles["talker"]["engine"] == "sentences" and "GGUF" in roles["talker"]["missed"][0]["why"]
    assert main(["--profile", "small", "models", "why"]) == 0
    told = capsys.readouterr().out
    assert "Recogniser: pocketsphinx" in told and "would be better" not in told


def test_models_list_and_verify(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "list"]) == 0
    assert "vad-silero" in capsys.readouterr().out
    assert main(["models", "list", "--json"]) == 0
    rows = {row["id"]: row for row in lines(capsys.readouterr().out)[0]["models"]}
    assert rows["vad-silero"]["used"] and rows["vad-silero"]["present"] and rows["vad-silero"]["bytes"] > 1e6
    assert not rows["whisper-base-en"]["present"]
    assert main(["models", "verify", "vad-silero", "asr-pocketsphinx"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "✓ vad-silero: whole (1.2 MB)"
    assert main(["models", "verify", "whisper-base-en", "vad-silero", "--json"]) == 31
    missing, whole = lines(capsys.readouterr().out)
    assert missing["error"]["model"] == "whisper-base-en" and whole["ok"]
    assert main(["models", "verify", "none"]) == 31


@pytest.mark.usefixtures("stick")
def test_models_import(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tiny(tmp_path / "small.gguf")
    assert main(["models", "import", "my-other", str(tmp_path)]) == 0
    assert "Imported my-other" in capsys.readouterr().out
    assert main(["models", "verify", "my-other"]) == 0
    assert main(["models", "import", "my-other", str(tmp_path / "none")]) == 31
