"""How a text is cut into the words that are marked, and what the network's pieces say of each of them.

The network is the encoder's branch that tells what a sentence tells of the driver (``models.training.content.network``); what is
made of the marks is memory's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from schemas.kinds import LABELS

MOST = 40
"""Words that are read together: as many as the encoder's 64 pieces hold of any English."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_END = re.compile(r"[.!?;]")


def spans_of(text: str) -> tuple[tuple[int, int], ...]:
    """Where the words of a text stand."""
    return tuple(found.span() for found in _WORD.finditer(text))


def windows(text: str, spans: tuple[tuple[int, int], ...]) -> list[tuple[tuple[int, int], ...]]:
    """The words of a text in pieces that are read together, cut behind sentences where that is possible."""
    found: list[tuple[tuple[int, int], ...]] = []
    while len(spans) > MOST:
        ends = [
            n for n, (one, next_) in enumerate(pairwise(spans[: MOST + 1]), 1) if _END.search(text[one[1] : next_[0]])
        ]
        cut = ends[-1] if ends else MOST
        found.append(spans[:cut])
        spans = spans[cut:]
    return [*found, spans]


def of_word(pieces: Sequence[tuple[int, int]], span: tuple[int, int]) -> list[int]:
    """Which of the network's pieces are part of a word; both by where they begin and end."""
    return [at for at, (start, end) in enumerate(pieces) if start < span[1] and end > span[0] and end > start]


def shares(
    logits: NDArray[np.float32], pieces: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int]]
) -> NDArray[np.float32]:
    """(words, labels): what each word is part of, by the mean of its pieces; nothing where the network did not see it.

    Args:
        logits: (pieces, labels).
        pieces: where each piece stands; empty for the marks of start and end.
        spans: where the words stand.
    """
    found = np.zeros((len(spans), len(LABELS)), np.float32)
    for row, span in enumerate(spans):
        at = of_word(pieces, span)
        if at:
            raised = np.exp(logits[at].mean(0) - logits[at].mean(0).max())
            found[row] = raised / raised.sum()
        else:
            found[row, 0] = 1.0
    return found
