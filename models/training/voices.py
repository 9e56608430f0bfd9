"""Synthetic voices: espeak-ng, flite, festival, SVOX Pico and Piper.

Owns: which voices are trained on and which are kept for measuring, and calling the engines. Does not own what they say. espeak-ng
is enough to measure with; the others are asked for only where their voices are.
"""

from __future__ import annotations

import importlib
import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

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

FLITE_VOICES = ("rms", "kal16")
"""Voices of flite, made from real speakers' recordings; only trained on. Its "slt" is the speaker of a test voice and left out."""
FESTIVAL_VOICES = ("kal_diphone", "ked_diphone")
"""Voices of festival (packages festvox-kallpc16k, festvox-kdlpc16k); only trained on."""
PICO_VOICES = ("en-GB", "en-GB", "en-GB", "it-IT", "es-ES")
"""Voices of SVOX Pico (package py-nanotts); only trained on. The foreign ones read English with their accent."""
DEV_VOICES = ("flite:awb", "pico:de-DE")
"""Never trained on: thresholds are chosen with them, and with half of the held-out variants."""
TEST_VOICES = ("piper:joe", "pico:en-US", "festival:cmu_us_slt_arctic_hts")
"""Never trained on, by nothing in this project: real speakers' voices of three engines, to measure with."""
PIPER = "GLOVEBOX_PIPER_JOE"
"""Environment variable: the file of Piper's voice joe, for measuring with it."""

_ACCENTED = {
    "de-DE": {"jarvis": "dscharwis"},
    "es-ES": {"computer": "compiúter", "jarvis": "yarvis"},
    "it-IT": {"computer": "compiuter", "jarvis": "giarvis"},
}
"""How Pico's foreign voices must read our words to say them."""


@dataclass(frozen=True)
class Prosody:
    """One way to speak: voice, speed in words a minute, pitch 0..99."""

    voice: str
    """espeak-ng's name, or "flite:rms", "festival:kal_diphone", "pico:en-GB", "piper:joe"."""
    speed: int
    pitch: int


Draw = Callable[[np.random.Generator], Prosody]
"""Who speaks next."""


def espeak(variants: tuple[str, ...]) -> Draw:
    """A voice of any accent; speed and pitch somewhat wider than a person would set (115..205, 15..90)."""

    def draw(rng: np.random.Generator) -> Prosody:
        voice = str(rng.choice(ACCENTS)) + str(rng.choice(np.asarray(variants)))
        return Prosody(voice, int(rng.integers(115, 206)), int(rng.integers(15, 91)))

    return draw


def one_of(engine: str, names: tuple[str, ...]) -> Draw:
    """A voice of an engine (its prefix in `Prosody.voice`) at a random speed (115..205) and pitch (15..90)."""

    def draw(rng: np.random.Generator) -> Prosody:
        return Prosody(
            engine + str(rng.choice(np.asarray(names))), int(rng.integers(115, 206)), int(rng.integers(15, 91))
        )

    return draw


def mixed(*shares: tuple[float, Draw]) -> Draw:
    """Each draw in its share; the shares are weights."""
    weights = np.asarray([share for share, _ in shares])

    def draw(rng: np.random.Generator) -> Prosody:
        return shares[int(rng.choice(len(shares), p=weights / weights.sum()))][1](rng)

    return draw


OLD = mixed((0.8, espeak(TRAIN_VARIANTS)), (0.2, one_of("flite:", FLITE_VOICES)))
"""Formant voices for the most part: every accent and pitch, nobody's real voice."""
READ = mixed(
    (0.45, one_of("pico:", PICO_VOICES)),
    (0.30, one_of("flite:", FLITE_VOICES)),
    (0.25, one_of("festival:", FESTIVAL_VOICES)),
)
"""Voices cut or modelled from real speakers' recordings."""
DEV = mixed((0.6, one_of("", DEV_VOICES)), (0.4, espeak(HELD_OUT_VARIANTS[1::2])))
"""Voices to choose thresholds with."""
OTHERS = espeak(HELD_OUT_VARIANTS[::2])
"""Held-out variants of espeak-ng to measure with, where nothing else is installed."""


def available() -> bool:
    """Whether espeak-ng is installed; flite is needed for training alone."""
    return shutil.which("espeak-ng") is not None


def speak(text: str, prosody: Prosody) -> NDArray[np.int16]:
    """Synthesise `text`: mono 16 kHz samples, silence at both ends cut off.

    Raises:
        EngineMissingError: The engine is not installed or refused the voice.
    """
    engine, _, voice = prosody.voice.rpartition(":")
    if engine == "pico":
        sound, rate = _pico(text, voice, prosody), SAMPLE_RATE
    elif engine == "piper":
        sound, rate = _piper(text, prosody)
    elif engine == "festival":
        sound, rate = _festival().speak(text, voice, prosody)
    else:
        sound, rate = _program(engine or "espeak-ng", text, prosody)
    resampled = np.asarray(soxr.resample(sound, rate, SAMPLE_RATE), dtype=np.float32)
    loud = np.flatnonzero(np.abs(resampled) > 10.0 ** (-34.0 / 20.0) * np.abs(resampled).max())
    cut = resampled[max(0, int(loud[0]) - 160) : int(loud[-1]) + 160]
    return np.asarray(np.clip(cut, -1.0, 1.0) * 32767.0, dtype=np.int16)


def _program(program: str, text: str, prosody: Prosody) -> tuple[NDArray[np.float32], int]:
    if shutil.which(program) is None:
        raise EngineMissingError(f"{program} is not installed; install the system package {program}")
    command = {"espeak-ng": _espeak, "flite": _flite}[program](text, prosody)
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0 or len(done.stdout) <= 44:
        raise EngineMissingError(f"{program} gave no sound for the voice {prosody.voice!r}; is its data installed?")
    sound, rate = sf.read(io.BytesIO(done.stdout), dtype="float32")
    return np.asarray(sound, np.float32), rate


def _espeak(text: str, prosody: Prosody) -> list[str]:
    speed, pitch = str(prosody.speed), str(prosody.pitch)
    return ["espeak-ng", "-v", prosody.voice, "-s", speed, "-p", pitch, "--stdout", "--", text]


def _flite(text: str, prosody: Prosody) -> list[str]:
    pitch = 110.0 * 2.0 ** ((prosody.pitch - 50) / 100.0)  # Hz; men
    settings = {"duration_stretch": 160.0 / prosody.speed, "int_f0_target_mean": pitch}
    flags = [part for name, value in settings.items() for part in ("--setf", f"{name}={value:.2f}")]
    voice = prosody.voice.rpartition(":")[2]
    return ["flite", "-voice", voice, *flags, "-t", text, "-o", "/dev/stdout"]


class _Festival:
    """One festival that speaks everything: it takes a second to start, and a hundredth of one to speak."""

    def __init__(self) -> None:
        if shutil.which("festival") is None:
            raise EngineMissingError("festival is not installed; install the system package festival")
        self._process = subprocess.Popen(["festival", "--pipe"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._folder = tempfile.TemporaryDirectory()

    def speak(self, text: str, voice: str, prosody: Prosody) -> tuple[NDArray[np.float32], int]:
        """Its sound and rate; the pitch is the voice's own."""
        path = Path(self._folder.name) / "sound.wav"
        path.unlink(missing_ok=True)
        words = text.replace("\\", " ").replace('"', " ")
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(
            f"(voice_{voice}) (Parameter.set 'Duration_Stretch {160.0 / prosody.speed:.2f}) "
            f'(utt.save.wave (utt.synth (Utterance Text "{words}")) "{path}" \'riff) '
            '(format t "made\\n") (fflush nil)\n'.encode()
        )
        self._process.stdin.flush()
        self._process.stdout.readline()
        if not path.is_file():
            raise EngineMissingError(f"festival gave no sound for the voice {voice!r}; is its package installed?")
        sound, rate = sf.read(path, dtype="float32")
        return np.asarray(sound, np.float32), rate


@cache
def _festival() -> _Festival:
    return _Festival()


def _pico(text: str, voice: str, prosody: Prosody) -> NDArray[np.float32]:
    for word, written in _ACCENTED.get(voice, {}).items():
        text = text.replace(word, written)
    pitch = 2.0 ** ((prosody.pitch - 50) / 100.0)
    pcm = _nanotts().speak(text, voice=voice, speed=prosody.speed / 160.0, pitch=pitch)
    return np.frombuffer(pcm, np.int16).astype(np.float32) / np.float32(32768.0)


@cache
def _nanotts() -> Any:
    try:
        return importlib.import_module("py_nanotts").NanoTTS()
    except ImportError as error:
        raise EngineMissingError("py-nanotts is not installed; install the package to speak with SVOX Pico") from error


def _piper(text: str, prosody: Prosody) -> tuple[NDArray[np.float32], int]:
    voice, config = _piper_voice()
    chunks = voice.synthesize(text, syn_config=config(length_scale=160.0 / prosody.speed))
    return np.concatenate([chunk.audio_float_array for chunk in chunks]), int(voice.config.sample_rate)


@cache
def _piper_voice() -> tuple[Any, Any]:
    path = Path(os.environ.get(PIPER, ""))
    if not path.is_file():
        raise EngineMissingError(f"set {PIPER} to the file of Piper's voice joe (en_US-joe-medium.onnx)")
    try:
        package = importlib.import_module("piper")
    except ImportError as error:
        raise EngineMissingError("piper-tts is not installed; install it to measure with Piper's voice joe") from error
    return package.PiperVoice.load(path), package.SynthesisConfig
