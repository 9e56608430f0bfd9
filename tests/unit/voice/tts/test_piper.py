"""Piper's program when it is not there, dies, hangs, talks rubbish, or is superseded, mostly with a stated fake of it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schemas.errors import AudioError, EngineMissingError, GloveboxError, ModelDamagedError, ModelMissingError
from schemas.events import SAMPLE_RATE, Samples
from tests.vehicle_rigs import until
from voice.tts.fake import FakeSynthesizer
from voice.tts.piper import WORKER, PiperSynthesizer
from voice.tts.voices import Voices

FAKE = """
import os, struct, sys, time
HEAD = struct.Struct("<cII")
source, out = sys.stdin.buffer, os.fdopen(1, "wb", 0)
def send(kind, number, data):
    out.write(HEAD.pack(kind, number, len(data)) + data)
def take():
    head = source.read(9)
    if len(head) < 9:
        os._exit(0)
    _, number, length = HEAD.unpack(head)
    return number, source.read(length).decode()
def tone(text):
    return b"".join(struct.pack("<h", 9000 if n // 20 % 2 else -9000) for n in range(1200 * len(text)))
"""
"""The frames of the worker, and a hum of 75 ms a letter."""


def echo(*, first: str = "pass", rate: str = "16000", sound: str = "tone(text)") -> str:
    """A program that says everything, but does something else first when the text is "secret"."""
    return f"""
send(b"R", 0, b"{rate}")
while True:
    number, text = take()
    if text == "secret":
        {first}
    send(b"S", number, {sound})
"""


@pytest.fixture
def voice(tmp_path: Path) -> Path:
    """Files that are there and hold nothing."""
    (tmp_path / "voice.onnx.json").write_text("{}")
    (tmp_path / "voice.onnx").write_bytes(b"rubbish")
    return tmp_path / "voice.onnx"


Start = Callable[..., PiperSynthesizer]


@pytest.fixture
def start(voice: Path) -> Iterator[Start]:
    """A synthesiser on a fake program."""
    opened: list[PiperSynthesizer] = []

    def begin(body: str, *, patience: float = 20.0, ready_s: float = 60.0, clock: Callable[[], float] = time.monotonic):
        command = [sys.executable, "-I", "-c", FAKE + body]
        opened.append(PiperSynthesizer(voice, command=command, patience=patience, ready_s=ready_s, now=clock))
        return opened[-1]

    yield begin
    for one in opened:
        one.close()


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The programs that were started, in their order."""
    started: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *told: Any, **more: Any) -> None:
            super().__init__(*told, **more)
            started.append(self)

    monkeypatch.setattr("voice.tts.piper.subprocess.Popen", Noted)
    return started


def spoken(synthesizer: PiperSynthesizer | Voices, text: str) -> Samples:
    return np.concatenate([*synthesizer.synthesize(text), np.zeros(0, np.int16)])


def speaks_again(synthesizer: PiperSynthesizer) -> bool:
    """Whether the program that was started again is ready by now, and speaks."""
    try:
        return spoken(synthesizer, "yes").size > 0
    except AudioError as error:
        if "being started again" not in str(error):
            raise
        return False


def test_it_speaks_at_the_common_rate(start: Start) -> None:
    piper = start(echo())
    piper.check()
    assert spoken(piper, "hello").size / SAMPLE_RATE == pytest.approx(0.375 + 0.2, abs=0.02), (
        "and some silence after it"
    )
    assert list(piper.synthesize(" \n")) == []


def test_a_program_of_its_own_costs_less_than_twenty_milliseconds(start: Start) -> None:
    """What lies between the text and its sound beside the network: two pipes, and what is done to 2 s of sound.

    The best of many, since that is what it costs; the others say what else the machine was doing.
    """
    text = "a" * 27  # of 75 ms
    piper = start(f'ahead = tone("{text}")\n' + echo(sound="ahead if len(text) == 27 else tone(text)"))
    piper.check()

    def took() -> float:
        begun = time.perf_counter()
        assert spoken(piper, text).size > 2 * SAMPLE_RATE
        return time.perf_counter() - begun

    assert min(took() for _ in range(40)) < 0.02


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match=r"voice\.onnx is missing"):
        PiperSynthesizer(tmp_path / "voice.onnx")
    (tmp_path / "voice.onnx").write_bytes(b"rubbish")
    with pytest.raises(ModelMissingError, match=r"voice\.onnx\.json is missing"):
        PiperSynthesizer(tmp_path / "voice.onnx")


@pytest.mark.parametrize("config", ["{}", "no json", '{"audio": {"sample_rate": 1}}'])
def test_a_damaged_voice_is_named(voice: Path, config: str) -> None:
    voice.with_name("voice.onnx.json").write_text(config)
    with closing(PiperSynthesizer(voice)) as piper, pytest.raises(ModelDamagedError, match=r"voice\.onnx"):
        piper.check()


def test_a_missing_package_is_named(start: Start) -> None:
    piper = start('send(b"X", 0, b"no")')
    with pytest.raises(EngineMissingError, match="extra `tts`"):
        piper.check()


def test_the_worker_says_that_its_package_is_missing(voice: Path) -> None:
    """With -S nothing of the environment's packages is found."""
    command = [sys.executable, "-I", "-S", str(WORKER), str(voice), "1", "0"]
    with closing(PiperSynthesizer(voice, command=command)) as piper, pytest.raises(EngineMissingError):
        piper.check()


@pytest.mark.parametrize("rate", ["7999", "48001", "-16000", "16e3", ""])
def test_a_rate_that_cannot_be_is_refused(start: Start, rate: str) -> None:
    with pytest.raises(AudioError, match="garbage"):
        start(echo(rate=rate)).check()


@pytest.mark.parametrize("sound", ["bytes(100000)", "b''", "4 * tone(text)", "tone(text)[:10000]"])
def test_a_voice_that_does_not_speak_or_has_the_wrong_rate_is_refused(start: Start, sound: str) -> None:
    with pytest.raises(ModelDamagedError, match=r"six words in .* rate in its JSON file is wrong"):
        start(echo(sound=sound)).check()


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("os._exit(3)", "has ended"),
        ("os.kill(os.getpid(), 9)", "has ended"),
        ('out.write(b"Loading..., please wait")', "garbage"),
        ('send(b"S", 12345, b"")', "garbage"),
        ('send(b"S", number, b"odd")', "garbage"),
        ('out.write(HEAD.pack(b"S", number, 2**32 - 1))', "garbage"),
        ('out.write(HEAD.pack(b"S", number, 100) + b"x"); os._exit(0)', "has ended"),
    ],
)
def test_a_program_that_fails_is_an_error_without_the_words(
    start: Start, programs: list[subprocess.Popen[bytes]], answer: str, fault: str
) -> None:
    piper = start(echo(first=answer))
    piper.check()
    with pytest.raises(AudioError, match=fault) as caught:
        spoken(piper, "secret")
    assert "secret" not in str(caught.value)
    assert len(programs) == 2, "it is started again at once"
    until(lambda: speaks_again(piper), "the next one")
    assert len(programs) == 2


def test_a_program_that_hangs_is_ended_and_started_again(start: Start, programs: list[subprocess.Popen[bytes]]) -> None:
    step, ahead = 0.0, 0.0

    def leaping() -> float:
        nonlocal ahead
        ahead += step
        return time.monotonic() + ahead

    piper = start(echo(first="time.sleep(600)"), clock=leaping)
    piper.check()
    step = 3600.0  # it is an hour later at every look
    with pytest.raises(AudioError, match="gave no sound"):
        spoken(piper, "secret")
    hung, _ = programs
    assert hung.returncode == -signal.SIGKILL
    step = 0.0
    until(lambda: speaks_again(piper), "the next one")
    assert len(programs) == 2


def test_a_program_that_never_gets_ready_is_ended(start: Start, programs: list[subprocess.Popen[bytes]]) -> None:
    now = [0.0]
    piper = start("time.sleep(600)", ready_s=0.01, clock=lambda: now[0])
    with pytest.raises(AudioError, match="gave no sound"):
        piper.check()
    _, second = programs  # started again at once after the first failure
    with pytest.raises(AudioError, match="being started again"):
        spoken(piper, "hello")
    now[0] = 1.0
    with pytest.raises(AudioError, match="not ready"):
        spoken(piper, "hello")
    assert second.returncode == -signal.SIGKILL and len(programs) == 2, "after the second one it rests"
    with pytest.raises(AudioError, match="being started again"):
        spoken(piper, "hello")
    assert len(programs) == 2
    now[0] = 4.0
    with pytest.raises(AudioError, match="being started again"):
        spoken(piper, "hello")
    assert len(programs) == 3 and programs[-1].poll() is None


def overtaken(start: Start, body: str) -> list[Samples]:
    """What comes of a text that is waited for while a newer one is asked for and spoken in full."""
    old: list[Samples] = []
    asked, here = threading.Event(), threading.get_ident()

    def clock() -> float:
        if threading.get_ident() != here:
            asked.set()  # who looks how long to wait has asked, and is not overtaken yet
        return time.monotonic()

    piper = start(body, clock=clock)
    piper.check()
    waiting = threading.Thread(target=lambda: old.extend(piper.synthesize("old")))
    waiting.start()
    assert asked.wait(60)
    assert spoken(piper, "newer").size / SAMPLE_RATE == pytest.approx(0.575, abs=0.02)
    waiting.join(60)
    return old


def test_the_newest_text_wins(start: Start) -> None:
    body = """
send(b"R", 0, b"16000")
held = None
while True:
    number, text = take()
    if text == "old":
        held = number
        send(b"X", 0, b"sp")
        continue
    if held is not None:
        send(b"S", held, tone("old"))
    send(b"S", number, tone(text))
"""
    old = overtaken(start, body)
    assert len(old) <= 1, "late, but nothing of it is taken for the newer one"


def test_a_text_that_was_never_begun_costs_the_newer_one_nothing(
    start: Start, programs: list[subprocess.Popen[bytes]]
) -> None:
    body = """
send(b"R", 0, b"16000")
while True:
    number, text = take()
    if text != "old":
        send(b"S", number, tone(text))
"""
    old = overtaken(start, body)
    assert old == [] and len(programs) == 1, "neither is it garbage, nor is the program ended"
    assert programs[0].poll() is None


def test_closed_means_closed(start: Start, programs: list[subprocess.Popen[bytes]]) -> None:
    piper = start(echo())
    piper.check()
    piper.close()
    assert [program.returncode is not None for program in programs] == [True]
    with pytest.raises(AudioError, match="closed"):
        spoken(piper, "hello")


def test_the_program_ends_with_the_assistant(tmp_path: Path, voice: Path) -> None:
    """Even if that is killed, while the program is busy."""
    fake, told = tmp_path / "fake.py", tmp_path / "busy"
    fake.write_text(
        WORKER.read_text().replace("def main(", "def unused(").replace("    main(sys.argv[1]", "    busy(sys.argv[1]")
        + "\n"
    )
    source = fake.read_text()
    busy = """
def busy(path, threads, niceness):
    requests = _Requests(sys.stdin.buffer)
    threading.Thread(target=requests.read_forever, daemon=True).start()
    _send(sys.stdout.buffer, b"R", 0, b"16000")
    requests.take(list)
    Path(path).write_text(f"{os.getpid()}.")
    while True:
        pass

"""
    fake.write_text(source.replace('if __name__ == "__main__":', busy + 'if __name__ == "__main__":'))
    script = f"""
import sys; sys.path.insert(0, {str(Path.cwd())!r})
from pathlib import Path
from voice.tts.piper import PiperSynthesizer
piper = PiperSynthesizer(Path({str(voice)!r}), command=[sys.executable, "-I", {str(fake)!r}, {str(told)!r}, "1", "0"])
piper.check()
"""
    parent = subprocess.Popen([sys.executable, "-c", script])
    until(lambda: told.exists() and told.read_text().endswith("."), "the program is busy")
    worker = int(told.read_text().rstrip("."))
    watch = os.pidfd_open(worker)
    parent.kill()
    parent.wait()
    waiting = select.poll()
    waiting.register(watch, select.POLLIN)
    ended = bool(waiting.poll(60_000))
    os.close(watch)
    if not ended:
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    assert ended


class Failing:
    """A fake voice: says its first pieces, fails at those it is told to."""

    def __init__(self, *fails: str) -> None:
        self.fails, self.asked = fails, list[str]()

    def synthesize(self, text: str) -> Iterator[Samples]:
        self.asked.append(text)
        yield np.full(100, 1, np.int16)
        if text in self.fails:
            raise AudioError("broken in the middle")
        yield np.full(100, 2, np.int16)


def test_what_the_best_voice_cannot_say_the_next_one_says(caplog: pytest.LogCaptureFixture) -> None:
    best, next_best = Failing("Two.", "Three."), FakeSynthesizer()
    sound = spoken(Voices(best, next_best), "One. Two. Three. Four.")
    assert best.asked == ["One.", "Two.", "Three.", "Four."]
    assert next_best.spoken == ["Two.", "Three."]
    assert np.count_nonzero(sound == 1) >= 200 and np.count_nonzero(np.isin(sound, (1, 2))) >= 400
    assert [record.getMessage() for record in caplog.records] == ["broken in the middle; the next voice speaks"]


def test_nothing_of_a_piece_is_heard_twice() -> None:
    pieces = list(Voices(Failing("Two."), Failing()).synthesize("One. Two."))
    assert [int(piece[0]) for piece in pieces] == [1, 2, 1, 2]


def test_the_last_voice_may_fail() -> None:
    with pytest.raises(GloveboxError, match="broken"):
        spoken(Voices(Failing("One."), Failing("One.")), "One.")


def test_leaving_early_ends_the_making() -> None:
    best = Failing()
    reply = Voices(best, FakeSynthesizer()).synthesize("One. Two. Three.")
    next(reply)
    del reply
    assert best.asked == ["One."]


def test_a_long_text_is_spoken_in_pieces() -> None:
    best = Failing()
    spoken(Voices(best, FakeSynthesizer()), "word " * 2000)
    assert max(map(len, best.asked)) <= 300
    assert " ".join(best.asked).split() == ["word"] * 2000


def test_a_reply_begins_with_a_clause_of_a_long_sentence() -> None:
    best = Failing()
    spoken(
        Voices(best),
        "I've set the temperature to twenty one degrees, and the fan is at three. The windows are closed, and so is the roof now.",
    )
    assert best.asked == [
        "I've set the temperature to twenty one degrees,",
        "and the fan is at three.",
        "The windows are closed, and so is the roof now.",
    ]


def test_kept_sentences_are_not_made_again() -> None:
    best = Failing()
    kept = {"Okay.": np.full(7, 7, np.int16)}
    pieces = list(Voices(best, kept=kept.get).synthesize("Okay. One."))
    assert pieces[0].size == 7 and best.asked == ["One."]
