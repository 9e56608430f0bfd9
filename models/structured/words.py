"""Words and spans: what the driver said, in the form in which a language model may point at it.

Owns: how a text becomes words (lower case, no punctuation around them: nothing of a grammar or prompt can hide in them),
and which runs of words a grounded string may be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

WORD = re.compile(r"[^\W_]+(?:['&/.+-][^\W_]+)*")
"""Letters and digits, joined by the few marks that stand inside names and numbers (rock'n'roll, ac/dc, r&b, 21.5)."""
MAX_SPAN = 6
"""Most words of a grounded string: longer values are sentences, not values."""
MAX_WORDS = 64
"""Words of one turn or fact that are used (the last ones): about 25 s of speech, more than an utterance may last."""

Words = tuple[str, ...]


def words(text: str) -> Words:
    """The words of a text as a recogniser would put them: lower case, at most `MAX_WORDS`, the last ones."""
    return tuple(WORD.findall(text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")))[-MAX_WORDS:]


@dataclass(frozen=True)
class Sources:
    """What a fill may draw on, as words.

    Attributes:
        turns: words of every turn, by its number; may be empty.
        facts: words of every fact's value.
        entries: numbers of the numbered facts (``"3: thai"``), in their order.
    """

    turns: tuple[Words, ...] = ()
    facts: tuple[Words, ...] = ()
    entries: tuple[int, ...] = ()

    @classmethod
    def of(cls, turns: Sequence[str], facts: Sequence[str]) -> Sources:
        """The sources of a call of ``fill``."""
        parts = [fact_parts(fact) for fact in facts]
        numbers = tuple(dict.fromkeys(int(name) for name, _ in parts if name.isdecimal()))
        return cls(tuple(map(words, turns)), tuple(words(value) for _, value in parts), numbers)

    @property
    def everything(self) -> tuple[Words, ...]:
        """Turns and facts: what a grounded string without a turn may draw on."""
        return self.turns + self.facts


def fact_parts(fact: str) -> tuple[str, str]:
    """Name and value of a fact ``"name: value"``; the name is empty where there is none."""
    name, colon, value = fact.partition(":")
    return (name.strip(), value.strip()) if colon else ("", fact.strip())


def grounded(value: str, texts: Sequence[Words]) -> bool:
    """Whether the value is a run of at most `MAX_SPAN` words of one of the texts."""
    run = tuple(value.split(" "))
    if not 0 < len(run) <= MAX_SPAN:
        return False
    return any(text[start : start + len(run)] == run for text in texts for start in range(len(text) - len(run) + 1))
