"""What the driver told or was told: the answer to a question out of memory, and the listing of what was talked about.

Owns the wording of both. What is found, and whether it answers the question, is memory's matter (`memory.recall.search`); a thing
that is only near is not said. Without the keeping of conversations there are facts and preferences to answer with, no exchanges.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from models.text import normal
from schemas.errors import UnknownEntryError
from schemas.memory import Found, Kind, Period
from schemas.preferences import BY_DETAIL
from schemas.seat import Seat
from voice.dialogue.memory import kept
from voice.dialogue.memory.likes import because
from voice.dialogue.replies.examples import stems
from voice.dialogue.replies.moments import spoken_moment
from voice.dialogue.replies.turned import sentence, turned

ALOUD = 3
"""Exchanges that are told at a time; one while the car moves."""
BESIDE = 0.8
"""Share of the best answer's sureness from which on another is told beside it. Our choice."""
UNASKED_AT = 0.6
"""Sureness from which on memory answers what does not ask for it by its words ("when is anna moving")."""
PLAINLY_AT = 0.8
"""Sureness from which on a fact answers though a word of the question is not in it; below, it is only offered. Our choice."""
ANSWERING = (Kind.FACT, Kind.EPISODE, Kind.EVENT, Kind.PREFERENCE)
"""What an answer is made of; a summary says again what the exchanges said."""
ANSWERED = 4
"""Words of the car's reply from which on it is told beside the driver's: "Okay" tells nothing."""

_OFFERED = "I haven't kept exactly that. You told me"
_ASKS = re.compile(
    r"^(?:(?:please|okay|hey|so|and|can you|could you|do you remember|do you know|tell me|remind me|say) )*"
    r"what (?:else )?(?:(?:did|have|had) (?:we|i|you and i)|(?:we|i)(?: have| had|'ve)?)(?: all)? "
    r"(?:talk(?:ed)? about|spe(?:ak|aking) about|spoken? about|say|said|tell you|told you|discuss(?:ed)?|chat(?:ted)? about|"
    r"mention(?:ed)?)\b"
)


def asks(text: str) -> bool:
    """Whether it asks what was talked about: "what did we talk about yesterday", "what did I say last tuesday"."""
    return _ASKS.match(normal(text)) is not None


def talked(seat: Seat, question: str, now: datetime, *, moving: bool, about: str = "") -> str:
    """What was talked about, at a time or about something: each with when it was said; ``about``: what the question names."""
    memory = seat.memory
    span, most = memory.period(question), 1 if moving else ALOUD
    found = memory.search(question, kinds=ANSWERING, period=span, limit=most)
    told = _told(seat, found, now) or _told(seat, _naming(seat, about, span, now)[:most], now)
    if told:
        return told
    if not memory.consent().conversations:
        return "I don't keep what we talk about. You can switch that on at the screen."
    return f"I have kept nothing of that{f' {span.words}' if span is not None and span.words else ''}."


def answered(
    seat: Seat, question: str, now: datetime, *, moving: bool, at_least: float = 0.0, beyond: str | None = None
) -> tuple[str, str | None]:
    """The answer to a question out of memory, empty where nothing there answers it; and the id of its fact or preference.

    Args:
        seat: who asks.
        question: the driver's words.
        now: for "on Tuesday".
        moving: whether the car moves; one thing is told then.
        at_least: how sure it has to be beyond memory's own threshold; a fact with all the words of the question is.
        beyond: what the car itself would answer about; only a fact counts then, that has all the words of the question or surely
            answers it, and one word that stands not here ("where are my winter tyres" is no question about the tyres that are on).
    """
    memory = seat.memory
    kinds = ANSWERING if beyond is None else (Kind.FACT,)
    found = memory.search(question, kinds=kinds, period=memory.period(question), limit=1 if moving else ALOUD)
    if beyond is not None:
        own = stems(question) - stems(beyond)
        found = [one for one in found if (one.whole or one.score >= PLAINLY_AT) and own & stems(one.text)]
    if not found or (found[0].score < at_least and not (found[0].kind is Kind.FACT and found[0].whole)):
        return "", None
    told = [one for one in found if one.score >= BESIDE * found[0].score or (_whole(one) and _whole(found[0]))]
    fact = told[0].id if told[0].kind in (Kind.FACT, Kind.PREFERENCE) else None
    return _told(seat, told, now), fact


def _whole(one: Found) -> bool:
    """Whether it is a fact that has all the words of the question."""
    return one.kind is Kind.FACT and one.whole


def _naming(seat: Seat, about: str, span: Period | None, now: datetime) -> list[Found]:
    """Exchanges in which the driver said the words for what is asked about, newest first: "what did I say about anna"."""
    asked, consent = (
        stems(about),
        seat.memory.consent().model_copy(update={"private_trip": False, "paused_until": None}),
    )
    if not asked or not consent.conversations:
        return []
    return [
        Found(kind=Kind.EPISODE, id=one.id, text=one.driver, at=one.at, details=one.details, score=1.0)
        for one in reversed(seat.memory.episodes(span))
        if asked <= stems(one.driver) and not any(consent.forbids(BY_DETAIL[key], now) for key in one.details)
    ]


def _told(seat: Seat, found: Sequence[Found], now: datetime) -> str:
    """What was found in sentences, oldest first; what an event says is not said twice."""
    ordered = sorted(found, key=lambda one: one.at)
    episodes = {one.id: one for one in seat.memory.episodes()} if any(one.kind is Kind.EPISODE for one in found) else {}
    likes = (
        {one.id: one for one in seat.memory.preferences()} if any(one.kind is Kind.PREFERENCE for one in found) else {}
    )
    said: list[str] = []
    for one in ordered:
        moment = spoken_moment(one.at, now, seat.zone)
        if one.kind is Kind.FACT:
            fact = sentence(turned(_fact(seat, one)))
            answers = one.whole or one.score >= PLAINLY_AT
            said.append(f"{fact} You told me {moment}." if answers else f"{_OFFERED} {moment}: {fact}")
        elif one.id in episodes:
            driver, car = episodes[one.id].driver.strip(), episodes[one.id].assistant.strip()
            said.append(f"{sentence(moment)[:-1]} you said: {sentence(driver)}")
            if len(car.split()) >= ANSWERED:
                said.append(f"I answered: {sentence(car)}")
        elif one.id in likes:
            said.append(seat.units.liking(f"I remember that {because(likes[one.id])}."))
        elif one.kind is Kind.EVENT and not episodes:
            said.append(f"You told me {moment}: {sentence(one.text)}")
    if said:
        seat.memory.used(found)
    return " ".join(said)


def _fact(seat: Seat, one: Found) -> str:
    """A fact's own words, and whom it is about where they do not say so."""
    try:
        return kept.words(seat.memory.fact(one.id))
    except UnknownEntryError:  # gone meanwhile
        return one.text
