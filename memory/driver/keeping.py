"""Facts: what the driver asks to have kept and is no preference, and what the driver may do with it.

Owns when one may be written: consent, the guard and the room for it are asked first. Whoever reads the driver's words
(`memory.driver.learner`) calls `Keeping.plan` and, under `Session.lock`, `Keeping.keep`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from memory.driver.renewal import Renewal, renewed
from memory.driver.session import Session
from memory.learn.english.canonical import fold
from memory.store.facts import MOST_FACTS, fact_words
from memory.store.preferences import sayable
from models.text import plain, words
from schemas.errors import ConsentError, UnknownEntryError
from schemas.memory import FACTS, Consent, Decision, Fact, Outcome

RENEWS_AT = 0.55
"""Cosine from which on what has a fact's words and a new value (`memory.driver.renewal`) is about the same thing. Our choice: of 20
that are all lie at .6 and above."""
LONGEST_FACT = 400
"""Characters of a fact: a sentence or two."""


class Keeping:
    """The facts of one driver."""

    def __init__(self, session: Session, secret: Callable[[str], bool] = lambda _: False) -> None:
        """Over this vault.

        Args:
            session: the open vault.
            secret: whether a text tells a PIN, a password or the like, which is never kept.
        """
        self._session, self._secret = session, secret

    # Keeping

    def refusal(self, fact: Fact, consent: Consent, now: datetime) -> str | None:
        """Why a fact may not be kept, or None if it may."""
        reason = consent.forbids_facts(now)
        if reason is not None:
            return reason
        text = fact_words(fact.about, fact.text, fact.until_words)
        if not words(fact.text) or len(text) > LONGEST_FACT:
            return f"what I keep has a word and {LONGEST_FACT} characters at most"
        if self._secret(text):
            return "that is a secret such as a PIN or a password, which I never keep"
        kinds = self._session.guard.forbidden(text, consent)
        if kinds:
            return self._session.guard.refusal(kinds)
        if fact.until is not None and fact.until <= now:
            return "that is over already"
        return None

    def keep(self, fact: Fact) -> Decision:
        """Keep a fact, if it may be kept and is not kept already. All that is refused is said; nothing else is let go for it."""
        session = self._session
        sayable(f"{fact.about} {fact.text} {fact.until_words}")
        parts = {name: plain(getattr(fact, name)) for name in ("text", "about", "until_words")}
        fact = fact.model_copy(update=parts)
        with session.lock:
            now, consent = session.now()
            reason = self.refusal(fact, consent, now)
            if reason is not None:
                return Decision(outcome=Outcome.REFUSED, detail=FACTS, reason=reason)
            self.expire()
            held = session.store.facts.all()
            same = next((one for one in held if _alike(one, fact)), None)
            if same is not None:
                return Decision(
                    outcome=Outcome.PASS, detail=FACTS, reason="that is kept already", value=same.text, fact=same.id
                )
            if session.store.facts.count() >= MOST_FACTS:
                return Decision(outcome=Outcome.REFUSED, detail=FACTS, reason=full(held))
            renewals = [(one, new) for one in held if (new := self._renewal(one, fact.text)) is not None and new.whole]
            before = [one for one, _ in renewals]
            if len(renewals) == 1:
                fact = fact.model_copy(update={"text": renewals[0][1].text})
            with session.store.transaction():
                session.store.facts.add(fact, now)
                session.search.keep()
            session.changed()
            session.search.refresh()
            if fact.parked:  # it stands in one place
                before = [one for one in held if one.parked]
            self._let_go([one.id for one in before])
            return Decision(
                outcome=Outcome.APPEND, detail=FACTS, reason="kept, as you asked", value=fact.text, fact=fact.id,
                replaced=() if fact.parked else tuple(one.text for one in before),
            )  # fmt: skip

    def _renewal(self, one: Fact, said: str) -> Renewal | None:
        """What a sentence makes of a fact, if it is about the same thing; a parking place has a rule of its own."""
        new = renewed(one.text, said) if not one.parked else None
        if new is None:
            return None
        vectors = self._session.encoder.encode([one.text, said])
        return new if float(vectors[0] @ vectors[1]) >= RENEWS_AT else None

    def renewal(self, said: str, *, orders: bool = False) -> tuple[Fact, bool] | None:
        """See ``schemas.memory_port.NotingPort``."""
        with self._session.lock:
            now, consent = self._session.now()
            found = [(one, new) for one in self.facts() if (new := self._renewal(one, said)) is not None]
            whole = [pair for pair in found if pair[1].whole] or found
            if len(whole) != 1:
                return None
            one, new = whole[0]
            if orders and not new.plain:
                return None
            fresh = one.model_copy(update={"text": new.text})
            return (fresh, new.sure) if self.refusal(fresh, consent, now) is None else None

    def remember(
        self, text: str, *, about: str = "", until: datetime | None = None, until_words: str = "",
        said_at: datetime | None = None, conversation: str | None = None,
    ) -> Decision:  # fmt: skip
        """Keep what the driver asks to have kept.

        Args:
            text: the driver's words, the asking cut off.
            about: the driver's words for whom it is about; empty: the driver, or nobody.
            until: when it stops mattering.
            until_words: how that was said.
            said_at: None: now.
            conversation: None: one of its own.
        """
        name = self._session.new_id()
        return self.keep(
            Fact(
                id=name, text=text, about=about, said_at=said_at or self._session.clock(),
                conversation=conversation or f"told-{name}", until=until, until_words=until_words,
            )
        )  # fmt: skip

    def expire(self) -> int:
        """Erase what has stopped mattering, as if the driver had asked for it; how many that were."""
        with self._session.lock:
            facts = self._session.store.facts
            endless = (one.id for one in facts.all() if one.parked and one.until is None)  # kept before such had an end
            return self._let_go([*facts.over(), *endless])

    def _let_go(self, names: Sequence[str]) -> int:
        session = self._session
        if names:
            session.archive.delete(names)
            session.changed(forgotten=True)
            session.search.refresh()
            session.store.wiped()
            session.vault.erase_backups()
        return len(names)

    # Seeing and correcting

    def facts(self) -> tuple[Fact, ...]:
        """Those that matter, newest first."""
        return self._session.store.facts.all()

    def fact(self, name: str) -> Fact:
        """One of them: what, when it was said, until when it matters, how often it was used.

        Raises:
            UnknownEntryError: no fact has that id.
        """
        held = self._session.store.facts.all(ids=[name])
        if not held:
            raise UnknownEntryError(f"no fact has the id {name[:80]!r}: list what is kept")
        return held[0]

    def correct_fact(self, name: str, text: str) -> Fact:
        """Put another text in the place of a fact's.

        Raises:
            UnknownEntryError: no fact has that id, or the text is empty or too long.
            ConsentError: facts may not be written now, or not such a one.
        """
        session = self._session
        text = sayable(text).strip()
        with session.lock:
            old = self.fact(name)
            now, consent = session.now()
            fresh = old.model_copy(update={"text": text})
            if not words(text) or len(text) > LONGEST_FACT:
                raise UnknownEntryError(f"what is kept has a word and {LONGEST_FACT} characters at most")
            reason = self.refusal(fresh, consent, now)
            if reason is not None:
                raise ConsentError(f"the correction was refused, {reason}")
            if fresh.text == old.text:
                return old
            session.changed(forgotten=True)
            session.store.facts.correct(name, fresh.text, now)
            session.search.refresh()
            session.store.wiped()
            return fresh


def _alike(one: Fact, other: Fact) -> bool:
    return (fold(one.text), fold(one.about), one.until) == (fold(other.text), fold(other.about), other.until)


def full(held: tuple[Fact, ...]) -> str:
    """What is said where there is no room: how much there is, and what could go."""
    oldest = min(held, key=lambda fact: (fact.last_used or fact.said_at, fact.said_at))
    return (
        f"I keep {len(held)} things for you, and that is all I have room for. Let one go first, "
        f"for instance: {oldest.text}"
    )
