"""What kind of a sentence a reply is: an offer, a refusal, a claim, not understood; and what it is about.

Owns the wordings, one pattern each; case does not count. A new way to refuse, offer or claim needs a word here. Sees no signal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

OWN_QUESTION = "by the way,"
"""What a question of the assistant's own begins with, at the end of a reply to something else."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_NOT_UNDERSTOOD = _any(
    r"(?:did ?n[o']t|do ?n[o']t|could ?n[o']t|could not|can ?not|can't) (?:quite )?(?:understand|catch|get|hear) (?:that|you|it)",
    r"pardon\b",
    r"not sure what you mean",
    r"come again",
)
_REFUSED = _any(
    # what cannot be done
    r"\b(?:can ?not|can't|could ?n't|won't|may not|must not|not allowed|not able|unable)",
    r"\b(?:not|is ?n't) possible",
    r"\b(?:not something i can|out of my hands|beyond (?:me|what))",
    # what there is not
    r"\bdo ?n[o']t (?:have|know|do|keep|see|read|touch|get)",
    r"\b(?:does ?n[o']t have|have ?n't got|has no|have no)",
    r"\b(?:there(?: is|'s| are| was| were) no|there is ?n't)",
    r"\b(?:no such|not supported|not available|not connected|unknown)",
    r"\bno (?:way|idea|information)",
    r"\bwithout an?\b",
    # what is not known or remembered
    r"\bnot sure (?:if|whether)",
    r"\b(?:nothing (?:is )?(?:known|set|stored|remembered|about)|remember nothing|never (?:told|said|heard|had))",
    # what is the driver's
    r"\b(?:stays in your hands|nothing that drives|leave that to you)",
    r"\bonly [^.]{0,60}when",
)
"""Beginnings: "has no" is also in "has nothing"."""
_PROMISED = _any(r"^(?:okay|ok|all right|alright|fine)[,.]? i (?:won't|will not)\.?$")
"""Something was to be left alone, and will be: no refusal."""
_OFFERED = _any(
    r"\b(?:(?:shall|should|may) i|shall we|do you want me to|would you like me to|want me to)\b",
    r"\b(?:(?:do|did) you mean|is that right|okay to)\b",
    r"say yes or no",
)
_OPEN_QUESTION = _any(r"\b(?:when|which|what|where|who|whom|how|why)\b")
_CHOICE = re.compile(r"\bor\b(?! no\b)")
_HELP = _any(r"(?:what|how) (?:can|may) i (?:do|help)", r"anything else", r"help you")
"""Questions that could follow any sentence."""

_FIRST_PERSON = (
    r"remember", r"take", r"avoid", r"remind", r"send", r"sent", r"call", r"store", r"save", r"add", r"set", r"turn",
    r"switch", r"open", r"close", r"stop", r"start", r"do", r"note",
)  # fmt: skip
"""Beginnings of words for what the assistant says that it does."""
_UNDER_WAY = (
    r"opening", r"closing", r"playing", r"calling", r"taking you", r"adding", r"recirculating", r"moving", r"removing",
    r"skipping", r"stopping",
)  # fmt: skip
_HAPPENED = (
    r"on", r"off", r"up", r"down", r"louder", r"quieter", r"warmer", r"cooler", r"dimmer", r"brighter", r"muted", r"unmuted",
    r"paused", r"stopped", r"locked", r"unlocked", r"opened", r"closed", r"cancelled", r"ended", r"deleted", r"forgotten",
    r"saved", r"sent", r"added", r"removed", r"skipped", r"cleared", r"high", r"medium", r"low", r"daylight",
)  # fmt: skip
"""Last words of a sentence without a verb ("Seat heating off."), or last but for a place, an amount or a time."""
_CLAIMED = _any(
    r"^(?:okay|ok|done|sure|alright|got it|noted)\b[^?]{0,40}[.!]$",
    r"\bnoted\b",
    rf"\bi(?:'ll| will| have|'ve) (?:\w+ )?(?:{'|'.join(_FIRST_PERSON)})",
    r"\bi(?:'ve| have) \w+ed\b",
    r"\bi won't\.$",
    rf"^(?:{'|'.join(_UNDER_WAY)})\b",
    r"^(?!.*\b(?:is|are|was|were|it's|that's)\b)"
    rf".*\b(?:{'|'.join(_HAPPENED)})(?: (?:on|in|to|at|by|for|everywhere|of)\b[^.?]*)?[.!]$",
    r"\b(?:is|are) now\b",
    r"^(?:fan (?:at|to) \d|timer: \d|next one|the one before|from now on|as it was)",
)
_CLAIMED_FOR_SURE = _any(r"noted|remember|\bi won't\.$")
"""A claim even where the reply refuses, too."""

TOPICS = {
    "media": _any(r"\b(?:library|songs?|artists?|playlists?|station|show|genre|music|podcast|playing|radio)\b"),
    "timer": _any(r"\b(?:timers?|reminders?|remind)\b"),
    "route": _any(r"\b(?:route|stop on|no stop|destination set|navigation)\b"),
    "undo": _any(r"\b(?:take back|(?:to )?undo)\b"),
    "place": _any(r"around here|\b(?:know of|address|place)\b"),
    "contact": _any(r"\b(?:contacts?|phone ?book|full name)\b"),
    "charge": _any(r"\bcharg\w+\b"),
    "window": _any(r"\bwindows?\b"),
    "roof": _any(r"\b(?:sunroof|roof|sunshade|shade|blind)\b"),
    "trunk": _any(r"\b(?:trunk|boot|tailgate)\b"),
    "door": _any(r"\bdoors?\b"),
    "seat": _any(r"\b(?:seats?|backrest)\b"),
    "mirror": _any(r"\bmirrors?\b"),
    "climate": _any(r"\b(?:degrees|temperature|fan|heating|air|climate)\b"),
    "light": _any(r"\blights?\b"),
    "mail": _any(r"\b(?:e-?mails?|messages?|texts?)\b"),
    "calendar": _any(r"\bcalendar\b"),
    "call": _any(r"\b(?:call|(?:tele)?phone)\b"),
    "screen": _any(r"\b(?:screen|display|map|camera)\b"),
    "weather": _any(r"\b(?:weather|forecast)\b"),
    "answer": _any(r"waiting for an answer"),
    "drive": _any(r"stays? in your hands|nothing that drives"),
}
"""What a reply may be about, by the names that a turn's ``topics`` has."""
WORD_LETTERS = 5
"""Words with the same first letters count as the same: "charge" and "charging"."""
_EMPTY_WORDS = frozenset(
    "that this have with what when where which your please want like could would should cannot can't don't didn't there here them "
    "they then just some something anything would you're i'm it's them about from into over make take turn down will going know "
    "tell need only doing".split()
)
"""Words of more than three letters that say nothing about a wish."""


def own_question_cut(reply: str) -> str:
    """A reply without the question of the assistant's own that it ends with."""
    at = reply.lower().find(OWN_QUESTION)
    return (reply if at < 0 else reply[:at]).strip()


def sentences(reply: str) -> Sequence[str]:
    """The sentences of a reply."""
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+", reply) if part.strip()]


def offers(reply: str) -> bool:
    """Whether a reply offers something and waits for a yes: not which one, when, one or the other."""
    return any(_offer(sentence) for sentence in sentences(own_question_cut(reply)))


def _offer(sentence: str) -> bool:
    found = _OFFERED.search(sentence)
    if found is None or _OPEN_QUESTION.search(sentence, 0, found.start()):
        return False
    return "?" not in sentence or "yes or no" in sentence or not _CHOICE.search(sentence)


def not_understood(reply: str) -> bool:
    """Whether a reply says that nothing was understood; or there is none."""
    return not reply or _NOT_UNDERSTOOD.search(reply) is not None


def refuses(reply: str) -> bool:
    """Whether a reply says that it cannot, may not, has no such thing or does not know."""
    return _REFUSED.search(reply) is not None


def promises(reply: str) -> bool:
    """Whether a reply is only the promise to leave something alone."""
    return _PROMISED.search(reply) is not None


def claims(reply: str) -> bool:
    """Whether a reply says that something was done, or will be. An enumeration or a question says neither."""
    return any(_CLAIMED.search(one) for one in sentences(reply) if "?" not in one and one.count(",") < 2)


def claims_for_sure(reply: str) -> bool:
    """Whether what a reply claims stands although it refuses something, too."""
    return claims(reply) and (not refuses(reply) or _CLAIMED_FOR_SURE.search(reply) is not None)


def asks_nothing(reply: str) -> bool:
    """Whether a question could follow any sentence."""
    return _HELP.search(reply) is not None


def about(text: str) -> frozenset[str]:
    """The topics that a text names."""
    return frozenset(name for name, pattern in TOPICS.items() if pattern.search(text))


def telling(text: str) -> frozenset[str]:
    """The beginnings of the words of a text that say what it is about."""
    words = re.findall(r"[a-z0-9']+", text.lower())
    return frozenset(word[:WORD_LETTERS] for word in words if len(word) > 3 and word not in _EMPTY_WORDS)
