"""Sound files for `eval wake`: folders of clips with and without the wake word, and a file of noise.

Owns: finding and reading them at any rate, mono or more. Does not own mixing or counting.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile as sf
import soxr

from models.training.wake.corpus import Clip, Part, Spoken, keyword_bounds, part_of
from models.training.wake.listening import RATE, Floats
from schemas.errors import AudioFileError, EvaluationDataError

SUFFIXES = frozenset({".wav", ".flac"})
SHORTEST = RATE // 5
"""Samples of the shortest clip that can hold a word."""

Told = Callable[[int, int], object]


def files(folder: Path, part: Part | None = None) -> list[Path]:
    """The sound files under `folder`, in order of name; those of one part of the training's split if it is given.

    Raises:
        EvaluationDataError: no such folder, or it holds no WAV or FLAC file (of that part).
    """
    if not folder.is_dir():
        raise EvaluationDataError(f"there is no folder {folder}; give a folder of WAV or FLAC files")
    found = sorted(
        path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file() and path.stat().st_size
    )
    chosen = [path for path in found if part is None or part_of(path.name) == part]
    if not chosen:
        of = f" that belong to the part {part!r}" if found and part else ""
        raise EvaluationDataError(f"{folder} holds no WAV or FLAC files{of}; give a folder that does")
    return chosen


def read(path: Path) -> Clip:
    """A file's first channel at 16 kHz.

    Raises:
        AudioFileError: it is empty or no sound file.
    """
    try:
        samples, rate = sf.read(path, dtype="float32", always_2d=True)
    except (sf.LibsndfileError, OSError) as error:
        raise AudioFileError(f"{path} is not a readable sound file; remove it or fetch it again") from error
    if not len(samples):
        raise AudioFileError(f"{path} holds no sound; remove it or fetch it again")
    mono = samples[:, 0]
    if rate != RATE:
        mono = np.asarray(soxr.resample(mono, rate, RATE), dtype=np.float32)
    return np.asarray(np.clip(mono * 32768.0, -32768.0, 32767.0), dtype=np.int16)


def positives(paths: list[Path], told: Told) -> list[Spoken]:
    """Clips that hold the wake word once, with where it lies: the loudest stretch.

    Raises:
        AudioFileError: a file cannot be read, is silent or shorter than a word.
    """
    found: list[Spoken] = []
    for done, path in enumerate(paths):
        told(done, len(paths))
        clip = read(path)
        if clip.size < SHORTEST or not clip.any():
            raise AudioFileError(f"{path} is silent or shorter than 0.2 s and cannot hold a wake word; remove it")
        found.append(Spoken(clip, *keyword_bounds(clip)))
    return found


def known(folder: Path) -> list[Spoken]:
    """The recordings of `folder` that the built-in network was trained on; none where it has no such part."""
    try:
        return positives(files(folder, "train"), max)
    except EvaluationDataError:
        return []


def noise(path: Path) -> Floats:
    """A file of noise, full scale 1.0.

    Raises:
        EvaluationDataError: no such file.
        AudioFileError: it cannot be read, or is silent.
    """
    if not path.is_file():
        raise EvaluationDataError(f"there is no noise file {path}; give a WAV or FLAC file, or 'road'")
    samples = read(path).astype(np.float32) / np.float32(32768.0)
    if not samples.any():
        raise AudioFileError(f"{path} is silent and cannot be mixed as noise; give another file")
    return samples
