"""Fakes for tests: a source, a sink, a sound card and its time. None of them hears, plays or opens anything."""

from __future__ import annotations

import heapq
import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import AudioDeviceError
from schemas.events import FRAME, SAMPLE_RATE, Samples
from voice.audio.devices.microphone import Inbox


class FakeSource:
    """Delivers silence, and fails where it is told; meets `schemas.ports.AudioSource`."""

    def __init__(self, frames: int, *, fails: bool = False) -> None:
        """Deliver so many frames, then end, or be lost as a device would."""
        self._left, self._fails = frames, fails

    def frames(self) -> Iterator[Samples]:
        """Frames of zeros."""
        while self._left > 0:
            self._left -= 1
            yield np.zeros(FRAME, np.int16)
        if self._fails:
            raise AudioDeviceError("the fake microphone went away, as it was told to")

    def close(self) -> None:
        """End `frames`."""
        self._left, self._fails = 0, False


class FakeSink:
    """Notes what it is given; hears it at once when told that time has passed. Meets `schemas.ports.AudioSink`."""

    def __init__(self) -> None:
        """Nothing played yet."""
        self.played: list[Samples] = []
        self.stops = 0
        self.closed = False
        self._waiting = 0

    def play(self, samples: Samples) -> float:
        """Note the sound; the seconds that are queued."""
        self.played.append(samples)
        self._waiting += samples.size
        return self._waiting / SAMPLE_RATE

    def heard(self) -> None:
        """All that is queued has been heard."""
        self._waiting = 0

    def stop(self) -> None:
        """Drop what is queued."""
        self.stops += 1
        self._waiting = 0

    def close(self) -> None:
        """Note it."""
        self.closed = True


class FakePortAudioError(Exception):
    """What the fake sound card raises."""


class FakeStream:
    """An open stream of the fake sound card; the test makes its time pass."""

    latency = 0.05
    """Seconds, as PortAudio would report."""

    def __init__(self, **settings: Any) -> None:
        """Remember how it was opened."""
        self.settings = settings
        self.running = False
        self.hangs = False
        self._callback: Callable[[NDArray[np.int16], int, Any, Any], None] = settings["callback"]

    def start(self) -> None:
        """Begin."""
        self.running = True

    def abort(self) -> None:
        """Stop; PortAudio calls back then, as this does."""
        if self.running:
            self.running = False
            self.settings["finished_callback"]()

    def close(self) -> None:
        """Nothing is held."""

    def lose(self) -> None:
        """The cable is pulled."""
        self.abort()

    def record(self, samples: NDArray[np.int16], status: str = "") -> None:
        """Let the microphone hear `samples`, at its own rate, in one callback: shape (n,) on every channel, or (n, channels)."""
        block = samples if samples.ndim == 2 else np.repeat(samples[:, np.newaxis], self.settings["channels"], axis=1)
        self._callback(block, len(block), None, status)

    def sound(self, blocks: int = 1) -> NDArray[np.int16]:
        """Let the loudspeaker sound for so many blocks; what came out, shape (n, channels), at its own rate."""
        out: list[NDArray[np.int16]] = []
        for _ in range(blocks):
            block = np.full((self.settings["blocksize"], self.settings["channels"]), 12345, np.int16)
            self._callback(block, len(block), None, "")
            out.append(block)
        return np.concatenate(out)


class FakePortAudio:
    """A sound card that is not there: meets `voice.audio.devices.portaudio.PortAudio`.

    What is plugged in and out while it runs is listed only after `_initialize`, as with the real one.
    """

    PortAudioError: type[Exception] = FakePortAudioError

    def __init__(
        self,
        *,
        inputs: int = 1,
        outputs: int = 2,
        rates: Sequence[float] = (16_000.0,),
        mixes: bool = False,
        fails_to_open: bool = False,
    ) -> None:
        """One device, or none where it has no channels.

        Args:
            inputs: Channels of its microphone.
            outputs: Channels of its loudspeaker.
            rates: What it can do; the first is its own.
            mixes: It also takes one channel where it has several.
            fails_to_open: It says that it can, and then cannot.
        """
        self.inputs, self.outputs, self.rates, self.fails = inputs, outputs, tuple(rates), fails_to_open
        """What is plugged in."""
        self._mixes = mixes
        self.streams: list[FakeStream] = []
        """Every stream that was opened, the newest last."""
        self.starts = 0
        """Times that PortAudio was begun anew."""
        self._initialize()

    def plug(self, *, inputs: int = 0, outputs: int = 0, rates: Sequence[float] | None = None) -> None:
        """From now on the card has these channels; streams of a side that has none any more are lost."""
        self.inputs, self.outputs, self.rates = inputs, outputs, tuple(rates or self.rates)
        for stream in self.streams:
            if stream.running and not (inputs if stream.settings["kind"] == "input" else outputs):
                stream.lose()

    def tick(self, recorded: NDArray[np.int16] | None = None) -> None:
        """One block on every stream that runs and does not hang; microphones hear ``recorded``, else silence."""
        for stream in self.streams:
            if not stream.running or stream.hangs:
                continue
            if stream.settings["kind"] == "input":
                stream.record(np.zeros(stream.settings["blocksize"], np.int16) if recorded is None else recorded)
            else:
                stream.sound()

    def _terminate(self) -> None:
        for stream in self.streams:
            stream.abort()

    def _initialize(self) -> None:
        self.starts += 1
        self._known = (self.inputs, self.outputs, self.rates)

    def query_devices(self, device: int | str | None = None, kind: str | None = None) -> Any:
        """As `sounddevice.query_devices`."""
        inputs, outputs, rates = self._known
        entry: Mapping[str, Any] = {
            "name": "fake card",
            "max_input_channels": inputs,
            "max_output_channels": outputs,
            "default_samplerate": rates[0],
        }
        if kind is None:
            return [entry] if inputs or outputs else []
        if isinstance(device, str) and device not in "fake card":
            raise ValueError(f"No {kind} device matching {device!r}")
        if not entry[f"max_{kind}_channels"] or device not in (None, 0, "fake card"):
            raise FakePortAudioError(f"Error querying device {-1 if device is None else device}")
        return entry

    def check_input_settings(self, **settings: Any) -> None:
        """Raise where the card cannot do that."""
        self._check(self._known[0], settings)

    def check_output_settings(self, **settings: Any) -> None:
        """Raise where the card cannot do that."""
        self._check(self._known[1], settings)

    def InputStream(self, **settings: Any) -> FakeStream:  # noqa: N802  the name is PortAudio's
        """Open the microphone."""
        return self._open({**settings, "kind": "input"}, self.inputs)

    def OutputStream(self, **settings: Any) -> FakeStream:  # noqa: N802  the name is PortAudio's
        """Open the loudspeaker."""
        return self._open({**settings, "kind": "output"}, self.outputs)

    def _check(self, most: int, settings: Mapping[str, Any]) -> None:
        if settings["channels"] not in (most, *((1,) if self._mixes else ())):
            raise FakePortAudioError("Invalid number of channels")
        if settings["samplerate"] not in self._known[2]:
            raise FakePortAudioError("Invalid sample rate")

    def _open(self, settings: dict[str, Any], there: int) -> FakeStream:
        if self.fails or not there or settings["samplerate"] not in self.rates:
            raise FakePortAudioError("Device unavailable")
        self.streams.append(FakeStream(**settings))
        return self.streams[-1]


class FakeInbox(Inbox):
    """An inbox whose time passes only while somebody waits at it, and in which things happen at their time."""

    def __init__(self) -> None:
        """At second 0."""
        super().__init__()
        self.time = 0.0
        self._planned: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0

    def plan(self, at: float, act: Callable[[], None], every: float | None = None) -> None:
        """Let it happen at this second, and again every so many seconds."""

        def again() -> None:
            act()
            self.plan(at + (every or 0.0), act, every)

        self._number += 1
        heapq.heappush(self._planned, (at, self._number, act if every is None else again))

    def now(self) -> float:
        """The time of the fake."""
        return self.time

    def get(self, seconds: float) -> Any:
        """As `Inbox.get`; what is planned happens meanwhile."""
        until = self.time + seconds
        while not self.waiting():
            if not self._planned or self._planned[0][0] > until:
                self.time = until
                raise queue.Empty
            at, _, act = heapq.heappop(self._planned)
            self.time = max(self.time, at)
            act()
        return super().get(0.0)
