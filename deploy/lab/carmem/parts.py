"""The real encoder, asked once for each distinct thing.

Owns the remembering only: what is remembered is exactly what it gave, so that several passes over the same
conversations cost one run of the network. A pass that is timed reads past what is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from deploy import app
from deploy.engines import Engines
from deploy.settings import Config
from memory.service import MemorySettings
from models.catalog import Catalog
from schemas.kinds import Marked, Wish
from schemas.memory import Words
from schemas.ports import Encoder

T = TypeVar("T")


class KeptEncoder:
    """`schemas.ports.Encoder` that asks another one each thing once."""

    def __init__(self, encoder: Encoder) -> None:
        """Keeps the results of this encoder."""
        self.dimension = encoder.dimension
        self.afresh = False
        """True: ask the encoder whatever is kept, as a timed pass does."""
        self._encoder = encoder
        self._kept: dict[tuple[str, ...], Any] = {}

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Encoder.encode`."""
        vectors = [self._once(lambda text=text: self._encoder.encode([text])[0], "encode", text) for text in texts]
        return np.array(vectors, np.float32).reshape(len(texts), self.dimension)

    def topics(self, text: str) -> dict[str, float]:
        """See `Encoder.topics`."""
        return dict(self._once(lambda: self._encoder.topics(text), "topics", text))

    def strength(self, text: str) -> dict[str, float]:
        """See `Encoder.strength`."""
        return dict(self._once(lambda: self._encoder.strength(text), "strength", text))

    def words(self, text: str, detail: str) -> tuple[Words, ...]:
        """See `Encoder.words`."""
        return self._once(lambda: self._encoder.words(text, detail), "words", text, detail)

    def choices(self, text: str, detail: str) -> dict[str, float]:
        """See `Encoder.choices`."""
        return dict(self._once(lambda: self._encoder.choices(text, detail), "choices", text, detail))

    def requests(self, text: str) -> dict[str, float]:
        """See `Encoder.requests`."""
        return dict(self._once(lambda: self._encoder.requests(text), "requests", text))

    def states(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """See `Encoder.states`."""
        return self._once(lambda: self._encoder.states(text, spans), "states", text, *map(str, spans))

    def special(self, text: str) -> NDArray[np.float32] | None:
        """See `Encoder.special`."""
        return self._once(lambda: self._encoder.special(text), "special", text)

    def revealed(self, text: str) -> dict[str, float] | None:
        """See `Encoder.revealed`."""
        return self._once(lambda: self._encoder.revealed(text), "revealed", text)

    def wishes(self, text: str) -> dict[Wish, float] | None:
        """See `Encoder.wishes`."""
        return self._once(lambda: self._encoder.wishes(text), "wishes", text)

    def answers(self, question: str, memory: str) -> float | None:
        """See `Encoder.answers`."""
        return self._once(lambda: self._encoder.answers(question, memory), "answers", question, memory)

    def marks(self, text: str) -> Marked:
        """See `Encoder.marks`."""
        return self._once(lambda: self._encoder.marks(text), "marks", text)

    def _once(self, ask: Callable[[], T], *question: str) -> T:
        if self.afresh:
            return ask()
        if question not in self._kept:
            self._kept[question] = ask()
        return self._kept[question]


@dataclass(frozen=True, slots=True)
class Parts:
    """What memory is measured with."""

    encoder: KeptEncoder
    settings: MemorySettings = field(default_factory=MemorySettings)
    facts: tuple[tuple[str, str], ...] = ()
    """Names of the models, for the report."""


def parts_of(config: Config) -> Parts:
    """The parts that a configuration names, as the assistant puts them together.

    Raises:
        schemas.errors.GloveboxError: a model cannot be had.
    """
    encoder = Engines(config, Catalog.load(config.data)).encoder()
    facts = (("encoder", config.encoder.model), ("threads", str(config.encoder.threads)))
    return Parts(KeptEncoder(encoder), app.memory_settings(config), facts)
