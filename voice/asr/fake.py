"""A fake recogniser for tests: it hears what it is told to hear, whatever the sound is. Owns no model."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from schemas.events import SAMPLE_RATE, Command, Samples, Transcript


class FakeRecognizer:
    """Says its texts in turn, one an utterance, then nothing; meets ``schemas.ports.Recognizer``.

    An utterance without samples holds no words, as with a real engine, and uses up no text.
    """

    def __init__(
        self, texts: Iterable[str], *, match: Callable[[str], Command | None] | None = None, confidence: float = 0.9
    ) -> None:
        """Hear these texts; ``match`` tells which of them are in grammar (without it: none)."""
        self._texts = list(texts)
        self._match = match
        self._confidence = confidence
        self._samples = 0

    def reset(self) -> None:
        """There is nothing to forget but an utterance that is open."""
        self._samples = 0

    def start(self, before: Samples | None = None) -> None:
        """Begin an utterance; an unfinished one is thrown away."""
        del before
        self._samples = 0

    def feed(self, chunk: Samples) -> None:
        """Count the samples."""
        self._samples += len(chunk)

    def hear(self) -> Transcript | None:
        """It does not tell."""
        return None

    def pause(self) -> None:
        """Nothing to decode: it knows its texts."""

    def partial(self) -> str:
        """The first words of the coming text, one for each half second fed."""
        words = self._texts[0].split() if self._texts else []
        return " ".join(words[: 2 * self._samples // SAMPLE_RATE])

    def likely(self) -> Transcript | None:
        """It does not tell."""
        return None

    def finish(self) -> Transcript:
        """The next text."""
        seconds, self._samples = self._samples / SAMPLE_RATE, 0
        text = self._texts.pop(0) if seconds and self._texts else ""
        return Transcript(
            text=text,
            confidence=self._confidence if text else 0.0,
            in_grammar=bool(text) and self._match is not None and self._match(text) is not None,
            seconds=seconds,
        )
