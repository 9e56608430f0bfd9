"""From a sentence to sound: one engine a file, each behind ``schemas.ports.Synthesizer``, and the table of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from voice.engines import Engine


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


SYNTHESIZERS: Mapping[str, Engine] = MappingProxyType(
    {
        "espeak": Engine("voice.tts.espeak"),
        "piper": Engine("voice.tts.piper", package="piper", extra="tts", takes_model=True),
    }
)
"""Name in the configuration -> engine; its module's ``opened`` takes a ``Speaking`` and gives a ``Synthesizer``."""
