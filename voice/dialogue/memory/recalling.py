"""Reading back what is remembered: what it is, what is known about something, why, since when, and for whom.

Owns these replies, and what was told on this trip as a reply where memory has nothing. Changes nothing that is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from datetime import datetime, timedelta

from schemas.errors import UnknownEntryError
from schemas.events import Command
from schemas.memory import FACTS, Explanation, Fact, Preference
from schemas.preferences import BY_DETAIL
from schemas.seat import Seat
from voice.dialogue.forgetting import naming
from voice.dialogue.forgetting.counted import ALOUD, listed, number
from voice.dialogue.knowing.lately import Told
from voice.dialogue.memory import kept, talks
from voice.dialogue.memory.likes import as_told, title
from voice.dialogue.memory.mind import Mind, Statement, That
from voice.dialogue.replies.examples import stems
from voice.dialogue.replies.moments import spoken_moment
from voice.dialogue.replies.turned import sentence, turned
from voice.dialogue.rights.drivers import UNNAMED, WhoDrives, spoken_name

LOOKS = frozenset({"remember_what", "remember_more", "when_said", "who_am_i"})
"""Commands that change nothing."""
WHAT = "I don't know what you mean by that."
JUST_NOW = timedelta(minutes=5)
"""How long ago "just now" is. Our choice."""
_GONE = "That is forgotten already."
_HELD_BACK = ", but I haven't kept it: if I should, say: keep that"


class Recalling:
    """Answers to what the driver asks of memory."""

    def __init__(self, seat: Seat, clock: Callable[[], datetime], mind: Mind, drives: WhoDrives) -> None:
        """Nothing was asked yet.

        Args:
            seat: who drives.
            clock: aware current time.
            mind: what is spoken of.
            drives: whether that is a guest, or somebody whose PIN is awaited.
        """
        self._seat, self._clock, self._mind, self._drives = seat, clock, mind, drives

    def apart(self) -> Recalling:
        """One that answers as this one does; what it answers with is kept in mind by nobody."""
        return Recalling(self._seat, self._clock, copy(self._mind), copy(self._drives))

    def look(self, command: Command, *, moving: bool) -> str:
        """The reply to one of `LOOKS`.

        Raises:
            schemas.errors.GloveboxError: memory failed.
        """
        match command.name:
            case "remember_what":
                return self.what(command.slots.get("category"), moving=moving)
            case "remember_more":
                return self.more(moving=moving)
            case "when_said":
                return self.when()
            case _:
                return self.who()

    def what(self, key: str | None, *, moving: bool, question: str = "") -> str:
        """What is remembered, of a category or of all; ``question``: the driver's words, where a category is asked about.

        Where nothing of the category is held, what was kept as a fact or told on this trip may answer them.
        """
        memory = self._seat.memory
        facts = tuple(one for one in memory.facts() if key in (None, FACTS) or (one.parked and _is_parking(key)))
        likes = () if key == FACTS else memory.preferences(key)
        if key and question and not likes and (told := self.answered(question, moving=moving)):
            return self._drives.locked() or told
        held = likes + facts if key is None else facts + likes
        if not held:
            nothing = f"I remember nothing about {title(key)}." if key else "I remember nothing about you yet."
            return self._drives.locked() or nothing
        return self._read(held, "I remember that", moving=moving)

    def answered(self, question: str, *, moving: bool, unasked: bool = False, beyond: str | None = None) -> str:
        """The answer to a question, empty for none; ``unasked``: its words do not ask for memory, so that has to be surer.

        ``beyond``: as for `talks.answered`.
        """
        at_least = talks.UNASKED_AT if unasked else 0.0
        said, name = talks.answered(
            self._seat, question, self._clock(), moving=moving, at_least=at_least, beyond=beyond
        )
        if said:
            self._mind.mention(name)
            fact = kept.fact(self._seat.memory, name)
            self._mind.telling = None if fact is None else Statement(kept.words(fact), fact.id)
            return said
        return "" if beyond is not None else self.just_told(question)

    def just_told(self, question: str) -> str:
        """The answer to a question out of what was told on this trip and is not remembered; empty where nothing of it answers."""
        one = self._mind.lately.answering(question)
        return "" if one is None else self._told_back(one)

    def _told_back(self, *ones: Told) -> str:
        """What was told, as it was told; "that" is the last of it now."""
        last, now = ones[-1], self._clock()
        if not last.kept:
            self._mind.stated(last.text)
        when = "just now" if now - last.at < JUST_NOW else spoken_moment(last.at, now, self._seat.zone)
        said = " ".join(sentence(turned(one.text)) for one in ones)
        return f"{said} You told me {when}{'' if last.kept else _HELD_BACK}."

    def about(self, words: str, *, moving: bool, question: str = "") -> str:
        """What is remembered about something in the driver's own words; ``question``: the whole sentence, where it is known."""
        meant = self._meant(words) or self._said_of(words) or self._of_topic(question)
        meant = kept.about(self._seat.memory, words) + meant
        return self._read(meant, "I remember that", moving=moving) if meant else self._nothing_about(words, question)

    def _nothing_about(self, words: str, question: str) -> str:
        """What is said where nothing is kept about that: it may have been spoken of all the same."""
        if ones := self._mind.lately.naming(words)[-ALOUD:]:
            return self._told_back(*ones)
        return f"I have kept nothing about {naming.called(words, question)}."

    def _said_of(self, words: str) -> tuple[Preference, ...]:
        """Recalled preferences of which the driver told with such a word ("I get my coffee from ...")."""
        found = [r.preference for r in self._seat.memory.recall(words)]
        told = {p.id: " ".join(sentence for _, sentence in self._seat.memory.explain(p.id).because) for p in found}
        return tuple(p for p in found if stems(words) & stems(told[p.id]))

    def _of_topic(self, question: str) -> tuple[Preference, ...]:
        """What is remembered of the categories that a question is about ("how warm do I like it")."""
        details = self._seat.memory.topics(question) if question else ()
        return tuple(p for p in self._seat.memory.preferences() if p.detail in details) if details else ()

    def _meant(self, words: str) -> tuple[Preference, ...]:
        """What is recalled with a word of it in its value or its category's title, and what is not liked and named whole."""
        said = set(words.lower().split())
        found = [r.preference for r in self._seat.memory.recall(words)]
        known = {preference.id for preference in found}
        unliked = (p for p in self._seat.memory.preferences() if not p.sense.wanted and p.id not in known)
        found += [p for p in unliked if set(p.value.lower().split()) <= said]
        return tuple(p for p in found if said & set(f"{p.value} {BY_DETAIL[p.detail].title}".lower().split()))

    def more(self, *, moving: bool) -> str:
        """What of the list is left."""
        rest = self._mind.that.rest
        if not rest:
            return "That was all." if self._mind.that.about else "Ask me what I remember about you."
        if moving:
            return f"There are {number(len(rest))} more. I'll read them out when the car stands still."
        return self._read(rest, "I also remember that", moving=False)

    def _read(self, held: Sequence[Preference | Fact], begin: str, *, moving: bool) -> str:
        first, rest = held[:ALOUD], tuple(held[ALOUD:])
        self._mind.that = That(about=tuple(p.id for p in first), rest=rest)
        tail = f", and {len(rest)} more" if rest else ""
        hint = "" if moving or not rest or self._seat.manners.brief else " Say: what else."
        return f"{begin} {listed([as_told(self._seat, p) for p in first])}{tail}.{hint}"

    def why(self, said: str) -> str:
        """Why that was chosen, or is remembered; ``said``: the driver's words to it, empty where they are not known."""
        if self._mind.that.stated:
            return "Because you have just told me."
        if not self._mind.that.about:
            return f"Because you said: {said.rstrip('.')}." if said and self._mind.that.acted else WHAT
        acted, now = self._mind.that.acted, self._clock()
        told = self._explained()
        if told is None:
            return _GONE
        if isinstance(told, Fact):
            return kept.why(told, now, self._seat.zone)
        likes = as_told(self._seat, told.preference)
        if not told.because:
            begin = f"I went by what you wrote: {likes}." if acted else f"I remember that {likes}."
            return f"{begin} You wrote that yourself {spoken_moment(told.preference.valid_from, now, self._seat.zone)}."
        begin = f"I went by what you told me: {likes}." if acted else f"I remember that {likes}."
        at, sentence = told.because[-1]
        times = f", {number(len(told.because))} times in all" if len(told.because) > 1 else ""
        return f"{begin} You said so {spoken_moment(at, now, self._seat.zone)}{times}. Your words were: {sentence.rstrip('.')}."

    def when(self) -> str:
        """When that was said."""
        if self._mind.that.stated:
            return "Just now."
        if not self._mind.that.about:
            return WHAT
        told = self._explained()
        if told is None:
            return _GONE
        if isinstance(told, Fact):
            return f"You said that {spoken_moment(told.said_at, self._clock(), self._seat.zone)}."
        at = told.because[-1][0] if told.because else told.preference.valid_from
        said = "You said that" if told.because else "You wrote that"
        first = told.because[0][0] if len(told.because) > 1 else None
        before = f", and {spoken_moment(first, self._clock(), self._seat.zone)} for the first time" if first else ""
        return f"{said} {spoken_moment(at, self._clock(), self._seat.zone)}{before}."

    def _explained(self) -> Fact | Explanation | None:
        """Where the first thing that was spoken of comes from; None, and nothing is spoken of, where it is forgotten already."""
        name = self._mind.that.about[0]
        fact = kept.fact(self._seat.memory, name)
        if fact is not None:
            return fact
        try:
            return self._seat.memory.explain(name)
        except UnknownEntryError:
            self._mind.nothing()
            return None

    def who(self) -> str:
        """Whose memory is open."""
        if self._seat.memory.consent().private_trip and self._drives.guest:
            return self._drives.locked() or "You are a guest: I remember nothing and know nothing about you."
        name, called = self._seat.memory.driver, self._seat.manners.name
        if called:
            return (
                f"You are {called}."
                if name == UNNAMED
                else f"You are {called}, and I remember things for {spoken_name(name)}."
            )
        if name == UNNAMED:
            return "You are the driver of this car; nobody has told me your name."
        return f"I remember things for {spoken_name(name)}."


def _is_parking(key: str) -> bool:
    """Whether a category is one of parking: where the car stands belongs to it."""
    return key == "parking" or (key in BY_DETAIL and BY_DETAIL[key].sub == "parking")
