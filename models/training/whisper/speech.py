"""Sentences, spoken by synthetic voices that may be trained on, and by others to choose a state with.

Owns: one folder with ``train.npz`` and ``dev.npz``: all sound in one row of int16 at 16 kHz, where each sentence begins, what is
said. Which voices may be used is the wake word's rule (``models.training.voices``): the three test voices never.

``python -m models.training.whisper.speech OUT [--train 7000] [--dev 150]``
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.commands.templates import load_templates
from models.training import voices
from models.training.whisper.texts import draw
from schemas.errors import EngineMissingError

TRAIN = voices.mixed(
    (0.30, voices.one_of("pico:", voices.PICO_VOICES)),
    (0.28, voices.one_of("flite:", voices.FLITE_VOICES)),
    (0.24, voices.one_of("festival:", voices.FESTIVAL_VOICES)),
    (0.18, voices.espeak(voices.TRAIN_VARIANTS)),
)
"""Most are cut or modelled from recordings of people; formant voices are the fewest, since nobody speaks like them."""
LONGEST_S = 12.0
"""Longer sentences are left out: they make a batch of training slow."""


class Speech:
    """Spoken sentences."""

    def __init__(self, sound: NDArray[np.int16], begins: NDArray[np.int64], texts: list[str]) -> None:
        """Put together.

        Args:
            sound: all of them, one after the other.
            begins: shape (n + 1,): where each begins, and the end of the last.
            texts: what is said.
        """
        self.sound, self.begins, self.texts = sound, begins, texts

    def __len__(self) -> int:
        """How many."""
        return len(self.texts)

    def __getitem__(self, number: int) -> NDArray[np.int16]:
        """The sound of one."""
        return self.sound[self.begins[number] : self.begins[number + 1]]

    @classmethod
    def load(cls, path: Path) -> Speech:
        """Read what ``save`` wrote."""
        with np.load(path, allow_pickle=False) as data:
            return cls(data["sound"], data["begins"], [str(text) for text in data["texts"]])

    def save(self, path: Path) -> None:
        """Write to one file."""
        np.savez(path, sound=self.sound, begins=self.begins, texts=np.asarray(self.texts))


def spoken(texts: list[str], who: voices.Draw, seed: int) -> Speech:
    """Each sentence by a voice that is drawn; what an engine refuses is left out."""
    rng = np.random.default_rng(seed)
    sounds: list[NDArray[np.int16]] = []
    kept: list[str] = []
    for number, text in enumerate(texts):
        prosody = who(rng)
        try:
            sound = voices.speak(text, prosody)
        except (EngineMissingError, IndexError) as error:
            print(f"left out, {prosody.voice}: {text} ({error})", flush=True)
            continue
        if 0.2 < len(sound) / voices.SAMPLE_RATE < LONGEST_S:
            sounds.append(sound)
            kept.append(text)
        if number % 500 == 499:
            print(f"{number + 1} of {len(texts)}", flush=True)
    begins = np.concatenate([[0], np.cumsum([len(sound) for sound in sounds])])
    return Speech(np.concatenate(sounds), begins, kept)


def main() -> None:
    """Speak and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--train", type=int, default=7000, help="sentences to train on")
    parser.add_argument("--dev", type=int, default=150, help="sentences to choose a state with")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    templates = load_templates()
    spoken(draw(given.dev, templates, 11, held_out=True), voices.DEV, 12).save(given.out / "dev.npz")
    spoken(draw(given.train, templates, 1), TRAIN, 2).save(given.out / "train.npz")


if __name__ == "__main__":
    main()
