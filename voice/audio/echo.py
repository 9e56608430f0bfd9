"""The assistant's own voice is taken out of the microphone's sound: WebRTC's canceller (AEC3), through the package pywebrtc-audio.

Owns: which sound of the loudspeaker belongs to which of the microphone, and that nothing is changed while nothing is said.
Does not own whether anybody listens meanwhile (`voice.loop`, its setting ``barge_in``). The other way, a sound server that
cancels by itself, needs nothing of this: docs/adr/0021.

The canceller wants both sounds in step, the loudspeaker's a little earlier. Both come from callbacks that may be late, never
early: the earliest of the last seconds tells when a sample really passed, and late ones change nothing.
"""

from __future__ import annotations

import importlib
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from schemas.errors import EngineMissingError
from schemas.events import SAMPLE_RATE, Samples
from voice.audio.resample import Resampler

PACKAGE = "pywebrtc_audio"
STEP = 160
"""Samples that the canceller takes at once: 10 ms."""
AHEAD_S = 0.032
"""How much later than it was handed to PortAudio the loudspeaker's sound is shown: one block, so that it is there in time.
The echo itself comes later still, by the latency of both devices; AEC3 finds the rest of the delay itself."""
SETTLE_S = 5.0
"""Time over which the earliest callback counts: long enough for a burst, short enough for two clocks that drift apart."""
JUMP_S = 0.012
"""A step that differs by less is kept: AEC3 adapts to 1 ms a second of drift, and begins anew with every jump."""
QUIET_S = 0.6
"""So long after the loudspeaker fell silent its echo may still be there: device latencies, and a cabin's .1 s of reverberation."""
_KEEP_S = 2.0


class Canceller(Protocol):
    """What is used of `pywebrtc_audio.EchoCanceller`."""

    def process(self, near: NDArray[np.int16], far: NDArray[np.int16]) -> NDArray[np.int16]:
        """The near sound without the far one's echo; same length, a multiple of `STEP`."""
        ...


def load_canceller() -> Canceller:
    """WebRTC's.

    Raises:
        EngineMissingError: The package is not installed.
    """
    try:
        module = importlib.import_module(PACKAGE)
    except ImportError as error:
        raise EngineMissingError(
            "the Python package pywebrtc-audio is not installed; without it the assistant's own voice stays in the microphone"
        ) from error
    return cast(Canceller, cast(Any, module).EchoCanceller(SAMPLE_RATE))


class _Track:
    """When the samples of a stream passed, from callbacks that may be late."""

    def __init__(self) -> None:
        self.count = 0
        """Samples so far, at 16 kHz."""
        self._starts: deque[tuple[float, float]] = deque()
        """(when, when sample 0 would have passed), the latter rising: the first is the earliest of the last seconds."""

    def passed(self, samples: int, at: float) -> float:
        """So many more samples have passed at this moment; when sample 0 did."""
        self.count += samples
        start = at - self.count / SAMPLE_RATE
        while self._starts and self._starts[-1][1] >= start:
            self._starts.pop()
        self._starts.append((at, start))
        while self._starts[0][0] < at - SETTLE_S:
            self._starts.popleft()
        return self._starts[0][1]


class Reference:
    """What the loudspeaker was given lately. Written by its callback, read where the microphone's sound is cleaned."""

    def __init__(self) -> None:
        """Silence."""
        self._lock = threading.Lock()
        self._new: list[tuple[Samples, float, float]] = []
        self._rate = 0.0
        self._resampler = Resampler(SAMPLE_RATE, SAMPLE_RATE)
        self._track = _Track()
        self._start = 0.0
        self._kept: Samples = np.zeros(0, np.int16)
        """The latest `_KEEP_S`; its last sample is number ``_track.count - 1``."""
        self.loud_until = float("-inf")
        """When it last was given anything but silence."""

    def begin(self) -> None:
        """Another opening of the loudspeaker follows: nothing is known of its time."""
        with self._lock:
            self._new.clear()
            self._rate = 0.0

    def give(self, sound: Samples, rate: float, at: float) -> None:
        """The loudspeaker was given this, at its rate, at this moment; cheap enough for a callback."""
        with self._lock:
            self._new.append((sound, rate, at))
            if sound.any():
                self.loud_until = at

    def take_up(self) -> float:
        """Convert what is new; when sample 0 was given."""
        with self._lock:
            new, self._new = self._new, []
        for sound, rate, at in new:
            if rate != self._rate:
                self._rate, self._resampler, self._track = rate, Resampler(rate, SAMPLE_RATE), _Track()
                self._kept = np.zeros(0, np.int16)
            converted = self._resampler.feed(sound)
            self._start = self._track.passed(converted.size, at)
            self._kept = np.concatenate([self._kept, converted])[-round(_KEEP_S * SAMPLE_RATE) :]
        return self._start

    def slice(self, begin: int, count: int) -> Samples:
        """So many samples from this number on; silence where there are none (yet or any more)."""
        first = self._track.count - self._kept.size
        out = np.zeros(count, np.int16)
        low, high = max(begin, first), min(begin + count, self._track.count)
        if low < high:
            out[low - begin : high - begin] = self._kept[low - first : high - first]
        return out


class EchoFilter:
    """The microphone's sound without the loudspeaker's; while that is silent, sample for sample as it came."""

    def __init__(self, reference: Reference, canceller: Callable[[], Canceller] = load_canceller) -> None:
        """Raises as ``canceller`` does."""
        self._reference, self._canceller = reference, canceller()
        self._track = _Track()
        self._lead = 0
        """Number of the loudspeaker's sample that belongs to the microphone's sample 0."""
        self._rest: Samples = np.zeros(0, np.int16)
        """Less than a step that waits for more."""

    def begin(self) -> None:
        """Another opening of the microphone follows, likewise; what the canceller knows of the cabin stays."""
        self._track, self._rest = _Track(), np.zeros(0, np.int16)

    def clean(self, sound: Samples, at: float) -> Samples:
        """The next samples at 16 kHz, the last of which was recorded at this moment.

        While something is said up to 10 ms are held back; all come out in the end.
        """
        start = self._track.passed(sound.size, at)
        far = self._reference.take_up()
        sound = np.concatenate([self._rest, sound])
        if at - self._reference.loud_until > QUIET_S:
            self._rest = np.zeros(0, np.int16)
            return sound
        lead = round((start - far - AHEAD_S) * SAMPLE_RATE)
        if abs(lead - self._lead) > JUMP_S * SAMPLE_RATE:
            self._lead = lead
        steps = sound.size // STEP * STEP
        ready, self._rest = sound[:steps], sound[steps:]
        begin = self._track.count - sound.size + self._lead
        return self._canceller.process(ready, self._reference.slice(begin, steps)) if steps else ready
