"""Speech recognition: one engine a file, each behind ``schemas.ports.Recognizer``, and the registry of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.registry import Registry, Row

if TYPE_CHECKING:
    from models.commands.matcher import TemplateMatcher


def _quietly(line: str) -> None:
    del line


@dataclass(frozen=True, slots=True)
class Hearing:
    """What a recogniser may be made of."""

    commands: Callable[[], TemplateMatcher]
    """Gives ``matcher``; may have to wait for the vehicle, so an engine loads first what needs no commands."""
    find: Callable[[str], Path]
    """The files of a model of the catalogue by its id; raises ``schemas.errors.ModelError``."""
    threads: int
    model: Path | None = None
    """The chosen model's files; None for an engine that takes none."""
    tell: Callable[[str], None] = _quietly
    """Told in a sentence what an engine does without."""
    remote: str | None = None
    """``host:port`` of one on another computer."""
    keep: Path | None = None
    """Where what takes long to compute is kept for the next start; None: nowhere."""

    @property
    def matcher(self) -> TemplateMatcher:
        """Says what a complete command is."""
        return self.commands()


RECOGNIZERS = Registry(
    "recogniser",
    "glovebox.recognizers",
    {
        "pocketsphinx": Row("voice.asr.pocketsphinx:opened"),
        "together": Row("voice.asr.together:opened", package="faster_whisper", extra="asr", takes_model=True),
        "whisper": Row("voice.asr.whisper:opened", package="faster_whisper", extra="asr", takes_model=True),
        "wyoming": Row("voice.remote.ears:opened", package="wyoming", extra="wyoming"),
    },
)
"""Each takes a ``Hearing`` and gives a ``schemas.ports.Recognizer``."""
