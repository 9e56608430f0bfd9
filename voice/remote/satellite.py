"""A Wyoming satellite as sound card: its microphone and its loudspeaker in place of PortAudio's.

Owns the satellite's connection. Meets what is used of PortAudio (``voice.audio.devices.portaudio.PortAudio``), so that health,
healing, echo and everything else that microphone and loudspeaker do is the same. The satellite streams all it hears: whether
that holds the wake word is ours to say. Sound is paced by this machine's clock.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.satellite import RunSatellite

from schemas.errors import GloveboxError
from schemas.events import FRAME, SAMPLE_RATE, Samples
from voice.audio.resample import Resampler
from voice.remote.line import AwayError, Line

FRAME_S = FRAME / SAMPLE_RATE
QUIET_FRAMES = 10
"""Frames without a sound after which the satellite is told that speech is over. Our choice: .3 s."""
LATENCY_S = 0.15
"""Between the program and the air. Our guess; a satellite does not tell."""


class SatelliteError(Exception):
    """As PortAudio's own error."""


class Satellite:
    """The satellite at an address: one connection for both directions, made when the first stream starts."""

    PortAudioError: type[Exception] = SatelliteError

    def __init__(self, address: str) -> None:
        """Nothing is connected yet.

        Args:
            address: ``host:port``; a satellite's usual port is 10700.
        """
        self._line = Line(address)
        self._out = threading.Lock()
        self._streams: set[_Stream] = set()
        self._changing = threading.Lock()

    def query_devices(self, device: object = None, kind: str | None = None) -> Any:
        """The one device, in a list where nothing was asked for."""
        one = {
            "name": f"satellite {self._line.address}", "max_input_channels": 1, "max_output_channels": 1,
            "default_samplerate": float(SAMPLE_RATE),
        }  # fmt: skip
        return [one] if device is None and kind is None else one

    def check_input_settings(self, **settings: Any) -> None:
        """One channel at 16 kHz."""
        _check(settings)

    def check_output_settings(self, **settings: Any) -> None:
        """One channel at 16 kHz."""
        _check(settings)

    def InputStream(self, **settings: Any) -> _Stream:  # noqa: N802 - PortAudio's name
        """The microphone."""
        return _Listening(self, settings["callback"], settings["finished_callback"])

    def OutputStream(self, **settings: Any) -> _Stream:  # noqa: N802 - PortAudio's name
        """The loudspeaker."""
        return _Speaking(self, settings["callback"], settings["finished_callback"])

    def begin(self, stream: _Stream) -> None:
        """Connect if nobody has.

        Raises:
            SatelliteError: it is not there.
        """
        with self._changing:
            try:
                if not self._line.open:
                    self._line.connect()
                    self.send(RunSatellite())
            except (AwayError, GloveboxError) as error:
                raise SatelliteError(str(error)) from error
            self._streams.add(stream)

    def leave(self, stream: _Stream) -> None:
        """Hang up: the other stream ends, too, and is opened again with a connection anew."""
        with self._changing:
            if stream in self._streams:
                self._streams.clear()
                self._line.close()

    def send(self, *messages: Any) -> None:
        """Send; from any thread.

        Raises:
            AwayError: it is gone.
        """
        with self._out:
            self._line.send(*messages)

    def receive(self) -> Any:
        """The next message; for one thread.

        Raises:
            AwayError: it is gone.
        """
        return self._line.receive(None)

    def _terminate(self) -> None:
        """Nothing to end: every stream has been closed."""

    def _initialize(self) -> None:
        """Nothing to list."""


class _Stream(ABC):
    """A direction: a thread that calls back."""

    latency = LATENCY_S

    def __init__(self, satellite: Satellite, callback: Callable[..., None], finished: Callable[[], None]) -> None:
        self._satellite, self._callback, self._finished = satellite, callback, finished
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="satellite", daemon=True)

    def start(self) -> None:
        self._satellite.begin(self)
        self._thread.start()

    def abort(self) -> None:
        self._ended.set()

    def close(self) -> None:
        self._ended.set()
        self._satellite.leave(self)

    def _run(self) -> None:
        try:
            self._work()
        except AwayError:
            pass  # microphone and loudspeaker are told that the stream has finished, and are opened again
        finally:
            self._finished()

    @abstractmethod
    def _work(self) -> None: ...


class _Listening(_Stream):
    def _work(self) -> None:
        resampler: Resampler | None = None
        waiting = np.zeros(0, np.int16)
        while not self._ended.is_set():
            event = self._satellite.receive()
            if not AudioChunk.is_type(event.type):
                continue
            try:
                chunk = AudioChunk.from_event(event)
            except (KeyError, TypeError):
                continue
            if chunk.width != 2 or chunk.channels != 1 or not 8_000 <= chunk.rate <= 48_000:
                continue
            resampler = resampler or Resampler(chunk.rate, SAMPLE_RATE)
            waiting = np.concatenate([waiting, resampler.feed(np.frombuffer(chunk.audio, "<i2").astype(np.int16))])
            while waiting.size >= FRAME:
                self._callback(waiting[:FRAME].reshape(-1, 1), FRAME, None, None)
                waiting = waiting[FRAME:]


class _Speaking(_Stream):
    def _work(self) -> None:
        quiet, at = QUIET_FRAMES, time.monotonic()
        while not self._ended.is_set():
            block: NDArray[np.int16] = np.zeros((FRAME, 1), np.int16)
            self._callback(block, FRAME, None, None)
            sounds = bool(block.any())
            if sounds and quiet >= QUIET_FRAMES:
                self._satellite.send(AudioStart(SAMPLE_RATE, 2, 1))
            quiet = 0 if sounds else quiet + 1
            if quiet < QUIET_FRAMES:
                self._satellite.send(_chunk(block[:, 0]))
            elif quiet == QUIET_FRAMES:
                self._satellite.send(AudioStop())
            at += FRAME_S
            self._ended.wait(max(0.0, at - time.monotonic()))


def _chunk(samples: Samples) -> AudioChunk:
    return AudioChunk(SAMPLE_RATE, 2, 1, samples.astype("<i2").tobytes())


def _check(settings: Mapping[str, Any]) -> None:
    if settings.get("samplerate") != float(SAMPLE_RATE) or settings.get("channels") != 1:
        raise SatelliteError("a satellite has one channel at 16,000 Hz here")
