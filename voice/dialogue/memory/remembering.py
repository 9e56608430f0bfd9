"""The talk about memory: what is remembered, why, since when; forgetting, switching off, pausing, exporting, deleting.

Owns what such a talk needs to go on: what "that" is, and what of a list was not read out yet. What it asks ("shall I delete
those?") it hands to the dialogue. Nothing that cannot be undone happens on one utterance if it concerns more than one
thing. Replies are templates; whatever else is said comes from memory. What memory does is its own business.

Long because every command about memory has its reply here, and all of them share what "that" is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from models.text import contains
from schemas.actions import Action
from schemas.errors import ConsentError, UnknownEntryError
from schemas.events import Command
from schemas.memory import (
    CONVERSATIONS,
    FACTS,
    Consent,
    Decision,
    Fact,
    Outcome,
    Preference,
    Proposal,
    Receipt,
    Recollection,
    Selector,
)
from schemas.ports import Drivers, Encoder
from schemas.preferences import BY_DETAIL, MAIN_TITLES, SUB_TITLES, find
from schemas.seat import Seat
from voice.dialogue.filling import liked
from voice.dialogue.forgetting import erasing, naming
from voice.dialogue.forgetting.asking import Asked, Question, picked, which
from voice.dialogue.forgetting.counted import ONE, gone, listed, number, there, told
from voice.dialogue.knowing import lately
from voice.dialogue.knowing.lately import Lately, Told
from voice.dialogue.knowing.lately import corrected as put_right
from voice.dialogue.memory import kept, talks, wishes
from voice.dialogue.memory.likes import as_written, because, wording
from voice.dialogue.memory.question import ByTheWay
from voice.dialogue.open.things import Remembering as MayRemember
from voice.dialogue.replies import responder
from voice.dialogue.replies.examples import stems
from voice.dialogue.replies.moments import SAID, pause_end, period, spoken_moment, spoken_span
from voice.dialogue.replies.turned import sentence, turned

ALOUD = 3
"""Things of a list that are read out at a time: our choice; drivers keep three or four in mind, and look at the road."""


@dataclass(slots=True)
class _Mind:
    """What was spoken of."""

    about: tuple[str, ...] = ()
    """Ids of the preferences and facts that "that" may be, the last mentioned."""
    rest: tuple[Preference | Fact, ...] = ()
    """Of a list what was not read out yet."""
    stated: bool = False
    """"That" is what the driver has just told, which is noted but not stored yet."""
    heard: bool = False
    """"That" is what the driver has just said, of which nothing is stored."""
    said: str = ""
    """The driver's words that told it, where it is one of these two."""
    acted: bool = False
    """The last thing that happened was an action; "that" is it, and ``about`` what was used for it."""
    done: Action | None = None
    """That action, where it was done."""


class _Telling(NamedTuple):
    """What was told, and the id of what was kept of it."""

    text: str
    name: str | None


class Remembering:
    """One driver's talk about memory."""

    def __init__(
        self,
        seat: Seat,
        clock: Callable[[], datetime],
        *,
        drivers: Drivers | None = None,
        questions: ByTheWay | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        """Nothing spoken of yet; the trip begins now.

        Args:
            seat: who drives.
            clock: aware current time.
            drivers: who else may drive; None: nobody.
            questions: asks about what memory is not sure of; None: nobody asks.
            encoder: tells what of the things told on this trip answers a question; None: nothing does.
        """
        self._seat, self._clock, self._drivers, self._questions = seat, clock, drivers, questions
        self._announced: str | None = None
        """Who was told last that their PIN is asked for."""
        self._lately = Lately(encoder)
        self._begin()
        seat.follow(self._begin)
        seat.observe(self._unsay)

    def _unsay(self, forgotten: bool) -> None:
        """Where something was forgotten, nothing of what was said is told any more."""
        if forgotten:
            self._telling, self._before, self._last = None, None, ""
            self._lately.clear()

    def _begin(self) -> None:
        """Somebody else drives: nothing is spoken of, nothing is asked, and their trip begins."""
        self._mind, self._trip = _Mind(), self._clock()
        self._last = ""
        """What the driver said last, apart from talk about memory."""
        self._lately.clear()
        self._telling: _Telling | None = None
        """What the driver told in this turn,"""
        self._before: _Telling | None = None
        """and what in the one before."""
        self._asks: list[Question] = []
        self._doubt: MayRemember | None = None

    # What is spoken of

    def begins(self) -> None:
        """An utterance of the driver's begins."""
        self._before, self._telling = self._telling, None

    def acted(self, used: Sequence[Recollection], done: Sequence[Action] = ()) -> None:
        """Actions were carried out, with these preferences or with none; ``done``: those that were done."""
        self._mind = _Mind(about=tuple(r.preference.id for r in used), acted=True, done=done[-1] if done else None)

    def mention(self, preference: str | None) -> None:
        """A preference was spoken of."""
        self._mind = _Mind(about=() if preference is None else (preference,))

    def stated(self, said: str = "") -> None:
        """The driver told something, in these words, that is noted and not stored yet."""
        self._mind = _Mind(stated=True, said=said)

    def heard(self, said: str = "") -> None:
        """The driver said something, in these words, that memory was told of."""
        self._mind = _Mind(heard=True, said=said)
        self._last = said

    def ended(self) -> None:
        """The conversation is over: nothing is spoken of."""
        self._mind, self._last = _Mind(), ""

    # Questions of the driver

    def what(self, key: str | None, *, moving: bool, question: str = "") -> str:
        """What is remembered, of a category or of all; ``question``: the driver's words, where a category is asked about."""
        memory = self._seat.memory
        held = (() if key == FACTS else memory.preferences(key)) + (memory.facts() if key in (None, FACTS) else ())
        if not held:
            nothing = f"I remember nothing about {title(key)}." if key else "I remember nothing about you yet."
            return self._locked() or (self.just_told(question) if key and question else "") or nothing
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
            self.mention(name)
            fact = self._fact(name) if name is not None else None
            self._telling = None if fact is None else _Telling(kept.words(fact), fact.id)
            return said
        return "" if beyond is not None else self.just_told(question)

    def let_go(self) -> None:
        """Something is to be forgotten: nothing that was told on this trip is told back."""
        self._lately.clear()

    @property
    def told_something(self) -> bool:
        """Whether something was told on this trip that may answer a question."""
        return bool(self._lately)

    def just_told(self, question: str) -> str:
        """The answer to a question out of what was told on this trip and is not remembered; empty where nothing of it answers."""
        one = self._lately.answering(question)
        return "" if one is None else self._told_back(one)

    def _told_back(self, *ones: Told) -> str:
        """What was told, as it was told; "that" is the last of it now."""
        last, now = ones[-1], self._clock()
        if not last.kept:
            self.stated(last.text)
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
        if ones := self._lately.naming(words)[-ALOUD:]:
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
        rest = self._mind.rest
        if not rest:
            return "That was all." if self._mind.about else "Ask me what I remember about you."
        if moving:
            return f"There are {number(len(rest))} more. I'll read them out when the car stands still."
        return self._read(rest, "I also remember that", moving=False)

    def _likes(self, told: Preference | Proposal | Fact) -> str:
        if isinstance(told, Fact):
            return kept.asked(told)
        return self._seat.units.liking(as_written(because(told), told.value, self._words_of(told)))

    def _words_of(self, told: Preference | Proposal) -> tuple[str, ...]:
        """The driver's words that tell it."""
        if isinstance(told, Proposal):
            return (told.sentence,)
        try:
            return tuple(sentence for _, sentence in self._seat.memory.explain(told.id).because)
        except UnknownEntryError:  # of what was liked before
            return ()

    def _fact(self, name: str) -> Fact | None:
        """The fact of this id, if it is one."""
        return next((fact for fact in self._seat.memory.facts() if fact.id == name), None)

    def _read(self, held: Sequence[Preference | Fact], begin: str, *, moving: bool) -> str:
        first, rest = held[:ALOUD], tuple(held[ALOUD:])
        self._mind = _Mind(about=tuple(p.id for p in first), rest=rest)
        tail = f", and {len(rest)} more" if rest else ""
        hint = "" if moving or not rest or self._seat.manners.brief else " Say: what else."
        return f"{begin} {listed([self._likes(p) for p in first])}{tail}.{hint}"

    def why(self, said: str) -> str:
        """Why that was chosen, or is remembered; ``said``: the driver's words to it, empty where they are not known."""
        if self._mind.stated:
            return "Because you have just told me."
        if not self._mind.about:
            return f"Because you said: {said.rstrip('.')}." if said and self._mind.acted else _WHAT
        fact = self._fact(self._mind.about[0])
        if fact is not None:
            return kept.why(fact, self._clock(), self._seat.zone)
        try:
            told = self._seat.memory.explain(self._mind.about[0])
        except UnknownEntryError:
            self._mind = _Mind()
            return "That is forgotten already."
        likes, now = self._likes(told.preference), self._clock()
        if not told.because:
            begin = f"I went by what you wrote: {likes}." if self._mind.acted else f"I remember that {likes}."
            return f"{begin} You wrote that yourself {spoken_moment(told.preference.valid_from, now, self._seat.zone)}."
        begin = f"I went by what you told me: {likes}." if self._mind.acted else f"I remember that {likes}."
        at, sentence = told.because[-1]
        times = f", {number(len(told.because))} times in all" if len(told.because) > 1 else ""
        return f"{begin} You said so {spoken_moment(at, now, self._seat.zone)}{times}. Your words were: {sentence.rstrip('.')}."

    def when(self) -> str:
        """When that was said."""
        if self._mind.stated:
            return "Just now."
        if not self._mind.about:
            return _WHAT
        fact = self._fact(self._mind.about[0])
        if fact is not None:
            return f"You said that {spoken_moment(fact.said_at, self._clock(), self._seat.zone)}."
        told = self._seat.memory.explain(self._mind.about[0])
        at = told.because[-1][0] if told.because else told.preference.valid_from
        said = "You said that" if told.because else "You wrote that"
        first = told.because[0][0] if len(told.because) > 1 else None
        before = f", and {spoken_moment(first, self._clock(), self._seat.zone)} for the first time" if first else ""
        return f"{said} {spoken_moment(at, self._clock(), self._seat.zone)}{before}."

    def who(self) -> str:
        """Whose memory is open."""
        if self._seat.memory.consent().private_trip and self._guest:
            return self._locked() or "You are a guest: I remember nothing and know nothing about you."
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

    @property
    def _guest(self) -> bool:
        return self._drivers is not None and self._seat.memory.driver not in self._drivers.names

    # Remembering and forgetting

    def remember(self, sentence: str) -> tuple[str, Decision | None]:
        """Store what the driver asks to be remembered."""
        decisions = self._seat.memory.remember(sentence)
        self._tells(sentence, decisions)
        return self._decided(decisions) or (
            NOT_KEPT,
            decisions[0] if decisions else None,
        )

    def remember_that(self) -> tuple[str, Decision | None]:
        """Store what the driver has just told, or had done, since that is asked for now: as a fact, if it is no preference."""
        if self._mind.said:
            return self.remember(f"remember that {self._mind.said}")
        wanted = liked(self._mind.done) if self._mind.done is not None else None
        if wanted is not None:
            detail, value = wanted
            own = self._last if contains(self._last, value) else turned(wording(detail, value))
            decisions = self._seat.memory.remember(own, detail)
            return self._decided(decisions) or (NOT_KEPT, decisions[0] if decisions else None)
        return (_KNOWN if self._mind.about and not self._mind.acted else responder.REMEMBER_WHAT), None

    @property
    def _keepable(self) -> bool:
        """Whether the last thing that was done tells what the driver may like."""
        return self._mind.done is not None and liked(self._mind.done) is not None

    def told(self, decisions: Sequence[Decision], said: str = "") -> tuple[str, Decision | None]:
        """What is said to something told without asking that it be kept: only what is stored is promised; ``said``: the words."""
        self._tells(said, decisions)
        known = self._decided(decisions)
        if known is not None:
            return known
        self.stated(said)
        if any(d.outcome is Outcome.ASK for d in decisions):
            self._doubt = self._questions.about(decisions) if self._questions is not None else None
            return ("I see." if self._doubt is not None else _UNSURE), decisions[0]
        return "I see, but I don't keep that.", decisions[0] if decisions else None

    def _tells(self, said: str, decisions: Sequence[Decision]) -> None:
        """Hold what was told for this trip, unless it may not be kept or nothing is to be remembered now."""
        consent, now = self._seat.memory.consent(), self._clock()
        silent = consent.private_trip or (consent.paused_until is not None and consent.paused_until > now)
        if any(d.outcome is Outcome.REFUSED for d in decisions):
            self._lately.drop(self._mind.said)
            return
        if not said or silent or self._seat.memory.discloses(said):
            return
        name = next((d.fact or d.preference for d in decisions if d.fact or d.preference), None)
        fact = self._fact(name) if name is not None else None
        text = kept.words(fact) if fact is not None else wishes.told(said) or said
        self._lately.tell(Told(text, now, kept=name is not None))
        self._telling = _Telling(text, name)

    def chatted(self, said: str) -> None:
        """The driver talked, and what they said may tell something."""
        if len(said.split()) >= LEAST_TOLD and not lately.asks(said):
            self._tells(said, ())

    def corrected(self, text: str, *, orders: bool) -> str:
        """Put right what was told in the turn before, and say how it reads now; empty where this is no such correction.

        Args:
            text: the driver's words.
            orders: whether they may ask something of the car.

        Raises:
            schemas.errors.GloveboxError: memory failed.
        """
        try:
            return self._corrected(text, orders=orders)
        except (ConsentError, UnknownEntryError):
            return NOT_PUT_RIGHT

    def _corrected(self, text: str, *, orders: bool) -> str:
        before, memory = self._before, self._seat.memory
        if before is None:
            return ""
        fact = self._fact(before.name) if before.name is not None else None
        held = next((p for p in memory.preferences() if p.id == before.name), None)
        old = fact.text if fact is not None else held.value if held is not None else before.text
        new = put_right(old, text, orders=orders)
        if new is None:
            return ""
        if before.name is None and memory.discloses(new):
            raise ConsentError("what was told is put right to something that is not held")
        self._lately.drop(before.text)
        if fact is not None:
            self.mention(memory.correct_fact(fact.id, new).id)
            name, said = fact.id, f"Okay, I'll keep it so: {new.rstrip('.')}."
        elif held is not None:
            right = memory.correct(held.id, new)
            self.mention(right.id)
            name, said = right.id, f"Okay, I'll remember that {self._likes(right)}."
        else:
            self.stated(new)
            name, said = None, f"I see: {turned(new).rstrip('.')}. {_IF_KEPT}"
        if name is None or fact is not None:
            self._lately.tell(Told(new, self._clock(), kept=name is not None))
        self._telling = _Telling(new, name)
        return said

    def _decided(self, decisions: Sequence[Decision]) -> tuple[str, Decision | None] | None:
        facts = kept.decided(self._seat.memory, decisions)
        stored = [d for d in decisions if d.preference is not None]
        refused = next((_reason(d) for d in decisions if d.outcome is Outcome.REFUSED), "")
        rest = f" I won't keep the rest: {refused}." if refused else ""
        if facts is not None and not stored:
            self.mention(facts[1].fact)
            return f"{facts[0]}{rest}", facts[1]
        if stored:
            self.mention(stored[-1].preference)
            held = {p.id: p for p in self._seat.memory.preferences()}
            likes = [self._likes(held[d.preference]) for d in stored if d.preference in held]
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

    def forget_that(self, conversation: str) -> str:
        """Forget the last thing mentioned, used or told; asks where several could be meant, or none was spoken of."""
        self._lately.clear()
        if self._mind.stated or self._mind.heard:
            erased = self._seat.memory.forget_pending(conversation)
            self._mind = _Mind()
            return "Forgotten: what you have just told me." if erased else "I did not keep that."
        held = [p for p in self._seat.memory.preferences(history=True) if p.id in self._mind.about]
        held.sort(key=lambda p: self._mind.about.index(p.id))
        if not held and self._mind.about and self._fact(self._mind.about[0]) is not None:
            return self.erased(self._mind.about[0])
        if len(held) > 1:
            said = [f"that {self._likes(p)}" for p in held[:ALOUD]]
            self._ask(Question(Asked.FORGET, among=tuple(held[:ALOUD]), again=f"Forget {listed(said)}?"))
            return ""
        if held:
            return self.erased(held[0].id)
        if self._mind.about:
            return "That is forgotten already."
        newest = self._seat.memory.preferences()[:1]
        if not newest:
            return "There is nothing to forget."
        again = f"Do you mean that {self._likes(newest[0])}? Say yes or no."
        self._ask(Question(Asked.FORGET, Selector(id=newest[0].id), newest, again))
        return ""

    def forget_said(self, conversation: str, proposal: str | None) -> str:
        """Forget what was said just now, or what memory asked about just now."""
        if proposal is not None:
            self._seat.memory.answer(proposal, False)
            self._seat.memory.forget_pending(conversation)
            self._mind = _Mind()
            return _FORGOTTEN
        return self.forget_that(conversation)

    def forget_named(self, words: str, category: str | None, whole: str = "") -> str:
        """Ask whether what these words name is to be forgotten, else what the ``whole`` sentence means best, if it is known."""
        if _ALL_BUT.match(words):
            return NOT_ALL_BUT
        self._lately.clear()
        if several := naming.each(self._seat.memory, words):
            return self._ask_all(
                [(what, listed(told(self._seat.memory.matching(what), self._likes))) for what in several]
            )
        what = naming.named(self._seat.memory, words, category)
        fits = self._seat.memory.fitting(whole, words)[:ALOUD] if what is None and whole else ()
        if len(fits) == 1:
            fits = self._seat.memory.fitting(whole, words, guesses=ALOUD)
        if len(fits) > 1 and self._ask_which(fits):
            return ""
        what = fits[0] if fits else what
        about = f"about {title(category)}" if category is not None else f"about {words}"
        if what is None or (matches := self._seat.memory.matching(what)).empty:
            near = self._seat.memory.fitting(whole, words, guesses=ALOUD) if what is None and whole else ()
            if near and self._ask_which(near, UNNAMED_THING):
                return ""
            span = self._seat.memory.period(words)
            if span is not None:
                return f"I remember nothing of that from {span.words.removeprefix('on ')}."
            if whole and erasing.keeps(whole):
                return NO_TOPIC
            plain = category is not None or not (naming.SENTENCE.match(words) or len(words.split()) > naming.SAID_BACK)
            if plain:
                return f"I remember nothing {about}."
            held = (*self._seat.memory.preferences(), *self._seat.memory.facts())
            few = [Selector(id=one.id) for one in held] if len(held) <= ALOUD else []
            return "" if self._ask_which(few, UNNAMED_THING) else NOTHING_LIKE_IT
        if guarded := self._kept_back(what):
            return guarded
        said = told(matches, self._likes)
        if len(said) <= (ALOUD if what.period is None else 1):
            again = f"Forget {listed(said)}?"
        else:
            when = f"from {what.period.words.removeprefix('on ')}" if what.period is not None else about
            again = f"That is {there(matches, when)}. Shall I forget it all?"
        self._ask(Question(Asked.FORGET, what, again=again))
        return ""

    def forget_several(self, count: int, kind: str, key: str | None) -> str:
        """Ask whether so many things are to be forgotten, of a kind or those spoken of; which, where there are more."""
        held = naming.of_kind(self._seat.memory, kind, key) if kind else self._spoken_of(count)
        if not held and key is not None:
            return self.forget(Selector(key=key), f"about {title(key)}")
        if len(held) > count:
            self._ask_which([Selector(id=one.id) for one in held])
            return ""
        return self._ask_all([(Selector(id=one.id), f"that {self._likes(one)}") for one in held])

    def _ask_all(self, called: Sequence[tuple[Selector, str]]) -> str:
        """Ask whether all of these are to be forgotten, each with what it is called; what is said where a PIN stands before it."""
        every = Selector(ids=tuple(sorted(name for what, _ in called for name in what.names or ())))
        if guarded := self._kept_back(every):
            return guarded
        again = f"Forget {listed([name for _, name in called])}?"
        self._ask(Question(Asked.FORGET, again=again, which=tuple(called)))
        return ""

    def _spoken_of(self, count: int) -> tuple[Preference | Fact, ...]:
        """The things that were read out last, where they are so many at least, else so many of those that were told last."""
        known = (*self._seat.memory.preferences(), *self._seat.memory.facts())
        held = {one.id: one for one in known}
        read = [held[name] for name in self._mind.about if name in held]
        newest = sorted(known, key=lambda one: one.said_at if isinstance(one, Fact) else one.valid_from, reverse=True)
        return tuple(read) if len(read) >= count else tuple(newest[:count])

    def _ask_which(self, fits: Sequence[Selector], begin: str = "") -> bool:
        """Ask which of several things is meant, after a sentence or none; False: nothing of them is there."""
        named = dict[str, Selector]()
        for what in fits:
            matches = self._seat.memory.matching(what)
            if not matches.empty:
                name = listed(told(matches, self._likes, what.text or ""))
                held = named.get(name)
                if held is None or not what.ids:  # whatever holds the words takes the thing of that name along
                    named[name] = what
                elif held.ids:
                    named[name] = Selector(ids=held.ids + what.ids)
        called = tuple((what, name) for name, what in named.items())
        if not called:
            return False
        *first, last = [name for _, name in called]
        begin = f"{begin} " if begin else ""
        if first:
            again = f"{begin}Which shall I forget: {', '.join(first)}, or {last}?"
            self._ask(Question(Asked.WHICH, again=again, which=called))
        else:
            self._ask(Question(Asked.FORGET, called[0][0], again=f"{begin}Forget {last}?"))
        return True

    def forget(self, what: Selector, about: str) -> str:
        """Ask whether all that a selector stands for is to be forgotten."""
        self._lately.clear()
        if guarded := self._kept_back(what):
            return guarded
        matches = self._seat.memory.matching(what)
        if matches.empty:
            return f"I remember nothing {about}."
        said = [] if what.everything or what.period is not None else told(matches, self._likes)
        if len(said) == 1 and matches.things == 1:
            self._ask(Question(Asked.FORGET, what, again=f"Forget {listed(said)}?"))
        else:
            self._ask(Question(Asked.FORGET, what, again=f"That is {there(matches, about)}. Shall I forget it all?"))
        return ""

    def erased(self, name: str) -> str:
        """Forget one thing by its id."""
        try:
            receipt = self._seat.memory.forget(name)
        except UnknownEntryError:
            return "That is forgotten already."
        self._mind = _Mind()
        return _FORGOTTEN if receipt.verified else _UNVERIFIED

    def _told(self, *receipts: Receipt) -> str:
        """What is said to what was forgotten: how much, where it was more than the one thing that was spoken of."""
        self._mind = _Mind()
        if not all(receipt.verified for receipt in receipts):
            return _UNVERIFIED
        counted = [count for receipt in receipts if (count := gone(receipt))]
        if not counted:
            return "Forgotten: what you have just told me."
        if set(counted) == {ONE}:
            return _FORGOTTEN if len(counted) == 1 else f"Forgotten: {number(len(counted))} things."
        return f"Forgotten: {listed(counted)}."

    # Switches

    def opt_out(self, key: str) -> str:
        """Switch a category off, and ask what to do with what is there already."""
        self._seat.memory.opt_out(key)
        done = _opted_out(key)
        matches = self._seat.memory.matching(Selector(key=key))
        if matches.empty:
            return done
        again = (
            f"I still have {there(matches)} from before. Shall I delete {'that' if matches.things == 1 else 'those'}?"
        )
        self._ask(Question(Asked.KEEP, Selector(key=key), again=again))
        return done

    def opt_in(self, key: str) -> str:
        """Allow a category again; where it was allowed all the time, say what is not."""
        before = self._seat.memory.consent()
        consent = self._seat.memory.opt_in(key)
        if key != FACTS:
            off = [c for c in find(key) if c.sensitive and c.detail not in consent.opted_in]
            if len(off) == len(find(key)):
                return f"{title(key).capitalize()} stays off."
        same = (consent.opted_out, consent.opted_in) == (before.opted_out, before.opted_in)
        return self._on_anyway(key, consent) if same else _opted_in(key)

    def _on_anyway(self, key: str, consent: Consent) -> str:
        """What is said where a category was on: what is off may be what the driver means."""
        if self._guest:
            return "You are a guest: I remember nothing."
        allowed = "I keep what you ask me to" if key == FACTS else f"I may remember things about {title(key)}"
        off = [title(one) for one in sorted(consent.opted_out) if one == FACTS or is_category(one)]
        but = f"but nothing about {listed(off)}" if off else ""
        if consent.paused_until is not None and consent.paused_until > self._clock():
            but = "but learning is paused still: say that I may learn again"
        if consent.private_trip:
            but = "but this is a private trip still: say that it is over"
        return f"{allowed} as before{', ' if but else ''}{but}."

    def private(self, on: bool) -> str:
        """Begin or end a private trip; where there is none, end the pause."""
        if not on and not self._seat.memory.consent().private_trip:
            return self.resume()
        consent = self._seat.memory.set_private_trip(on)
        if on:
            return "Private trip: I remember nothing."
        if consent.private_trip:
            return "You are a guest: I remember nothing."
        paused = consent.paused_until
        if paused is not None and paused > self._clock():
            return "The private trip is over, but learning is paused still."
        return "I may remember things again."

    def pause(self, span: int | str) -> str:
        """Learn nothing for a while, or until told."""
        self._seat.memory.pause(pause_end(span, self._clock(), self._seat.zone))
        return f"Okay, I learn nothing {spoken_span(span)}."

    def resume(self) -> str:
        """End the pause."""
        consent = self._seat.memory.pause(None)
        if consent.private_trip:
            return (
                "You are a guest: I remember nothing."
                if self._guest
                else "This is a private trip still: say that it is over."
            )
        return "Okay, I learn again."

    # Drivers and their data

    def switch(self, driver: str | int | None) -> str:
        """Open another configured driver's memory, by name or by place; None: a guest's."""
        if self._drivers is None:
            return "There is only one driver here."
        if isinstance(driver, int):
            if driver > len(self._drivers.names):
                return f"There {_drivers_count(len(self._drivers.names))} here."
            driver = self._drivers.names[driver - 1]
        try:
            self._drivers.switch(driver)
        except UnknownEntryError:
            return "I don't know a driver of that name."
        if driver is None:
            return "Guest mode: I remember nothing and know nothing about you."
        return self._locked() or f"Hello {self._seat.manners.name or spoken_name(driver)}."

    def _locked(self) -> str:
        """What is said to somebody whose PIN was not entered yet; empty where nobody's is asked for."""
        self._announced = None if self._drivers is None else self._drivers.awaited
        return "" if self._announced is None else _AWAITED.format(name=spoken_name(self._announced))

    def announcement(self) -> str:
        """Said once, after whatever is said first, where somebody is served as a guest until their PIN is entered."""
        before = self._announced
        locked = self._locked()
        return "" if self._announced == before else locked

    def _guarded(self, what: str) -> str:
        """What is said in place of doing something that a PIN stands before: it is not spoken aloud. Empty where there is none."""
        guarded = self._drivers is not None and self._drivers.guarded(self._seat.memory.driver)
        return f"That needs your PIN, so please {what} on the screen; I have changed nothing." if guarded else ""

    def _kept_back(self, what: Selector) -> str:
        """What is said in place of forgetting so much at once that a PIN stands before it; empty where none does."""
        return (
            self._guarded("delete everything" if what.everything else "delete that")
            if self._seat.memory.sweeps(what)
            else ""
        )

    def unguest(self) -> str:
        """End guest mode: the first configured driver's memory is opened."""
        if not self._guest or self._drivers is None:
            return "This is no guest mode."
        return self.switch(self._drivers.names[0])

    def export(self) -> str:
        """Ask whether the data is to be written to a file that the driver can fetch: whoever speaks in the car can ask for it."""
        if self._drivers is None or self._guest:
            return "There is nothing to export." if self._guest else _NO_FILES
        if guarded := self._guarded("export it"):
            return guarded
        self._ask(Question(Asked.EXPORT, again="That writes what I remember to a file that is not encrypted. Shall I?"))
        return ""

    def delete_me(self) -> str:
        """Ask whether the driver is to be deleted, saying what that means."""
        if self._drivers is None or self._guest:
            return "There is nothing to delete." if self._guest else "That is for the command line: memory wipe."
        if guarded := self._guarded("delete yourself"):
            return guarded
        matches = self._seat.memory.matching(Selector(everything=True))
        counted = "" if matches.empty else f": {there(matches)}"
        again = (
            f"That deletes all that I remember about {spoken_name(self._seat.memory.driver)}{counted}, with its "
            "key and its backups. Nobody can bring it back. Shall I go on?"
        )
        self._ask(Question(Asked.DELETE, again=again))
        return ""

    # Questions to the driver

    def _ask(self, question: Question) -> None:
        self._asks.append(question)

    @property
    def asking(self) -> bool:
        """Whether something is asked."""
        return bool(self._asks)

    def asks(self) -> tuple[Question, ...]:
        """What the last replies ask the driver, in order; handed over once."""
        asked, self._asks = tuple(self._asks), []
        return asked

    def doubt(self) -> MayRemember | None:
        """The question whether what was just told may be remembered; handed over once."""
        doubt, self._doubt = self._doubt, None
        return doubt

    def settle(self, open_: Question, text: str, command: Command | None) -> str:
        """Do what the answer to a question says.

        Args:
            open_: what was asked.
            text: the answer, which agrees or names what is meant (``voice.dialogue.forgetting.asking.read``).
            command: what it parsed as, if it did.

        Raises:
            schemas.errors.GloveboxError: memory failed.
        """
        match open_.asked:
            case Asked.FORGET if open_.which:
                meant = which(open_, text, command) or [what for what, _ in open_.which]
                return self._forgotten_all([name for what in meant for name in sorted(what.names or ())])
            case Asked.FORGET if open_.among and open_.what == Selector():
                return self._forgotten([one.id for one in picked(open_, text, command) or open_.among])
            case Asked.WHICH:
                meant = which(open_, text, command)
                guarded = next(filter(None, map(self._kept_back, meant)), "")
                return guarded or self._told(*[self._seat.memory.forget_where(what) for what in meant])
            case Asked.FORGET if open_.what.id is not None:
                return self.erased(open_.what.id)
            case Asked.KEEP | Asked.FORGET | Asked.FORGET_SURELY if guarded := self._kept_back(open_.what):
                return guarded
            case Asked.KEEP | Asked.FORGET if self._seat.memory.sweeps(open_.what):
                return self._once_more(open_.what)
            case Asked.KEEP | Asked.FORGET | Asked.FORGET_SURELY:
                return self._told(self._seat.memory.forget_where(open_.what))
            case Asked.EXPORT:
                return self._exported()
            case Asked.DELETE:
                again = "Once more, to be sure: delete everything now? Say yes or no."
                self._ask(Question(Asked.DELETE_SURELY, again=again))
                return ""
            case Asked.DELETE_SURELY:
                return self._deleted()

    def _once_more(self, what: Selector) -> str:
        """Ask a second time before so much is forgotten."""
        much = "everything" if what.everything else "all of that"
        again = f"Once more, to be sure: forget {much} now? Say yes or no."
        self._ask(Question(Asked.FORGET_SURELY, what, again=again))
        return ""

    def _forgotten_all(self, named: Sequence[str]) -> str:
        """Forget things by their ids, which were asked about together: of all there is, what is asked for before that."""
        what = Selector(ids=tuple(named))
        if guarded := self._kept_back(what):
            return guarded
        return self._once_more(what) if self._seat.memory.sweeps(what) else self._forgotten(named)

    def _forgotten(self, named: Sequence[str]) -> str:
        """Forget things by their ids."""
        if len(named) == 1:
            return self.erased(named[0])
        try:  # at once: what derives from one of them may be another one
            receipt = self._seat.memory.forget_where(Selector(ids=tuple(named)))
        except UnknownEntryError:
            return "That is forgotten already."
        self._mind = _Mind()
        return f"Forgotten: {number(len(named))} things." if receipt.verified else _UNVERIFIED

    def _exported(self) -> str:
        if self._drivers is None:
            return _NO_FILES
        if guarded := self._guarded("export it"):
            return guarded
        return f"Your data is in the file {self._drivers.save_export()}, in the folder exports. It is not encrypted."

    def _deleted(self) -> str:
        if self._drivers is None:
            return _UNVERIFIED
        if guarded := self._guarded("delete yourself"):
            return guarded
        self._drivers.delete()
        return "Everything is deleted, and so is the key. You are a guest now."

    # Commands

    def foresee(self, command: Command, *, moving: bool) -> str | None:
        """How the reply of `handle` will most likely begin, if that can be told without doing anything."""
        key = str(command.slots.get("category", ""))
        if command.name in _LOOKS:
            return copy(self).handle(command, "", moving=moving)  # what was told is kept in mind by the copy alone
        return _opted_out(key) if command.name == "opt_out" else None

    def handle(self, command: Command, conversation: str, *, moving: bool) -> str:
        """The reply to a command about memory.

        Raises:
            schemas.errors.GloveboxError: memory failed.
        """
        slots = command.slots
        key: str | None = slots.get("category")
        simple: dict[str, Callable[[], str]] = {
            "remember_what": lambda: self.what(key, moving=moving),
            "remember_more": lambda: self.more(moving=moving),
            "when_said": self.when,
            "who_am_i": self.who,
            "forget_last": lambda: self.forget_that(conversation),
            "forget_everything": lambda: self.forget(Selector(everything=True), "about you"),
            "private_trip": lambda: self.private(bool(slots.get("on", True))),
            "pause_learning": lambda: self.pause(slots.get("pause", "always")),
            "resume_learning": self.resume,
            "guest_mode": lambda: self.switch(None) if slots.get("on", True) else self.unguest(),
            "switch_driver": lambda: self.switch(int(slots["driver"])),
            "export_data": self.export,
            "delete_me": self.delete_me,
            "remember_last": lambda: self.remember_that()[0],
            "keep_those": lambda: self.remember_that()[0] if self._mind.stated or self._keepable else "Okay.",
            "delete_those": lambda: self.forget_that(conversation),
            "pick": lambda: _WHAT,
        }
        if command.name in simple:
            try:
                return simple[command.name]()
            except UnknownEntryError:
                self._mind = _Mind()
                return "That is forgotten already."
        if command.name == "forget_words" and "count" in slots:
            return self.forget_several(int(slots["count"]), str(slots["kind"]), key)
        if command.name == "forget_words":
            return self.forget_named(str(slots["words"]), key, str(slots.get("whole", "")))
        if command.name == "forget_said":
            return self.forget_said(conversation, slots.get("proposal"))
        if key is not None:
            by_key: dict[str, Callable[[str], str]] = {
                "opt_out": self.opt_out,
                "opt_in": self.opt_in,
                "forget_category": lambda name: self.forget(Selector(key=name), f"about {title(name)}"),
            }
            return by_key[command.name](key)
        name = str(slots["period"])
        span = period(name, self._clock(), self._seat.zone, self._trip)
        return self.forget(Selector(period=span), f"from {SAID[name].removeprefix('in ').removeprefix('on ')}")


_LOOKS = frozenset({"remember_what", "remember_more", "when_said", "who_am_i"})
"""Commands that change nothing."""
_AWAITED = "Hello {name}. Please enter your PIN on the screen; until then you are a guest, and I remember nothing."
UNNAMED = "driver"
"""The name that the configuration gives before anybody chose one."""
_WHAT = "I don't know what you mean by that."
_KNOWN = "I have kept that already."
_ALL_BUT = re.compile(r"(?:except|but|apart from|other than|besides|aside from)\b")
NOT_ALL_BUT = "I can't forget everything but one thing. Name what I shall forget, or say: forget everything."
UNNAMED_THING = "I find nothing by that name."
NO_TOPIC = (
    "I remember nothing of that. I learn only what you like, avoid or need on the road; to have nothing learned at all, say: "
    "private trip."
)
NOTHING_LIKE_IT = "I find nothing like that in what I remember. Name it, or ask me what I remember."
NOT_PUT_RIGHT = "I can't keep it like that, so I leave what I kept before as it was."
NOT_KEPT = "I only keep what you like, avoid or need on the road, and I could not tell what this is."
LEAST_TOLD = 4
"""Words of a sentence that may tell something which is asked about later. Our choice."""
_HELD_BACK = ", but I haven't kept it: if I should, say: keep that"
_IF_KEPT = "I don't keep that yet. If I should, say: keep that."
_UNSURE = f"I see, but {_IF_KEPT}"
JUST_NOW = timedelta(minutes=5)
"""How long ago "just now" is. Our choice."""
_NO_FILES = "I can't write files here: use the command line."
_FORGOTTEN = "Forgotten."
"""What is gone was named just before, or asked about: it is not said once more."""
_UNVERIFIED = "I deleted it, but could not verify it."


def _reason(decision: Decision) -> str:
    """Why something was refused, as half a sentence."""
    return decision.reason.removeprefix("not remembered: ").rstrip(".")


def spoken_name(driver: str) -> str:
    """A driver's name as it is said."""
    return driver.replace("_", " ").title()


def _opted_out(key: str) -> str:
    if key == FACTS:
        return "Okay, from now on I keep nothing for you."
    return f"Okay, from now on I remember nothing about {title(key)}."


def _opted_in(key: str) -> str:
    if key == FACTS:
        return "Okay, I keep for you again what you ask me to."
    return f"Okay, I may remember things about {title(key)} again."


def is_category(key: str) -> bool:
    """Whether it is the key of a category, of whatever level."""
    return any(key in titles for titles in (MAIN_TITLES, SUB_TITLES, BY_DETAIL))


def title(key: str) -> str:
    """A category's spoken name, whatever its level."""
    if key in (CONVERSATIONS, FACTS):
        return "our conversations" if key == CONVERSATIONS else "what you asked me to keep"
    last = key.rsplit(".", maxsplit=1)[-1]
    return (MAIN_TITLES.get(last) or SUB_TITLES.get(last) or BY_DETAIL[last].title).lower()


def _drivers_count(count: int) -> str:
    return "is only one driver" if count == 1 else f"are only {number(count)} drivers"
