"""`eval dialogue --voices`: who speaks when, what counts as the reply, and one case through real ears."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from deploy.assistant import Assistant
from deploy.cli.main import main
from deploy.config import Config
from deploy.lab.dialogue import figures
from deploy.lab.dialogue.driving import Fleet
from deploy.lab.dialogue.seen import Said
from deploy.lab.dialogue.speaking import Aloud, DriverClock, Speakers
from deploy.lab.dialogue.suite import Case, spread
from deploy.lab.hearing import voices
from deploy.lab.report.blocks import silent
from deploy.timeline import TimelineEntry
from schemas.errors import AudioError
from schemas.events import SAMPLE_RATE, Samples
from voice.audio.wavefile import WaveSink

LOUD = 300
"""Samples beyond it are a voice: the quiet car stays far under it."""


def tones(texts: Sequence[str]) -> list[Samples]:
    """A tone for each text, as long as its words."""
    return [
        (8000.0 * np.sin(np.arange(round(0.2 * len(text.split()) * SAMPLE_RATE)) * 0.3)).astype(np.int16)
        for text in texts
    ]


class Tones(voices.Voice):
    """A voice of tones that keeps what it was asked to say."""

    def __init__(self, folder: Path) -> None:
        self.said: list[str] = []
        super().__init__("tones", tones, folder)

    def sound(self, text: str) -> Samples:
        self.said.append(text)
        return super().sound(text)


class Listening:
    """An assistant that answers half a second after every voice, as it was told to."""

    def __init__(self, *answers: str | Exception | None) -> None:
        self.answers = list(answers)

    def play_back(self, source: Any, sink: WaveSink, emit: Callable[[TimelineEntry], None]) -> None:
        voiced = quiet = until = 0.0
        open_ = False
        for frame in source.frames():
            loud = int(np.abs(frame).max()) > LOUD
            voiced, quiet = (voiced + 1, 0.0) if loud else (voiced, quiet + len(frame) / SAMPLE_RATE)
            if voiced and quiet > 0.5:
                voiced, answer = 0.0, self.answers.pop(0)
                if isinstance(answer, Exception):
                    raise answer
                if answer is None:  # the wake word was not heard
                    continue
                if not open_:
                    emit(TimelineEntry(at_s=source.at, kind="wake", text="computer"))
                open_ = True
                emit(TimelineEntry(at_s=source.at, kind="heard", text="heard", data={"text": "computer so it was"}))
                if answer:
                    emit(TimelineEntry(at_s=source.at, kind="said", text=f"“{answer}”", data={"seconds": 1.0}))
                until = source.at + 1.0 + 5.0
            if open_ and source.at >= until:
                open_ = False
                emit(TimelineEntry(at_s=source.at, kind="ended", text="ended"))


def speaking(tmp_path: Path, *answers: str | Exception | None) -> tuple[Aloud, Tones]:
    voice = Tones(tmp_path)
    assistant = cast("Assistant", Listening(*answers))
    return Aloud(assistant, voice, None, np.random.default_rng(1)), voice


def test_the_wake_word_is_said_where_no_conversation_is_open(tmp_path: Path) -> None:
    aloud, voice = speaking(tmp_path, "Done.", "", None, "Again.")
    aloud.wait(1.5)
    first = aloud.say("open it")
    assert first == Said("Done.", first.seconds, heard="so it was") and 0.4 < first.seconds < 0.8
    aloud.wait(9.0, goes_on=True)
    assert aloud.say("and the other").reply == ""
    aloud.wait(9.0)
    assert aloud.say("not woken").reply == ""
    assert aloud.say("again").reply == "Again."
    aloud.close()
    assert voice.said == ["computer, open it", "and the other", "computer, not woken", "computer, again"]


def test_a_chain_that_breaks_is_told_where_the_driver_speaks(tmp_path: Path) -> None:
    aloud, _ = speaking(tmp_path, AudioError("gone"))
    for _ in range(2):
        with pytest.raises(AudioError, match="gone"):
            aloud.say("open it")
    aloud.close()


def test_the_clock_goes_on_from_where_typing_left_it() -> None:
    clock = DriverClock()
    clock.advance_to(20.0)
    clock.begins = clock.now()
    clock.advance_to(1.5)
    assert clock.now() == 21.5


def test_cases_are_spread_and_voices_share_them_out(tmp_path: Path) -> None:
    cases = [Case.model_validate({"id": str(n), "group": "x", "turns": [{"say": f"say {n}"}]}) for n in range(10)]
    assert [case.id for case in spread(cases, 4)] == ["0", "2", "5", "7"]
    assert [case.id for case in spread(cases, None)] == [str(n) for n in range(10)]
    ann, bob = voices.Voice("ann", tones, tmp_path), Tones(tmp_path)
    speakers = Speakers([ann, bob], 10.0)
    speakers.prepare(cases[:3])
    assert [speakers.of(n).name for n in range(3)] == ["ann", "tones", "ann"] and speakers.noise == "at 10 dB"
    assert len(list((tmp_path / "ann").iterdir())) == 6 and len(list((tmp_path / "tones").iterdir())) == 4


def test_a_dialogue_is_spoken_to_the_whole_assistant(tmp_path: Path, fakes: list[Config]) -> None:
    from deploy.config import load_config

    found, missing = voices.find([voices.CONTROL], tmp_path / "sounds", None)
    if missing:
        pytest.skip(missing[0].why)
    half = {"say": "open the passenger window halfway", "right": [{"state": {"window.passenger": 50}}]}
    unlock = {"say": "unlock the doors", "right": [{"state": {"doors.locked": False}}]}
    case = {
        "id": "a",
        "group": "dialogue",
        "setup": {"motion": "parked", "state": {"doors.locked": True}},
        "turns": [half, unlock],
    }
    (tmp_path / "cars").mkdir()
    config = load_config(environment={}, flags={"profile": "small"})
    patient = config.turn.model_copy(update={"thinking_s": 60.0})  # on a busy machine, too
    fleet = Fleet(config.model_copy(update={"turn": patient}), tmp_path / "cars")
    try:
        played = list(fleet.run([Case.model_validate(case)], silent, Speakers(found, None)))
    finally:
        fleet.close()
    assert [str(one.judged.verdict) for one in played if one.judged] == ["right", "right"], [
        one.result for one in played
    ]
    assert played[0].result.heard == "open the passenger window halfway" and played[0].result.voice == voices.CONTROL
    assert played[1].result.yes is not None, "unlocking asks, and the yes was heard without the wake word"
    report = figures.beside({figures.TYPED: played, "quiet": played}, 1.0, {})
    assert report.figures["quiet"]["less"] == 0.0 and report.figures["quiet"]["heard_exactly"] == 1.0


def test_the_command_tells_typed_and_spoken_beside_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fakes: list[Config], monkeypatch: pytest.MonkeyPatch
) -> None:
    spoken: list[Speakers | None] = []
    run = Fleet.run

    def typed_all(fleet: Fleet, cases: Sequence[Case], tell: Any, speakers: Speakers | None = None) -> Any:
        spoken.append(speakers)
        return run(fleet, cases, tell)

    monkeypatch.setattr(Fleet, "run", typed_all)
    ways: list[tuple[list[voices.Voice], list[voices.Missing]]] = [
        ([Tones(tmp_path)], []),
        ([], [voices.Missing("slt", "no festival")]),
    ]

    def find(names: Sequence[str], folder: Path, piper: Path | None) -> tuple[list[voices.Voice], list[voices.Missing]]:
        assert folder.is_dir() and set(names) == set(voices.UNSEEN)
        return ways.pop(0)

    monkeypatch.setattr(voices, "find", find)
    wish = {"say": "open the passenger window halfway", "right": [{"state": {"window.passenger": 50}}]}
    data, results = tmp_path / "suite.jsonl", tmp_path / "out.jsonl"
    data.write_text(json.dumps({"id": "a", "group": "openings", "turns": [wish]}) + "\n", "utf-8")
    arguments = ["eval", "dialogue", "--data", str(data), "--results", str(results), "--voices", "--small"]
    assert main(arguments) == 0
    told = capsys.readouterr().out
    assert "Beside typed" in told and "10 dB" in told and "By voice" in told
    assert [one if one is None else one.snr_db for one in spoken] == [None, None, 10.0] and spoken[0] is None
    assert all((tmp_path / name).is_file() for name in ("out.jsonl", "out-quiet.jsonl", "out-10dB.jsonl"))
    assert main(arguments) == 10
    assert "slt: no festival" in capsys.readouterr().err
