"""Forgetting: what is asked before something goes, what goes, and what is said of it.

Nothing that cannot be undone happens on one utterance if it concerns more than one thing. That it is such a wish says ``erasing``
beside it, what it names ``naming``; what goes along with a thing is memory's own business.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from schemas.errors import UnknownEntryError
from schemas.events import Command
from schemas.memory import Fact, Preference, Receipt, Selector
from schemas.seat import Seat
from voice.dialogue.forgetting import erasing, naming
from voice.dialogue.forgetting.asking import Asked, Question, picked, which
from voice.dialogue.forgetting.counted import ALOUD, ONE, gone, listed, number, there, told
from voice.dialogue.memory import kept
from voice.dialogue.memory.likes import as_told, title
from voice.dialogue.memory.mind import Mind
from voice.dialogue.rights.drivers import WhoDrives

NOTHING_TO_FORGET = "There is nothing to forget."
NOT_ALL_BUT = "I can't forget everything but one thing. Name what I shall forget, or say: forget everything."
UNNAMED_THING = "I find nothing by that name."
NO_TOPIC = (
    "I remember nothing of that. I learn only what you like, avoid or need on the road; to have nothing learned at all, say: "
    "private trip."
)
NOTHING_LIKE_IT = "I find nothing like that in what I remember. Name it, or ask me what I remember."
_ALL_BUT = re.compile(r"(?:except|but|apart from|other than|besides|aside from)\b")
_GONE = "That is forgotten already."
_FORGOTTEN = "Forgotten."
"""What is gone was named just before, or asked about: it is not said once more."""
_JUST_TOLD = "Forgotten: what you have just told me."
_UNVERIFIED = "I deleted it, but could not verify it."


class Forgetting:
    """Forgets what the driver wants forgotten."""

    def __init__(self, seat: Seat, mind: Mind, drives: WhoDrives) -> None:
        """Nothing is asked yet.

        Args:
            seat: who drives.
            mind: what is spoken of; takes the questions.
            drives: whether a PIN stands before it.
        """
        self._seat, self._mind, self._drives = seat, mind, drives
        self._likes = partial(as_told, seat)

    def forget_that(self, conversation: str) -> str:
        """Forget the last thing mentioned, used or told; asks where several could be meant, or none was spoken of."""
        self._mind.lately.clear()
        if self._mind.that.stated or self._mind.that.heard:
            erased = self._seat.memory.forget_pending(conversation)
            self._mind.nothing()
            return _JUST_TOLD if erased else "I did not keep that."
        held = [p for p in self._seat.memory.preferences(history=True) if p.id in self._mind.that.about]
        held.sort(key=lambda p: self._mind.that.about.index(p.id))
        if not held and self._mind.that.about and kept.fact(self._seat.memory, self._mind.that.about[0]) is not None:
            return self._erased(self._mind.that.about[0])
        if len(held) > 1:
            said = [f"that {self._likes(p)}" for p in held[:ALOUD]]
            self._mind.ask(Question(Asked.FORGET, among=tuple(held[:ALOUD]), again=f"Forget {listed(said)}?"))
            return ""
        if held:
            return self._erased(held[0].id)
        if self._mind.that.about:
            return _GONE
        newest = self._seat.memory.preferences()[:1]
        if not newest:
            return NOTHING_TO_FORGET
        again = f"Do you mean that {self._likes(newest[0])}? Say yes or no."
        self._mind.ask(Question(Asked.FORGET, Selector(id=newest[0].id), newest, again))
        return ""

    def forget_said(self, conversation: str, proposal: str | None) -> str:
        """Forget what was said just now, or what memory asked about just now."""
        if proposal is not None:
            self._seat.memory.answer(proposal, False)
            self._seat.memory.forget_pending(conversation)
            self._mind.nothing()
            return _FORGOTTEN
        return self.forget_that(conversation)

    def forget_named(self, words: str, category: str | None, whole: str = "") -> str:
        """Ask whether what these words name is to be forgotten, else what the ``whole`` sentence means best, if it is known."""
        if _ALL_BUT.match(words):
            return NOT_ALL_BUT
        self._mind.lately.clear()
        if several := naming.each(self._seat.memory, words):
            return self._ask_all(
                [(what, listed(told(self._seat.memory.matching(what), self._likes))) for what in several]
            )
        what = naming.named(self._seat.memory, words, category)
        fits = self._fits(what, words, whole) if whole else ()
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
        if guarded := self._drives.kept_back(what):
            return guarded
        said = told(matches, self._likes)
        if len(said) <= (ALOUD if what.period is None else 1):
            again = f"Forget {listed(said)}?"
        else:
            when = f"from {what.period.words.removeprefix('on ')}" if what.period is not None else about
            again = f"That is {there(matches, when)}. Shall I forget it all?"
        self._mind.ask(Question(Asked.FORGET, what, again=again))
        return ""

    def _fits(self, what: Selector | None, words: str, whole: str) -> tuple[Selector, ...]:
        """What a whole sentence means where its words name nothing, or something by its kind alone: "where Maureen works"."""
        memory = self._seat.memory
        if what is None:
            fits = memory.fitting(whole, words)[:ALOUD]
            return memory.fitting(whole, words, guesses=ALOUD) if len(fits) == 1 else fits
        matches = memory.matching(what)
        fits = memory.fitting(whole, words)[:1] if what.about and naming.by_its_kind(matches, words) else ()
        named = {name for fit in fits for name in told(memory.matching(fit), self._likes)}
        return (*fits, what) if named and named.isdisjoint(told(matches, self._likes)) else ()

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
        if guarded := self._drives.kept_back(every):
            return guarded
        again = f"Forget {listed([name for _, name in called])}?"
        self._mind.ask(Question(Asked.FORGET, again=again, which=tuple(called)))
        return ""

    def _spoken_of(self, count: int) -> tuple[Preference | Fact, ...]:
        """The things that were read out last, where they are so many at least, else so many of those that were told last."""
        known = (*self._seat.memory.preferences(), *self._seat.memory.facts())
        held = {one.id: one for one in known}
        read = [held[name] for name in self._mind.that.about if name in held]
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
            self._mind.ask(Question(Asked.WHICH, again=again, which=called))
        else:
            self._mind.ask(Question(Asked.FORGET, called[0][0], again=f"{begin}Forget {last}?"))
        return True

    def forget(self, what: Selector, about: str) -> str:
        """Ask whether all that a selector stands for is to be forgotten."""
        self._mind.lately.clear()
        if guarded := self._drives.kept_back(what):
            return guarded
        matches = self._seat.memory.matching(what)
        if matches.empty:
            return f"I remember nothing {about}."
        said = [] if what.everything or what.period is not None else told(matches, self._likes)
        if len(said) == 1 and matches.things == 1:
            self._mind.ask(Question(Asked.FORGET, what, again=f"Forget {listed(said)}?"))
        else:
            self._mind.ask(
                Question(Asked.FORGET, what, again=f"That is {there(matches, about)}. Shall I forget it all?")
            )
        return ""

    def _erased(self, name: str) -> str:
        """Forget one thing by its id."""
        try:
            receipt = self._seat.memory.forget(name)
        except UnknownEntryError:
            return _GONE
        self._mind.nothing()
        return _FORGOTTEN if receipt.verified else _UNVERIFIED

    def _told(self, *receipts: Receipt) -> str:
        """What is said to what was forgotten: how much, where it was more than the one thing that was spoken of."""
        self._mind.nothing()
        if not all(receipt.verified for receipt in receipts):
            return _UNVERIFIED
        counted = [count for receipt in receipts if (count := gone(receipt))]
        if not counted:
            return _JUST_TOLD
        if set(counted) == {ONE}:
            return _FORGOTTEN if len(counted) == 1 else f"Forgotten: {number(len(counted))} things."
        return f"Forgotten: {listed(counted)}."

    # Answers

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
                guarded = next(filter(None, map(self._drives.kept_back, meant)), "")
                return guarded or self._told(*[self._seat.memory.forget_where(what) for what in meant])
            case Asked.FORGET if open_.what.id is not None:
                return self._erased(open_.what.id)
            case _ if guarded := self._drives.kept_back(open_.what):
                return guarded
            case Asked.KEEP | Asked.FORGET if self._seat.memory.sweeps(open_.what):
                return self._once_more(open_.what)
            case _:
                return self._told(self._seat.memory.forget_where(open_.what))

    def _once_more(self, what: Selector) -> str:
        """Ask a second time before so much is forgotten."""
        much = "everything" if what.everything else "all of that"
        again = f"Once more, to be sure: forget {much} now? Say yes or no."
        self._mind.ask(Question(Asked.FORGET_SURELY, what, again=again))
        return ""

    def _forgotten_all(self, named: Sequence[str]) -> str:
        """Forget things by their ids, which were asked about together: of all there is, what is asked for before that."""
        what = Selector(ids=tuple(named))
        if guarded := self._drives.kept_back(what):
            return guarded
        return self._once_more(what) if self._seat.memory.sweeps(what) else self._forgotten(named)

    def _forgotten(self, named: Sequence[str]) -> str:
        """Forget things by their ids."""
        if len(named) == 1:
            return self._erased(named[0])
        try:  # at once: what derives from one of them may be another one
            receipt = self._seat.memory.forget_where(Selector(ids=tuple(named)))
        except UnknownEntryError:
            return _GONE
        self._mind.nothing()
        return f"Forgotten: {number(len(named))} things." if receipt.verified else _UNVERIFIED
