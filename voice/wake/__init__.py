"""Finding the wake word in a stream: one engine a file, each behind ``schemas.ports.WakeWord``, and the registry of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from schemas.events import Samples
from schemas.registry import Registry, Row


@runtime_checkable
class SecondEar(Protocol):
    """Hears whether a word was said in a short sound: asked where the wake word's own networks are in doubt."""

    def has(self, sound: Samples, word: str) -> bool:
        """Whether the word may have been said in these samples at 16 kHz; takes some tenths of a second.

        Raises:
            schemas.errors.ModelError: the engine failed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Waking:
    """What a wake word engine may be made of."""

    keyword: str
    """The word; the model was trained on it."""
    threshold: float | None
    """Score from which on it is the keyword; None for the model's own."""
    refractory_s: float
    """Seconds after a detection in which there is no other."""
    model: Path | None = None
    """The chosen model's file; None for an engine that takes none."""
    second: SecondEar | None = None
    """What may be asked whether it hears the word; None where nothing on this machine can tell."""
    remote: str | None = None
    """``host:port`` of one on another computer."""


WAKE_WORDS = Registry(
    "wake word engine",
    "glovebox.wake_words",
    {
        "onnx": Row("voice.wake.onnx:opened", takes_model=True),
        "wyoming": Row("voice.remote.word:opened", package="wyoming", extra="wyoming", takes_model=True),
    },
)
"""Each takes a ``Waking`` and gives a ``schemas.ports.WakeWord``."""
