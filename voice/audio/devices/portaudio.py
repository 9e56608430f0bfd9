"""PortAudio (the Python package `sounddevice`), as microphone and loudspeaker share it.

Owns: finding devices, opening one at a rate that it can do, closing it without waiting for ever, looking for devices anew.
Does not own what is recorded or played, nor when to try again (`voice.audio.devices.healing`).

PortAudio knows the devices that were there when it was initialised, and ends every stream when it is ended: looking anew
costs both devices a break, which is why one object stands for all of it.
"""

from __future__ import annotations

import atexit
import ctypes
import importlib
import logging
import os
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, Protocol, cast

from schemas.errors import AudioDeviceError, EngineMissingError
from schemas.events import FRAME, SAMPLE_RATE

_LOG = logging.getLogger(__name__)

CLOSE_S = 1.0
"""Longest wait for a device to let go. A healthy one takes under .1 s; one whose sound server hangs never does."""
_WITHOUT = 'Without one: `glovebox hear FILE.wav`, `glovebox say "..."`, or `./deploy/up demo`.'
DeviceId = int | str | None
"""Index or part of the name; None for the system's default."""
Part = Literal["microphone", "loudspeaker"]


class PortAudio(Protocol):
    """What is used of the module `sounddevice`; tests give `voice.audio.fake.FakePortAudio`."""

    PortAudioError: type[Exception]
    InputStream: Callable[..., Any]
    OutputStream: Callable[..., Any]

    def query_devices(self, device: DeviceId = None, kind: str | None = None) -> Any:
        """All devices, or one."""
        ...

    def check_input_settings(self, **settings: Any) -> None:
        """Raise PortAudioError where the input cannot do that."""
        ...

    def check_output_settings(self, **settings: Any) -> None:
        """Raise PortAudioError where the output cannot do that."""
        ...

    def _terminate(self) -> None:
        """End PortAudio and every stream of it."""
        ...

    def _initialize(self) -> None:
        """Begin anew: devices are listed as they are now."""
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


@dataclass(frozen=True, slots=True)
class Opened:
    """A device that is open and runs."""

    stream: Any
    name: str
    rate: float
    channels: int
    latency: float
    """Seconds between the program and the air, as PortAudio says."""


def load_portaudio() -> PortAudio:
    """The real thing, imported only when a device is wanted.

    Raises:
        EngineMissingError: The Python package or the library under it is not installed.
    """
    try:
        _calm_alsa()
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


class SoundCard:
    """PortAudio behind one lock. Only `close` may be called while another thread is inside; the rest waits its turn."""

    def __init__(self, backend: PortAudio | None = None, *, close_s: float = CLOSE_S) -> None:
        """Nothing is loaded yet.

        Args:
            backend: None for the real PortAudio.
            close_s: See `CLOSE_S`.
        """
        self._backend, self._close_s = backend, close_s
        self._lock = threading.Lock()
        self.stuck = False
        """A device did not let go: PortAudio cannot be ended any more, so devices cannot be looked for anew."""

    @property
    def backend(self) -> PortAudio:
        """PortAudio.

        Raises:
            EngineMissingError: See `load_portaudio`.
        """
        self._backend = self._backend or load_portaudio()
        return self._backend

    def open(
        self,
        part: Part,
        device: DeviceId,
        callback: Callable[..., None],
        finished: Callable[[], None],
        *,
        quietly: bool = False,
    ) -> Opened:
        """Open a device and let it run; blocks of `FRAME` samples' length at 16 kHz go to or come from ``callback``.

        16 kHz is taken where the device can do it, else its own rate; two channels where it has them (a microphone's may
        be in opposite phase, and a mix of them silence), else one, else as many as it has. ``quietly``: what the libraries
        underneath write to standard error is thrown away: a device that stays missing must not fill the journal.

        Raises:
            EngineMissingError: See `load_portaudio`.
            AudioDeviceError: No such device, or it cannot be opened.
        """
        backend = self.backend
        kind = "input" if part == "microphone" else "output"
        with self._lock, _muted() if quietly else nullcontext():
            try:
                info = cast(Mapping[str, Any], backend.query_devices(device, kind))
            except (backend.PortAudioError, ValueError) as error:
                raise AudioDeviceError(self._cannot_open(part, device, error)) from error
            own, most = float(info["default_samplerate"]), int(info[f"max_{kind}_channels"])
            counts = dict.fromkeys((min(most, 2), 1, most if part == "microphone" else min(most, 2)))
            wishes = [(rate, count) for count in counts for rate in dict.fromkeys((float(SAMPLE_RATE), own))]
            rate, channels = self._first_possible(part, device, wishes)
            make = backend.InputStream if part == "microphone" else backend.OutputStream
            stream: Any = None
            try:
                stream = make(
                    samplerate=rate,
                    channels=channels,
                    device=device,
                    dtype="int16",
                    blocksize=round(FRAME * rate / SAMPLE_RATE),
                    callback=callback,
                    finished_callback=finished,
                )
                stream.start()
            except backend.PortAudioError as error:
                self.close(stream)
                raise AudioDeviceError(self._cannot_open(part, device, error)) from error
            return Opened(stream, str(info["name"]), rate, channels, float(stream.latency))

    def close(self, stream: Any) -> None:
        """Release a stream; after `CLOSE_S` it is left to itself, for a driver who ends the program must not wait."""
        if stream is None:
            return
        closing = threading.Thread(target=self._close, args=(stream,), name="sound-close", daemon=True)
        closing.start()
        closing.join(self._close_s)
        if closing.is_alive() and not self.stuck:
            self.stuck = True
            _LOG.warning("a sound device does not let go; other devices are found again only by a new start")
            atexit.unregister(getattr(self.backend, "_exit_handler", _nothing))  # it would wait for the same device

    def rescan(self) -> bool:
        """Look for devices anew; every stream must have been closed. False where PortAudio could not begin again."""
        backend = self.backend
        with self._lock:
            if self.stuck:
                return False
            try:
                backend._terminate()  # noqa: SLF001 - sounddevice has no other way
                backend._initialize()  # noqa: SLF001
            except backend.PortAudioError as error:
                _LOG.debug("PortAudio does not begin again: %s", error)
                return False
            return True

    def _close(self, stream: Any) -> None:
        backend = self.backend
        try:
            stream.abort()
            stream.close()
        except backend.PortAudioError as error:
            _LOG.debug("a sound device did not close cleanly: %s", error)

    def _first_possible(self, part: Part, device: DeviceId, wishes: Sequence[tuple[float, int]]) -> tuple[float, int]:
        """The first rate and number of channels that the device can do."""
        backend = self.backend
        check = backend.check_input_settings if part == "microphone" else backend.check_output_settings
        refusal: Exception | None = None
        for rate, channels in wishes:
            try:
                check(device=device, channels=channels, dtype="int16", samplerate=rate)
            except (backend.PortAudioError, ValueError) as error:
                refusal = error
            else:
                return rate, channels
        raise AudioDeviceError(self._cannot_open(part, device, refusal)) from refusal

    def _cannot_open(self, part: Part, device: DeviceId, error: Exception | None) -> str:
        wanted = f"the default {part}" if device is None else f"{part} {device!r}"
        try:
            found = list_devices(self.backend)
        except AudioDeviceError:
            found = ()
        seen = "; ".join(str(entry) for entry in found) if found else "none"
        return f"{wanted} cannot be opened: {error}. Devices seen: {seen}. {_WITHOUT}"


@contextmanager
def _muted() -> Generator[None]:
    """Standard error of the whole process leads nowhere meanwhile; sounddevice does the same while it begins."""
    kept = os.dup(2)
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p)
def _ignore(*_: object) -> None:
    """What ALSA calls instead of writing; what follows the five arguments is left unread."""


@cache
def _calm_alsa() -> None:
    """ALSA's library writes a line for every device that it does not find and every block that came late: it is told not to."""
    try:
        ctypes.CDLL("libasound.so.2").snd_lib_error_set_handler(_ignore)
    except (OSError, AttributeError):
        _LOG.debug("no ALSA library to calm")


def _nothing() -> None:
    """Stands for an exit handler that PortAudio does not have."""
