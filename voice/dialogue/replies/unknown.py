"""What is said of a place that nobody knows: it may be a name, somebody's home, or words that name nothing at all.

Owns these words. Each reply is without its full stop, as all of `voice.dialogue.replies.answers`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from schemas.actions.said import KINDS, like
from voice.dialogue.replies.examples import COMMON

PEOPLE: Final = frozenset(
    "mum mummy mam mom mommy mother dad daddy father parent parents folks wife missus husband hubby partner girlfriend boyfriend "
    "fiance fiancee ex gran granny grandma grandmother nan nana grandad granddad grandpa grandfather grandparents sister brother "
    "sibling daughter son kid kids child children baby uncle auntie aunt cousin niece nephew family friend friends mate mates boss "
    "colleague neighbour neighbours neighbor neighbors landlord".split()
)
"""Whom one has in one's life."""
_OWN: Final = re.compile(r"^(?:my|our|your) ")
_HOME: Final = re.compile(r"(?:'s|s')?(?: (?:place|house|home|flat|apartment|address))?$")
_DEGREE: Final = re.compile(
    r"(?:cheap|near|clos|quick|fast|nic|big|bigg|small|quiet|short|clean|posh|new|old|larg|bett|b|furth|farth|saf|tidi|busi|warm|"
    r"cool|pretti|fanci|lat|earli|great|high|low)(?:er|est)"
)
"""A comparative: it says how, and not which."""
_NAMELESS: Final = COMMON | frozenset(
    "a an the of to in at on by as it he she we us me mine ours hers his theirs yours another somewhere anywhere elsewhere else "
    "same different near nearby around close place places please those these each both".split()
)
_FIRST: Final = frozenset("nearest closest next best nearby near close".split())
"""Qualities that every place would have."""
_COMMON_PLACES: Final = frozenset(
    "station airport hospital hotel centre center beach school office stadium harbour harbor port museum church park library "
    "university motorway border river lake town city".split()
)
"""What needs an article, though the driver's was lost."""


def place(slots: Mapping[str, object], *, going: bool = True) -> str:
    """What is said where there is no such place; ``going``: the driver wanted to be taken there."""
    if wanted := str(slots.get("destination") or ""):
        who = person(wanted)
        if who:
            more = ". Tell me where it is, and I'll take you" if going else ""
            return f"I don't have an address for {who}{more}"
        kind = " ".join(word for word in wanted.split() if word.lower() not in _FIRST)
        known = f"I know of no {kind}" if kind != wanted else f"I don't know of {wanted}"
        return f"{known} {where(slots)}" if names(wanted) else WHICH
    kind = str(slots.get("kind") or "place")
    quality = " ".join(word for word in str(slots.get("quality") or "").split() if word not in _FIRST)
    other, without = "other" if slots.get("spared") else "", like(quality)
    named = " ".join(filter(None, (other, "" if without else quality, KINDS.get(kind, kind))))
    return f"I know of no {named} {where(slots)}{without}"


WHICH: Final = "I'm not sure which place you mean"


def where(slots: Mapping[str, object]) -> str:
    """Where it was looked for."""
    near = str(slots.get("near") or "")
    if not near:
        return "around here"
    if not names(near):
        return "there"
    bare = set(near.lower().split()) <= _COMMON_PLACES
    return f"near {'the ' if bare else ''}{near}"


def person(wanted: str) -> str:
    """Whom a destination names, as the car speaks of them ("your mum"); empty where it is no person of one's life."""
    said = wanted.lower()
    own, who = _OWN.match(said) is not None, _HOME.sub("", _OWN.sub("", said))
    words = [word if word in PEOPLE else word.removesuffix("s") for word in who.split() if word != "and"]
    known = [word in PEOPLE for word in words]
    if not words or not (all(known) or (own and (known[0] or known[-1]))):
        return ""
    return f"your {' and '.join(words) if all(known) else who}"


def names(wanted: str) -> bool:
    """Whether a word of it names something: "a cheaper one" and "them" do not."""
    return not all(word in _NAMELESS or _DEGREE.fullmatch(word) for word in wanted.lower().split())
