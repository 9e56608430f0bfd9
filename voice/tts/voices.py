"""The assistant's voice: the best one that works, with what is spoken often at hand.

Owns: which voice speaks a piece of a reply, and that none is lost or heard twice when one fails. Does not own how a voice speaks,
nor where a reply is cut (`voice.tts.sentences`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

from schemas.errors import GloveboxError
from schemas.events import Samples
from schemas.ports import Synthesizer
from voice.tts.sentences import split_clauses, split_long, split_sentences

_log = logging.getLogger("glovebox.voice")


class Voices:
    """Several voices as one; meets `schemas.ports.Synthesizer`."""

    def __init__(
        self,
        best: Synthesizer,
        *others: Synthesizer,
        kept: Callable[[str], Samples | None] = lambda _: None,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        """The best voice and, in order, those that speak when it fails.

        Args:
            best: Speaks while it can.
            others: The next best, and so on.
            kept: The sound of a sentence that was made ahead, or None.
            close: Called by `close`.
        """
        self._best, self._others, self._kept, self._close = best, others, kept, close
        self._told = False

    def synthesize(self, text: str) -> Iterator[Samples]:
        """A whole reply, sentence by sentence, a long first one in two clauses; leaving early ends the making of it.

        A piece that one voice could not make is spoken by the next, from its first word: a voice that another follows is heard
        only once it has made a piece whole.

        Raises:
            AudioError: The last voice failed, too.
            EngineMissingError: Likewise, because its program is not there.
        """
        for number, sentence in enumerate(split_sentences(text)):
            kept = self._kept(sentence)
            if kept is not None:
                yield kept
                continue
            for piece in split_clauses(sentence) if number == 0 else split_long(sentence):
                opening = self._kept(piece)
                yield from (opening,) if opening is not None else self._spoken(piece)

    def close(self) -> None:
        """End what belongs to the voices."""
        self._close()

    def _spoken(self, piece: str) -> Iterator[Samples]:
        *better, last = self._best, *self._others
        for voice in better:
            try:
                sound = list(voice.synthesize(piece))
            except GloveboxError as error:
                if not self._told:  # once until it speaks again: a reply has many pieces
                    _log.warning("%s; the next voice speaks", error)
                self._told = True
                continue
            self._told = False
            yield from sound
            return
        yield from last.synthesize(piece)
