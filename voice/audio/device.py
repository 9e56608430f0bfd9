"""Microphone and loudspeaker through PortAudio (the Python package `sounddevice`).

Owns: finding devices, opening them at a rate they can do, conversion to and from 16 kHz, what happens when the program
is too slow or a device goes away. Does not own echo cancelling (PipeWire's or PulseAudio's module does that) or files.

PortAudio calls back from a thread of its own. The callbacks only copy; the rest happens where `frames` or `play` is
called.
"""

from __future__ import annotations

import importlib
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from schemas.errors import AudioDeviceError, EngineMissingError
from schemas.events import FRAME, SAMPLE_RATE, Samples
from voice.audio.resample import Resampler

_LOG = logging.getLogger(__name__)

QUEUE_S = 2.0
"""Sound that waits for a program that is too slow; what is later than that is replaced by silence. A whole listening
window is 5 s: who is 2 s behind answers too late anyway."""
SILENT_DEVICE_S = 3.0
"""Seconds without a callback after which a microphone counts as lost. Callbacks come every 32 ms; the rest is for a USB
or Bluetooth device that has to wake up (our choice, not measured)."""
_WITHOUT = 'Without one: `glovebox hear FILE.wav`, `glovebox say "..."`, or `./deploy/up demo`.'
_DeviceId = int | str | None


class PortAudio(Protocol):
    """What is used of the module `sounddevice`; tests give `voice.audio.fake.FakePortAudio`."""

    PortAudioError: type[Exception]
    InputStream: Callable[..., Any]
    OutputStream: Callable[..., Any]

    def query_devices(self, device: _DeviceId = None, kind: str | None = None) -> Any:
        """All devices, or one."""
        ...

    def check_input_settings(self, **settings: Any) -> None:
        """Raise PortAudioError where the input cannot do that."""
        ...

    def check_output_settings(self, **settings: Any) -> None:
        """Raise PortAudioError where the output cannot do that."""
        ...


@dataclass(frozen=True, slots=True)
class Device:
    """A sound device as PortAudio names it."""

    index: int
    name: str
    inputs: int
    """Channels in; 0: no microphone."""
    outputs: int
    """Channels out; 0: no loudspeaker."""
    rate: float
    """Its own rate in Hz."""

    def __str__(self) -> str:
        """One line for a list."""
        return f"{self.index} {self.name!r} ({self.inputs} in, {self.outputs} out, {self.rate:.0f} Hz)"


def load_portaudio() -> PortAudio:
    """The real thing, imported only when a device is wanted.

    Raises:
        EngineMissingError: The Python package or the library under it is not installed.
    """
    try:
        return cast(PortAudio, importlib.import_module("sounddevice"))
    except ImportError as error:
        raise EngineMissingError(
            "the Python package sounddevice is not installed; install it for microphone and loudspeaker"
        ) from error
    except OSError as error:
        raise EngineMissingError(
            "the PortAudio library is not installed; on Debian: sudo apt install libportaudio2"
        ) from error


def list_devices(backend: PortAudio | None = None) -> tuple[Device, ...]:
    """Every device of this machine; empty where there is none.

    Raises:
        EngineMissingError: See `load_portaudio`.
        AudioDeviceError: PortAudio itself failed.
    """
    backend = backend or load_portaudio()
    try:
        found = cast(Sequence[Mapping[str, Any]], backend.query_devices())
    except backend.PortAudioError as error:
        raise AudioDeviceError(f"sound devices cannot be listed: {error}. {_WITHOUT}") from error
    return tuple(
        Device(
            index,
            str(entry["name"]),
            int(entry["max_input_channels"]),
            int(entry["max_output_channels"]),
            float(entry["default_samplerate"]),
        )
        for index, entry in enumerate(found)
    )


class Microphone:
    """A microphone; meets `schemas.ports.AudioSource`. `frames` opens it where `open` has not.

    If it cannot do 16 kHz mono it is opened at its own rate and channels; the first channel is used (on microphone
    arrays the processed one) and converted.
    """

    def __init__(
        self,
        device: _DeviceId = None,
        *,
        backend: PortAudio | None = None,
        queue_s: float = QUEUE_S,
        silent_device_s: float = SILENT_DEVICE_S,
    ) -> None:
        """A microphone that is not open yet.

        Args:
            device: Index or part of the name; None for the system's default.
            backend: None for the real PortAudio.
            queue_s: See `QUEUE_S`.
            silent_device_s: See `SILENT_DEVICE_S`.
        """
        self._device, self._backend = device, backend
        self._limit = max(1, round(queue_s * SAMPLE_RATE / FRAME))
        self._patience = silent_device_s
        self._queue: queue.SimpleQueue[tuple[int, Samples] | None] = queue.SimpleQueue()
        """(samples lost before the block, block); None: the stream is over. Its put is safe in a signal handler."""
        self._rate: float = SAMPLE_RATE
        self._resampler = Resampler(SAMPLE_RATE, SAMPLE_RATE)
        self._held: Samples = np.zeros(0, np.int16)
        """At 16 kHz, less than a frame."""
        self._missing = 0
        """Samples lost since the last block that found room; the callback's own."""
        self._stream: Any = None
        self._closed = False
        self.overflows = 0
        """Times that the program or PortAudio was too slow."""
        self.lost_samples = 0
        """Samples at 16 kHz that were replaced by silence. What PortAudio drops itself counts only in `overflows`."""

    def frames(self) -> Iterator[Samples]:
        """Frames of `FRAME` samples as they are recorded, without gaps: what was lost is silence of the same length.

        Raises:
            EngineMissingError: PortAudio is not installed.
            AudioDeviceError: No such device, it cannot be opened, or it went away.
        """
        if self._closed:
            return
        self.open()
        while True:
            while self._held.size >= FRAME:
                frame, self._held = self._held[:FRAME], self._held[FRAME:]
                yield frame
            try:
                item = self._queue.get(timeout=self._patience)
            except queue.Empty:
                self._release()
                raise AudioDeviceError(
                    f"microphone {self._name()} gave no sound for {self._patience:g} s; check its cable and that no "
                    f"other program holds it. {_WITHOUT}"
                ) from None
            if self._closed:
                return
            if item is None:
                self._release()
                raise AudioDeviceError(
                    f"microphone {self._name()} went away while it was open; plug it in again. {_WITHOUT}"
                )
            lost, block = item
            if lost:
                self._report(round(lost * SAMPLE_RATE / self._rate))
                block = np.concatenate([np.zeros(lost, np.int16), block])
            self._held = np.concatenate([self._held, self._resampler.feed(block)])

    def close(self) -> None:
        """Release the device; `frames` ends. May be called from any thread or a signal handler, and again."""
        self._closed = True
        self._queue.put(None)
        self._release()

    def open(self) -> None:
        """Begin to record; nothing if it does already. Raises as `frames` does."""
        if self._stream is not None:
            return
        backend = self._backend = self._backend or load_portaudio()
        info = _device_info(backend, self._device, "input")
        own, most = float(info["default_samplerate"]), int(info["max_input_channels"])
        wishes = ((SAMPLE_RATE, 1), (own, 1), (SAMPLE_RATE, most), (own, most))
        rate, channels = _first_possible(backend, backend.check_input_settings, self._device, wishes, "microphone")
        self._rate, self._resampler = rate, Resampler(rate, SAMPLE_RATE)
        self._queue = queue.SimpleQueue()
        try:
            self._stream = backend.InputStream(
                samplerate=rate,
                channels=channels,
                device=self._device,
                dtype="int16",
                blocksize=round(FRAME * rate / SAMPLE_RATE),
                callback=self._take,
                finished_callback=self._finished,
            )
            self._stream.start()
        except backend.PortAudioError as error:
            self._release()
            raise AudioDeviceError(_cannot_open(backend, "microphone", self._device, error)) from error

    def _take(self, block: NDArray[np.int16], frames: int, _time: Any, status: Any) -> None:
        if status:
            self.overflows += 1
        if self._queue.qsize() >= self._limit:
            self.overflows += self._missing == 0
            self._missing += frames
            return
        self._queue.put((self._missing, block[:, 0].copy()))
        self._missing = 0

    def _finished(self) -> None:
        self._queue.put(None)

    def _report(self, lost: int) -> None:
        self.lost_samples += lost
        _LOG.warning(
            "microphone: %.2f s of sound lost because the program was too slow (%d times so far)",
            lost / SAMPLE_RATE,
            self.overflows,
        )

    def _name(self) -> str:
        return "(default)" if self._device is None else repr(self._device)

    def _release(self) -> None:
        stream, self._stream = self._stream, None
        _close(stream, self._backend)


class Loudspeaker:
    """A loudspeaker; meets `schemas.ports.AudioSink`. `play` opens it where `open` has not; it stays open until `close`."""

    def __init__(self, device: _DeviceId = None, *, backend: PortAudio | None = None) -> None:
        """A loudspeaker that is not open yet.

        Args:
            device: Index or part of the name; None for the system's default.
            backend: None for the real PortAudio.
        """
        self._device, self._backend = device, backend
        self._lock = threading.Lock()
        self._waiting: deque[Samples] = deque()
        """At the device's rate, oldest first."""
        self._waiting_samples = 0
        self._resampler = Resampler(SAMPLE_RATE, SAMPLE_RATE)
        self._held = False
        """The resampler holds the last milliseconds of what was queued."""
        self._rate: float = SAMPLE_RATE
        self._stream: Any = None
        self._closing = False
        self._lost = False
        self._latency = 0.0
        self.underflows = 0
        """Times that PortAudio had to wait for the program."""

    def play(self, samples: Samples) -> float:
        """Queue sound at 16 kHz; returns seconds until all that is queued will have been heard, latency included.

        Raises:
            EngineMissingError: PortAudio is not installed.
            AudioDeviceError: No such device, it cannot be opened, or it went away.
        """
        self.open()
        if self._lost:
            self._release()
            name = "(default)" if self._device is None else repr(self._device)
            raise AudioDeviceError(f"loudspeaker {name} went away while it was open; plug it in again. {_WITHOUT}")
        with self._lock:
            self._queue(self._resampler.feed(samples.copy()))
            self._held = True
            queued = (self._waiting_samples + self._resampler.delay()) / self._rate
        return queued + self._latency

    def stop(self) -> None:
        """Fall silent with the next block (at most 32 ms and the device's latency) and drop what is queued."""
        with self._lock:
            self._waiting.clear()
            self._waiting_samples = 0
            self._resampler.clear()
            self._held = False

    def close(self) -> None:
        """Fall silent and release the device; `play` would open it again."""
        self._release()

    def open(self) -> None:
        """Be ready to play; nothing if it is already. Raises as `play` does."""
        if self._stream is not None:
            return
        backend = self._backend = self._backend or load_portaudio()
        info = _device_info(backend, self._device, "output")
        own, most = float(info["default_samplerate"]), int(info["max_output_channels"])
        wishes = ((SAMPLE_RATE, 1), (own, 1), (SAMPLE_RATE, min(most, 2)), (own, min(most, 2)))
        self._rate, channels = _first_possible(
            backend, backend.check_output_settings, self._device, wishes, "loudspeaker"
        )
        self._resampler = Resampler(SAMPLE_RATE, self._rate)
        self._lost = self._closing = False
        try:
            self._stream = backend.OutputStream(
                samplerate=self._rate,
                channels=channels,
                device=self._device,
                dtype="int16",
                blocksize=round(FRAME * self._rate / SAMPLE_RATE),
                callback=self._give,
                finished_callback=self._finished,
            )
            self._stream.start()
            self._latency = float(self._stream.latency)
        except backend.PortAudioError as error:
            self._release()
            raise AudioDeviceError(_cannot_open(backend, "loudspeaker", self._device, error)) from error

    def _queue(self, samples: Samples) -> None:
        if samples.size:
            self._waiting.append(samples)
            self._waiting_samples += samples.size

    def _give(self, out: NDArray[np.int16], frames: int, _time: Any, status: Any) -> None:
        if status:
            self.underflows += 1
        with self._lock:
            if self._held and self._waiting_samples < frames:
                # Nothing follows: what the resampler still holds is the end of the sentence.
                self._queue(self._resampler.flush())
                self._held = False
            filled = 0
            while filled < frames and self._waiting:
                piece = self._waiting.popleft()
                part, rest = piece[: frames - filled], piece[frames - filled :]
                out[filled : filled + part.size] = part[:, np.newaxis]
                filled += part.size
                if rest.size:
                    self._waiting.appendleft(rest)
            self._waiting_samples -= filled
        out[filled:] = 0

    def _finished(self) -> None:
        self._lost = not self._closing

    def _release(self) -> None:
        self._closing = True
        stream, self._stream = self._stream, None
        _close(stream, self._backend)
        self.stop()


def _device_info(backend: PortAudio, device: _DeviceId, kind: str) -> Mapping[str, Any]:
    what = "microphone" if kind == "input" else "loudspeaker"
    try:
        return cast(Mapping[str, Any], backend.query_devices(device, kind))
    except (backend.PortAudioError, ValueError) as error:
        raise AudioDeviceError(_cannot_open(backend, what, device, error)) from error


def _first_possible(
    backend: PortAudio,
    check: Callable[..., None],
    device: _DeviceId,
    wishes: Sequence[tuple[float, int]],
    what: str,
) -> tuple[float, int]:
    """The first rate and number of channels that the device can do."""
    refusal: Exception | None = None
    for rate, channels in wishes:
        try:
            check(device=device, channels=channels, dtype="int16", samplerate=rate)
        except (backend.PortAudioError, ValueError) as error:
            refusal = error
        else:
            return rate, channels
    raise AudioDeviceError(_cannot_open(backend, what, device, refusal)) from refusal


def _cannot_open(backend: PortAudio, what: str, device: _DeviceId, error: Exception | None) -> str:
    wanted = f"the default {what}" if device is None else f"{what} {device!r}"
    try:
        found = list_devices(backend)
    except AudioDeviceError:
        found = ()
    seen = "; ".join(str(entry) for entry in found) if found else "none"
    return f"{wanted} cannot be opened: {error}. Devices seen: {seen}. {_WITHOUT}"


def _close(stream: Any, backend: PortAudio | None) -> None:
    if stream is None or backend is None:
        return
    try:
        stream.abort()
        stream.close()
    except backend.PortAudioError as error:
        _LOG.warning("a sound device did not close cleanly: %s", error)
