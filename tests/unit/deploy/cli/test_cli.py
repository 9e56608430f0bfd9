from __future__ import annotations

import json
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any, Self

import numpy as np
import pytest

import schemas.errors
from deploy import __version__
from deploy.cli import main
from deploy.config import Config
from deploy.timeline import TimelineEntry
from memory.screen.parts import Parts
from memory.service import DriverMemory
from memory.vault.keys import KeySource
from schemas.errors import AudioFileError, GloveboxError, NoSpeechError, VaultBusyError
from schemas.events import Transcript
from tests.memories import memory_of, talk
from tests.screens import Car, FakeDrivers, parts_of
from voice.audio.wavefile import write

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


class FakeAssistant:
    """Says what was asked of it; a file named ``bad`` cannot be read, one named ``quiet`` holds no voice."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.lacks: tuple[str, ...] = ()
        self.ran = self.closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True

    def hear(self, path: Path) -> Iterator[TimelineEntry]:
        self._check(path)
        yield TimelineEntry(at_s=61.5, kind="heard", text="“set [the] fan”", data={"confidence": 0.9})

    def say(self, text: str) -> Iterator[TimelineEntry]:
        yield TimelineEntry(at_s=0.0, kind="said", text=f"“{text}”")

    def transcribe(self, path: Path) -> Transcript:
        self._check(path)
        return Transcript(text="set the fan", confidence=0.75, in_grammar=True)

    def run(self, emit: Callable[[TimelineEntry], None]) -> None:
        self.ran = True
        emit(TimelineEntry(at_s=1.0, kind="wake", text="“computer” (0.93)"))

    def announced(self) -> AbstractContextManager[None]:
        return nullcontext()

    def screen(self, *, dev: bool = False) -> Parts:
        assert not dev
        return parts_of(Car(), FakeDrivers(lambda name: memory_of(name, clock=lambda: NOW)), self.config.data.folder)

    def _check(self, path: Path) -> None:
        if path.stem == "bad":
            raise AudioFileError(f"sound file {path} is empty; record it again")
        if path.stem == "quiet":
            raise NoSpeechError(f"no voice in {path}")


class KeptOpen(DriverMemory):
    """A memory for one command after the other: it has no file to be opened again."""

    def close(self) -> None:
        """Stays open."""


class Cabin:
    """The fake program behind the command line: what was assembled, what was opened."""

    def __init__(self) -> None:
        self.assistants: list[FakeAssistant] = []
        self.live: list[bool] = []
        self.announced: list[str] = []
        self.error: Exception | None = None
        self.memory = memory_of("driver", clock=lambda: NOW, kind=KeptOpen)
        self.played: list[tuple[Path, bool]] = []

    def assemble(
        self,
        config: Config,
        *,
        live: bool = False,
        announce: Callable[[str], None] | None = None,
        early: None = None,
    ) -> FakeAssistant:
        del early
        if self.error is not None:
            raise self.error
        (announce or self.announced.append)("wake word")
        self.assistants.append(FakeAssistant(config))
        self.live.append(live)
        return self.assistants[-1]

    def open_memory(self, config: Config, keys: KeySource | None = None) -> DriverMemory:
        del keys
        if self.error is not None:
            raise self.error
        self.memory.driver = config.driver.name
        return self.memory

    def play(self, config: Config, out: Path, json_lines: bool) -> int:
        self.played.append((out, json_lines))
        return 70 if config.driver.name == "loser" else 0


def nothing_early(config: Config, *, live: bool) -> None:
    """The fake of what is started first: nothing is."""
    del config, live


def _heard(path: Path) -> None:
    """The fake assistant says itself what is wrong with a file."""


@pytest.fixture
def cabin(monkeypatch: pytest.MonkeyPatch) -> Cabin:
    """Fakes in the place of the composition root and the demo."""
    monkeypatch.setattr("deploy.machine.early.Early", nothing_early)
    monkeypatch.setenv("GLOVEBOX_DRIVER__OTHERS", '["anna", "loser"]')
    fake = Cabin()
    app, demo = ModuleType("deploy.app"), ModuleType("deploy.demo")
    vars(app).update(assemble=fake.assemble, open_memory=fake.open_memory)
    vars(demo).update(play=fake.play)
    monkeypatch.setitem(sys.modules, "deploy.app", app)
    monkeypatch.setitem(sys.modules, "deploy.demo", demo)
    monkeypatch.setattr("voice.audio.wavefile.check", _heard)
    return fake


def remember(cabin: Cabin, *sentences: str) -> None:
    for sentence in sentences:
        cabin.memory.learn(talk(sentence, at=NOW, name=sentence))


def lines(captured: str) -> list[Any]:
    return [json.loads(line) for line in captured.splitlines()]


def test_say_prints_what_happened(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["say", "open the window"]) == 0
    assert "“open the window”" in capsys.readouterr().out
    assert cabin.assistants[0].closed


def test_say_as_json(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["say", "hello", "--json"]) == 0
    assert lines(capsys.readouterr().out) == [{"at_s": 0.0, "kind": "said", "text": "“hello”", "data": {}}]


def test_say_wants_words(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["say", "  "]) == 2
    assert "there are no words in it" in " ".join(re.findall(r"\w+", capsys.readouterr().err))  # however it is wrapped
    assert cabin.assistants == []


def test_brackets_in_what_was_heard_are_no_markup(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hear", "good.wav"]) == 0
    printed = capsys.readouterr().out
    assert "“set [the] fan”" in printed and "1:01.5" in printed


def test_hear_goes_on_after_a_bad_file_and_ends_with_its_code(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hear", "bad.wav", "good.wav", "quiet.wav"]) == AudioFileError.exit_code
    captured = capsys.readouterr()
    assert "set [the] fan" in captured.out
    assert "Error: sound file bad.wav is empty; record it again" in captured.err
    assert "no voice in quiet.wav" in captured.err
    assert len(cabin.assistants) == 1, "one assistant hears all files"


@pytest.mark.parametrize("command", ["hear", "transcribe"])
def test_nothing_is_loaded_for_files_that_hold_nothing(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "deploy.app", None)  # importing it fails
    (tmp_path / "empty.wav").touch()
    (tmp_path / "a.raw").write_bytes(b"1234")
    write(tmp_path / "still.wav", np.full(16_000, 3, np.int16))
    files = [str(tmp_path / name) for name in ("still.wav", "empty.wav", "a.raw", "none.wav")]
    assert main([command, *files]) == NoSpeechError.exit_code
    told = capsys.readouterr().err
    assert [word in told for word in ("still.wav is silent", "is empty", "cannot be read", "does not exist")] == [
        True
    ] * 4
    assert told.count("\n") == 4


def test_hear_as_json_has_errors_as_objects(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hear", "bad.wav", "good.wav", "--json"]) == AudioFileError.exit_code
    captured = capsys.readouterr()
    error, heard = lines(captured.out)
    message = "sound file bad.wav is empty; record it again"
    assert error == {"error": {"code": "audio_file", "message": message, "exit_code": 21, "file": "bad.wav"}}
    assert heard["file"] == "good.wav" and heard["data"] == {"confidence": 0.9}


def test_speak(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "said.wav"
    espeak = ["--set", "tts.engine=espeak"]
    assert main([*espeak, "speak", "Doors locked.", "Okay.", "--out", str(file)]) == 0
    assert capsys.readouterr().out.count("s of sound, the first after") == 2 and file.stat().st_size > 20_000
    assert main([*espeak, "speak", "--ahead"]) == 0
    assert "0 fixed sentences made" in capsys.readouterr().err, "espeak-ng needs none"
    for wrong in (["speak"], ["speak", " "], ["speak", "Okay.", "--out", "said.mp3"]):
        assert main([*espeak, *wrong]) == 2
    assert main([*espeak, "speak", "x" * 10_000, "--out", str(file), "--json"]) == 0


def test_transcribe(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transcribe", "good.wav"]) == 0
    assert capsys.readouterr().out == "set the fan  0.75, command grammar\n"
    assert main(["transcribe", "quiet.wav", "--json"]) == NoSpeechError.exit_code
    assert lines(capsys.readouterr().out)[0]["error"]["code"] == "no_speech"
    assert main(["transcribe", "good.wav", "--json"]) == 0
    assert lines(capsys.readouterr().out)[0]["text"] == "set the fan"


def test_run_is_live(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run"]) == 0
    assert cabin.live == [True] and cabin.assistants[0].ran and cabin.assistants[0].closed
    captured = capsys.readouterr()
    assert "Say “computer”" in captured.err


def test_what_is_said_is_printed_at_a_terminal_and_nowhere_else(
    cabin: Cabin, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service's output is kept in the system's journal, in clear."""
    assert main(["run"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "" and "enter?key=" not in captured.err
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    assert main(["run"]) == 0
    captured = capsys.readouterr()
    assert "(0.93)" in captured.out and "enter?key=" in captured.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["memory", "list", "--bogus"],
        ["memory", "nosuch"],
        ["recall"],
        ["recall", "jazz", "--limit", "0"],
        ["memory", "optin"],
        ["memory", "forget"],
        ["memory", "forget", "--since", "nonsense"],
        ["memory", "forget", "--all"],
        ["memory", "wipe"],
        ["memory", "pause", "--hours", "x"],
        ["memory", "proposals", "--accept", "a", "--decline", "a"],
        ["memory", "profile", "--set", "a", "b", "--remove", "a"],
        ["remember"],
        ["remember", "  "],
        ["vault", "restore", "--version", "1"],
        ["bogus"],
    ],
)
def test_wrong_usage_is_told_to_a_program_in_json(
    cabin: Cabin, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main([*arguments, "--json"]) == 2
    told = capsys.readouterr()
    (error,) = lines(told.out)
    assert told.err == "" and error["error"]["code"] == "usage" and error["error"]["exit_code"] == 2
    assert len(error["error"]["message"]) > 10
    assert not cabin.assistants


def test_ctrl_c_ends_with_130(cabin: Cabin, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(FakeAssistant, "run", interrupted)
    assert main(["run"]) == 130
    assert cabin.assistants[0].closed


def test_demo_ends_with_the_plays_code(cabin: Cabin, tmp_path: Path) -> None:
    assert main(["demo", "--out", str(tmp_path), "--json"]) == 0
    assert main(["--driver", "loser", "demo"]) == 70
    assert cabin.played == [(tmp_path, True), (Path(), False)]


def test_flags_reach_the_configuration(cabin: Cabin, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text("[tts]\npitch = 7\n", encoding="utf-8")
    assert main(["--config", str(file), "--driver", "anna", "--set", "talker.threads=3", "say", "hello"]) == 0
    config = cabin.assistants[0].config
    assert (config.tts.pitch, config.driver.name, config.talker.threads) == (7, "anna", 3)


@pytest.mark.parametrize(
    ("arguments", "needle"),
    [
        (["--set", "talker.treads=3"], "did you mean talker.threads?"),
        (["--set", "talker.threads"], "is not SECTION.KEY=VALUE"),
        (["--config", "/none.toml"], "/none.toml does not exist"),
    ],
)
def test_a_wrong_configuration_has_its_own_code(
    cabin: Cabin, arguments: list[str], needle: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "say", "hello"]) == 10
    captured = capsys.readouterr()
    assert needle in captured.err.replace("\n", "") and captured.out == ""


def every_error(kind: type[GloveboxError] = GloveboxError) -> list[type[GloveboxError]]:
    ours = [child for child in kind.__subclasses__() if child.__module__ == schemas.errors.__name__]
    return [kind, *(found for child in ours for found in every_error(child))]


@pytest.mark.parametrize("kind", every_error(), ids=lambda kind: kind.code)
def test_every_error_ends_as_a_sentence_with_its_code(
    cabin: Cabin, kind: type[GloveboxError], capsys: pytest.CaptureFixture[str]
) -> None:
    cabin.error = kind("the [thing] failed; do this")
    assert main(["say", "hello"]) == kind.exit_code
    captured = capsys.readouterr()
    assert captured.err.endswith("Error: the [thing] failed; do this\n") and "Traceback" not in captured.err
    assert main(["say", "hello", "--json"]) == kind.exit_code
    told = lines(capsys.readouterr().out)
    assert told == [
        {"error": {"code": kind.code, "message": "the [thing] failed; do this", "exit_code": kind.exit_code}}
    ]


def test_a_defect_is_told_without_its_words_unless_debugging(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    cabin.error = RuntimeError("i like italian food")
    assert main(["say", "hello"]) == 1
    captured = capsys.readouterr()
    assert "unexpected RuntimeError" in captured.err and "italian" not in captured.err
    assert main(["say", "hello", "--json"]) == 1
    assert lines(capsys.readouterr().out)[0]["error"]["code"] == "unexpected"
    assert main(["--debug", "say", "hello"]) == 1
    assert "italian" in capsys.readouterr().err


def test_memory_list(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "list"]) == 0
    assert "Nothing is remembered." in capsys.readouterr().out
    remember(cabin, "i like jazz", "italian food is best")
    assert main(["memory", "list", "music"]) == 0
    printed = capsys.readouterr().out
    assert "jazz" in printed and "italian" not in printed
    assert main(["--driver", "anna", "memory", "list", "--json"]) == 0
    told = lines(capsys.readouterr().out)[0]
    assert told["driver"] == "anna" and {p["value"] for p in told["preferences"]} == {"jazz", "italian"}


def test_memory_proposals(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "proposals"]) == 0
    assert "nothing to ask" in capsys.readouterr().out
    remember(cabin, "perhaps jazz", "perhaps italian food")
    assert main(["memory", "proposals", "--json"]) == 0
    told = lines(capsys.readouterr().out)[0]
    assert told["decision"] is None and cabin.memory.preferences() == ()
    names = {p["value"]: p["id"] for p in told["proposals"]}
    assert main(["memory", "proposals"]) == 0
    printed = capsys.readouterr().out
    assert "jazz" in printed and "italian" in printed and names["jazz"] in printed
    assert main(["memory", "proposals", "--accept", names["jazz"]]) == 0
    assert "append: Music genres “jazz”" in capsys.readouterr().out
    assert [p.value for p in cabin.memory.preferences()] == ["jazz"]
    assert main(["memory", "proposals", "--decline", names["italian"], "--json"]) == 0
    told = lines(capsys.readouterr().out)[0]
    assert told["decision"]["outcome"] == "declined" and told["decision"]["value"] is None
    assert told["proposals"] == [] and len(cabin.memory.preferences()) == 1


def test_answering_what_is_not_open(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "proposals", "--accept", "nothing", "--json"]) == 46
    assert lines(capsys.readouterr().out)[0]["error"]["code"] == "unknown_entry"
    assert main(["memory", "proposals", "--accept", "a", "--decline", "a"]) == 2


def test_memory_forget_a_proposal(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    remember(cabin, "perhaps jazz", "i like italian food")
    assert main(["memory", "forget", cabin.memory.proposals()[0].id]) == 0
    assert "Deleted 1 proposal." in capsys.readouterr().out
    assert cabin.memory.proposals() == () and len(cabin.memory.preferences()) == 1
    assert main(["memory", "forget", "music"]) == 0
    assert "Deleted nothing." in capsys.readouterr().out


def test_memory_forget_by_category(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    remember(cabin, "i like jazz", "italian food is best")
    assert main(["memory", "forget", "music"]) == 0
    assert "Deleted 1 preference" in capsys.readouterr().out
    assert [p.value for p in cabin.memory.preferences()] == ["italian"]
    assert main(["memory", "forget", "restaurant", "--json"]) == 0
    assert len(lines(capsys.readouterr().out)[0]["erased"]) == 1
    assert main(["memory", "forget", "nonsense"]) == 46


def test_forgetting_everything_asks_first(
    cabin: Cabin, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(cabin, "i like jazz")

    def refuse(_: str, **__: object) -> bool:
        return False

    monkeypatch.setattr("typer.confirm", refuse)
    assert main(["memory", "forget", "everything"]) == 1
    assert len(cabin.memory.preferences()) == 1
    assert main(["memory", "forget", "everything", "--yes"]) == 0
    assert cabin.memory.preferences() == ()


def test_memory_export_to_a_file_is_for_its_owner_only(
    cabin: Cabin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remember(cabin, "i like jazz")
    assert main(["memory", "export"]) == 0
    printed = json.loads(capsys.readouterr().out)
    file = tmp_path / "export.json"
    assert main(["memory", "export", str(file)]) == 0
    assert json.loads(file.read_text("utf-8")) == printed
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert main(["memory", "export", str(tmp_path / "none" / "export.json")]) == 40


def test_memory_optout_and_optin(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    remember(cabin, "i like jazz")
    assert main(["memory", "optout", "music"]) == 0
    printed = capsys.readouterr().out
    assert "switched off: music" in printed.lower() and "1 from before" in printed
    assert main(["memory", "optin", "music", "--json"]) == 0
    assert lines(capsys.readouterr().out)[0]["opted_out"] == []
    assert main(["memory", "optout", "nonsense"]) == 46


def test_a_busy_vault(cabin: Cabin, capsys: pytest.CaptureFixture[str]) -> None:
    cabin.error = VaultBusyError("another process holds the vault; end it first")
    assert main(["memory", "list", "--json"]) == 42
    assert lines(capsys.readouterr().out)[0]["error"]["code"] == "vault_busy"


def test_config_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--set", "tts.pitch=9", "config", "show", "--json"]) == 0
    shown = lines(capsys.readouterr().out)[0]
    assert shown["tts.pitch"] == {"value": 9, "from": "the command line"}
    assert main(["config", "show"]) == 0
    assert "talker.threads" in capsys.readouterr().out


def test_doctor(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from deploy.machine import doctor
    from deploy.machine.doctor import Finding

    findings = [
        Finding(name="python", verdict="ok", text="fine"),
        Finding(name="disk", verdict="warn", text="low", advice="make room"),
    ]

    def examine(*_: object) -> list[Finding]:
        return findings

    monkeypatch.setattr(doctor, "examine", examine)
    assert main(["doctor"]) == 0
    printed = capsys.readouterr().out
    assert "✓ python" in printed and "! disk" in printed and "make room" in printed
    findings.append(Finding(name="vault", verdict="fail", text="does not open", advice="find the key"))
    assert main(["doctor", "--json"]) == 1
    told = lines(capsys.readouterr().out)[0]
    assert told["ok"] is False and [f["verdict"] for f in told["findings"]] == ["ok", "warn", "fail"]


def test_version_and_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"glovebox {__version__}\n"
    assert main(["bogus"]) == 2
    assert "bogus" in capsys.readouterr().err
    assert main([]) == 2
