"""Replies to small talk: by the language model where there is one, held to what it was given, and by a sentence of ours else.

Owns what the model is told: how long the driver likes replies, what memory recalls for these words, what was done and said last. In
a private trip it is told nothing. What it writes is said as far as `models.acts.sayings` lets it through and `models.acts.fitting`
finds it fitting; nothing of it is kept as something that the driver said, and nothing is done by it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Mapping
from typing import Final

from models.acts.fitting import Fitting
from models.acts.sayings import Given, sayings, sentences
from models.acts.talk import STYLES, told
from models.text import spoken
from schemas.errors import GenerationError
from schemas.ports import Encoder, Talker, VehiclePort
from schemas.seat import Seat
from voice.dialogue.memory.likes import because
from voice.dialogue.replies.responder import CHAT, SMALL_TALK

WITHIN_S: Final = 1.2
"""Seconds for a reply: half are written in .40, nineteen of twenty in .73, 1 of 218 comes later than this (docs/log.md,
2026-11-23). Understanding comes before it; later than that ours is better. Our choice."""
RECALLED: Final = 2
"""Preferences that are told: as many as a reply of the training data names."""
LONGEST: Final = 12
"""Words of what was done or said that are told; longer reports have no reply in the training data."""
OFFERED: Final[Mapping[str, str]] = {
    "music": "play_music", "podcast": "play_podcast", "weather": "get_weather", "seat heating": "set_seat_heating",
    "cool air": "set_air_conditioning", "nearby": "find_place", "a place": "find_place", "the way": "navigate_to",
    "arrival": "get_navigation", "arrive": "get_navigation", "far": "get_navigation", "reminder": "set_reminder",
    "playing": "get_playing",
}  # fmt: skip
"""What a reply says that the driver can ask for -> the action that the car must have for it."""
SERIOUS: Final = (
    (
        re.compile(
            r"\b(?:kill|hurt|harm)(?:ing)? myself\b|\bsuicid\w+|\bend (?:it all|my life)\b|\b(?:want to|wanna) die\b"
            r"|\b(?:wish|if) i (?:was|were) dead\b|\bdon't want to live\b"
        ),
        "I'm very sorry. Please stop somewhere safe and call somebody who can help, right now.",
    ),
    (
        re.compile(
            r"\b(?:fall\w*|fell|nod\w*|doz\w*|drift\w*) (?:asleep|off)\b|\bdrowsy\b|\beyelids\b"
            r"|\beyes? (?:open|shut|close|closing|closed)\b|\beyes keep\b"
        ),
        "Please stop at the next safe place and rest.",
    ),
    (
        re.compile(
            r"\b(?:pints?|beers?|wine|whisk\w+|vodka|shots|cocktails?|drunk|tipsy|sober|been drinking|a drink|drinks)\b"
        ),
        "Please don't drive after a drink.",
    ),
    (
        re.compile(
            r"\b(?:spy\w* on|listen\w* in\b|eavesdrop\w*|the (?:cloud|internet)|privacy)\b"
            r"|\brecord(?:ed|ing)? (?:me|us|this|what|everything)\b"
            r"|\b(?:words|voice|sound|data|everything|this) (?:being )?sent\b"
            r"|\b(?:report|tell) (?:\w+ ){0,3}(?:police|anyone|anybody)\b|\bwho (?:else )?can (?:hear|listen)\b"
        ),
        SMALL_TALK["privacy"],
    ),
)
"""What is no small talk, lives hang on it or trust, and its answer: no model is asked. The first that fits."""
_DENIES: Final = re.compile(r"^(?:no, )?i don't know\b")
"""Memory recalls what the words are about, or they ask about what was done or said: to know nothing of it, then, would be false."""
_PAST: Final = re.compile(
    r"\b(?:who|what|which|where|when|why|how)\b.*\b(?:did|was|were|had|\w{2,}ed|said|told|put|set|made|just|before|earlier|ago|last)\b"
)
_ASKS: Final = re.compile(r"\bask me\b")


TALKS_AT: Final = 0.5
"""Even odds. Our choice."""


class SmallTalk:
    """Answers small talk."""

    def __init__(self, talker: Talker | None, seat: Seat, vehicle: VehiclePort, encoder: Encoder | None) -> None:
        """With the model's part, None where there is none; ``vehicle`` tells what may be asked for, ``encoder`` what fits."""
        self._talker, self._seat, self._vehicle = talker, seat, vehicle
        self._fitting = Fitting(encoder) if talker is not None and encoder is not None else None
        self._replied: tuple[tuple[str, str], str] | None = None
        """The last words with what was told, and the reply: a pause and the end ask for the same."""

    async def reply(self, text: str, last: Mapping[str, str], sure: float = 1.0) -> str:
        """What is said to these words.

        Args:
            text: the driver's words.
            last: what was done and said last, by ``get_last``'s parts.
            sure: probability that they are small talk. The model is not asked about what may well be nothing, or badly heard.

        Raises:
            schemas.errors.GloveboxError: memory failed.
        """
        serious = answered(spoken(text))
        if serious is not None or self._talker is None or self._fitting is None or sure < TALKS_AT:
            return serious or CHAT
        given, style = self._given(text, last)
        key = spoken(text), told(style, given.facts, given.did, given.said)
        if self._replied is None or self._replied[0] != key:
            try:
                written = await asyncio.to_thread(self._talker.reply, *key, within_s=WITHIN_S)
            except GenerationError:
                return CHAT
            self._replied = key, held(written, key[0], given, self._vehicle.offers(), self._fitting)
        return self._replied[1] or CHAT

    def _given(self, text: str, last: Mapping[str, str]) -> tuple[Given, str]:
        """What a reply may be about, and its style."""
        memory = self._seat.memory
        if memory.consent().private_trip:
            return Given(), ""
        recalled = [one.preference for one in memory.recall(text, limit=RECALLED)]
        did, said = last.get("done", ""), spoken(last.get("said", ""))
        given = Given(
            facts=tuple(self._seat.units.liking(because(one)) for one in recalled),
            values=tuple(one.value for one in recalled),
            did=did if len(sentences(did)) == 1 and did.endswith(".") and len(did.split()) <= LONGEST else "",
            said=said if len(said.split()) <= LONGEST else "",
        )
        style = next((line.value for line in memory.profile() if line.key == "reply_length"), "")
        return given, style if style in STYLES else ""


def answered(said: str) -> str | None:
    """The answer to words in their spoken form that no model is asked about; None for small talk."""
    return next((answer for words, answer in SERIOUS if words.search(said)), None)


def held(reply: str, said: str, given: Given, offers: Collection[str], fitting: Fitting) -> str:
    """What of a reply is said: up to the first sentence that claims what was not given, offers what is not here, or does not fit.

    Args:
        reply: as the model wrote it.
        said: the driver's words, in their spoken form.
        given: what else it may be about.
        offers: names of the actions that this car has.
        fitting: tells whether a sentence fits.
    """
    kept: list[str] = []
    for sentence in sentences(sayings().held(reply, said, given)):
        known = given.facts or ((given.did or given.said) and _PAST.search(said))
        if known and _DENIES.search(sentence.lower()):
            break
        asks = _ASKS.search(sentence.lower()) is not None
        if asks and any(what in sentence and action not in offers for what, action in OFFERED.items()):
            break
        if not fitting.fits(sentence, said, given.when):
            break
        kept.append(sentence)
    return " ".join(kept)
