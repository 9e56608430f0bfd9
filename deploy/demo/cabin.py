"""The cabin of the demo: a driver who talks, noise that never stops, a loudspeaker that everybody hears.

``Cabin`` is the microphone (an AudioSource that delivers one continuous stream) and ``CabinSpeaker`` the loudspeaker
(an AudioSink). The driver behaves as drivers do: says a line, waits until the assistant has finished, thinks a
moment, goes on. The words of a line leave this module as sound only: nothing behind the microphone is told what was
said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.acoustics import active_level, road_noise
from schemas.events import FRAME, SAMPLE_RATE, Samples

SPEECH_LEVEL_DBFS = -20.0
"""Active level of the driver at the microphone: leaves 20 dB for peaks."""
NOISE_BLOCK_S = 20.0
CROSSFADE_S = 0.5
BEAT_S = 1.0
"""Lines begin on a beat, so that a reply which comes a few milliseconds later does not move the next line to other noise:
runs on machines of different speed stay comparable."""


@dataclass(frozen=True, slots=True)
class Voice:
    """A driver's voice."""

    name: str
    """espeak-ng's."""
    speed: int
    """Words a minute."""
    pitch: int
    """0..99"""
    factor: float
    """How much faster and higher than his own voice Piper's speaker is played."""


@dataclass(frozen=True, slots=True)
class Line:
    """Something that the driver says."""

    text: str
    voice: Voice
    wake: bool = True
    """Whether it begins with the wake word."""
    breath_s: float = 0.35
    """Pause between the wake word and the rest; 0 for one breath."""
    wait_s: float = 0.9
    """Seconds of quiet (nobody speaking) before the line. Longer than the follow-up window: a new conversation."""
    patience_s: float = 7.0
    """How long to wait for a reply before going on."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Sound at a place in the stream."""

    start: int
    samples: NDArray[np.float32]


class CabinSpeaker:
    """The loudspeaker: keeps what was played at its place in the stream; implements ``schemas.ports.AudioSink``."""

    def __init__(self) -> None:
        """Silent, at the start of the stream."""
        self.position = 0
        """Samples of the stream so far; the cabin moves it."""
        self.pieces: list[Piece] = []
        self.busy_until = 0

    def play(self, samples: Samples) -> float:
        """Queue sound; returns seconds until all of it will have been heard."""
        start = max(self.position, self.busy_until)
        self.pieces.append(Piece(start, samples.astype(np.float32) / 32768.0))
        self.busy_until = start + len(samples)
        return (self.busy_until - self.position) / SAMPLE_RATE

    def stop(self) -> None:
        """Cut what has not been heard yet."""
        kept: list[Piece] = []
        for piece in self.pieces:
            audible = max(0, min(len(piece.samples), self.position - piece.start))
            if audible:
                kept.append(Piece(piece.start, piece.samples[:audible]))
        self.pieces, self.busy_until = kept, self.position

    def close(self) -> None:
        """Nothing to release."""


class Cabin:
    """The microphone of a drive; implements ``schemas.ports.AudioSource``."""

    def __init__(
        self,
        lines: Sequence[tuple[Line, Samples]],
        speaker: CabinSpeaker,
        *,
        seed: int,
        snr_db: float = 15.0,
        speed_kmh: float = 90.0,
        tail_s: float = 7.0,
    ) -> None:
        """A drive.

        Args:
            lines: what is said, each with its sound at 16 kHz.
            speaker: the loudspeaker, whose replies the driver waits for.
            seed: of the noise.
            snr_db: active speech level over noise level.
            speed_kmh: of the road noise.
            tail_s: noise after the last reply.
        """
        self._lines = [(line, _levelled(sound)) for line, sound in lines]
        self._speaker, self._tail_s, self._speed = speaker, tail_s, speed_kmh
        self._rng = np.random.default_rng(seed)
        self._noise_level = 10.0 ** ((SPEECH_LEVEL_DBFS - snr_db) / 20.0)
        self._noise = np.zeros(0, np.float32)
        self._closed = False
        self.heard: list[NDArray[np.float32]] = []
        """All frames so far: the left channel of the recording."""
        self.spoken: list[tuple[float, float, str]] = []
        """Begin, end (seconds) and text of every line said: for the page and the accounts, not for the assistant."""

    def frames(self) -> Iterator[Samples]:
        """The stream, frame by frame."""
        position, quiet_since, waiting_since, replies = 0, 0, 0, 0
        current: NDArray[np.float32] | None = None
        offset, index = 0, 0
        while not self._closed:
            self._speaker.position = position
            talking = self._speaker.busy_until > position
            if talking or current is not None:
                quiet_since = position
            quiet_s = (position - quiet_since) / SAMPLE_RATE
            if current is None and index < len(self._lines):
                line, sound = self._lines[index]
                answered = len(self._speaker.pieces) > replies
                patience = self._lines[index - 1][0].patience_s if index else 0.0
                given_up = (position - waiting_since) / SAMPLE_RATE > patience
                on_beat = position % int(BEAT_S * SAMPLE_RATE) < FRAME
                if on_beat and quiet_s >= line.wait_s and (answered or given_up):
                    current, offset, index = sound, 0, index + 1
                    begin = position / SAMPLE_RATE
                    self.spoken.append((begin, begin + len(sound) / SAMPLE_RATE, line.text))
            elif current is None and quiet_s >= self._tail_s:
                return
            frame = self._next_noise()
            if current is not None:
                part = current[offset : offset + FRAME]
                frame[: len(part)] += part
                offset += FRAME
                if offset >= len(current):
                    current, waiting_since, replies = None, position, len(self._speaker.pieces)
            self.heard.append(frame)
            position += FRAME
            yield (np.clip(frame, -1.0, 1.0) * 32767.0).astype(np.int16)

    def close(self) -> None:
        """End the stream."""
        self._closed = True

    def recording(self) -> NDArray[np.float32]:
        """Microphone and loudspeaker together, shape (samples, 2): cabin left, assistant right and a little left."""
        cabin = np.concatenate(self.heard) if self.heard else np.zeros(0, np.float32)
        length = max([len(cabin), *(p.start + len(p.samples) for p in self._speaker.pieces)])
        both = np.zeros((length, 2), np.float32)
        both[: len(cabin), 0] = cabin
        both[: len(cabin), 1] = cabin * 0.6
        for piece in self._speaker.pieces:
            both[piece.start : piece.start + len(piece.samples), 1] += piece.samples * 0.5
            both[piece.start : piece.start + len(piece.samples), 0] += piece.samples * 0.35
        return np.clip(both, -1.0, 1.0)

    def _next_noise(self) -> NDArray[np.float32]:
        """A frame of noise at the drive's level; blocks are joined by crossfades."""
        while len(self._noise) < FRAME + int(CROSSFADE_S * SAMPLE_RATE):
            block = road_noise(NOISE_BLOCK_S, self._rng, self._speed, 1200.0 + self._speed * 12.0)
            block = (block * (self._noise_level / float(np.sqrt(np.mean(block**2))))).astype(np.float32)
            fade = len(self._noise)
            if fade:
                ramp = np.linspace(0.0, 1.0, fade, dtype=np.float32)
                block[:fade] = block[:fade] * np.sqrt(ramp) + self._noise * np.sqrt(1.0 - ramp)
            self._noise = block
        frame, self._noise = self._noise[:FRAME].copy(), self._noise[FRAME:]
        return frame


def _levelled(sound: Samples) -> NDArray[np.float32]:
    """The sound as floats at the drive's speech level."""
    samples = sound.astype(np.float32) / 32768.0
    return samples * np.float32(10.0 ** (SPEECH_LEVEL_DBFS / 20.0) / max(active_level(samples), 1e-6))
