"""What the words of a wish to have something forgotten name, of all that is remembered: a category, a time, a thing, a reminder.

Asks memory and erases nothing. That it is such a wish says ``voice.dialogue.memory.erasing``.
"""

from __future__ import annotations

import re

from schemas.memory import Selector
from schemas.ports import MemoryPort
from voice.dialogue.replies.examples import stems

SENTENCE = re.compile(r"(?:i|i'm|i've|my|we|our|where|what|who|when|how|that|you)\b")
"""How words begin that are no name but a sentence of the driver's."""
_NAMES = re.compile(
    r"\b(?!(?:what|everything|anything|all|of|from|on|in|the|that|we|i|you|said|told|talked|spoke|about|conversations?|talk|summary|"
    r"have|your|do|out|clear|delete|erase|remove|forget|please|notes|our|heard|my|for|s|day|did|to|with|me|at|over|during|been|was|thing|things|entire|whole|"
    r"learned|learnt|know|knew|known|store|stored|save|saved|keep|kept|note|noted|record|recorded|remember|remembered|memor(?:y|ies|i[sz]ed)|"
    r"got|ve|picked|up|found|out|gathered|collected|heard|whatever|stuff|bits?|data|info|information)\b)\w+"
)
"""A word beside a time that names something."""


def named(memory: MemoryPort, words: str, category: str | None) -> Selector | None:
    """What words name: a category, if they are one's name, a time, something of a time, or a thing; None: nothing."""
    if category is not None:
        what = Selector(key=category)
        return None if memory.matching(what).empty else what
    plain = " ".join(words.replace("'s", "").split())
    span, left = memory.period(plain), plain
    for word in span.words.split() if span is not None else ():
        left = re.sub(rf"\b{re.escape(word)}\b", " ", left, count=1)
    tried = [Selector(about=left, period=span)] if span is not None else []
    of_a_time = span is not None and not _NAMES.search(left)
    tried.append(Selector(period=span) if of_a_time else Selector(about=words))
    return next((what for what in tried if not memory.matching(what).empty), None)


def bare(words: str) -> str:
    """The words of a phrase that name something."""
    return " ".join(_NAMES.findall(words))


def waiting(memory: MemoryPort, words: str, *, mostly: bool = False) -> str:
    """The reminder that words are about, as it is called; empty where none is.

    Args:
        memory: the driver's.
        words: what was said of it.
        mostly: only one of which most words were said.
    """
    said = stems(words)
    _, held = memory.reminders.load()
    labels = [one.label for one in held if one.kind == "reminder" and stems(one.label) & said]
    if mostly:
        labels = [label for label in labels if 2 * len(stems(label) & said) > len(stems(label))]
    return max(labels, key=lambda label: len(stems(label) & said), default="")
