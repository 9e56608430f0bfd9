"""Training examples: keywords, or speech like them, somewhere in a few seconds of a car, a kitchen or a party.

Owns: how an example is put together, and its labels. Does not own the noises' sound, features or the network. Everything
is a function of the random generators.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from models import acoustics
from models.runtime import keyword, mel
from models.training.wake import noises
from models.training.wake.corpus import Clip, Spoken
from models.training.wake.words import phrases

Floats = NDArray[np.float32]
_T = TypeVar("_T")

LENGTH = 57_600
"""Samples of an example: 3.6 s."""
_FFT = 65_536  # holds an example and the longest response, 6,400 samples
OUTPUTS = keyword.outputs_of(1 + (LENGTH - mel.WINDOW) // mel.HOP)
WORDS = len(phrases.SPOKEN)
IGNORED = -1.0
_EARLIEST, _LATEST = 22_000, 55_000
"""Samples between which a keyword ends: the network's first output has seen 17,680."""
_NOISES = ("road", "kitchen", "clatter", "babble", "music", "plain", "none")
_SHARES = (0.36, 0.14, 0.10, 0.09, 0.08, 0.07, 0.16)
_LOWEST_DB = {"road": -2.0, "kitchen": -1.0, "clatter": 0.0, "babble": 5.0, "music": 2.0, "plain": 0.0}
_HIGHEST_DB = 25.0


@dataclass
class Mined:
    """A stretch at which the network wrongly fired, and the word that it really holds, if any."""

    samples: Clip
    word: int | None


@dataclass
class Bank:
    """Sources of examples; by word: recordings, synthetic voices, and others made of these. `mined` grows while training."""

    real: list[list[Spoken]]
    synthetic: list[list[Spoken]]
    others: list[list[Spoken]]
    """May be empty for a word."""
    speech: list[Clip]
    near: list[Clip]
    mined: list[Mined] = field(default_factory=list)


@dataclass
class _Scene:
    samples: Floats
    labels: Floats
    free_from: int = 0
    """Sample after the last keyword."""


class Scenes:
    """Makes examples."""

    def __init__(self, bank: Bank, seed: int, stretches: int = 80) -> None:
        """Prepare `stretches` of 10 s of road noise and fewer of the others; a function of `seed` alone."""
        self._bank = bank
        self._rng = rng = np.random.default_rng(seed)
        self._rooms = [
            np.fft.rfft(acoustics.enclosure_response(rng, float(rng.choice([0.05, 0.1, 0.2, 0.4]))), _FFT)
            for _ in range(60)
        ]
        self._pools = {
            "road": np.concatenate([noises.road(10.0, rng) for _ in range(stretches)]),
            "kitchen": np.concatenate([noises.kitchen(10.0, rng) for _ in range(1 + stretches * 30 // 80)]),
            "babble": np.concatenate([self._babble(10.0) for _ in range(1 + stretches * 14 // 80)]),
            "clatter": np.concatenate([noises.clatter(10.0, rng) for _ in range(1 + stretches * 19 // 80)]),
            "music": np.concatenate([noises.music(10.0, rng) for _ in range(1 + stretches * 15 // 80)]),
            "plain": np.concatenate([noises.plain(10.0, rng) for _ in range(1 + stretches * 7 // 80)]),
        }
        self._hiss = rng.standard_normal(LENGTH * (3 if stretches < 20 else 20), np.float32)

    def batch(self, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Samples (size, LENGTH) and labels (size, WORDS, OUTPUTS): 1 that word just ended, 0 not, -1 do not care."""
        self._rng = rng
        samples = np.zeros((size, LENGTH), np.float32)
        labels = np.zeros((size, WORDS, OUTPUTS), np.float32)
        for row in range(size):
            scene = _Scene(samples[row], labels[row])
            if rng.random() < 0.58:
                self._keyword_scene(scene)
            else:
                self._other_scene(scene)
            samples[row] = self._finished(scene.samples)
        return samples, labels

    def _keyword_scene(self, scene: _Scene) -> None:
        rng = self._rng
        word = self._word()
        item, synthetic = self._spoken(word)
        before, after = (int(rng.integers(0, 5600)) for _ in range(2))
        first = max(0, item.start - before)
        sentence = synthetic and item.samples.size - item.end > 4000  # a command follows in the same breath
        piece = _levelled(item.samples[first : item.samples.size if sentence else item.end + after], item)
        end = int(rng.integers(_EARLIEST, _LATEST))
        onset = end - (item.end - first)
        _put(scene.samples, piece, onset)
        scene.labels[word] = label(end)
        if rng.random() < 0.5:
            self._speech_before(scene, onset)
        after_all = onset + piece.size
        draw = rng.random()
        if not sentence and draw < 0.25:
            self._second_keyword(scene, after_all)
        elif not sentence and draw < 0.65:
            gap = 0 if rng.random() < 0.4 else int(rng.exponential(3000.0))
            _put(scene.samples, self._words() * self._gain(-5.0, 4.0), after_all + gap)

    def _second_keyword(self, scene: _Scene, start: int) -> None:
        """Another word of the collection soon after the first, if it fits."""
        word = self._word()
        item, _ = self._spoken(word)
        end = start + int(self._rng.exponential(2000.0)) + item.end - item.start
        if end > LENGTH - 200 or scene.labels[word].max() > 0.0:
            return
        piece = _levelled(item.samples[item.start : item.end], item) * self._gain(-4.0, 4.0)
        _put(scene.samples, piece, end - piece.size)
        scene.labels[word] = label(end)

    def _other_scene(self, scene: _Scene) -> None:
        rng = self._rng
        kind = rng.random()
        if kind < 0.10:
            return  # noise alone
        if kind < 0.32:
            piece = self._fragment()
        elif kind < 0.55:
            piece = _levelled(self._pick(self._bank.near))
        elif kind < 0.80 and self._bank.mined:
            mined = self._pick(self._bank.mined)
            piece = _levelled(mined.samples)
            if mined.word is not None:
                scene.labels[mined.word] = IGNORED
        else:
            piece = self._words()
        place = int(rng.integers(-8_000, 40_000))
        _put(scene.samples, piece, place)
        after = place + piece.size + int(rng.exponential(3000.0))
        while after < LENGTH:
            words = self._words()
            _put(scene.samples, words * self._gain(-4.0, 4.0), after)
            after += words.size + int(rng.exponential(6000.0))
        if rng.random() < 0.6:
            self._speech_before(scene, place)

    def _fragment(self) -> Floats:
        """Part of a keyword, alone, doubled, or joined to a part of another: never the whole of one."""
        rng = self._rng
        item, _ = self._spoken(self._word())
        middle = item.start + round((item.end - item.start) * rng.uniform(0.3, 0.62))
        head, tail = _faded(item.samples[item.start : middle]), _faded(item.samples[middle : item.end])
        kind = rng.random()
        if kind < 0.30:
            return _levelled(head)
        if kind < 0.50:
            return _levelled(tail)
        if kind < 0.60:
            return _levelled(np.concatenate([tail, head]))
        if kind < 0.65:
            return _levelled(np.concatenate([head, head]))
        other = _levelled(_faded(self._cut(int(rng.integers(2400, 8000)))))
        parts = [_levelled(head), other] if kind < 0.85 else [other, _levelled(tail)]
        return np.concatenate(parts)

    def _speech_before(self, scene: _Scene, onset: int) -> None:
        words = self._words() * self._gain(-5.0, 4.0)
        gap = 0 if self._rng.random() < 0.3 else int(self._rng.exponential(4000.0))
        _put(scene.samples, words, onset - gap - words.size)

    def _words(self) -> Floats:
        """Up to 2.5 s of speech without a keyword; one time in five, real voices cut to syllables and shuffled."""
        length = int(self._rng.integers(8_000, 40_000))
        if self._rng.random() < 0.8:
            return _levelled(_faded(self._cut(length)))
        pieces: list[Floats] = []
        while sum(piece.size for piece in pieces) < length:
            pieces.append(_levelled(_faded(self._cut(int(self._rng.integers(1_300, 5_000))))) * self._gain(-3.0, 3.0))
        return np.concatenate(pieces)

    def _cut(self, length: int) -> Clip:
        clip = self._pick(self._bank.speech)
        start = int(self._rng.integers(0, max(1, clip.size - length)))
        return clip[start : start + length]

    def _word(self) -> int:
        """One of our keywords seven times in ten, else another of the collection."""
        ours = len(phrases.KEYWORDS)
        return int(self._rng.integers(0, ours) if self._rng.random() < 0.7 else self._rng.integers(ours, WORDS))

    def _spoken(self, word: int) -> tuple[Spoken, bool]:
        """Two in five a recording, one in four another speaker made of a good synthetic voice, else a synthetic voice as it is."""
        draw = self._rng.random()
        if draw < 0.4:
            return self._pick(self._bank.real[word]), False
        return self._pick((draw < 0.65 and self._bank.others[word]) or self._bank.synthetic[word]), True

    def _finished(self, canvas: Floats) -> Floats:
        """Room, noise and microphone gain."""
        rng = self._rng
        if rng.random() < 0.35:
            room = self._rooms[int(rng.integers(len(self._rooms)))]
            canvas = np.asarray(np.fft.irfft(np.fft.rfft(canvas, _FFT) * room, _FFT)[:LENGTH], dtype=np.float32)
        kind = str(rng.choice(_NOISES, p=_SHARES))
        if kind != "none":
            pool = self._pools[kind]
            start = int(rng.integers(0, pool.size - LENGTH))
            noise = pool[start : start + LENGTH]
            ratio = rng.uniform(_LOWEST_DB[kind], _HIGHEST_DB)
            canvas = np.asarray(canvas + np.float32(acoustics.noise_gain(0.1, noise, ratio)) * noise, dtype=np.float32)
        start = int(rng.integers(0, self._hiss.size - LENGTH))
        hiss = np.float32(10.0 ** (rng.uniform(-75.0, -48.0) / 20.0))
        canvas = np.asarray(canvas + hiss * self._hiss[start : start + LENGTH], dtype=np.float32)
        if rng.random() < 0.08:
            canvas = self._telephone(canvas)
        return np.asarray(np.clip(canvas * self._gain(-32.0, 12.0), -1.0, 1.0), dtype=np.float32)

    def _telephone(self, canvas: Floats) -> Floats:
        """Nothing left below 200 to 400 Hz and above 3.2 to 3.8 kHz: a hands-free kit's narrow band."""
        low, high = self._rng.uniform(200.0, 400.0), self._rng.uniform(3200.0, 3800.0)
        hertz = np.fft.rfftfreq(_FFT, 1.0 / acoustics.SAMPLE_RATE)
        keep = ((hertz > low) & (hertz < high)).astype(np.float32)
        return np.asarray(np.fft.irfft(np.fft.rfft(canvas, _FFT) * keep, _FFT)[:LENGTH], dtype=np.float32)

    def _babble(self, seconds: float) -> Floats:
        total = np.zeros(int(seconds * acoustics.SAMPLE_RATE), np.float32)
        for _ in range(int(self._rng.integers(3, 7))):
            place = -int(self._rng.integers(0, 16_000))
            while place < total.size:
                words = _levelled(self._pick(self._bank.speech))
                _put(total, words, place)
                place += words.size
        return total

    def _gain(self, low_db: float, high_db: float) -> np.float32:
        return np.float32(10.0 ** (self._rng.uniform(low_db, high_db) / 20.0))

    def _pick(self, items: list[_T]) -> _T:
        return items[int(self._rng.integers(len(items)))]


def label(end: int) -> Floats:
    """Labels of an example whose keyword ends at sample `end`: fire within 0.2 s after it; ignored just around that."""
    late = keyword.output_positions(0, OUTPUTS) - end
    labels = np.zeros(OUTPUTS, np.float32)
    labels[(late >= -3200) & (late <= 9600)] = IGNORED
    labels[(late >= 0) & (late <= 3200)] = 1.0
    return labels


def _levelled(clip: Clip | Floats, item: Spoken | None = None) -> Floats:
    """At an active level of -20 dBFS, that of the word in `item` where given; a silent clip stays silent."""
    samples = clip.astype(np.float32)
    reference = samples if item is None else item.samples[item.start : item.end].astype(np.float32)
    level = acoustics.active_level(reference)
    return samples * np.float32(0.1 / level) if level > 0.0 else samples


def _faded(clip: Clip) -> Floats:
    """10 ms in and out, so that a cut does not click."""
    samples = clip.astype(np.float32)
    ramp = np.linspace(0.0, 1.0, min(160, samples.size // 2), dtype=np.float32)
    if ramp.size:
        samples[: ramp.size] *= ramp
        samples[-ramp.size :] *= ramp[::-1]
    return samples


def _put(canvas: Floats, piece: Floats, place: int) -> None:
    """Add `piece` to `canvas` from sample `place` on, cut at both ends."""
    first, last = max(place, 0), min(place + piece.size, canvas.size)
    if last > first:
        canvas[first:last] += piece[first - place : last - place]
