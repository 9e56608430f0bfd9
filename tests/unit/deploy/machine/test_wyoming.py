"""The Wyoming server, asked by the package's own client over the loopback interface; the engines are fakes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("wyoming")

from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.event import Event, Eventable
from wyoming.info import Describe, Info
from wyoming.tts import Synthesize
from wyoming.wake import Detect, Detection, NotDetected

from deploy.machine.utterances import Ears
from deploy.machine.wyoming import Services, start
from voice.asr.fake import FakeRecognizer
from voice.remote.line import PAYLOAD_BYTES
from voice.tts.fake import FakeSynthesizer
from voice.wake.fake import FakeWakeWord

pytestmark = pytest.mark.socket
FORM: dict[str, Any] = {"rate": 16_000, "width": 2, "channels": 1}
SECOND = AudioChunk(audio=np.zeros(16_000, "<i2").tobytes(), **FORM)


def served(talk: Callable[[int], Awaitable[list[Event]]]) -> list[Event]:
    async def both() -> list[Event]:
        services = Services(
            Ears(FakeRecognizer(["open the window"])), FakeSynthesizer(), lambda: FakeWakeWord([24_000]), "computer"
        )
        async with await start(services, "127.0.0.1", 0) as server:
            return await asyncio.wait_for(talk(server.sockets[0].getsockname()[1]), 60)

    return asyncio.run(both())


def answers(*said: Eventable, until: Callable[[Event], bool] = lambda _: True) -> list[Event]:
    async def talk(port: int) -> list[Event]:
        found: list[Event] = []
        async with AsyncTcpClient("127.0.0.1", port) as client:
            for one in said:
                await client.write_event(one.event())
            while (event := await client.read_event()) is not None:
                found.append(event)
                if until(event):
                    break
        return found

    return served(talk)


def test_it_tells_what_it_has() -> None:
    info = Info.from_event(answers(Describe())[0])
    assert (info.asr[0].models[0].name, info.tts[0].voices[0].name, info.wake[0].models[0].name) == (
        "glovebox", "glovebox", "computer",
    )  # fmt: skip


def test_it_transcribes() -> None:
    (event,) = answers(Transcribe(), AudioStart(**FORM), SECOND, SECOND, AudioStop())
    assert Transcript.from_event(event).text == "open the window"


def test_it_finds_the_wake_word_or_says_that_it_was_not_there() -> None:
    (event,) = answers(Detect(), AudioStart(**FORM), SECOND, SECOND, AudioStop())
    assert Detection.from_event(event).name == "computer" and Detection.from_event(event).timestamp == 1_500
    (event,) = answers(Detect(), AudioStart(**FORM), SECOND, AudioStop())
    assert NotDetected.is_type(event.type)


def test_it_speaks() -> None:
    events = answers(Synthesize(text="the window is open"), until=lambda event: AudioStop.is_type(event.type))
    assert AudioStart.from_event(events[0]).rate == 16_000
    assert sum(len(AudioChunk.from_event(event).audio) for event in events[1:-1]) > 16_000


def test_a_stream_that_never_ends_gets_its_detection_when_the_word_is_there() -> None:
    late = AudioChunk(audio=SECOND.audio, timestamp=5_000, **FORM)
    (event,) = answers(Detect(), AudioStart(**FORM), late, SECOND)
    assert Detection.from_event(event).timestamp == 6_500


def test_one_client_s_sound_is_not_another_s() -> None:
    async def talk(port: int) -> list[Event]:
        found: list[Event] = []
        async with AsyncTcpClient("127.0.0.1", port) as one, AsyncTcpClient("127.0.0.1", port) as other:
            for client in (one, other):
                await client.write_event(Detect().event())
                await client.write_event(AudioStart(**FORM).event())
                await client.write_event(SECOND.event())
            await one.write_event(AudioStop().event())
            found.append(await one.read_event() or Event(""))
        return found

    assert [event.type for event in served(talk)] == [NotDetected().event().type]


@pytest.mark.parametrize(
    "wrong",
    [
        b"no message\n",
        b"[]\n",
        b'{"type": "audio-chunk", "payload_length": %d}\n' % (PAYLOAD_BYTES + 1),
        b'{"type": "synthesize"}\n',
    ],
)
def test_what_it_does_not_take_ends_that_client_and_nobody_else(wrong: bytes) -> None:
    async def talk(port: int) -> list[Event]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(wrong)
        await writer.drain()
        assert await reader.read() == b""
        writer.close()
        async with AsyncTcpClient("127.0.0.1", port) as client:
            await client.write_event(Describe().event())
            event = await client.read_event()
        return [] if event is None else [event]

    assert len(served(talk)) == 1
