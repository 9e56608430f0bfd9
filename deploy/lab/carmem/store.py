"""CarMem's store filled with gold: what maintenance and retrieval start from when the authors' own output is not to be had.

A preference here has the gold category and value, and the user's sentence that fits it best: one that holds the value word for
word, else the one nearest to the category and value as the encoder sees it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from deploy.lab.carmem.data import Item
from deploy.lab.carmem.extraction import NOW
from deploy.lab.carmem.parts import Parts
from memory.learn.meaning import sense_of
from memory.store.searchable import category_words
from schemas.kinds import Sense
from schemas.memory import Preference

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def filled(parts: Parts, items: Sequence[Item]) -> tuple[Preference, ...]:
    """One stored preference a conversation, with the conversation's id as its own."""
    return tuple(
        Preference(
            id=item.id,
            detail=item.gold.detail,
            value=item.attribute,
            sentences=(best_sentence(parts, item),),
            conversation=item.id,
            confidence=1.0,
            valid_from=NOW,
            sense=sense_of(item.gold.detail, item.attribute, Sense.LIKES),
        )
        for item in items
    )


def best_sentence(parts: Parts, item: Item) -> str:
    """The user's sentence that reveals the gold preference, as far as can be told without the authors' output."""
    sentences = [s for text in item.driver_texts() for s in _SENTENCE_END.split(text.strip()) if s]
    literal = [s for s in sentences if item.attribute.lower() in s.lower()]
    if len(literal) == 1 or not sentences:
        return literal[0] if literal else item.attribute
    wanted = f"{category_words(item.gold)}: {item.attribute}."
    vectors = parts.encoder.encode([wanted, *(literal or sentences)])
    return (literal or sentences)[int((vectors[1:] @ vectors[0]).argmax())]


def by_user(items: Sequence[Item]) -> dict[str, list[Item]]:
    """Conversations by user, in the order of the file."""
    users: dict[str, list[Item]] = {}
    for item in items:
        users.setdefault(item.user, []).append(item)
    return users
