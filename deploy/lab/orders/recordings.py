"""Spoken orders of a closed domain for `eval commands`: recordings, what each asks for, and the noise they are heard in.

Owns: reading the label file and the sounds, and mixing. Does not own hearing or counting.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deploy.lab.wake import sounds as wake_sounds
from models import acoustics
from schemas.errors import AudioFileError, EvaluationDataError
from schemas.events import SAMPLE_RATE, Samples

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Order:
    """One recording and what it asks for."""

    name: str
    samples: Samples
    slots: dict[str, str]
    """Slots and their values as labelled, normalised to lower case and single spaces."""

    @property
    def seconds(self) -> float:
        """Length of the recording, silence included."""
        return self.samples.size / SAMPLE_RATE


def read(folder: Path, labels: Path, limit: int | None = None) -> list[Order]:
    """The labelled recordings of a folder in order of name.

    Args:
        folder: WAV or FLAC files, one order each, any rate.
        labels: a JSON object: file name to an object of slots and values.
        limit: only so many, spread over all.

    Raises:
        EvaluationDataError: a file or folder is missing, the labels are not of that form, or none of them has its recording.
        AudioFileError: a recording cannot be read, or holds no sound.
    """
    told = _labels(labels)
    if not folder.is_dir():
        raise EvaluationDataError(f"there is no folder {folder}; give a folder of WAV or FLAC files")
    names = sorted(name for name in told if (folder / name).is_file())
    if not names:
        raise EvaluationDataError(f"none of the {len(told)} recordings labelled in {labels} lies in {folder}")
    if limit is not None and limit < len(names):
        names = [names[index * len(names) // limit] for index in range(limit)]
    return [Order(name, _sound(folder / name), told[name]) for name in names]


def in_noise(order: Order, noise: Floats | None, snr: float, seed: int) -> Samples:
    """The recording with noise under it.

    Args:
        order: what is said.
        noise: recorded noise, full scale 1.0; None for synthetic road noise. Shorter noise is repeated.
        snr: decibels, active level of the speech over the noise's RMS, both over the whole band.
        seed: with the recording's name and the ratio it decides which stretch of noise is taken.
    """
    rng = np.random.default_rng([seed, zlib.crc32(order.name.encode()), round(1000.0 * snr) & 0xFFFF])
    speech = order.samples.astype(np.float32) / np.float32(32768.0)
    if noise is None:
        under = acoustics.road_noise(order.seconds + 0.1, rng, rng.uniform(50.0, 120.0), rng.uniform(1500.0, 3000.0))
    else:
        again = -(-(speech.size + 1) // noise.size)
        long = np.tile(noise, again + 1) if again > 1 else noise
        begin = int(rng.integers(0, long.size - speech.size))
        under = long[begin : begin + speech.size]
    mixed = acoustics.mix_at_snr(speech, under, snr)
    return np.asarray(np.clip(mixed * 32768.0, -32768.0, 32767.0), dtype=np.int16)


def plain(text: object) -> str:
    """A slot's value for comparing: lower case, single spaces."""
    return " ".join(str(text).lower().split())


def _labels(path: Path) -> dict[str, dict[str, str]]:
    wanted = 'an object such as {"a.flac": {"size": "small"}}'
    try:
        content = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise EvaluationDataError(f"cannot read the labels {path}: {error.strerror}; it must hold {wanted}") from None
    except ValueError:
        raise EvaluationDataError(f"the labels {path} are no JSON; they must be {wanted}") from None
    if not isinstance(content, dict) or not content or not all(isinstance(own, dict) for own in content.values()):
        raise EvaluationDataError(f"the labels {path} do not have the right form; they must be {wanted}")
    return {
        name: {str(slot): plain(value) for slot, value in own.items() if value is not None}
        for name, own in content.items()
    }


def _sound(path: Path) -> Samples:
    samples = wake_sounds.read(path)
    if not samples.any():
        raise AudioFileError(f"{path} is silent and cannot hold an order; remove it")
    return samples
