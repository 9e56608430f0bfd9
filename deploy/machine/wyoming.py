"""Our ears and our voice for others, over the Wyoming protocol: transcribing, the wake word, speaking.

Owns the server and what a message may weigh. The messages are those of the package wyoming (extra ``wyoming``); the engines are the
assistant's own. There is no password and no encryption in the protocol: whoever reaches the port is served, and nothing is kept. No
memory, no vehicle and no dialogue is behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.event import Event, async_write_event
from wyoming.info import AsrModel, AsrProgram, Attribution, Describe, Info, TtsProgram, TtsVoice, WakeModel, WakeProgram
from wyoming.tts import Synthesize
from wyoming.wake import Detect, Detection, NotDetected

from deploy import __version__
from deploy.machine.utterances import Ears, Utterance
from schemas.errors import GloveboxError
from schemas.events import SAMPLE_RATE, Samples
from schemas.ports import Synthesizer, WakeWord
from voice.audio.resample import Resampler
from voice.remote.line import event_of, sizes

CLIENTS = 8
_BY = Attribution(name="Glovebox", url="")


@dataclass(frozen=True, slots=True)
class Services:
    """What is served: one recogniser and one voice for all clients, used by one at a time."""

    ears: Ears
    voice: Synthesizer
    wake: Callable[[], WakeWord]
    """Makes one for each client that listens for it: a stream has a state."""
    keyword: str
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def info(self) -> Info:
        """What a client is told that there is."""
        told: dict[str, Any] = {"attribution": _BY, "installed": True, "version": __version__}
        asr = AsrModel(name="glovebox", description="In-car commands and free speech", languages=["en"], **told)
        tts = TtsVoice(name="glovebox", description="The assistant's voice", languages=["en"], **told)
        wake = WakeModel(name=self.keyword, description="The wake word", languages=["en"], phrase=self.keyword, **told)
        named: dict[str, Any] = {"name": "glovebox", "description": "Glovebox", **told}
        return Info(
            asr=[AsrProgram(models=[asr], **named)],
            tts=[TtsProgram(voices=[tts], **named)],
            wake=[WakeProgram(models=[wake], **named)],
        )


class Conversation:
    """What one client asks for, message by message."""

    def __init__(self, services: Services) -> None:
        """Nothing was asked yet; sound without a request is to be transcribed."""
        self._services = services
        self._wake: WakeWord | None = None
        """Of a client that wants detections."""
        self._begins_ms: int | None = None
        """When the stream began, by the client's clock."""
        self._detected = False
        self._said: Utterance | None = None
        self._resampler: Resampler | None = None

    async def take(self, event: Event) -> list[Event]:
        """The answers to one message.

        Raises:
            schemas.errors.GloveboxError: an engine failed.
            KeyError: the message lacks something.
            ValueError: its sound is in a form that is not served: 16 bits, one channel.
        """
        services = self._services
        if Describe.is_type(event.type):
            return [services.info().event()]
        if Transcribe.is_type(event.type):
            self._wake = None
        elif Detect.is_type(event.type):
            self._wake = await asyncio.to_thread(services.wake)
        elif AudioStart.is_type(event.type):
            self._begin(AudioStart.from_event(event).rate)
        elif AudioChunk.is_type(event.type):
            return await self._sound(AudioChunk.from_event(event))
        elif AudioStop.is_type(event.type):
            return await self._end()
        elif Synthesize.is_type(event.type):
            async with services.lock:
                return await asyncio.to_thread(lambda: list(_spoken(services.voice, Synthesize.from_event(event).text)))
        return []

    def _begin(self, rate: int) -> Resampler:
        if not 8_000 <= rate <= 48_000:
            raise ValueError("sound has 8,000 to 48,000 samples a second")
        self.leave()
        self._resampler = begun = Resampler(rate, SAMPLE_RATE)
        self._begins_ms, self._detected = None, False
        if self._wake is not None:
            self._wake.reset()
        else:
            self._said = Utterance(self._services.ears)
        return begun

    async def _sound(self, chunk: AudioChunk) -> list[Event]:
        if chunk.width != 2 or chunk.channels != 1:
            raise ValueError("sound has 16 bits and one channel")
        resampler = self._resampler or self._begin(chunk.rate)
        samples = resampler.feed(np.frombuffer(chunk.audio, "<i2").astype(np.int16))
        if self._wake is not None:
            self._begins_ms = chunk.timestamp or 0 if self._begins_ms is None else self._begins_ms
            return await self._listened(self._wake, samples)
        if self._said is not None:
            async with self._services.lock:
                await asyncio.to_thread(self._said.take, samples)
        return []

    async def _end(self) -> list[Event]:
        rest = np.zeros(0, np.int16) if self._resampler is None else self._resampler.flush()
        said, self._said, self._resampler = self._said or Utterance(self._services.ears), None, None
        if self._wake is not None:
            found = await self._listened(self._wake, rest)
            return found if found or self._detected else [NotDetected().event()]
        async with self._services.lock:
            await asyncio.to_thread(said.take, rest)
            return [Transcript(text=await asyncio.to_thread(said.words), language="en").event()]

    def leave(self) -> None:
        """What was begun to be said is not wanted any more."""
        if self._said is not None:
            self._said.leave()
        self._said = None

    async def _listened(self, wake: WakeWord, sound: Samples) -> list[Event]:
        """A detection as soon as it is one: a satellite's stream never ends."""
        async with self._services.lock:  # in doubt it asks the recogniser
            found = await asyncio.to_thread(wake.process, sound)
        if found is None:
            return []
        self._detected = True
        at = (self._begins_ms or 0) + round(found.end_sample * 1000 / SAMPLE_RATE)
        return [Detection(name=found.keyword, timestamp=at).event()]


def _spoken(voice: Synthesizer, text: str) -> Iterator[Event]:
    form: dict[str, Any] = {"rate": SAMPLE_RATE, "width": 2, "channels": 1}
    yield AudioStart(**form).event()
    for piece in voice.synthesize(text):
        yield AudioChunk(audio=piece.astype("<i2").tobytes(), **form).event()
    yield AudioStop().event()


async def read_bounded(reader: asyncio.StreamReader) -> Event | None:
    """The next message; None at the end.

    Raises:
        ValueError: it is no message, or weighs more than is taken.
        asyncio.IncompleteReadError: the client left in the middle of it.
    """
    line = await reader.readline()  # itself bounded: 64 KiB
    if not line:
        return None
    head, data, payload = sizes(line)
    return event_of(head, await reader.readexactly(data), await reader.readexactly(payload))


async def start(services: Services, host: str, port: int) -> asyncio.Server:
    """Serve; the caller closes it.

    Args:
        services: the engines.
        host: the address to listen at.
        port: 0 for any.

    Raises:
        OSError: the address cannot be had.
    """
    here: set[asyncio.StreamWriter] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        conversation = Conversation(services)
        try:
            if len(here) >= CLIENTS:
                return
            here.add(writer)
            while (event := await read_bounded(reader)) is not None:
                for answer in await conversation.take(event):
                    await async_write_event(answer, writer)
        except (GloveboxError, ValueError, KeyError, TypeError, OSError, asyncio.IncompleteReadError):
            pass  # this client is let go; nothing that it said is told anywhere
        finally:
            conversation.leave()
            here.discard(writer)
            writer.close()

    return await asyncio.start_server(serve, host, port)
