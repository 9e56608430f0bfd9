"""From a sentence to sound: one engine a file, each behind ``schemas.ports.Synthesizer``, and the registry of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schemas.registry import Registry, Row


@dataclass(frozen=True, slots=True)
class Speaking:
    """What a synthesiser may be made of."""

    voice: str
    """espeak-ng's voice."""
    speed: int
    """Words a minute; espeak-ng's."""
    pitch: int
    """0 to 99; espeak-ng's."""
    model: Path | None = None
    """The chosen voice's file; None for an engine that takes none."""
    remote: str | None = None
    """``host:port`` of one on another computer."""


SYNTHESIZERS = Registry(
    "voice",
    "glovebox.voices",
    {
        "espeak": Row("voice.tts.espeak:opened"),
        "piper": Row("voice.tts.piper:opened", package="piper", extra="tts", takes_model=True),
        "wyoming": Row("voice.remote.mouth:opened", package="wyoming", extra="wyoming"),
    },
)
"""Each takes a ``Speaking`` and gives a ``schemas.ports.Synthesizer``."""
