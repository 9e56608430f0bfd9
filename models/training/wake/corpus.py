"""What the wake word is trained and measured on: recordings, synthetic speech, and their split.

Owns: reading the recordings, the fixed split by file (each file is one speaker saying one thing), where the keyword lies in
a clip, and the synthetic share. Does not own noise or mixing. The recordings are Picovoice's wake-word-benchmark and
speech-to-intent-benchmark (Apache-2.0); they are read from a folder and never copied into the project.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import numpy as np
import soundfile as sf
from numpy.typing import NDArray

from models.training import voices
from models.training.wake.words import lexicon, phrases
from schemas.errors import AudioFileError

Part = Literal["train", "dev", "test"]
Clip = NDArray[np.int16]

_FRAME = 160


@dataclass(frozen=True)
class Spoken:
    """A clip that holds the keyword once, from sample `start` to sample `end`."""

    samples: Clip
    start: int
    end: int


def part_of(name: str) -> Part:
    """The fixed split: 60 % train, 15 % dev, 25 % test, by a hash of the file's name."""
    share = int.from_bytes(hashlib.sha256(f"wake-1/{name}".encode()).digest()[:4], "big") / 2**32
    return "train" if share < 0.60 else "dev" if share < 0.75 else "test"


def recordings(folder: Path, part: Part) -> list[Clip]:
    """Every FLAC or WAV of `folder` that belongs to `part`, in order of name.

    Raises:
        AudioFileError: The folder holds no such file, or one is not mono 16 kHz.
    """
    files = sorted(path for path in folder.glob("*") if path.suffix in {".flac", ".wav"} and path.stat().st_size)
    if not files:
        raise AudioFileError(f"no recordings in {folder}; point --data at the folder of wake word recordings")
    return [read(path) for path in files if part_of(path.name) == part]


def keyword_recordings(data: Path, keyword: str, part: Part) -> list[Spoken]:
    """The real speakers saying `keyword`, a folder of `data`."""
    return [Spoken(clip, *keyword_bounds(clip)) for clip in recordings(data / keyword, part)]


def other_recordings(data: Path, keyword: str, part: Part) -> list[Clip]:
    """Real speech without `keyword`: the other words of the collection, and the spoken orders."""
    others = [clip for name in phrases.SPOKEN if name != keyword for clip in recordings(data / name, part)]
    return others + orders(data, part)


def orders(data: Path, part: Part) -> list[Clip]:
    """Spoken orders to a coffee machine, from the folder beside `data`."""
    return recordings(data.parent / "commands", part)


def keyword_bounds(clip: Clip) -> tuple[int, int]:
    """First and last sample of the only word in a quiet clip: its loudest stretch, 10 ms frames within 22 dB of the peak."""
    padded = np.pad(clip.astype(np.float64), (0, -clip.size % _FRAME))
    power = np.convolve((padded.reshape(-1, _FRAME) ** 2).mean(axis=1), np.ones(3) / 3.0, "same")
    level = 10.0 * np.log10(power + 1.0)
    floor, peak = (float(value) for value in np.percentile(level, [15, 98]))
    active = np.flatnonzero(level > max(peak - 22.0, floor + 0.25 * (peak - floor)))
    stretches = np.split(active, np.flatnonzero(np.diff(active) > 18) + 1)
    best = max(stretches, key=lambda stretch: float(power[stretch].sum()))
    return int(best[0]) * _FRAME, min((int(best[-1]) + 1) * _FRAME, clip.size)


def synthetic_keywords(keyword: str, count: int, seed: int, draw: voices.Draw) -> list[Spoken]:
    """The keyword synthesised: half alone, three in ten with a command straight after, two in ten after words."""
    rng = np.random.default_rng(seed)
    word = keyword.replace("_", " ")
    spoken: list[Spoken] = []
    for index in range(count):
        prosody = draw(rng)
        alone = voices.speak(word, prosody)
        if index % 10 in (0, 2, 4, 6, 8):
            spoken.append(Spoken(alone, 0, alone.size))
        elif index % 10 in (1, 3, 5):
            comma = "," if rng.random() < 0.3 else ""
            clip = voices.speak(f"{word}{comma} {rng.choice(phrases.AFTER_KEYWORD)}", prosody)
            # Inside a sentence the word is shorter than alone, by about a tenth.
            spoken.append(Spoken(clip, 0, min(clip.size, round(0.9 * alone.size))))
        else:
            clip = voices.speak(f"{rng.choice(phrases.BEFORE_KEYWORD)} {word}", prosody)
            spoken.append(Spoken(clip, max(0, clip.size - alone.size), clip.size))
    return spoken


def synthetic_speech(texts: Sequence[str], count: int, seed: int, draw: voices.Draw) -> list[Clip]:
    """`texts` synthesised in turn, each time with another voice."""
    rng = np.random.default_rng(seed)
    clips: list[Clip] = []
    for index in range(count):
        prosody = draw(rng)
        clips.append(voices.speak(texts[index % len(texts)], prosody))
    return clips


def near_texts(keyword: str, seed: int) -> tuple[str, ...]:
    """Near words to train on: those written by hand and those of the dictionary, each alone and in a carrier sentence."""
    words = [*phrases.NEAR_WORDS[keyword] * 2]
    words += [word for word in lexicon.near_words(keyword) if not lexicon.measured_only(word)]
    rng = np.random.default_rng(seed)
    texts = [*words, *(str(rng.choice(phrases.NEAR_CARRIERS)).format(word) for word in words)]
    return tuple(texts[int(index)] for index in rng.permutation(len(texts)))


def near_measured(keyword: str) -> tuple[str, ...]:
    """Near words of the dictionary that are never trained on."""
    written = {word.lower() for words in phrases.NEAR_WORDS.values() for word in words}
    return tuple(word for word in lexicon.near_words(keyword) if lexicon.measured_only(word) and word not in written)


def cached(folder: Path, name: str, make: Callable[[], list[Spoken]]) -> list[Spoken]:
    """`make()`, or what it gave when it was last called under this name."""
    path = folder / f"{name}.npz"
    if path.exists():
        with np.load(path) as stored:
            sounds, bounds = stored["samples"], stored["bounds"]
        cuts = np.cumsum(bounds[:, 2])[:-1]
        pieces = cast(list[Clip], np.split(sounds, cuts))
        return [Spoken(clip, int(row[0]), int(row[1])) for clip, row in zip(pieces, bounds, strict=True)]
    made = make()
    folder.mkdir(parents=True, exist_ok=True)
    bounds = np.asarray([[item.start, item.end, item.samples.size] for item in made], dtype=np.int64)
    np.savez(path, samples=np.concatenate([item.samples for item in made]), bounds=bounds)
    return made


def cached_clips(folder: Path, name: str, make: Callable[[], list[Clip]]) -> list[Clip]:
    """Like `cached`, for clips without the keyword."""
    return [item.samples for item in cached(folder, name, lambda: [Spoken(clip, 0, 0) for clip in make()])]


def read(path: Path) -> Clip:
    """A mono 16 kHz sound file.

    Raises:
        AudioFileError: Missing, unreadable or of another format.
    """
    try:
        samples, rate = sf.read(path, dtype="int16")
    except sf.LibsndfileError as error:
        raise AudioFileError(f"{path} is not a readable sound file; remove it or fetch it again") from error
    if rate != voices.SAMPLE_RATE or samples.ndim != 1:
        raise AudioFileError(f"{path} has {rate} Hz and {samples.ndim} dimensions; mono 16000 Hz is needed")
    return cast(Clip, samples)
