"""The microphone: sound from a device at 16 kHz, and silence in real time while there is none.

Owns: conversion to 16 kHz mono, what happens when the program is too slow or the device goes away. Does not own opening it
again (`voice.audio.devices.healing`).

PortAudio calls back from a thread of its own. The callback only copies; the rest happens where `frames` is called. Audio
time never stops: the turn's limits, a timer and a reply's end hang on it.
"""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import AudioDeviceError
from schemas.events import FRAME, SAMPLE_RATE, Samples
from voice.audio.channels import ChannelChoice
from voice.audio.devices.health import DEFECTS, Health
from voice.audio.devices.portaudio import DeviceId, Opened, Part, SoundCard
from voice.audio.echo import EchoFilter
from voice.audio.levels import Defect, Leveller
from voice.audio.resample import Resampler

_LOG = logging.getLogger(__name__)

QUEUE_S = 2.0
"""Sound that waits for a program that is too slow; what is later than that is replaced by silence. A whole listening
window is 5 s: who is 2 s behind answers too late anyway."""
HANG_S = 1.0
"""Seconds without a callback after which a microphone that had delivered counts as lost; they come every 32 ms (our choice)."""
WAKE_S = 3.0
"""The same before its first block: a USB or Bluetooth device has to wake up (our choice, not measured)."""
SETTLED_S = 2.0
"""A device that was lost counts as well when it has worked for so long: one that comes and goes is told once."""
_FRAME_S = FRAME / SAMPLE_RATE


class Inbox:
    """What the callback's thread hands to `frames`, and the time that passes there."""

    def __init__(self) -> None:
        """Empty."""
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        """Its put is safe in a signal handler."""

    def put(self, item: Any) -> None:
        """Hand over."""
        self._queue.put(item)

    def get(self, seconds: float) -> Any:
        """The next item, waiting so long for it.

        Raises:
            queue.Empty: None came.
        """
        return self._queue.get(timeout=seconds) if seconds > 0.0 else self._queue.get_nowait()

    def waiting(self) -> int:
        """Items that are there."""
        return self._queue.qsize()

    def now(self) -> float:
        """Seconds."""
        return time.monotonic()


@dataclass(frozen=True, slots=True)
class _Block:
    recording: _Recording
    at: float
    """When it came."""
    lost: int
    """Samples at the device's rate that were lost before it."""
    sound: NDArray[np.int16]
    """Shape (n, channels)."""


class _Recording:
    """One opening of the device. What a device that hung delivers later is known by it, and dropped."""

    def __init__(self, inbox: Inbox, limit: int) -> None:
        self._inbox, self._limit = inbox, limit
        self.opened: Opened | None = None
        self.since = self.last = inbox.now()
        """When it was opened, and when it last called back."""
        self.blocks = self.overflows = 0
        self.over = False
        self._missing = 0
        """Samples lost since the last block that found room."""

    def take(self, block: NDArray[np.int16], frames: int, _time: Any, status: Any) -> None:
        self.last = self._inbox.now()
        self.blocks += 1
        if status:
            self.overflows += 1
        if self._inbox.waiting() >= self._limit:
            self.overflows += self._missing == 0
            self._missing += frames
            return
        self._inbox.put(_Block(self, self.last, self._missing, block.copy()))
        self._missing = 0

    def finished(self) -> None:
        self.over = True
        self._inbox.put(self)


class Microphone:
    """A microphone; meets `schemas.ports.AudioSource`. `open` opens it, at any time and from any thread.

    If it cannot do 16 kHz it is opened at its own rate and converted; of several channels the better is used
    (`voice.audio.channels`).
    """

    part: Part = "microphone"

    def __init__(
        self,
        device: DeviceId = None,
        *,
        card: SoundCard | None = None,
        health: Health | None = None,
        echo: EchoFilter | None = None,
        inbox: Inbox | None = None,
        queue_s: float = QUEUE_S,
    ) -> None:
        """A microphone that is not open yet.

        Args:
            device: Index or part of the name; None for the system's default.
            card: What it is opened through; shared with the loudspeaker.
            health: Who is told when it is missing.
            echo: Takes the assistant's own voice out of what was recorded.
            inbox: Tests give one whose time they make pass.
            queue_s: See `QUEUE_S`.
        """
        self._device, self._card, self._health = device, card or SoundCard(), health or Health()
        self._echo, self._inbox = echo, inbox or Inbox()
        self._limit = max(1, round(queue_s * SAMPLE_RATE / FRAME))
        self._recording: _Recording | None = None
        """None: there is no microphone now."""
        self._doomed: Any = None
        """A stream that was lost and is not released yet."""
        self._closed = False
        self._taken: _Recording | None = None
        """Whose blocks `frames` converts."""
        self._resampler = Resampler(SAMPLE_RATE, SAMPLE_RATE)
        self._channels = ChannelChoice()
        self._leveller = Leveller()
        self._defect: Defect | None = None
        self._held: Samples = np.zeros(0, np.int16)
        """At 16 kHz, less than a frame."""
        self._covered = 0.0
        """Until when sound or silence has been delivered."""
        self._overflows = 0
        self.lost_samples = 0
        """Samples at 16 kHz that were replaced by silence. What PortAudio drops itself counts only in `overflows`."""

    @property
    def overflows(self) -> int:
        """Times that the program or PortAudio was too slow."""
        return self._overflows + (self._recording.overflows if self._recording is not None else 0)

    def frames(self) -> Iterator[Samples]:
        """Frames of `FRAME` samples as they are recorded, until `close`, without gaps.

        What was lost, and all the time without a device, is silence of the same length.
        """
        self._covered = self._inbox.now()
        while not self._closed:
            while self._held.size >= FRAME and not self._closed:
                frame, self._held = self._held[:FRAME], self._held[FRAME:]
                yield self._level(frame)
            try:
                item = self._inbox.get(self._patience())
            except queue.Empty:
                self._pass_time()
                continue
            if isinstance(item, _Block) and item.recording is self._recording:
                self._convert(item)
            elif isinstance(item, _Recording):
                self._lose(item, hangs=False)

    def close(self) -> None:
        """Release the device; `frames` ends. May be called from any thread, and again."""
        self._closed = True
        self._inbox.put(None)
        self.release()

    def open(self) -> None:
        """Begin to record; nothing if it does already or was closed.

        Raises:
            EngineMissingError: PortAudio is not installed.
            AudioDeviceError: No such device, or it cannot be opened.
        """
        if self._closed or self._recording is not None:
            return
        self._let_go()
        recording = _Recording(self._inbox, self._limit)
        try:
            known = self._health.is_ill("microphone")
            recording.opened = self._card.open(
                "microphone", self._device, recording.take, recording.finished, quietly=known
            )
        except AudioDeviceError as error:
            self._health.ill("microphone", "microphone_missing", str(error))
            raise
        recording.since = recording.last = self._inbox.now()
        self._recording = recording
        _LOG.debug("microphone: %s at %g Hz", recording.opened.name, recording.opened.rate)
        if self._closed:
            self.release()

    def check(self) -> bool:
        """Whether it records, or was closed for good; what was lost is released."""
        recording = self._recording
        if recording is not None:
            self._judge(recording)
            if self._recording is recording and recording.last - recording.since >= SETTLED_S:
                self._health.well("microphone")
        self._let_go()
        return self._closed or self._recording is not None

    def busy(self) -> bool:
        """Whether it records: a break would be silence."""
        return self._recording is not None

    def release(self) -> None:
        """Close the device; `frames` goes on with silence until `open`."""
        recording, self._recording = self._recording, None
        if recording is not None and recording.opened is not None:
            self._overflows += recording.overflows
            self._card.close(recording.opened.stream)
        self._let_go()

    def _level(self, frame: Samples) -> Samples:
        """At a level that can be heard; what cannot be mended is told."""
        frame = self._leveller.level(frame)
        defect = self._leveller.defect
        if defect != self._defect:
            self._defect = defect
            if defect is None:
                self._health.well("level")
            else:
                self._health.ill("level", DEFECTS[defect])
        return frame

    def _patience(self) -> float:
        """How long to wait for sound before silence is due or the device counts as lost."""
        recording, now = self._recording, self._inbox.now()
        if recording is None:
            return max(0.0, self._covered + _FRAME_S - now)
        return max(0.0, recording.last + (HANG_S if recording.blocks else WAKE_S) - now)

    def _pass_time(self) -> None:
        """No sound came: silence for the time that has passed, if there is no device."""
        if self._recording is not None:
            self._judge(self._recording)
        if self._recording is None:
            self._fill(self._inbox.now())

    def _fill(self, until: float) -> None:
        """Silence up to this moment, in whole frames."""
        frames = int((until - self._covered) / _FRAME_S + 1e-6)
        if frames > 0:
            self._covered += frames * _FRAME_S
            self._held = np.concatenate([self._held, np.zeros(frames * FRAME, np.int16)])

    def _judge(self, recording: _Recording) -> None:
        if recording.over:
            self._lose(recording, hangs=False)
        elif self._inbox.now() - recording.last >= (HANG_S if recording.blocks else WAKE_S):
            self._lose(recording, hangs=True)

    def _lose(self, recording: _Recording, *, hangs: bool) -> None:
        if self._recording is not recording or recording.opened is None:
            return
        self._recording, self._doomed = None, recording.opened.stream
        self._overflows += recording.overflows
        name = recording.opened.name
        if hangs:
            self._health.ill("microphone", "microphone_hangs", f"{name} has not delivered for {HANG_S:g} s")
        else:
            self._health.ill("microphone", "microphone_missing", f"{name} went away while it was open")

    def _let_go(self) -> None:
        stream, self._doomed = self._doomed, None
        self._card.close(stream)

    def _convert(self, block: _Block) -> None:
        opened = block.recording.opened
        assert opened is not None  # noqa: S101 - a recording that is in use has been opened
        if block.recording is not self._taken:
            self._taken = block.recording
            self._resampler, self._channels = Resampler(opened.rate, SAMPLE_RATE), ChannelChoice()
            self._fill(block.at - len(block.sound) / opened.rate)
            if self._echo is not None:
                self._echo.begin()
        self._covered = block.at
        sound = self._channels.mono(block.sound)
        if block.lost:
            lost = round(block.lost * SAMPLE_RATE / opened.rate)
            self.lost_samples += lost
            _LOG.warning(
                "microphone: %.2f s of sound lost because the program was too slow (%d times so far)",
                lost / SAMPLE_RATE,
                self.overflows,
            )
            sound = np.concatenate([np.zeros(block.lost, np.int16), sound])
        sound = self._resampler.feed(sound)
        if self._echo is not None:
            sound = self._echo.clean(sound, block.at)
        self._held = np.concatenate([self._held, sound])
