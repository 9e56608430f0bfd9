"""Fakes for tests: a source, a sink and a sound card. None of them hears, plays or opens anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import AudioDeviceError
from schemas.events import FRAME, SAMPLE_RATE, Samples


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
        """Let the microphone hear `samples`, shape (n,), on every channel, at its own rate, in one callback."""
        block = np.repeat(samples[:, np.newaxis], self.settings["channels"], axis=1)
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
    """A sound card that is not there: meets `voice.audio.device.PortAudio`."""

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
        self._inputs, self._outputs, self._rates, self._fails = inputs, outputs, tuple(rates), fails_to_open
        self._mixes = mixes
        self.streams: list[FakeStream] = []
        """Every stream that was opened, the newest last."""

    def query_devices(self, device: int | str | None = None, kind: str | None = None) -> Any:
        """As `sounddevice.query_devices`."""
        entry: Mapping[str, Any] = {
            "name": "fake card",
            "max_input_channels": self._inputs,
            "max_output_channels": self._outputs,
            "default_samplerate": self._rates[0],
        }
        if kind is None:
            return [entry] if self._inputs or self._outputs else []
        if isinstance(device, str) and device not in "fake card":
            raise ValueError(f"No {kind} device matching {device!r}")
        if not entry[f"max_{kind}_channels"] or device not in (None, 0, "fake card"):
            raise FakePortAudioError(f"Error querying device {-1 if device is None else device}")
        return entry

    def check_input_settings(self, **settings: Any) -> None:
        """Raise where the card cannot do that."""
        self._check(self._inputs, settings)

    def check_output_settings(self, **settings: Any) -> None:
        """Raise where the card cannot do that."""
        self._check(self._outputs, settings)

    def InputStream(self, **settings: Any) -> FakeStream:  # noqa: N802  the name is PortAudio's
        """Open the microphone."""
        return self._open(settings)

    def OutputStream(self, **settings: Any) -> FakeStream:  # noqa: N802  the name is PortAudio's
        """Open the loudspeaker."""
        return self._open(settings)

    def _check(self, most: int, settings: Mapping[str, Any]) -> None:
        if settings["channels"] not in (most, *((1,) if self._mixes else ())):
            raise FakePortAudioError("Invalid number of channels")
        if settings["samplerate"] not in self._rates:
            raise FakePortAudioError("Invalid sample rate")

    def _open(self, settings: dict[str, Any]) -> FakeStream:
        if self._fails:
            raise FakePortAudioError("Device unavailable")
        self.streams.append(FakeStream(**settings))
        return self.streams[-1]
