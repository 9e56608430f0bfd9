"""Sound that is too quiet, beside the zero line, clipped or without its upper half: levelled where that is possible, else named.

Owns: the offset and the gain that a microphone or a file needs, and what no gain can mend. Sound at a normal level passes
sample for sample as it came: the wake word and the recogniser were trained on it. Does not own which of several channels is
heard (`voice.audio.channels`) nor who is told (`voice.audio.devices.health`).
"""

from __future__ import annotations

from collections import deque
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from schemas.events import FRAME, SAMPLE_RATE, Samples

Defect = Literal["telephone", "clipped", "quiet"]

QUIET_DB = -38.0
"""Speech whose louder frames are under this is raised, in dB of full scale. Of 160 recordings 95 % lie at -26 and above
(docs/log.md)."""
TARGET_DB = -26.0
"""To where it is raised."""
MOST_DB = 30.0
"""Highest gain: beyond it the microphone's own noise is what is heard."""
STANDS_OUT_DB = 12.0
"""Speech stands so far above what is heard between it; sound that does not is noise, and is not raised."""
RISE_DB = 6.0
"""Gain rises by so much a second at most, and falls at once."""
HEADROOM = 0.7 * 32768.0
"""No gain lifts a peak beyond this."""
MEMORY_S = 10.0
"""Loudness of the last seconds that the gain is reckoned from; speech of half a second in it counts."""
OFFSET = 64.0
"""A mean beyond this (of 32768) is taken out: a cheap sound card's. Speech has none over a second."""
TELEPHONE_DB = -55.0
"""Power above 4.3 kHz against that from .3 to 3.4 kHz under which the upper half is missing. 160 recordings and 6 synthetic
voices with it lie at -45 and above, the same voices through 8 kHz at -77 and below (docs/log.md)."""
CLIPPED = 0.01
"""Share of the loud frames' samples that stand at full scale."""
ENOUGH_S = 2.0
"""Loud sound after which it is judged."""
_LOUD_SHARE, _FLOOR_SHARE = 95.0, 10.0
_SILENCE_DB = -96.0


class Judge:
    """What no gain can mend, heard over time: from the frames that are loud enough to be speech."""

    def __init__(self) -> None:
        """Nothing heard yet."""
        self._spectrum = np.zeros(FRAME // 2 + 1)
        self._frames = self._clipped = 0

    def hear(self, frame: Samples) -> None:
        """A loud frame of `FRAME` samples."""
        self._frames += 1
        self._clipped += int((np.abs(frame.astype(np.int32)) >= 32_700).sum())
        self._spectrum += np.abs(np.fft.rfft(frame * _WINDOW)) ** 2

    @property
    def ripe(self) -> bool:
        """Whether enough was heard."""
        return self._frames * FRAME >= ENOUGH_S * SAMPLE_RATE

    def balance_db(self) -> float:
        """Power above 4.3 kHz against that from .3 to 3.4 kHz."""
        hertz = np.fft.rfftfreq(FRAME, 1.0 / SAMPLE_RATE)
        high = self._spectrum[(hertz >= 4_300.0) & (hertz <= 7_500.0)].sum()
        low = self._spectrum[(hertz >= 300.0) & (hertz <= 3_400.0)].sum()
        return float(10.0 * np.log10((high + 1e-9) / (low + 1e-9)))

    def verdict(self) -> Defect | None:
        """What is wrong; None: nothing that is known."""
        if not self._frames:
            return None
        if self._clipped > CLIPPED * self._frames * FRAME:
            return "clipped"
        return "telephone" if self.balance_db() < TELEPHONE_DB else None


class Leveller:
    """A microphone's stream: takes the offset out and raises what is too quiet, slowly."""

    def __init__(self) -> None:
        """No offset, no gain."""
        self._loudness: deque[float] = deque(maxlen=round(MEMORY_S * SAMPLE_RATE / FRAME))
        self._offset = 0.0
        self._gain_db = 0.0
        self._judge = Judge()
        self.defect: Defect | None = None
        """What was wrong when it was last judged; ``quiet`` where the gain is at its end."""

    def level(self, frame: Samples) -> Samples:
        """The next frame of `FRAME` samples."""
        mean = float(frame.mean())
        before = self._offset
        self._offset += (mean - self._offset) * 0.03
        sound: NDArray[np.floating] | Samples = frame
        if abs(self._offset) > OFFSET:
            sound = frame - np.linspace(before, self._offset, frame.size)
        power = loudness_db(sound)
        self._loudness.append(power)
        self._steer(frame, power)
        gain = 10.0 ** (self._gain_db / 20.0)
        if gain == 1.0 and sound is frame:
            return frame
        return np.clip(np.rint(sound * gain), -32768, 32767).astype(np.int16)

    def _steer(self, frame: Samples, power: float) -> None:
        ordered = sorted(self._loudness)
        floor, loud = _percentile(ordered, _FLOOR_SHARE), _percentile(ordered, _LOUD_SHARE)
        if power > floor + STANDS_OUT_DB and power > QUIET_DB - MOST_DB:
            self._judge.hear(frame)
            if self._judge.ripe:
                self.defect = self._judge.verdict() or ("quiet" if loud < TARGET_DB - MOST_DB else None)
                self._judge = Judge()
        wanted = _gain_db(loud, floor)
        self._gain_db = min(wanted, self._gain_db + RISE_DB * FRAME / SAMPLE_RATE)
        peak = float(np.abs(frame.astype(np.int32)).max())
        if self._gain_db > 0.0 and peak > 0.0:
            self._gain_db = max(0.0, min(self._gain_db, 20.0 * float(np.log10(HEADROOM / peak))))


def level_whole(sound: Samples) -> tuple[Samples, Defect | None]:
    """A recording that is there as a whole, without offset and loud enough, and what cannot be mended in it."""
    frames = sound[: sound.size // FRAME * FRAME].reshape(-1, FRAME)
    if not len(frames):
        return sound, None
    offset = float(sound.mean())
    centred = sound - offset if abs(offset) > OFFSET and sound.size >= SAMPLE_RATE else sound
    rows = centred[: frames.size].reshape(-1, FRAME)
    power = np.array([loudness_db(row) for row in rows])
    heard = power[power > _SILENCE_DB]
    if not heard.size:
        return sound, None
    floor, loud = np.percentile(heard, [_FLOOR_SHARE, _LOUD_SHARE])
    judge = Judge()
    for frame in frames[power > max(floor, loud - 20.0)]:
        judge.hear(frame)
    gain_db = _gain_db(float(loud), float(floor))
    peak = float(np.abs(centred.astype(np.float64)).max())
    gain_db = max(0.0, min(gain_db, 20.0 * float(np.log10(HEADROOM / max(peak, 1.0)))))
    defect = judge.verdict() or ("quiet" if loud < TARGET_DB - MOST_DB else None)
    if centred is sound and gain_db == 0.0:
        return sound, defect
    return np.clip(np.rint(centred * 10.0 ** (gain_db / 20.0)), -32768, 32767).astype(np.int16), defect


def loudness_db(sound: NDArray[np.floating] | Samples) -> float:
    """Of a frame, without its mean, in dB of full scale; -96 for silence."""
    variance = float(np.var(sound, dtype=np.float64))
    return max(_SILENCE_DB, 10.0 * float(np.log10(variance / 32768.0**2))) if variance > 0.0 else _SILENCE_DB


def _percentile(ordered: list[float], share: float) -> float:
    """As NumPy reckons it, a tenth of its time for a few hundred numbers: this is done for every frame."""
    at = share / 100.0 * (len(ordered) - 1)
    low = int(at)
    return ordered[low] + (ordered[min(low + 1, len(ordered) - 1)] - ordered[low]) * (at - low)


def _gain_db(loud: float, floor: float) -> float:
    """What brings the loud frames to the target, if they are quiet and stand out."""
    if loud >= QUIET_DB or loud - floor < STANDS_OUT_DB or loud <= _SILENCE_DB + STANDS_OUT_DB:
        return 0.0
    return min(MOST_DB, TARGET_DB - loud)


_WINDOW = np.hanning(FRAME)
