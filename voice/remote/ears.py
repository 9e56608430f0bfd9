"""A recogniser on another computer: sound goes out as it comes, words come back when the utterance is over.

Owns the utterance and what stands in when the other computer is away: a recogniser of ours that gets all that was fed. The protocol
tells no certainty and no other readings; whether the words are a command says our grammar.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np
from wyoming.asr import Transcribe
from wyoming.asr import Transcript as Told
from wyoming.audio import AudioChunk, AudioStart, AudioStop

from models.text import spoken
from schemas.errors import ModelError
from schemas.events import SAMPLE_RATE, Command, Hypothesis, Samples, Transcript
from schemas.ports import Recognizer
from voice.asr import Hearing, pocketsphinx
from voice.remote.line import AwayError, Line

_LOG = logging.getLogger("glovebox.voice")

WORDS_S = 3.0
"""Longest wait for the words after the last sample; a turn's limit is 6 s (``turn.thinking_s``), and then ours has to hear."""
CONFIDENCE = 0.8
"""What words without a told certainty are taken for: Whisper's right ones had .71 to .91 (docs/log.md, "where a foreign
domain's orders are lost")."""


class RemoteRecognizer:
    """Meets ``schemas.ports.Recognizer``."""

    def __init__(self, line: Line, behind: Recognizer, match: Callable[[str], Command | None]) -> None:
        """Nothing is connected yet.

        Args:
            line: to the service.
            behind: hears when that is away.
            match: says what a complete command is.
        """
        self._line, self._behind, self._match = line, behind, match
        self._chunks: list[Samples] = []
        self._begun = False
        self._told = False

    def reset(self) -> None:
        """Another source begins."""
        self._behind.reset()
        self._forget()

    def start(self, before: Samples | None = None) -> None:
        """Begin an utterance; an unfinished one is thrown away."""
        self._forget()
        self._before = before
        self._begun = True
        try:
            self._line.connect()
            self._line.send(Transcribe(language="en"), AudioStart(**FORM))
        except AwayError as error:
            self._tell(error)

    def feed(self, chunk: Samples) -> None:
        """Take the next samples of the utterance (any number)."""
        if not self._begun or not chunk.size:
            return
        self._chunks.append(chunk.copy())
        if self._line.open:
            try:
                self._line.send(AudioChunk(audio=chunk.astype("<i2").tobytes(), **FORM))
            except AwayError as error:
                self._tell(error)

    def hear(self) -> Transcript | None:
        """Nothing: the words come at the end."""
        return None

    def pause(self) -> None:
        """Nothing: the protocol asks for words once, at the end."""

    def partial(self) -> str:
        """Nothing: the words come at the end."""
        return ""

    def likely(self) -> Transcript | None:
        """Nothing: the words come at the end."""
        return None

    def finish(self) -> Transcript:
        """End the utterance: the other computer's words, or ours where it is away.

        Raises:
            schemas.errors.ModelError: ours failed, too.
        """
        chunks, seconds = self._chunks, sum(len(chunk) for chunk in self._chunks) / SAMPLE_RATE
        try:
            if not chunks:
                return Transcript(text="", confidence=0.0, in_grammar=False)
            if self._line.open:
                try:
                    return self._said(spoken(self._words()), seconds)
                except AwayError as error:
                    self._tell(error)
            return self._ours(chunks)
        finally:
            self._forget()

    def _words(self) -> str:
        self._line.send(AudioStop())
        while not Told.is_type((event := self._line.receive(WORDS_S)).type):
            pass  # parts of it, or what else a service tells
        self._told = False
        text = event.data.get("text")
        if not isinstance(text, str):
            raise self._line.lost("tells no words")
        return text

    def _ours(self, chunks: list[Samples]) -> Transcript:
        self._behind.start(self._before)
        for chunk in chunks:
            self._behind.feed(chunk)
        return self._behind.finish()

    def _said(self, text: str, seconds: float) -> Transcript:
        return Transcript(
            text=text,
            confidence=CONFIDENCE if text else 0.0,
            in_grammar=bool(text) and self._match(text) is not None,
            open=Hypothesis(text=text, log_score=float(np.log(CONFIDENCE))),
            seconds=seconds,
        )

    def _forget(self) -> None:
        self._line.close()
        self._chunks, self._before, self._begun = [], None, False

    def _tell(self, error: AwayError) -> None:
        """Once for each time that it goes away."""
        if not self._told:
            _LOG.warning("the recogniser at %s; ours hears until it is back", error)
            self._told = True


FORM = {"rate": SAMPLE_RATE, "width": 2, "channels": 1}


def opened(hearing: Hearing) -> RemoteRecognizer:
    """The recogniser of the table; with the command grammar's own behind it.

    Raises:
        schemas.errors.ModelError: that cannot be had, or no address was given.
    """
    if hearing.remote is None:
        raise ModelError("a remote recogniser needs an address; set asr.remote")
    return RemoteRecognizer(Line(hearing.remote), pocketsphinx.opened(hearing), hearing.matcher.match)
