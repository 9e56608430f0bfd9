"""The loudspeaker: sound at 16 kHz to a device, and time that passes as if it had been heard while there is none.

Owns: conversion to the device's rate, falling silent at once. Does not own opening it again (`voice.audio.devices.healing`).

PortAudio calls back from a thread of its own and takes what is queued.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import AudioDeviceError
from schemas.events import SAMPLE_RATE, Samples
from voice.audio.devices.health import Health
from voice.audio.devices.portaudio import DeviceId, Opened, Part, SoundCard
from voice.audio.echo import Reference
from voice.audio.resample import Resampler

HANG_S = 2.0
"""Seconds without a callback after which a loudspeaker counts as lost; they come every 32 ms, and a Bluetooth device that
wakes up takes about one second (our choice, not measured)."""
SETTLED_S = 2.0
"""A device that was lost counts as well when it has worked for so long: one that comes and goes is told once."""


class Loudspeaker:
    """A loudspeaker; meets `schemas.ports.AudioSink`. `open` opens it, at any time and from any thread; it stays open."""

    part: Part = "loudspeaker"

    def __init__(
        self,
        device: DeviceId = None,
        *,
        card: SoundCard | None = None,
        health: Health | None = None,
        reference: Reference | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """A loudspeaker that is not open yet.

        Args:
            device: Index or part of the name; None for the system's default.
            card: What it is opened through; shared with the microphone.
            health: Who is told when it is missing.
            reference: Who is told what sounds, so that its echo can be cancelled.
            now: Seconds.
        """
        self._device, self._card, self._health, self._now = device, card or SoundCard(), health or Health(), now
        self._reference = reference
        self._lock = threading.Lock()
        self._playing: _Playing | None = None
        """None: there is no loudspeaker now."""
        self._doomed: Any = None
        """A stream that was lost and is not released yet."""
        self._closed = False
        self._until = 0.0
        """When what was played without a loudspeaker would have been heard."""
        self._underflows = 0

    @property
    def underflows(self) -> int:
        """Times that PortAudio had to wait for the program."""
        return self._underflows + (self._playing.underflows if self._playing is not None else 0)

    def play(self, samples: Samples) -> float:
        """Queue sound at 16 kHz; returns seconds until all that is queued will have been heard, latency included.

        Without a loudspeaker the sound is gone, and counts as heard after its length.
        """
        with self._lock:
            now, playing = self._now(), self._playing
            self._until = max(self._until, now) + samples.size / SAMPLE_RATE
            without = self._until - now
        return without if playing is None else playing.queue(samples)

    def stop(self) -> None:
        """Fall silent with the next block (at most 32 ms and the device's latency) and drop what is queued."""
        with self._lock:
            self._until = 0.0
            playing = self._playing
        if playing is not None:
            playing.clear()

    def close(self) -> None:
        """Fall silent and release the device for good."""
        self._closed = True
        self.release()

    def open(self) -> None:
        """Be ready to play; nothing if it is already or was closed.

        Raises:
            EngineMissingError: PortAudio is not installed.
            AudioDeviceError: No such device, or it cannot be opened.
        """
        if self._closed or self._playing is not None:
            return
        self._let_go()
        playing = _Playing(self._now, self._reference)
        try:
            known = self._health.is_ill("loudspeaker")
            playing.begin(self._card.open("loudspeaker", self._device, playing.give, playing.finished, quietly=known))
        except AudioDeviceError as error:
            self._health.ill("loudspeaker", "loudspeaker_missing", str(error))
            raise
        with self._lock:
            self._playing = playing
        if self._closed:
            self.release()

    def check(self) -> bool:
        """Whether it can play, or was closed for good; what was lost is released."""
        playing, now = self._playing, self._now()
        if playing is not None:
            hangs = now - playing.last >= HANG_S
            if playing.over or hangs:
                self._lose(playing, hangs=not playing.over)
            elif playing.last - playing.since >= SETTLED_S:
                self._health.well("loudspeaker")
        self._let_go()
        return self._closed or self._playing is not None

    def busy(self) -> bool:
        """Whether something is being said."""
        playing = self._playing
        return playing is not None and playing.waiting > 0

    def release(self) -> None:
        """Close the device; `play` lets time pass until `open`."""
        with self._lock:
            playing, self._playing = self._playing, None
        if playing is not None and playing.opened is not None:
            self._underflows += playing.underflows
            self._card.close(playing.opened.stream)
        self._let_go()

    def _lose(self, playing: _Playing, *, hangs: bool) -> None:
        with self._lock:
            if self._playing is not playing or playing.opened is None:
                return
            self._playing, self._doomed = None, playing.opened.stream
        self._underflows += playing.underflows
        name = playing.opened.name
        if hangs:
            self._health.ill("loudspeaker", "loudspeaker_hangs", f"{name} has taken nothing for {HANG_S:g} s")
        else:
            self._health.ill("loudspeaker", "loudspeaker_missing", f"{name} went away while it was open")

    def _let_go(self) -> None:
        stream, self._doomed = self._doomed, None
        self._card.close(stream)


class _Playing:
    """One opening of the device and what is queued for it."""

    def __init__(self, now: Callable[[], float], reference: Reference | None) -> None:
        self._now, self._reference = now, reference
        self._lock = threading.Lock()
        self._pieces: deque[Samples] = deque()
        """At the device's rate, oldest first."""
        self._resampler = Resampler(SAMPLE_RATE, SAMPLE_RATE)
        self._held = False
        """The resampler holds the last milliseconds of what was queued."""
        self._rate: float = SAMPLE_RATE
        self.opened: Opened | None = None
        self.waiting = 0
        """Samples that are queued, at the device's rate."""
        self.since = self.last = now()
        """When it was opened, and when it last called back."""
        self.over = False
        self.underflows = 0

    def begin(self, opened: Opened) -> None:
        """The device runs; silence sounded until now."""
        with self._lock:
            self.opened, self._rate = opened, opened.rate
            if self._reference is not None:
                self._reference.begin()
            self._resampler = Resampler(SAMPLE_RATE, opened.rate)
            self.since = self.last = self._now()

    def queue(self, samples: Samples) -> float:
        """Sound after what is queued; seconds until all will have been heard."""
        assert self.opened is not None  # noqa: S101 - only one that has begun is given sound
        with self._lock:
            self._add(self._resampler.feed(samples.copy()))
            self._held = True
            queued = (self.waiting + self._resampler.delay()) / self._rate
        return queued + self.opened.latency

    def clear(self) -> None:
        """Nothing is queued any more."""
        with self._lock:
            self._pieces.clear()
            self.waiting = 0
            self._resampler.clear()
            self._held = False

    def give(self, out: NDArray[np.int16], frames: int, _time: Any, status: Any) -> None:
        """Fill PortAudio's block, shape (frames, channels); every channel gets the same."""
        self.last = self._now()
        if status:
            self.underflows += 1
        with self._lock:
            if self._held and self.waiting < frames:
                # Nothing follows: what the resampler still holds is the end of the sentence.
                self._add(self._resampler.flush())
                self._held = False
            filled = 0
            while filled < frames and self._pieces:
                piece = self._pieces.popleft()
                part, rest = piece[: frames - filled], piece[frames - filled :]
                out[filled : filled + part.size] = part[:, np.newaxis]
                filled += part.size
                if rest.size:
                    self._pieces.appendleft(rest)
            self.waiting -= filled
        out[filled:] = 0
        if self._reference is not None and self.opened is not None:
            self._reference.give(out[:, 0].copy(), self._rate, self.last)

    def finished(self) -> None:
        """PortAudio ended the stream."""
        self.over = True

    def _add(self, samples: Samples) -> None:
        if samples.size:
            self._pieces.append(samples)
            self.waiting += samples.size
