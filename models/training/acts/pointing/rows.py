"""Cases as the network reads them: pieces of their texts, where words stand in these, and the steps that are to be written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from models.acts.spelling import read
from models.acts.steps import prompt, steps
from models.marks import of_word
from models.runtime.onnx_encoder import LONGEST
from models.text import spoken
from models.training.acts.lines import Case
from schemas.errors import GenerationError


@dataclass(frozen=True)
class Row:
    """A case."""

    texts: tuple[NDArray[np.int64], ...]
    """(pieces,) each: the utterance, and the free words of the context if it has any."""
    words: NDArray[np.int64]
    """(words, 4): place in the prompt, text, its first piece, the piece after its last; what lies beyond the network's reach is
    left out."""
    prompt: NDArray[np.int64]
    """(places,) closed tokens; -1 for words."""
    tokens: NDArray[np.int64]
    """(steps,) closed tokens that are to be written; -1 for places."""
    places: NDArray[np.bool_]
    """(steps, places): places that mean the same, each as right as the others."""

    @property
    def size(self) -> int:
        """Places and steps."""
        return len(self.prompt) + len(self.tokens)


def rows(tokenizer: Tokenizer, cases: Iterable[Case]) -> list[Row]:
    """The rows of cases; those that cannot be written by pointing are left out (28 of 27,945)."""
    found: list[Row] = []
    for case in cases:
        try:
            given = prompt(spoken(case.utterance), case.context)
            wanted = steps(read(case.answer), given)
        except (GenerationError, ValueError):
            continue
        texts = [tokenizer.encode(" ".join(text.split())) for text in (given.text, given.told) if text]
        words: list[tuple[int, int, int, int]] = []
        for at, place in enumerate(given.places):
            text = len(texts) - 1 if place.told else 0
            if place.word and (pieces := of_word(texts[text].offsets[:LONGEST], (place.start, place.end))):
                words.append((at, text, pieces[0], pieces[-1] + 1))
        if not words:
            continue
        places = np.zeros((len(wanted), len(given.places)), np.bool_)
        for at, step in enumerate(wanted):
            places[at, list(step.places)] = True
        found.append(
            Row(
                tuple(np.array(text.ids[:LONGEST]) for text in texts),
                np.array(words),
                np.array([place.token for place in given.places]),
                np.array([step.token for step in wanted]),
                places,
            )
        )
    return found
