"""Speech recognition: one engine a file, each behind ``schemas.ports.Recognizer``, and the table of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from models.commands.matcher import TemplateMatcher
from voice.engines import Engine


def _quietly(line: str) -> None:
    del line


@dataclass(frozen=True, slots=True)
class Hearing:
    """What a recogniser may be made of."""

    matcher: TemplateMatcher
    """Says what a complete command is."""
    find: Callable[[str], Path]
    """The files of a model of the catalogue by its id; raises ``schemas.errors.ModelError``."""
    threads: int
    model: Path | None = None
    """The chosen model's files; None for an engine that takes none."""
    tell: Callable[[str], None] = _quietly
    """Told in a sentence what an engine does without."""


RECOGNIZERS: Mapping[str, Engine] = MappingProxyType(
    {
        "pocketsphinx": Engine("voice.asr.pocketsphinx"),
        "together": Engine("voice.asr.together", package="faster_whisper", extra="asr", takes_model=True),
        "whisper": Engine("voice.asr.whisper", package="faster_whisper", extra="asr", takes_model=True),
    }
)
"""Name in the configuration -> engine; its module's ``opened`` takes a ``Hearing`` and gives a ``Recognizer``."""
