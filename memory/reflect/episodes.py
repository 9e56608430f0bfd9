"""From what was just said to episodes: the hot tier, and what of it is worth keeping as the warm one.

An exchange is what the driver said and what was answered. It waits in memory (`Hot`, bounded, never written), until the
conversation is over; then `Drafter` makes episodes of those that say something. Consent is asked when a turn is heard, by who
hears it, and once more of both sides of the exchange when it is drafted. Stores nothing.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from memory.learn.english.negation import ABOUT_MEMORY, applies
from memory.learn.evidence import NONE
from memory.recall.decay import MOST
from memory.store.tags import content, tags
from models.text import normal, words
from schemas.memory import Episode, Turn
from schemas.ports import Encoder
from schemas.preferences import BY_DETAIL

REMEMBER = re.compile(
    r"(?<!don't )(?<!not )(?<!what do you )(?<!do you )\b(?:remember (?:that|this|to|my|i|we)\b|(?:don't|never) forget\b|"
    r"keep in mind\b|make a note\b|note that\b)"
)
"""The driver asks to have it remembered."""
VITAL = re.compile(
    r"\b(?:allerg(?:y|ies|ic)|anaphyla\w+|intoleran(?:t|ce)|epilep\w+|insulin|diabet\w+|pacemaker|asthma\w*|wheelchair|"
    r"medication|emergency contact)\b"
)
"""What can harm if it is forgotten; kept only where consent lets it be kept at all."""

MOST_WAITING = 256
"""Exchanges that wait at most; the oldest goes first. This and the following: our choices, tried on typed sentences; logged where
measured."""
HEARD_AT = 0.3
"""What was heard less surely is no memory."""
REQUEST_AT = 0.5
"""Probability from which on it only asks the car for something."""
DETAIL_AT = 0.05
"""Probability from which on an exchange counts as being about a category, for consent and forgetting: rather one too many."""
TAG_AT = 0.15
"""The same for its tag."""
MOST_DETAILS = 5
"""Categories that an exchange is about at most."""
BASE = 0.2
"""Importance of an episode that nothing else speaks for."""
STATED_ADDS = 0.3
"""What clearly stating a preference adds to it."""
PERSONAL_ADDS = 0.2
"""What speaking of people, plans or feelings adds to it."""


PERSONAL = frozenset(("family", "friends", "plans", "feelings", "health", "work", "travel"))
"""Tags of what people mind being forgotten."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the driver said and what was answered."""

    conversation: str
    at: datetime
    driver: str
    assistant: str = ""
    confidence: float = 1.0


class Hot:
    """The last exchanges, in memory only. Not locked: the caller is."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        """Holds at most so many."""
        self._exchanges: deque[Exchange] = deque(maxlen=most)

    def __len__(self) -> int:
        """How many exchanges wait."""
        return len(self._exchanges)

    def heard(self, turn: Turn, conversation: str) -> None:
        """A turn of the driver that may be kept."""
        self._exchanges.append(Exchange(conversation, turn.at, turn.text, confidence=turn.confidence))

    def answered(self, turn: Turn, conversation: str) -> None:
        """The assistant's answer to the last turn of this conversation, if that is here and has none yet."""
        if self._exchanges and self._exchanges[-1].conversation == conversation and not self._exchanges[-1].assistant:
            self._exchanges[-1] = replace(self._exchanges[-1], assistant=turn.text)

    def cut(self, conversation: str) -> None:
        """A turn of this conversation may not be kept: what is answered to it belongs to nothing here."""
        if self._exchanges and self._exchanges[-1].conversation == conversation and not self._exchanges[-1].assistant:
            self._exchanges[-1] = replace(self._exchanges[-1], assistant=" ")

    def all(self) -> tuple[Exchange, ...]:
        """All that wait, oldest first."""
        return tuple(_closed(e) for e in self._exchanges)

    def drop(self, exchanges: Collection[Exchange]) -> None:
        """These wait no more."""
        left = [e for e in self._exchanges if _closed(e) not in exchanges]
        self._exchanges.clear()
        self._exchanges.extend(left)

    def forget(self, conversation: str | None = None) -> int:
        """Drop a conversation's exchanges, or all; returns how many."""
        gone = [e for e in self._exchanges if conversation in (None, e.conversation)]
        left = [e for e in self._exchanges if e not in gone]
        self._exchanges.clear()
        self._exchanges.extend(left)
        return len(gone)


def _closed(exchange: Exchange) -> Exchange:
    return replace(exchange, assistant=exchange.assistant.strip())


class Drafter:
    """Makes episodes of exchanges."""

    def __init__(self, encoder: Encoder, new_id: Callable[[], str]) -> None:
        """Weighs with this encoder; ``new_id`` makes the episodes' ids."""
        self._encoder, self._new_id = encoder, new_id

    def draft(
        self, exchanges: Iterable[Exchange], allowed: Callable[[str], bool], grown: Collection[str] = ()
    ) -> tuple[Episode, ...]:
        """Episodes of those that say something, oldest first; a short answer to a question joins the episode before.

        Args:
            exchanges: of any conversations, oldest first.
            allowed: whether a text may be kept at all, by consent as it is now.
            grown: tags that grew in this vault.
        """
        made: list[Episode] = []
        last: dict[str, int] = {}
        for exchange in exchanges:
            if not exchange.driver.strip() or not all(allowed(t) for t in (exchange.driver, exchange.assistant) if t):
                last.pop(exchange.conversation, None)
                continue
            details = self.details(exchange.driver)
            place = last.get(exchange.conversation)
            if exchange.confidence < HEARD_AT or applies(ABOUT_MEMORY, normal(exchange.driver), ""):
                last.pop(exchange.conversation, None)
            elif not self._says_something(exchange.driver, details):
                if place is not None and made[place].assistant.rstrip().endswith("?"):
                    made[place] = _joined(made[place], exchange)
            else:
                last[exchange.conversation] = len(made)
                made.append(self._episode(exchange, details, grown))
        return tuple(made)

    def details(self, text: str) -> tuple[str, ...]:
        """Detail keys that a text is about, the surest first."""
        topics = self._encoder.topics(text)
        able = [d for d, share in topics.items() if d != NONE and share >= DETAIL_AT]
        return tuple(sorted(able, key=lambda d: -topics[d])[:MOST_DETAILS])

    def _says_something(self, text: str, details: Collection[str]) -> bool:
        """Whether it is more than a word, a courtesy or an order to the car that could be anybody's."""
        said = content(text)
        if len(words(text)) < 2 or not said:
            return False
        if details or tags(text):
            return True
        return not self._asks(text) and len(said) >= 2

    def _asks(self, text: str) -> bool:
        """Whether it asks the car for something."""
        return 1.0 - self._encoder.requests(text).get(NONE, 0.0) >= REQUEST_AT

    def _episode(self, exchange: Exchange, details: tuple[str, ...], grown: Collection[str]) -> Episode:
        topics = self._encoder.topics(exchange.driver)
        subs = tuple(BY_DETAIL[d].sub for d in details if topics[d] >= TAG_AT)
        found = tags(f"{exchange.driver} {exchange.assistant}", subs, grown)
        return Episode(
            id=self._new_id(),
            conversation=exchange.conversation,
            at=exchange.at,
            driver=exchange.driver,
            assistant=exchange.assistant,
            details=details,
            tags=found,
            importance=self.importance(exchange.driver, found),
        )

    def importance(self, text: str, about: Collection[str]) -> float:
        """0..1: 1 for what the driver asks to have remembered and for what can harm."""
        plain = normal(text)
        if REMEMBER.search(plain) or VITAL.search(plain):
            return 1.0
        personal = PERSONAL_ADDS if PERSONAL & set(about) and not self._asks(text) else 0.0
        return min(MOST, BASE + STATED_ADDS * self._encoder.strength(text).get("stated", 0.0) + personal)


def _joined(episode: Episode, exchange: Exchange) -> Episode:
    """An episode with a short answer, and what was said to it, at its end."""
    return episode.model_copy(
        update={
            "driver": f"{episode.driver} / {exchange.driver}",
            "assistant": f"{episode.assistant} / {exchange.assistant}" if exchange.assistant else episode.assistant,
        }
    )
