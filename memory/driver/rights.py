"""The driver's rights: see what is remembered and why, correct it, forget it, withhold it for a moment, take it along.

Owns those acts, each under the lock, and that learning in progress notices them. `memory.rights.selection` says what is meant,
`memory.rights.erasure` erases it and shows that it is gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from memory.consent import categories, detail_keys
from memory.driver.conversations import Conversations
from memory.driver.learner import Learner
from memory.driver.recollections import topics
from memory.driver.session import Session
from memory.learn.english.canonical import Canon, fold, is_closed
from memory.learn.english.vocabulary import CLOSED
from memory.learn.evidence import NONE
from memory.learn.extraction import FORBIDDEN_AT
from memory.rights import erasure, exports
from memory.rights.export import export
from memory.rights.fitting import BY_MEANING, fitting
from memory.rights.import_ import take_in
from memory.rights.meant import asked_for
from memory.rights.selection import Chosen, choose, chosen, derive
from memory.store import reminders as notices
from memory.store.reminders import Reminders
from memory.store.withheld import Withholding
from models.text import contains, normal, plain, words
from schemas.errors import ConsentError, UnknownEntryError
from schemas.memory import (
    FACTS,
    Explanation,
    Matches,
    Preference,
    Receipt,
    Selector,
    Status,
    TakenIn,
    Withheld,
)
from schemas.preferences import BY_DETAIL, WITH

UNDO = timedelta(seconds=10)
"""How long what was withheld can be taken back."""

MANY = 10
"""Things from which on so much goes at once that it is asked about as everything is. Our choice."""
LONGEST_VALUE = 200
"""Characters of a corrected value: a preference is a few words."""

_SIGNS = re.compile(r"[^\w\s'’.-]")
"""What only somebody who writes puts into a name: "AC/DC", "P!nk", "Simon & Garfunkel"."""

_EVERYTHING = ("everything", "")
"""Stands in ``withheld`` for the driver's wish that nothing be left."""


class Rights:
    """What one driver can do with what is remembered."""

    def __init__(
        self,
        session: Session,
        learner: Learner,
        conversations: Conversations,
        reminders: Reminders,
        canon: Canon,
        *,
        counted: Callable[[int], None],
    ) -> None:
        """Over this vault.

        Args:
            session: the open vault.
            learner: what it refused goes with everything.
            conversations: what waits to be kept of them goes with whatever is forgotten.
            reminders: they go with everything.
            canon: how values are written.
            counted: told how many things were erased, unless it was everything.
        """
        self._session, self._store, self._archive = session, session.store, session.archive
        self._learner, self._conversations, self._reminders = learner, conversations, reminders
        self._canon, self._withholding, self._counted = canon, Withholding(session.vault), counted

    # Forgetting

    def matching(self, what: Selector) -> Matches:
        """What `forget_where` would erase, and erases nothing."""
        if what == Selector():
            return Matches()
        with self._session.lock:
            try:
                found = choose(self._store, what, self._about).matches()
            except UnknownEntryError:
                if what.key is not None:
                    categories(what.key)
                found = Matches()
            return found if not found.empty else Matches(turns=self._just_said(what))

    def sweeps(self, what: Selector) -> bool:
        """Whether it takes away all there is, or more than `MANY` things, and is not one thing that is named."""
        if what.everything:
            return True
        with self._session.lock:
            goes, there = self.matching(what), self.matching(Selector(everything=True))
        own = len(goes.preferences) + len(goes.asked) + len(goes.others)
        if goes.empty or (own <= 1 and what.period is None and what.conversation is None):
            return False
        return goes.things > MANY or goes.things >= there.things

    def _just_said(self, what: Selector) -> int:
        """How many exchanges that wait to become episodes have these words, or all those that say what a phrase is about."""
        waiting = [one.driver for one in self._conversations.hot.all()]
        if what.about is None:
            return 0 if what.text is None else sum(contains(said, what.text) for said in waiting)
        phrase = asked_for(what.about)
        return sum(bool(phrase) and phrase <= asked_for(said) for said in waiting)

    def fitting(self, text: str, about: str = "", guesses: int = 0, *, named: bool = False) -> tuple[Selector, ...]:
        """What a whole sentence means, of all that is remembered and of what waits to be (`memory.rights.fitting`)."""
        session = self._session
        with session.lock:
            waiting = [one.driver for one in self._conversations.hot.all()]
            near = session.search.nearest(text, BY_MEANING)
            likely = {key for said in (text, about) if said for key in topics(session.encoder, said)}
            encode = session.encoder.encode
            return fitting(self._store, text, encode, likely, near, waiting, guesses=guesses, named=named)

    def forget(self, key: str) -> Receipt:
        """Erase a preference or an open proposal by id, a category by key, or everything; history included."""
        return self.forget_where(self._selector(key))

    def _selector(self, key: str) -> Selector:
        if key == erasure.EVERYTHING:
            return Selector(everything=True)
        if key == FACTS:
            return Selector(key=FACTS)
        if self._store.known(key) or self._archive.kinds([key]):
            return Selector(id=key)
        try:
            categories(key)
        except UnknownEntryError:
            raise UnknownEntryError(
                f"nothing is remembered under {key[:80]!r}: give the id of a preference, a category's key, "
                f"or {erasure.EVERYTHING}"
            ) from None
        return Selector(key=key)

    def forget_where(self, what: Selector) -> Receipt:
        """Erase everything that meets a selector's conditions, and what derives from it. With everything goes what is withheld."""
        with self._session.lock:
            self._session.changed(forgotten=True)
            if what.everything:
                self._learner.forget_refused()
            self._conversations.let_go(what)
            with self._store.transaction():
                if what.everything:
                    for token in self._withholding.tokens():
                        self._show(token)
                found = choose(self._store, what, self._about)
                gone = erasure.erase(self._store, self._archive, self._withholding, found, everything=what.everything)
            receipt = self._prove(found, gone)
            if what.everything:
                self._reminders.forgotten()
            else:
                self._counted(sum(receipt.kinds.values()))
        if what.everything:
            self._reminders.changed()  # not under the lock: who rings has their own
        return receipt

    def withhold(self, what: Selector) -> Withheld:
        """Take it out of every list and of recall at once, to be erased by `carry_out` unless `restore` takes it back."""
        session = self._session
        with session.lock:
            session.changed(forgotten=True)
            self._conversations.let_go(what)
            found = choose(self._store, what, self._about)
            if not found.named:
                raise UnknownEntryError("nothing that is remembered meets those conditions: there is nothing to forget")
            token, until = session.new_id(), session.clock() + UNDO
            with self._store.transaction():
                if found.notices:
                    found.notices = {notices.put_aside(self._store, token): found.notices[notices.KEY]}
                self._withholding.add(token, [*found.named, *([_EVERYTHING] if what.everything else [])], until)
            session.search.refresh()
            if what.everything:
                self._reminders.forgotten(token)
        if what.everything:
            self._reminders.changed()
        return Withheld(token=token, until=until, matches=found.matches())

    def restore(self, token: str) -> None:
        """Take back what was withheld."""
        with self._session.lock:
            self._session.changed()
            until, named = self._of(token)
            if self._session.clock() > until:
                raise UnknownEntryError(f"too late: it could be taken back for {UNDO.seconds} seconds")
            with self._store.transaction():
                self._show(token)
            self._session.search.refresh()
            self._conversations.wanted_again(
                [name for kind, name in named if kind not in ("sentences", "turns", "proposals", notices.KIND)]
            )
            self._reminders.restored(token)
        self._reminders.changed()

    def _show(self, token: str) -> None:
        """Show what was withheld again."""
        for kind, name in self._withholding.of(token)[1]:
            if kind == notices.KIND:
                notices.put_back(self._store, name)
        self._withholding.end(token)

    def _of(self, token: str) -> tuple[datetime, list[tuple[str, str]]]:
        """Until when it can be taken back, and table and key of all of it."""
        until, named = self._withholding.of(token)
        if until is None:
            raise UnknownEntryError("nothing is withheld under that token: it was carried out or taken back already")
        return until, named

    def carry_out(self, token: str) -> Receipt:
        """Erase what was withheld. With everything goes whatever else is withheld."""
        with self._session.lock:
            self._session.changed(forgotten=True)
            _, named = self._of(token)
            everything = _EVERYTHING in named
            tokens = self._withholding.tokens() if everything else (token,)
            named = [one for each in tokens for one in self._withholding.of(each)[1]]
            with self._store.transaction():
                for each in tokens:
                    self._withholding.end(each)
                found = chosen(self._store, named)
                derive(self._store, found, self._about)
                gone = erasure.erase(self._store, self._archive, self._withholding, found, everything=everything)
            receipt = self._prove(found, gone)
            self._reminders.carried_out(token)
            if not everything:
                self._counted(sum(receipt.kinds.values()))
            return receipt

    def carry_out_all(self) -> tuple[Receipt, ...]:
        """Erase all that is withheld: when the vault is opened, before anything is read from it, and when it is closed."""
        receipts: list[Receipt] = []
        while tokens := self._withholding.tokens():
            receipts.append(self.carry_out(tokens[0]))
        return tuple(receipts)

    def _prove(self, found: Chosen, gone: erasure.Gone) -> Receipt:
        """Erase the copies, too, and look for what was erased everywhere."""
        vault, search = self._session.vault, self._session.search
        search.refresh()
        empty = not (gone.ids or found.named)
        backups = 0
        if not empty and vault.folder is not None:
            backups = vault.erase_backups() + exports.erase(vault.folder, self._session.driver)
        verified = (
            self._store.wiped()
            and erasure.verified(self._store, found, gone, vault.folder)
            and not search.cache.holds(gone.ids)
        )
        return erasure.receipt(found, gone, self._session.clock(), backups=backups, verified=verified)

    # Why, and what else

    def preferences(self, key: str | None = None, *, history: bool = False) -> tuple[Preference, ...]:
        """Stored preferences, newest first, under a main, sub or detail key."""
        return self._store.preferences(detail_keys(key), history=history)

    def explain(self, name: str) -> Explanation:
        """Why a preference is remembered, what it was used for, and what it took the place of."""
        with self._session.lock:
            preference = self._one(name)
            said = self._store.sentences([name]).get(name, [])
            before = self._store.preferences(history=True, ids=self._store.history_of(name))
            return Explanation(
                preference=preference,
                because=tuple((s.said_at, s.text) for s in said),
                used_for=self._store.uses([name]).get(name, ()),
                history=before,
            )

    def correct(self, name: str, value: str) -> Preference:
        """Put another value in the place of a preference's. It has no sentence: the driver wrote it down, and said nothing."""
        with self._session.lock:
            self._session.changed(forgotten=True)
            now = self._session.clock()
            old = self._one(name)
            if old.status is not Status.ACTIVE:
                raise UnknownEntryError(
                    f"the preference {name[:80]!r} is history and cannot be corrected: forget it instead"
                )
            reason = self._store.consent().forbids(old.category, now)
            if reason is not None:
                raise ConsentError(f"the correction was refused, {reason}: switch it on again first")
            fresh = self.written(old.detail, value)
            if old.detail not in WITH:
                self._session.guard.require(fresh, self._store.consent())
            if fold(fresh) == fold(old.value):
                return old
            held = self._store.preferences([old.detail])
            same = next((p for p in held if (fold(p.value), p.sense) == (fold(fresh), old.sense)), None)
            made = same or Preference(
                id=self._session.new_id(),
                detail=old.detail,
                value=fresh,
                sentences=(),
                conversation=f"correction-{now:%Y%m%dT%H%M%S}",
                confidence=1.0,
                valid_from=now,
                sense=old.sense,
                conditions=old.conditions,
            )
            with self._store.transaction():
                if same is None:
                    self._store.add(made, now)
                self._store.supersede(old.id, now, made.id)
            self._session.search.refresh()
            return made

    def written(self, detail: str, said: str) -> str:
        """A value as the driver wrote it down, as it is stored.

        Raises:
            UnknownEntryError: it is no value of the category; the message names those that it has, or what it is made of.
        """
        title, said = BY_DETAIL[detail].title.lower(), plain(said)
        if not words(said) or len(said) > LONGEST_VALUE:
            raise UnknownEntryError(f"a value for {title} has 1 to {LONGEST_VALUE} characters with a word among them")
        if is_closed(detail):
            fixed = tuple(dict.fromkeys((*CLOSED[detail].values, *BY_DETAIL[detail].examples)))
            if normal(said) not in fixed:
                raise UnknownEntryError(f"{title} cannot be {said[:40]!r}: it is one of {', '.join(fixed)}")
            return normal(said)
        found = self._canon.canonical(detail, said, None)
        if found is None:
            raise UnknownEntryError(
                f"{title} cannot be {said[:40]!r}: say it as in {', '.join(BY_DETAIL[detail].examples)}"
            )
        as_typed = " ".join(said.split())
        return (
            as_typed if _SIGNS.search(as_typed) and words(as_typed) == words(found) else found
        )  # "AC/DC", not "ac dc"

    def _one(self, name: str) -> Preference:
        held = self._store.preferences(history=True, ids=[name])
        if not held:
            raise UnknownEntryError(f"no preference has the id {name[:80]!r}: list what is remembered")
        return held[0]

    def _about(self, text: str) -> str | None:
        """The detail key that a text is most likely about, or None."""
        topics = self._session.encoder.topics(text)
        best = max((d for d in topics if d != NONE), key=topics.__getitem__)
        return best if topics[best] >= FORBIDDEN_AT else None

    # Taking along

    def export(self) -> dict[str, Any]:
        """Everything that is stored, as JSON values; the shape is `memory.rights.export.Export`."""
        session = self._session
        with session.lock:
            return export(self._store, self._archive, session.driver, session.clock())

    def take_in(self, exported: Mapping[str, Any], *, allow: bool = False) -> TakenIn:
        """Read an export in, as far as consent allows now; what is switched off there is switched off here first."""
        session = self._session
        with session.lock:
            session.changed()
            taken = take_in(exported, self._store, self._archive, session.clock(), session, allow=allow)
            session.search.refresh()
            self._reminders.added()
        self._reminders.changed()
        return taken
