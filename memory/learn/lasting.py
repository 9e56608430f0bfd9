"""Whether a sentence tells what lasts, though the parser took it for an order: "come december i have that seat warmer on full".

The parser knows what the car is asked for, the encoder's branch what memory is told; here they are weighed against each other.
"""

from __future__ import annotations

from collections.abc import Collection

from models.text import spoken
from schemas.kinds import CONDITION_LABELS, LABELS, OWN, Label, Marked
from schemas.ports import Encoder

REVEALED_AT, MARKED_AT = 0.9, 0.75
"""Probability that a lasting preference is revealed, and share of the marks of the driver's own, from which on a sentence that also
says when it holds, or what held before, is no order. Of 3,083 lines that are orders and that nobody had trained on 4 are taken for
such; of the 31 likings, dislikes, conditions and changes of strangers that the parser took for orders 5 (docs/log.md)."""
SURELY_REVEALED_AT, SURELY_MARKED_AT, DOUBTED_AT = 0.98, 0.9, 0.6
"""The same without such words, where the parser is less sure of the order than the last: 6 of the 3,083, 10 of the 31."""
_CLAUSE, _COMPANY_AT = 3, 0.6
"""Words of a condition that says when somebody is in the car, fewer only name them; and their share. Our choice."""


def lasts(encoder: Encoder, text: str, sure: float) -> bool:
    """Whether a sentence that the parser took for one order, as surely as this, rather tells what lasts."""
    marked = encoder.marks(text)
    if text.rstrip().endswith("?"):
        return False
    return _of_company(marked) or _own(encoder, marked, spoken(text), sure)


def _own(encoder: Encoder, marked: Marked, said: str, sure: float) -> bool:
    """Whether it is something of the driver's own."""
    revealed = encoder.revealed(said)
    if revealed is None:
        return False
    lasting = 1.0 - revealed["none"]
    own, past, when = (_highest(marked, labels) for labels in (OWN, (Label.PAST,), CONDITION_LABELS))
    if max(when, past) >= MARKED_AT and lasting >= REVEALED_AT and max(own, past) >= MARKED_AT:
        return True
    return sure < DOUBTED_AT and lasting >= SURELY_REVEALED_AT and own >= SURELY_MARKED_AT


def _highest(marked: Marked, labels: Collection[Label]) -> float:
    """The highest share that a word has of one of these labels."""
    columns = [LABELS.index(label) for label in labels]
    return 0.0 if marked.shares is None or not len(marked.shares) else float(marked.shares[:, columns].max())


def _of_company(marked: Marked) -> bool:
    """Whether it tells what somebody else likes or needs while they are in the car, and nothing of the driver's own."""
    if marked.parts(OWN) or not marked.parts((Label.OTHERS,)):
        return False
    return any(part.end - part.start >= _CLAUSE for part in marked.parts((Label.COMPANY,), _COMPANY_AT))
