"""The assistant's voice: the engine that was chosen, espeak-ng behind it, and its fixed sentences at hand.

Owns how these are put together, and the idle time in which sentences are made ahead. The engines are chosen in ``deploy.app``.
"""

from __future__ import annotations

import logging
import threading
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Self

from schemas.errors import GloveboxError
from schemas.ports import Synthesizer
from voice.dialogue.fixed import fixed_sentences
from voice.tts.kept import KeptSentences, voice_digest
from voice.tts.piper import PiperSynthesizer
from voice.tts.voices import Voices

_log = logging.getLogger("glovebox.voice")
_BEGIN_S = 20.0
"""Seconds after the start in which nothing is made ahead: the driver speaks first. Our choice."""
_NICENESS = 19
_PATIENCE = 20.0
"""How much longer such a sentence may take: the machine's other work comes first."""


def assembled_voice(engine: Synthesizer, behind: Synthesizer, data: Path) -> tuple[Voices, MakingAhead | None]:
    """The voice, and what makes its fixed sentences ahead; None for a voice that begins to sound in 20 ms anyway.

    Args:
        engine: the chosen one.
        behind: speaks when that fails; may be the same.
        data: the folder of the assistant's data.
    """
    if not isinstance(engine, PiperSynthesizer):
        return Voices(engine), None
    kept = KeptSentences(data / "voice", voice_digest(engine.voice), fixed_sentences())
    return Voices(engine, behind, kept=kept.get, close=engine.close), MakingAhead(kept, engine.voice)


class MakingAhead:
    """Makes the sentences that are missing, with a program of its own at the lowest priority. A context manager."""

    def __init__(self, kept: KeptSentences, voice: Path, *, begin_s: float = _BEGIN_S) -> None:
        """Nothing is made yet.

        Args:
            kept: what is missing, and where it goes.
            voice: Piper's voice file.
            begin_s: seconds to wait first.
        """
        self._kept, self._voice, self._begin_s = kept, voice, begin_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._make, name="voice-ahead", daemon=True)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End, after the sentence that is being made; the rest is made the next time."""
        self._stop.set()
        self._thread.join(timeout=5.0)

    def _make(self) -> None:
        if self._stop.wait(self._begin_s) or not self._kept.missing():
            return
        try:
            self._kept.drop_other_voices()
            with closing(PiperSynthesizer(self._voice, niceness=_NICENESS, patience=_PATIENCE)) as voice:
                voice.check()
                while not self._stop.is_set() and self._kept.make(voice):
                    pass
        except (GloveboxError, OSError) as error:  # replies are then made when they are needed
            _log.warning("no sentence could be made ahead: %s", error)
