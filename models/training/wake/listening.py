"""How well a wake word is heard: mixing, hits, false accepts, and how far a speaker is from those trained on.

Owns: the conditions and the counting that training's measure and `glovebox eval wake` share. Does not own networks, files or
tables. NumPy only; everything drawn comes from a random generator that is given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models import acoustics
from models.runtime import mel
from models.runtime.keyword import Scores
from models.training.wake.corpus import Clip, Spoken

Floats = NDArray[np.float32]

RATE = 16_000
REFRACTORY = 2.0
"""Seconds; the default of the wake word engine."""
EARLY, LATE = 0.25, 0.60
"""A hit must come within this many seconds before and after the keyword's end."""
LEAD, TAIL = 2 * RATE, RATE
"""Samples of noise alone before and after a clip."""
PAUSE = RATE // 2
"""Samples between the clips of a stream."""
_FLOOR = 10.0**-3.5
"""Noise that is always there: -70 dBFS."""
THIRDS = ("near", "middle", "far")
COPY = 0.2
"""Two clips closer than this by `distances` are one take under two names: the collection holds many, and none lies between
0.2 and 0.28 (`python -m models.training.wake.measure` on the development half)."""


@dataclass(frozen=True)
class Condition:
    """Noise and its level under the speech; None for the clip as it is (plus a noise floor at -70 dBFS)."""

    noise: str
    snr_db: float | None

    def __str__(self) -> str:
        """As a table's row is called."""
        return "clean" if self.snr_db is None else f"{self.noise} {self.snr_db:.0f} dB"


class Pool:
    """Noise, cut at random places; repeated where it is too short."""

    def __init__(self, samples: Floats, rng: np.random.Generator) -> None:
        """Cut from `samples`."""
        self._samples, self._rng = samples, rng

    def cut(self, count: int) -> Floats:
        """`count` samples from a random place on."""
        place = int(self._rng.integers(0, self._samples.size))
        return np.take(self._samples, np.arange(place, place + count), mode="wrap")


def road(minutes: float, rng: np.random.Generator) -> Floats:
    """Synthetic road noise at 30 to 130 km/h, the speed changing thirty times."""
    speeds = (30.0, 50.0, 70.0, 90.0, 110.0, 130.0)
    return np.concatenate(
        [acoustics.road_noise(minutes * 2.0, rng, speed, 900.0 + 18.0 * speed) for speed in speeds * 5]
    )


def under(speech: Floats, level: float, pool: Pool | None, snr_db: float | None, rng: np.random.Generator) -> Clip:
    """`speech` with noise `snr_db` under `level`, the RMS that the ratio refers to, and the noise floor."""
    mixed = speech + np.float32(_FLOOR) * rng.standard_normal(speech.size, np.float32)
    if pool is not None and snr_db is not None:
        noise = pool.cut(speech.size)
        mixed = mixed + np.float32(acoustics.noise_gain(level, noise, snr_db)) * noise
    peak = float(np.abs(mixed).max())
    return np.asarray(mixed * (min(1.0, 0.99 / peak) * 32767.0), dtype=np.int16)


def embedded(item: Spoken, pool: Pool | None, snr_db: float | None, rng: np.random.Generator) -> Clip:
    """The clip in noise, `LEAD` before and `TAIL` after it; the ratio refers to the word's active level."""
    clip = item.samples.astype(np.float32) / np.float32(32768.0)
    level = acoustics.active_level(clip[item.start : item.end])
    return under(np.pad(clip, (LEAD, TAIL)), level, pool, snr_db, rng)


def near_end(item: Spoken, positions: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which positions of an `embedded` clip count as a hit, and how many seconds after the word's end each is."""
    after = (positions - (LEAD + item.end)) / RATE
    return (after >= -EARLY) & (after <= LATE), after


def accepts(scores: Scores, threshold: float, refractory: float = REFRACTORY) -> int:
    """Detections in a stream at `threshold`, the refractory period kept."""
    count, deaf_until = 0, -1
    for position in scores.positions[scores.values >= threshold].tolist():
        if position >= deaf_until:
            count += 1
            deaf_until = position + round(refractory * RATE)
    return count


def misses(best: Floats, threshold: float) -> float:
    """Share of keywords under the threshold."""
    return float(np.mean(best < threshold))


def voiceprint(item: Spoken) -> NDArray[np.float64]:
    """What a clip's voice and microphone are like: mean and spread of the word's cepstra, shape (38,).

    Cepstra 1 to 19 of the log mel energies over the word's frames; level (cepstrum 0) left out.
    """
    word = item.samples[item.start : max(item.end, item.start + 4 * mel.WINDOW)].astype(np.float32) / np.float32(
        32768.0
    )
    energies = np.log(mel.mel_energies(word).astype(np.float64) + 1e-6)
    bands = np.arange(mel.BANDS)
    cosines = np.cos(np.pi * np.arange(1, 20)[:, None] * (bands + 0.5) / mel.BANDS)
    cepstra = energies @ cosines.T
    return np.concatenate([cepstra.mean(axis=0), cepstra.std(axis=0)])


def distances(items: list[Spoken], known: list[Spoken]) -> NDArray[np.float64]:
    """How far each of `items` is from the nearest of `known`, in standard deviations of the known voiceprints."""
    prints = np.stack([voiceprint(item) for item in known])
    scale = prints.std(axis=0) + 1e-9
    own = np.stack([voiceprint(item) for item in items])
    return np.sqrt((((own[:, None] - prints[None]) / scale) ** 2).mean(axis=-1)).min(axis=1)


def unseen(items: list[Spoken], known: list[Spoken]) -> list[Spoken]:
    """Those of `items` that are no copy of a known take."""
    return [item for item, far in zip(items, distances(items, known), strict=True) if far >= COPY]


def thirds(items: list[Spoken], known: list[Spoken]) -> NDArray[np.int64]:
    """0, 1 or 2 for each item: in the nearest, middle or farthest third by `distances`."""
    rank = np.argsort(np.argsort(distances(items, known), kind="stable"))
    return np.asarray(3 * rank // len(items), dtype=np.int64)
