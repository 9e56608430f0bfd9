"""Facts as they are spoken of: what the driver asked to have kept, when, and until when. Owns their wording."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from schemas.memory import Decision, Fact, Kind, Outcome
from schemas.ports import MemoryPort
from voice.dialogue.replies.examples import stems
from voice.dialogue.replies.moments import spoken_moment

_PARKED = " for a day, or until you tell me another place"


def words(fact: Fact) -> str:
    """A fact as the driver said it, with whom it is about and until when the driver said that it matters."""
    about = f"{fact.about}: " if fact.about and fact.about.lower() not in fact.text.lower() else ""
    said = not fact.parked and fact.until_words.lower() not in fact.text.lower()
    until = f" {fact.until_words}" if said else ""
    return f"{about}{fact.text.rstrip('.')}{until}"


def fact(memory: MemoryPort, name: str | None) -> Fact | None:
    """The fact of this id, if it is one."""
    return next((fact for fact in memory.facts() if fact.id == name), None) if name is not None else None


def asked(fact: Fact) -> str:
    """Half a sentence that follows "that": "you asked me to keep this: the spare key is under the mat"."""
    return f"you asked me to keep this: {words(fact)}"


def decided(memory: MemoryPort, decisions: Sequence[Decision]) -> tuple[str, Decision] | None:
    """What is said to facts that were kept, or were kept already; None where there are none."""
    stored = [d for d in decisions if d.fact is not None]
    held = {fact.id: fact for fact in memory.facts()} if stored else {}
    told = [held[d.fact] for d in stored if d.fact in held]
    if not told:
        return None
    begin = "I keep that already" if all(d.outcome is Outcome.PASS for d in stored) else "Okay, I'll keep that"
    instead = [old for d in stored for old in d.replaced]
    if instead:
        return f"{begin}: {'; '.join(map(words, told))}. That takes the place of: {'; '.join(instead)}.", stored[-1]
    until = _PARKED if all(fact.parked for fact in told) else ""
    return f"{begin}{until}: {'; '.join(map(words, told))}.", stored[-1]


def about(memory: MemoryPort, what: str) -> tuple[Fact, ...]:
    """The facts that words are about: found by search, with one of the words in them."""
    found = [one.id for one in memory.search(what, kinds=(Kind.FACT,), limit=3)]
    held = {fact.id: fact for fact in memory.facts()}
    return tuple(held[name] for name in found if name in held and stems(what) & stems(words(held[name])))


def why(fact: Fact, now: datetime, zone: tzinfo) -> str:
    """Why it is kept."""
    ends = f" It goes {spoken_moment(fact.until, now, zone)}." if fact.until is not None else ""
    return f"You asked me to keep it {spoken_moment(fact.said_at, now, zone)}. Your words were: {words(fact)}.{ends}"
