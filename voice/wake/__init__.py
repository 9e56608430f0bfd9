"""Finding the wake word in a stream: one engine a file, each behind ``schemas.ports.WakeWord``, and the registry of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schemas.registry import Registry, Row


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


WAKE_WORDS = Registry(
    "wake word engine", "glovebox.wake_words", {"onnx": Row("voice.wake.onnx:opened", takes_model=True)}
)
"""Each takes a ``Waking`` and gives a ``schemas.ports.WakeWord``."""
