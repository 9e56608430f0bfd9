"""Ears, wake word, voice and satellite on another computer: the package's own server over the loopback interface, and cut wires."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("wyoming")

from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.event import Event
from wyoming.satellite import RunSatellite
from wyoming.server import AsyncEventHandler, AsyncTcpServer
from wyoming.tts import Synthesize
from wyoming.wake import Detect, Detection

from deploy.config import load_config
from models.commands.matcher import TemplateMatcher
from schemas.errors import AudioError, ConfigError, EngineMissingError, ModelMissingError
from schemas.events import FRAME, SAMPLE_RATE
from voice.asr import RECOGNIZERS, Hearing
from voice.asr.fake import FakeRecognizer
from voice.audio.devices.live import LiveSound
from voice.engines import opened
from voice.remote import line as line_module
from voice.remote.ears import CONFIDENCE, RemoteRecognizer
from voice.remote.line import AwayError, Line, sizes
from voice.remote.mouth import RemoteVoice
from voice.remote.satellite import Satellite
from voice.remote.word import RemoteWakeWord
from voice.tts import SYNTHESIZERS, Speaking
from voice.tts.fake import FakeSynthesizer
from voice.tts.voices import Voices
from voice.wake.fake import FakeWakeWord

pytestmark = pytest.mark.socket
ASIDE = "127.0.0.1:9"
"""Where nobody listens."""
SECOND = np.zeros(SAMPLE_RATE, np.int16)
LONG_S = 20.0


class Service(AsyncEventHandler):
    """A service made of the package's own server; hangs up where it is told to."""

    def __init__(self, plan: Plan, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        super().__init__(reader, writer)
        self.plan, self.taken = plan, 0

    async def handle_event(self, event: Event) -> bool:
        self.plan.seen.append(event)
        self.taken += 1
        if self.plan.hangs_up_after is not None and self.taken >= self.plan.hangs_up_after:
            return False
        for answer in self.plan.answers(event):
            await self.write_event(answer)
        return True


class Plan:
    """What a service answers, and what it was told."""

    def __init__(self, answers: Callable[[Event], list[Event]], hangs_up_after: int | None = None) -> None:
        self.answers, self.hangs_up_after = answers, hangs_up_after
        self.seen: list[Event] = []

    def heard(self) -> int:
        return sum(len(event.payload or b"") // 2 for event in self.seen if AudioChunk.is_type(event.type))


@contextmanager
def serving(plan: Plan, port: int = 0) -> Generator[str]:
    """The service on a thread of its own; gives its address."""
    began: Any = threading.Event()
    found: dict[str, Any] = {}

    async def run() -> None:
        server = AsyncTcpServer("127.0.0.1", port)
        found["loop"], found["server"] = asyncio.get_running_loop(), server
        await server.start(lambda reader, writer: Service(plan, reader, writer))
        at = vars(server)["_server"].sockets[0].getsockname()
        found["address"], found["ends"] = f"127.0.0.1:{at[1]}", asyncio.Event()
        began.set()
        await found["ends"].wait()
        await server.stop()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert began.wait(LONG_S)
    try:
        yield found["address"]
    finally:
        found["loop"].call_soon_threadsafe(found["ends"].set)
        thread.join(LONG_S)


def until(holds: Callable[[], object]) -> None:
    ends, moment = time.monotonic() + LONG_S, threading.Event()
    while not holds():
        assert time.monotonic() < ends
        moment.wait(0.002)


def words(*texts: str, hangs_up_after: int | None = None) -> Plan:
    left = list(texts)

    def answers(event: Event) -> list[Event]:
        return [Transcript(text=left.pop(0)).event()] if AudioStop.is_type(event.type) and left else []

    return Plan(answers, hangs_up_after)


@cache
def commands() -> TemplateMatcher:
    return TemplateMatcher()


def ears(address: str, *ours: str, now: Callable[[], float] = time.monotonic) -> RemoteRecognizer:
    matcher = commands()
    return RemoteRecognizer(Line(address, now=now), FakeRecognizer(ours, match=matcher.match), matcher.match)


def hear(recognizer: RemoteRecognizer, seconds: int = 2) -> Any:
    recognizer.start()
    for _ in range(seconds):
        recognizer.feed(SECOND)
    return recognizer.finish()


def test_the_other_computer_hears_and_our_grammar_says_whether_it_is_a_command() -> None:
    plan = words("Open the passenger window.", "My 2 cats sleep.")
    with serving(plan) as address:
        recognizer = ears(address)
        command, talk = hear(recognizer), hear(recognizer, 1)
    assert (command.text, command.in_grammar, command.confidence) == ("open the passenger window", True, CONFIDENCE)
    assert (talk.text, talk.in_grammar) == ("my two cats sleep", False)
    assert command.seconds == 2.0 and plan.heard() == 3 * SAMPLE_RATE
    assert [event.type for event in plan.seen][:2] == [Transcribe().event().type, AudioStart(1, 2, 1).event().type]


def test_nothing_fed_and_what_was_thrown_away_are_not_heard() -> None:
    with serving(words("play some jazz")) as address:
        recognizer = ears(address)
        recognizer.start()
        assert recognizer.finish().text == "" and recognizer.finish().text == ""
        recognizer.start()
        recognizer.feed(SECOND)
        assert hear(recognizer).text == "play some jazz"
        recognizer.pause()
        assert recognizer.hear() is recognizer.likely() is None and recognizer.partial() == ""


def test_away_from_the_beginning_ours_hears_all_of_it() -> None:
    found = hear(ears(ASIDE, "lock the doors"))
    assert (found.text, found.in_grammar, found.seconds) == ("lock the doors", True, 2.0)


@pytest.mark.parametrize("after", [1, 3, 4, 5])
def test_a_wire_cut_anywhere_in_an_utterance_loses_nothing_of_it(after: int, caplog: pytest.LogCaptureFixture) -> None:
    """Before the sound, in it, after it, and where the words should come."""
    with serving(words("open the window", hangs_up_after=after)) as address:
        found = hear(ears(address, "lock the doors"))
    assert (found.text, found.seconds) == ("lock the doors", 2.0)
    assert sum("ours hears" in record.message for record in caplog.records) == 1


def test_it_is_asked_again_once_it_may_be_back() -> None:
    moment = [0.0]
    with serving(words("open the window", hangs_up_after=2)) as address:
        recognizer = ears(address, "lock the doors", "lock the doors", now=lambda: moment[0])
        assert hear(recognizer).text == "lock the doors"
    with serving(words("open the window"), port=int(address.rpartition(":")[2])):
        assert hear(recognizer).text == "lock the doors"  # not asked: it was away a moment ago
        moment[0] = line_module.AWAY_S
        assert hear(recognizer).text == "open the window"


def test_words_that_do_not_come_in_time_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voice.remote.ears.WORDS_S", 0.05)
    with serving(words()) as address:
        assert hear(ears(address, "lock the doors")).text == "lock the doors"


def test_words_that_are_none_are_not_taken() -> None:
    plan = Plan(lambda event: [Event("transcript", {"text": 5})] if AudioStop.is_type(event.type) else [])
    with serving(plan) as address:
        assert hear(ears(address, "lock the doors")).text == "lock the doors"


@pytest.mark.parametrize(
    "wrong", [b"[]", b"{}", b'{"type": "a", "data": []}', b'{"type": "a", "payload_length": 9999999}']
)
def test_a_message_that_is_none_or_too_large_is_not_taken(wrong: bytes) -> None:
    with pytest.raises(ValueError, match=r"no message|too long"):
        sizes(wrong)


def test_sound_leaves_the_vehicle_to_nobody() -> None:
    with pytest.raises(EngineMissingError, match="outside of the vehicle"):
        Line("8.8.8.8:10300").connect()


def detecting(at_ms: int | None, hangs_up_after: int | None = None) -> Plan:
    def answers(event: Event) -> list[Event]:
        return [Detection(name="computer", timestamp=at_ms).event()] if AudioChunk.is_type(event.type) else []

    return Plan(answers, hangs_up_after)


def woken(wake: RemoteWakeWord) -> Any:
    found: list[Any] = []

    def listens() -> bool:
        found.append(wake.process(np.zeros(0, np.int16)))
        return found[-1] is not None

    until(listens)
    return found[-1]


def test_a_detection_comes_out_of_a_stream_that_never_ends() -> None:
    plan = detecting(900)
    with serving(plan) as address:
        wake = RemoteWakeWord(Line(address), FakeWakeWord([100]), "computer", 2 * SAMPLE_RATE)
        assert wake.wait(LONG_S)
        first = wake.process(SECOND) or woken(wake)
        assert (first.keyword, first.end_sample) == ("computer", 900 * SAMPLE_RATE // 1000)
        assert wake.process(SECOND) is None  # the same word, told again
        wake.close()
    assert Detect.from_event(plan.seen[0]).names == ["computer"]
    assert [event.data.get("timestamp") for event in plan.seen[2:4]] == [0, 1_000] or plan.heard() >= SAMPLE_RATE


def test_ours_listens_while_it_is_away_and_it_listens_when_it_is_back() -> None:
    wake = RemoteWakeWord(Line(ASIDE), FakeWakeWord([24_000]), "computer", 0)
    assert wake.process(SECOND) is None
    found = wake.process(SECOND)
    assert found is not None and found.end_sample == 24_000
    wake.close()


def test_a_wire_cut_in_the_stream_hands_over_to_ours_with_places_in_the_same_stream(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("voice.remote.word.AWAY_S", 0.01)
    plan = Plan(lambda event: [], hangs_up_after=3)
    with serving(plan) as address:
        wake = RemoteWakeWord(Line(address), FakeWakeWord([24_000]), "computer", 0)
        assert wake.wait(LONG_S)
        wake.process(SECOND)
        until(lambda: not wake.wait(0.0))
        found = wake.process(SECOND) or wake.process(SECOND)
        assert found is not None and found.end_sample >= 24_000
        wake.close()


def sound(rate: int = 16_000, width: int = 2, pieces: int = 3) -> list[Event]:
    form: dict[str, Any] = {"rate": rate, "width": width, "channels": 1}
    chunk = AudioChunk(audio=np.full(rate // 10, 1_000, "<i2").tobytes(), **form).event()
    return [AudioStart(**form).event(), *[chunk] * pieces, AudioStop().event()]


@pytest.mark.parametrize("rate", [16_000, 22_050])
def test_the_other_computer_speaks(rate: int) -> None:
    plan = Plan(lambda event: sound(rate) if Synthesize.is_type(event.type) else [])
    with serving(plan) as address:
        pieces = list(RemoteVoice(Line(address)).synthesize("The window is open."))
    assert sum(map(len, pieces)) == pytest.approx(4_800, abs=2)
    assert plan.seen[0].data["text"] == "The window is open."


@pytest.mark.parametrize(
    "plan",
    [
        Plan(lambda event: [], hangs_up_after=1),
        Plan(lambda event: sound()[:2], hangs_up_after=2),
        Plan(lambda event: sound(width=4)),
        Plan(lambda event: sound(rate=96_000)),
    ],
)
def test_where_it_is_away_or_sends_no_sound_the_voice_behind_speaks(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voice.remote.mouth.SOUND_S", 0.2)
    with serving(plan) as address:
        behind = FakeSynthesizer()
        assert sum(map(len, Voices(RemoteVoice(Line(address)), behind).synthesize("All good."))) > 0
        assert behind.spoken == ["All good."]
        with pytest.raises(AudioError):
            list(RemoteVoice(Line(ASIDE)).synthesize("All good."))


def microphone() -> Plan:
    """A satellite that streams when it is told to run."""
    loud = AudioChunk(SAMPLE_RATE, 2, 1, np.full(FRAME * 4, 500, "<i2").tobytes()).event()
    return Plan(lambda event: [loud, Event("run-pipeline"), loud] if RunSatellite.is_type(event.type) else [])


def test_a_satellite_is_microphone_and_loudspeaker_and_comes_back() -> None:
    plan = microphone()
    with serving(plan) as address:
        live = LiveSound(backend=Satellite(address))
        live.start()
        frames = live.microphone.frames()
        heard = [next(frames) for _ in range(8)]
        assert all(frame.size == FRAME for frame in heard) and max(int(frame.max()) for frame in heard) > 0
        live.loudspeaker.play(np.full(FRAME * 3, 700, np.int16))
        until(lambda: any(AudioStop.is_type(event.type) for event in plan.seen))
        played = [event for event in plan.seen if AudioChunk.is_type(event.type)]
        assert AudioStart.is_type(next(event.type for event in plan.seen if event.type.startswith("audio")))
        assert sum(int(np.frombuffer(event.payload or b"", "<i2").any()) for event in played) >= 3
        assert live.health.troubles() == ()
    until(live.health.troubles)
    live.close()


def test_a_satellite_that_is_not_there_is_a_device_that_is_missing() -> None:
    live = LiveSound(backend=Satellite(ASIDE))
    live.start()
    assert len(live.health.troubles()) == 2
    live.close()


def no_model(name: str) -> Path:
    if name == "asr-domain":
        return Path(__file__).parents[3] / "models" / "builtin" / "asr"
    raise ModelMissingError(f"{name} is not there")


def test_they_are_chosen_by_the_configuration(tmp_path: Path) -> None:
    hearing = Hearing(commands, no_model, 1, remote=ASIDE)
    assert isinstance(opened(RECOGNIZERS, "wyoming", hearing), RemoteRecognizer)
    assert isinstance(opened(SYNTHESIZERS, "wyoming", Speaking("en-us", 165, 50, remote=ASIDE)), RemoteVoice)
    for section in ("asr", "tts", "wake"):
        with pytest.raises(ConfigError, match="host:port"):
            load_config(flags={f"{section}.engine": "wyoming", "home": str(tmp_path)}, environment={})
        load_config(
            flags={f"{section}.engine": "wyoming", f"{section}.remote": ASIDE, "home": str(tmp_path)}, environment={}
        )
    with pytest.raises(ConfigError, match="10300"):
        load_config(flags={"asr.remote": "elsewhere"}, environment={})


def test_a_line_that_nobody_connected_says_so() -> None:
    line = Line(ASIDE)
    with pytest.raises(AwayError):
        line.send(AudioStop())
    with pytest.raises(AwayError):
        line.receive(1.0)
