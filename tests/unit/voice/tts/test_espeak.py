"""espeak-ng as a program: what may reach it, and what happens when it does not do as it should."""

from __future__ import annotations

import signal
import stat
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import AudioError, EngineMissingError
from schemas.events import SAMPLE_RATE, Samples
from voice.tts.espeak import EspeakSettings, EspeakSynthesizer
from voice.tts.speakable import LIMIT, speakable


def program(folder: Path, script: str) -> str:
    """A program in espeak-ng's place, stated as a fake."""
    path = folder / "fake-espeak"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def spoken(synthesizer: EspeakSynthesizer, text: str) -> Samples:
    return np.concatenate([*synthesizer.synthesize(text), np.zeros(0, np.int16)])


def test_the_first_piece_comes_before_the_last() -> None:
    pieces = list(EspeakSynthesizer().synthesize("the temperature is twenty one degrees and the fan is at three"))
    assert len(pieces) > 5
    assert 0.04 <= pieces[0].size / SAMPLE_RATE < 1.0, "a busy machine reads more at once, but never the whole sentence"


def test_settings_are_heard() -> None:
    text = "the seat heating is on"
    plain = spoken(EspeakSynthesizer(), text)
    assert spoken(EspeakSynthesizer(EspeakSettings(speed=300)), text).size < 0.8 * plain.size
    quiet = spoken(EspeakSynthesizer(EspeakSettings(amplitude=30)), text)
    assert np.abs(quiet.astype(np.int32)).max() < 0.5 * np.abs(plain.astype(np.int32)).max()
    for other in (EspeakSettings(voice="en-us+f2"), EspeakSettings(pitch=80)):
        assert not np.array_equal(spoken(EspeakSynthesizer(other), text), plain)


def test_phoneme_codes_are_read_as_text_not_obeyed() -> None:
    synthesizer = EspeakSynthesizer()
    assert np.array_equal(spoken(synthesizer, "[[h@l'oU]]"), spoken(synthesizer, "h@l'oU"))


def test_markup_is_not_obeyed() -> None:
    synthesizer = EspeakSynthesizer()
    pause = spoken(synthesizer, 'one <break time="20s"/> two')
    assert pause.size < 10 * SAMPLE_RATE


def test_what_reaches_the_program(tmp_path: Path) -> None:
    script = f'printf "%s\\n" "$@" > {tmp_path}/arguments; cat > {tmp_path}/text; exec espeak-ng --stdout hi'
    text = "-v de; $(touch x) `id` \x1b[31m\x01v [[a]] \u202e"
    assert spoken(EspeakSynthesizer(program=program(tmp_path, script)), text).size > 0
    arguments = (tmp_path / "arguments").read_text().split("\n")[:-1]
    assert arguments == [*"--stdout --stdin -b 1 -v en-us -s 165 -p 50 -a 100".split()]
    assert (tmp_path / "text").read_text() == "-v de; $(touch x) id 31 metres v a"


@given(st.text(max_size=200))
def test_nothing_is_left_that_a_program_could_obey(text: str) -> None:
    clean = speakable(text)
    assert clean.isprintable()
    assert not set("[]<>") & set(clean) and clean == clean.strip()


def test_the_limit_of_a_text() -> None:
    assert len(speakable("a" * LIMIT)) == LIMIT
    with pytest.raises(AudioError, match="4001 characters"):
        speakable("a" * (LIMIT + 1))


def test_a_missing_program_is_named_with_its_package(tmp_path: Path) -> None:
    synthesizer = EspeakSynthesizer(program=str(tmp_path / "absent"))
    with pytest.raises(EngineMissingError, match="apt install espeak-ng"):
        synthesizer.check()
    with pytest.raises(EngineMissingError, match="apt install espeak-ng"):
        next(synthesizer.synthesize("secret words"))
    EspeakSynthesizer().check()


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ("cat > /dev/null; exit 3", "status 3 and no sound"),
        ("exit 1", "no sound"),
        ("espeak-ng --stdout hello; exit 4", "status 4 and broken sound"),
        ("cat", "something else than mono 16-bit WAV"),
        ("head -c 20000 /dev/zero", "something else"),
        ("printf RIFF", "no sound"),
    ],
)
def test_a_program_that_fails_is_an_error_without_the_words(tmp_path: Path, script: str, fault: str) -> None:
    synthesizer = EspeakSynthesizer(program=program(tmp_path, script))
    with pytest.raises(AudioError, match=fault) as caught:
        spoken(synthesizer, "secret words")
    assert "secret" not in str(caught.value)


def test_an_unknown_voice_is_an_error() -> None:
    with pytest.raises(AudioError, match="voice xx-klingon"):
        spoken(EspeakSynthesizer(EspeakSettings(voice="xx-klingon")), "hello")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Every program that was started."""
    programs: list[subprocess.Popen[bytes]] = []

    class Recorded(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **settings: Any) -> None:
            super().__init__(*arguments, **settings)
            programs.append(self)

    monkeypatch.setattr(subprocess, "Popen", Recorded)
    return programs


def test_a_program_that_hangs_is_ended(tmp_path: Path, started: list[subprocess.Popen[bytes]]) -> None:
    synthesizer = EspeakSynthesizer(program=program(tmp_path, "exec sleep 600"), timeout_s=0.02)
    with pytest.raises(AudioError, match=r"no sound for 0\.02 s and was ended"):
        spoken(synthesizer, "hello")
    assert [entry.returncode for entry in started] == [-signal.SIGKILL]


def test_leaving_off_ends_the_program(tmp_path: Path, started: list[subprocess.Popen[bytes]]) -> None:
    script = "espeak-ng --stdout a long enough sentence to hear; exec sleep 600"
    pieces = EspeakSynthesizer(program=program(tmp_path, script)).synthesize("hello")
    next(pieces)
    assert [entry.poll() for entry in started] == [None]
    pieces.close()  # pyright: ignore[reportAttributeAccessIssue]  it is a generator
    assert [entry.returncode for entry in started] == [-signal.SIGKILL]


@pytest.mark.parametrize(
    "change",
    [
        {"voice": "-x"},
        {"voice": "../../etc/passwd"},
        {"voice": ""},
        {"voice": "en us"},
        {"speed": 79},
        {"speed": 451},
        {"pitch": -1},
        {"pitch": 100},
        {"amplitude": 201},
    ],
)
def test_settings_out_of_range_are_refused(change: dict[str, str | int]) -> None:
    with pytest.raises(ValueError, match=next(iter(change))):
        EspeakSettings(**change)  # pyright: ignore[reportArgumentType]  on purpose
