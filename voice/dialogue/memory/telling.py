"""Telling: what the driver tells, asks to be remembered, or puts right, and what is said to it.

Owns the wording, and what of it is held for this trip. What of it is stored is memory's own business: only that is promised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from models.text import contains
from schemas.actions import Domain
from schemas.errors import ConsentError, UnknownEntryError
from schemas.memory import Decision, Outcome
from schemas.seat import Seat
from voice.dialogue.filling import liked
from voice.dialogue.forgetting import erasing
from voice.dialogue.forgetting.counted import ALOUD
from voice.dialogue.knowing import lately
from voice.dialogue.knowing.lately import Told
from voice.dialogue.knowing.lately import corrected as put_right
from voice.dialogue.memory import kept, pointing, wishes
from voice.dialogue.memory.likes import as_told, wording
from voice.dialogue.memory.mind import Mind, Statement
from voice.dialogue.memory.question import ByTheWay
from voice.dialogue.replies import responder
from voice.dialogue.replies.turned import turned

NOT_PUT_RIGHT = "I can't keep it like that, so I leave what I kept before as it was."
NOT_KEPT = "I only keep what you like, avoid or need on the road, and I could not tell what this is."
LEAST_TOLD = 4
"""Words of a sentence that may tell something which is asked about later. Our choice."""
_KNOWN = "I have kept that already."
_IF_KEPT = "I don't keep that yet. If I should, say: keep that."
_UNSURE = f"I see, but {_IF_KEPT}"


class Telling:
    """Takes in what the driver tells."""

    def __init__(self, seat: Seat, clock: Callable[[], datetime], mind: Mind, questions: ByTheWay | None) -> None:
        """Nothing was told yet.

        Args:
            seat: who drives.
            clock: aware current time.
            mind: what is spoken of, and was told on this trip.
            questions: asks about what memory is not sure of; None: nobody asks.
        """
        self._seat, self._clock, self._mind, self._questions = seat, clock, mind, questions

    def remember(self, sentence: str, values: Mapping[str, object] | None = None) -> tuple[str, Decision | None]:
        """Store what the driver asks to be remembered; ``values``: the car's signals, for what "this song" is."""
        done = self._mind.that.done
        if done is not None and done.domain is not Domain.MEDIA and pointing.bare(sentence) and liked(done) is not None:
            return self.remember_that()  # the car was set so just now
        sentence = pointing.named(sentence, values or {})
        decisions = self._seat.memory.remember(sentence)
        self._tells(sentence, decisions)
        stored = self._decided(decisions)
        unknown = pointing.unknown(sentence, values or {}) if stored is None else ""
        return (unknown, None) if unknown else stored or _unclear(decisions)

    def remember_that(self) -> tuple[str, Decision | None]:
        """Store what the driver has just told, or had done, since that is asked for now: as a fact, if it is no preference."""
        if self._mind.that.said:
            return self.remember(f"remember that {self._mind.that.said}")
        wanted = liked(self._mind.that.done) if self._mind.that.done is not None else None
        if wanted is not None:
            detail, value = wanted
            own = self._mind.last if contains(self._mind.last, value) else turned(wording(detail, value))
            decisions = self._seat.memory.remember(own, detail)
            return self._decided(decisions) or _unclear(decisions)
        return (_KNOWN if self._mind.that.about and not self._mind.that.acted else responder.REMEMBER_WHAT), None

    @property
    def keepable(self) -> bool:
        """Whether the driver has just told something, or had something done that tells what they may like."""
        that = self._mind.that
        return that.stated or (that.done is not None and liked(that.done) is not None)

    def told(self, decisions: Sequence[Decision], said: str = "") -> tuple[str, Decision | None]:
        """What is said to something told without asking that it be kept: only what is stored is promised; ``said``: the words."""
        self._tells(said, decisions)
        known = self._decided(decisions)
        asks = any(d.outcome is Outcome.ASK for d in decisions)
        question = self._questions.about(decisions) if asks and self._questions is not None else None
        asked = self._mind.doubts(question)
        if known is not None:
            return known
        self._mind.stated(said)
        if asks:
            return ("I see." if asked else _UNSURE), decisions[0]
        why, decision = self._seat.memory.special(said), decisions[0] if decisions else None
        if self._questions is not None and self._mind.doubts(self._questions.of_close(said)):
            return "I see.", decision
        return f"I see, but I don't keep that{f': {why}' if why else ''}.", decision

    def _tells(self, said: str, decisions: Sequence[Decision]) -> None:
        """Hold what was told for this trip, unless it may not be kept or nothing is to be remembered now."""
        consent, now = self._seat.memory.consent(), self._clock()
        silent = consent.private_trip or (consent.paused_until is not None and consent.paused_until > now)
        if any(d.outcome is Outcome.REFUSED for d in decisions):
            self._mind.lately.drop(self._mind.that.said)
            return
        if not said or silent or self._seat.memory.discloses(said):
            return
        name = next((d.fact or d.preference for d in decisions if d.fact or d.preference), None)
        fact = kept.fact(self._seat.memory, name)
        text = kept.words(fact) if fact is not None else wishes.told(said) or said
        self._mind.lately.tell(Told(text, now, kept=name is not None))
        self._mind.telling = Statement(text, name)

    def chatted(self, said: str) -> None:
        """The driver talked, and what they said may tell something."""
        if len(said.split()) >= LEAST_TOLD and not lately.asks(said):
            self._tells(said, ())

    def corrected(self, text: str, *, orders: bool) -> str:
        """Put right what was told in the turn before or is kept, and say how it reads now; empty where this is no such correction.

        Args:
            text: the driver's words.
            orders: whether they may ask something of the car.

        Raises:
            schemas.errors.GloveboxError: memory failed.
        """
        try:
            return self._corrected(text, orders=orders) or self._renewed(text, orders=orders)
        except (ConsentError, UnknownEntryError):
            return NOT_PUT_RIGHT

    def _renewed(self, text: str, *, orders: bool) -> str:
        """Take in what is told anew of a fact that was kept at any time; what may be meant is asked about."""
        if lately.asks(text) or wishes.told(text) is not None or erasing.wish(text, lambda _: False) is not None:
            return ""
        memory = self._seat.memory
        found = memory.renewal(text, orders=orders)
        if found is None:
            return ""
        fact, sure = found
        old = kept.words(memory.fact(fact.id))
        if not sure:
            asked = self._questions is not None and self._mind.doubts(self._questions.of_change(fact))
            return f"I keep this: {turned(old)}." if asked else ""
        memory.correct_fact(fact.id, fact.text)
        self._mind.lately.drop(old)
        self._mind.lately.tell(Told(fact.text, self._clock(), kept=True))
        self._mind.mention(fact.id)
        self._mind.telling = Statement(fact.text, fact.id)
        return f"Okay, I've changed that: {fact.text.rstrip('.')}."

    def _corrected(self, text: str, *, orders: bool) -> str:
        before, memory = self._mind.before, self._seat.memory
        if before is None:
            return ""
        fact = kept.fact(memory, before.name)
        held = next((p for p in memory.preferences() if p.id == before.name), None)
        old = fact.text if fact is not None else held.value if held is not None else before.text
        new = put_right(old, text, orders=orders)
        if new is None:
            return ""
        if before.name is None and memory.discloses(new):
            raise ConsentError("what was told is put right to something that is not held")
        self._mind.lately.drop(before.text)
        if fact is not None:
            self._mind.mention(memory.correct_fact(fact.id, new).id)
            name, said = fact.id, f"Okay, I've changed that: {new.rstrip('.')}."
        elif held is not None:
            right = memory.correct(held.id, new)
            self._mind.mention(right.id)
            name, said = right.id, f"Okay, I'll remember that {as_told(self._seat, right)}."
        else:
            self._mind.stated(new)
            name, said = None, f"I see: {turned(new).rstrip('.')}. {_IF_KEPT}"
        if name is None or fact is not None:
            self._mind.lately.tell(Told(new, self._clock(), kept=name is not None))
        self._mind.telling = Statement(new, name)
        return said

    def _decided(self, decisions: Sequence[Decision]) -> tuple[str, Decision | None] | None:
        facts = kept.decided(self._seat.memory, decisions)
        stored = [d for d in decisions if d.preference is not None]
        refused = next((_reason(d) for d in decisions if d.outcome is Outcome.REFUSED), "")
        rest = f" I won't keep the rest: {refused}." if refused else ""
        if facts is not None and not stored:
            self._mind.mention(facts[1].fact)
            return f"{facts[0]}{rest}", facts[1]
        if stored:
            self._mind.mention(stored[-1].preference)
            held = {p.id: p for p in self._seat.memory.preferences()}
            likes = [as_told(self._seat, held[d.preference]) for d in stored if d.preference in held]
            begin = (
                "I knew that already:" if all(d.outcome is Outcome.PASS for d in stored) else "Okay, I'll remember that"
            )
            also = f" {facts[0]}" if facts is not None else ""
            return f"{begin} {' and '.join(likes[:ALOUD])}.{also}{rest}", stored[-1]
        if any(d.outcome is Outcome.UPDATE for d in decisions):
            return "Okay, I won't assume that any more.", decisions[0]
        for decision in decisions:
            if decision.outcome is Outcome.REFUSED:
                return f"I won't keep that: {refused}.", decision
        return None


def _unclear(decisions: Sequence[Decision]) -> tuple[str, Decision | None]:
    """What is said to something that was asked to be kept and is nothing that can be."""
    return NOT_KEPT, decisions[0] if decisions else None


def _reason(decision: Decision) -> str:
    """Why something was refused, as half a sentence."""
    return decision.reason.removeprefix("not remembered: ").rstrip(".")
