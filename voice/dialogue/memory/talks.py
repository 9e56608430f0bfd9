"""What was talked about: the question for it, and the reply from the exchanges that are kept.

Owns the wording of both. What is found is memory's matter; without the keeping of conversations there is nothing to find.
"""

from __future__ import annotations

import re
from datetime import datetime

from models.text import normal
from schemas.memory import Kind
from schemas.seat import Seat
from voice.dialogue.replies.moments import spoken_moment

ALOUD = 3
"""Exchanges that are told at a time; one while the car moves."""

_ASKS = re.compile(
    r"^(?:(?:please|okay|hey|so|and|can you|could you|do you remember|do you know|tell me|remind me|say) )*"
    r"what (?:else )?(?:(?:did|have|had) (?:we|i|you and i)|(?:we|i)(?: have| had|'ve)?)(?: all)? "
    r"(?:talk(?:ed)? about|spe(?:ak|aking) about|spoken? about|say|said|tell you|told you|discuss(?:ed)?|chat(?:ted)? about|"
    r"mention(?:ed)?)\b"
)


def asks(text: str) -> bool:
    """Whether it asks what was talked about: "what did we talk about yesterday", "what did I say last tuesday"."""
    return _ASKS.match(normal(text)) is not None


def talked(seat: Seat, question: str, now: datetime, *, moving: bool) -> str:
    """What was talked about, at a time or about something, in the driver's words, oldest first."""
    memory = seat.memory
    if not memory.consent().conversations:
        return "I don't keep what we talk about. You can switch that on at the screen."
    span = memory.period(question)
    found = memory.search(question, kinds=(Kind.EPISODE,), period=span, limit=1 if moving else ALOUD)
    named = {one.id for one in found}
    said = [episode for episode in memory.episodes(span) if episode.id in named]
    if not said:
        return f"I have kept nothing of that{f' {span.words}' if span is not None and span.words else ''}."
    told = (f"{spoken_moment(one.at, now, seat.zone)}: {one.driver.rstrip('.')}" for one in said)
    return f"You said {'; '.join(told)}."
