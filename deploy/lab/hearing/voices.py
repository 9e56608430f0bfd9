"""Synthetic drivers that nothing here was trained on, and their sound on disk.

Owns who can speak on this machine, and why another cannot. Every voice is optional: SVOX Pico (package py-nanotts, Apache-2.0),
Piper's joe (package piper-tts and the model that the catalogue names) and festival's slt (an HTS voice, Debian's
festvox-us-slt-hts). The wake word's training leaves the same three out (`models.training.voices`). espeak-ng is the
control: it is heard better than it should be, because wake word, noise network and thresholds were made with its help.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from models.catalog import Catalog
from models.training.voices import Prosody, speak
from schemas.errors import EngineMissingError, ModelDamagedError, ModelMissingError
from schemas.events import Samples
from voice.audio.wavefile import read, write
from voice.tts.piper import PiperSynthesizer

Say = Callable[[Sequence[str]], list[Samples]]
"""Texts in, mono int16 at 16 kHz out, one for each text."""

PIPER = "piper-en-us-joe-medium"
"""The catalogue's id of the driver joe."""
CONTROL = "espeak"
UNSEEN = ("pico", "joe", "slt")
"""Voices of drivers, in the order in which they share out sentences."""
FESTIVAL_VOICE = "cmu_us_slt_arctic_hts"
"""slt's name in festival."""
_FESTIVAL_VOICES = Path("/usr/share/festival/voices")
_FESTIVAL_S = 600.0
_PATIENCE = 20.0
"""How much longer than in the car Piper may take for a sentence."""
_SPELT = {"a c": "A C", "p m": "P M"}
"""Letters, as synthesisers read them one by one."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A voice that cannot speak here."""

    name: str
    why: str


class Voice:
    """A driver, whose sentences are made once and kept as FLAC files."""

    def __init__(self, name: str, say: Say, folder: Path, revision: str = "1") -> None:
        """A voice with its folder of sound.

        Args:
            name: as it stands in tables.
            say: makes sound.
            folder: of all voices' sound; is made.
            revision: tells one version of the synthesiser's settings from another.
        """
        self.name, self._say, self._revision = name, say, revision
        self._folder = folder / name
        self._folder.mkdir(parents=True, exist_ok=True)

    def sounds(self, texts: Sequence[str]) -> list[Samples]:
        """The sound of each text: mono int16 at 16 kHz.

        Raises:
            schemas.errors.GloveboxError: the synthesiser failed, or the folder cannot be written.
        """
        lacking = [text for text in dict.fromkeys(texts) if not self._path(text).is_file()]
        for text, sound in zip(lacking, self._say([_spelt(text) for text in lacking]) if lacking else [], strict=True):
            write(self._path(text), sound)
        return [read(self._path(text)) for text in texts]

    def sound(self, text: str) -> Samples:
        """The sound of one text."""
        return self.sounds([text])[0]

    def _path(self, text: str) -> Path:
        digest = hashlib.sha256(f"{self._revision}\0{text}".encode()).hexdigest()[:20]
        return self._folder / f"{digest}.flac"


def find(names: Sequence[str], folder: Path, piper: Path | None) -> tuple[list[Voice], list[Missing]]:
    """The voices of these names that can speak here, and the others with the reason.

    Args:
        names: of `UNSEEN` and `CONTROL`.
        folder: where sound is kept.
        piper: the .onnx file of Piper's voice; None where there is none.
    """
    found: list[Voice] = []
    missing: list[Missing] = []
    for name in names:
        made = _maker(name, piper)
        if isinstance(made, str):
            missing.append(Missing(name, made))
        else:
            found.append(Voice(name, made, folder))
    return found, missing


def joe(catalog: Catalog) -> Path | None:
    """The .onnx file of Piper's voice; None where it is not here."""
    try:
        return catalog.find(PIPER)
    except (ModelMissingError, ModelDamagedError):
        return None


def _maker(name: str, piper: Path | None) -> Say | str:
    """How a voice is made to speak, or why it cannot."""
    if name not in (*UNSEEN, CONTROL):
        return f"there is no voice of that name; there are {', '.join((*UNSEEN, CONTROL))}"
    why = ""
    if name == "pico" and importlib.util.find_spec("py_nanotts") is None:
        why = "the package py-nanotts is not installed: pip install py-nanotts==0.1.1"
    if name == "joe" and importlib.util.find_spec("piper") is None:
        why = "the package piper-tts is not installed: pip install piper-tts"
    elif name == "joe" and (piper is None or not piper.is_file()):
        why = "its model is not here: get piper-en-us-joe-medium with `glovebox models get`, or name the .onnx file with --piper"
    if name == "slt" and shutil.which("festival") is None:
        why = "festival is not installed: apt-get install festival festvox-us-slt-hts"
    elif name == "slt" and not any(_FESTIVAL_VOICES.glob(f"*/{FESTIVAL_VOICE}")):
        why = "its voice is not installed: apt-get install festvox-us-slt-hts"
    if name == CONTROL and shutil.which("espeak-ng") is None:
        why = "espeak-ng is not installed: apt-get install espeak-ng"
    if why:
        return why
    if name == "joe" and piper is not None:
        return lambda texts: _piper(piper, texts)
    return {"pico": _pico, "slt": _festival}.get(name, _espeak)


def _espeak(texts: Sequence[str]) -> list[Samples]:
    return [np.asarray(speak(text, Prosody("en-us", 150, 50)), np.int16) for text in texts]


def _pico(texts: Sequence[str]) -> list[Samples]:
    engine: Any = importlib.import_module("py_nanotts").NanoTTS()
    return [np.frombuffer(engine.speak(text, voice="en-US"), np.int16).copy() for text in texts]


def _piper(model: Path, texts: Sequence[str]) -> list[Samples]:
    """By the assistant's own program for Piper. It draws noise, so what repeats is the sound on disk."""
    with closing(PiperSynthesizer(model, patience=_PATIENCE)) as voice:
        voice.check()
        return [np.concatenate(list(voice.synthesize(text))) for text in texts]


def _festival(texts: Sequence[str]) -> list[Samples]:
    """All texts by one process: festival takes a second to start.

    Raises:
        EngineMissingError: it failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.wav" for number in range(len(texts))]
        script = [f"(voice_{FESTIVAL_VOICE})"]
        for path, text in zip(paths, texts, strict=True):
            quoted = text.replace("\\", " ").replace('"', " ")
            script.append(f'(utt.save.wave (utt.synth (Utterance Text "{quoted}")) "{path}" \'riff)')
        program = Path(folder) / "say.scm"
        program.write_text("\n".join(script), encoding="utf-8")
        command = [shutil.which("festival") or "festival", "-b", str(program)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_FESTIVAL_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EngineMissingError(f"festival could not speak with {FESTIVAL_VOICE}: {error}") from None
        if done.returncode or not all(path.is_file() for path in paths):
            raise EngineMissingError(f"festival could not speak with {FESTIVAL_VOICE}: {done.stderr.strip()[:200]}")
        return [read(path) for path in paths]


def _spelt(text: str) -> str:
    for letters, spelt in _SPELT.items():
        text = f" {text} ".replace(f" {letters} ", f" {spelt} ").strip()
    return text
