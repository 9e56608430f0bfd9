"""Synthetic voices: espeak-ng, and for training flite too, as separate programs.

Owns: which voices are trained on and which are kept for measuring, and calling the programs. Does not own what they say.
"""

from __future__ import annotations

import io
import shutil
import subprocess
from dataclasses import dataclass

import numpy as np
import soundfile as sf
import soxr
from numpy.typing import NDArray

from schemas.errors import EngineMissingError

SAMPLE_RATE = 16_000

ACCENTS = (
    "en-us",
    "en-gb",
    "en-gb-x-rp",
    "en-gb-scotland",
    "en-gb-x-gbclan",
    "en-gb-x-gbcwmd",
    "en-029",
    "en-us-nyc",
)

TRAIN_VARIANTS = (
    *(
        "+f1 +f2 +f4 +m1 +m3 +m4 +m6 +m7 +Alex +Alicia +Andrea +Annie +Denis +Gene +Hugo +Jacky +Lee +Marco +Mario "
        "+Michael +Mike +adam +anika +belinda +boris +david +ed +edward +grandma +grandpa +iven +iven2 +john +klatt +klatt2 "
        "+klatt3 +miguel +pedro +quincy +robert +sandro +shelby +steph2 +travis +victor"
    ).split(),
    *[""] * 5,
)
"""Voice variants to train on; the plain voice five times, so that it is not drowned."""

HELD_OUT_VARIANTS = tuple("+f3 +f5 +m2 +m5 +m8 +linda +max +rob +steph +zac +norbert +benjamin +aunty +michel".split())
"""Never trained on."""

FLITE_VOICES = ("slt", "rms", "awb", "kal16")
"""Voices of flite, made from real speakers' recordings; only trained on, as `Prosody.voice` "flite:slt"."""
_FLITE = "flite:"


@dataclass(frozen=True)
class Prosody:
    """One way to speak: espeak-ng voice, speed in words a minute, pitch 0..99."""

    voice: str
    speed: int
    pitch: int


def random_prosody(rng: np.random.Generator, variants: tuple[str, ...]) -> Prosody:
    """A voice of any accent; speed and pitch somewhat wider than a person would set (115..205, 15..90)."""
    voice = str(rng.choice(ACCENTS)) + str(rng.choice(np.asarray(variants)))
    return Prosody(voice, int(rng.integers(115, 206)), int(rng.integers(15, 91)))


def available() -> bool:
    """Whether espeak-ng is installed; flite is needed for training alone."""
    return shutil.which("espeak-ng") is not None


def random_flite(rng: np.random.Generator) -> Prosody:
    """A voice of flite at a random speed (115..205) and pitch (15..90)."""
    return Prosody(_FLITE + str(rng.choice(FLITE_VOICES)), int(rng.integers(115, 206)), int(rng.integers(15, 91)))


def speak(text: str, prosody: Prosody) -> NDArray[np.int16]:
    """Synthesise `text`: mono 16 kHz samples, silence at both ends cut off.

    Raises:
        EngineMissingError: The program is not installed or refused the voice.
    """
    flite = prosody.voice.startswith(_FLITE)
    program = "flite" if flite else "espeak-ng"
    if shutil.which(program) is None:
        raise EngineMissingError(f"{program} is not installed; install the system package {program}")
    command = _flite(text, prosody) if flite else _espeak(text, prosody)
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0 or len(done.stdout) <= 44:
        raise EngineMissingError(f"{program} gave no sound for the voice {prosody.voice!r}; is its data installed?")
    samples, rate = sf.read(io.BytesIO(done.stdout), dtype="float32")
    resampled = np.asarray(soxr.resample(samples, rate, SAMPLE_RATE), dtype=np.float32)
    loud = np.flatnonzero(np.abs(resampled) > 10.0 ** (-34.0 / 20.0) * np.abs(resampled).max())
    cut = resampled[max(0, int(loud[0]) - 160) : int(loud[-1]) + 160]
    return np.asarray(np.clip(cut, -1.0, 1.0) * 32767.0, dtype=np.int16)


def _espeak(text: str, prosody: Prosody) -> list[str]:
    speed, pitch = str(prosody.speed), str(prosody.pitch)
    return ["espeak-ng", "-v", prosody.voice, "-s", speed, "-p", pitch, "--stdout", "--", text]


def _flite(text: str, prosody: Prosody) -> list[str]:
    voice = prosody.voice.removeprefix(_FLITE)
    middle = 170.0 if voice == "slt" else 110.0  # Hz; the other three are men
    pitch = middle * 2.0 ** ((prosody.pitch - 50) / 100.0)
    settings = {"duration_stretch": 160.0 / prosody.speed, "int_f0_target_mean": pitch}
    flags = [part for name, value in settings.items() for part in ("--setf", f"{name}={value:.2f}")]
    return ["flite", "-voice", voice, *flags, "-t", text, "-o", "/dev/stdout"]
