"""What the driver can do with what is remembered: see why, correct it, forget it, withhold it for a moment, take it back.

Owns those acts over an open vault. `memory.rights.selection` says what is meant, `memory.rights.erasure` erases it. Not
locked: the caller, `memory.service`, is.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from memory.consent import categories
from memory.learn.english.canonical import Canon, fold, is_closed
from memory.learn.english.vocabulary import CLOSED
from memory.recall.search import HybridSearch
from memory.rights import erasure
from memory.rights.selection import About, Chosen, choose, chosen, derive
from memory.store import reminders as notices
from memory.store.conversations import Archive
from memory.store.preferences import Store
from memory.store.uses import Uses
from memory.store.withheld import Withholding
from memory.vault.lifecycle import Vault
from models.text import normal, words
from schemas.errors import ConsentError, UnknownEntryError
from schemas.memory import (
    Explanation,
    Matches,
    Preference,
    Receipt,
    Selector,
    Status,
    Withheld,
)
from schemas.preferences import BY_DETAIL

UNDO = timedelta(seconds=10)
"""How long what was withheld can be taken back."""

LONGEST_VALUE = 200
"""Characters of a corrected value: a preference is a few words."""

_EVERYTHING = ("everything", "")
"""Stands in ``withheld`` for the driver's wish that nothing be left."""


class Control:
    """The driver's acts on one vault."""

    def __init__(
        self,
        vault: Vault,
        store: Store,
        archive: Archive,
        search: HybridSearch,
        *,
        about: About,
        canon: Canon,
        new_id: Callable[[], str],
        erase_copies: Callable[[], int],
    ) -> None:
        """Acts on these tables.

        Args:
            vault: for its folder.
            store: the preferences' tables.
            archive: the tiers' tables.
            search: the searchable copy.
            about: the detail key that a text is most likely about.
            canon: how values are written.
            new_id: makes ids and tokens.
            erase_copies: deletes the vault's backups and exports; returns how many there were.
        """
        self._vault, self._store, self._archive, self._search = vault, store, archive, search
        self._about, self._canon, self._new_id, self._erase_copies = about, canon, new_id, erase_copies
        self._withholding, self.uses = Withholding(vault), Uses(vault)

    # Forgetting

    def selector(self, key: str) -> Selector:
        """What ``MemoryPort.forget`` means: everything, an id, or a category.

        Raises:
            UnknownEntryError: nothing has that id or key.
        """
        if key == erasure.EVERYTHING:
            return Selector(everything=True)
        if self._store.known([key]) or self._archive.kinds([key]):
            return Selector(id=key)
        try:
            categories(key)
        except UnknownEntryError:
            raise UnknownEntryError(
                f"nothing is remembered under {key[:80]!r}: give the id of a preference, a category's key, "
                f"or {erasure.EVERYTHING}"
            ) from None
        return Selector(key=key)

    def matching(self, what: Selector) -> Matches:
        """See ``MemoryPort``."""
        if what == Selector():
            return Matches()
        try:
            return choose(self._store, what, self._about).matches()
        except UnknownEntryError:
            if what.key is not None:
                categories(what.key)
            return Matches()

    def forget(self, what: Selector, now: datetime) -> Receipt:
        """See ``MemoryPort.forget_where``. With everything goes what is on its way out."""

        def find() -> Chosen:
            if what.everything:
                for token in self._withholding.tokens():
                    self._end(token)
            return choose(self._store, what, self._about)

        return self._erase(find, now, everything=what.everything)

    def _end(self, token: str) -> None:
        """Show what was withheld again."""
        for kind, name in self._withholding.of(token)[1]:
            if kind == notices.KIND:
                notices.put_back(self._store, name)
        self._withholding.end(token)

    def _erase(self, find: Callable[[], Chosen], now: datetime, *, everything: bool) -> Receipt:
        return erasure.erase(
            self._store,
            self._archive,
            self._search,
            self._vault.path.parent,
            find,
            now,
            everything=everything,
            erase_copies=self._erase_copies,
        )

    def withhold(self, what: Selector, now: datetime) -> Withheld:
        """See ``MemoryPort``."""
        found = choose(self._store, what, self._about)
        if not found.named:
            raise UnknownEntryError("nothing that is remembered meets those conditions: there is nothing to forget")
        token, until = self._new_id(), now + UNDO
        with self._store.transaction():
            if found.notices:
                found.notices = {notices.put_aside(self._store, token): found.notices[notices.KEY]}
            self._withholding.add(token, [*found.named, *([_EVERYTHING] if what.everything else [])], until)
        self._search.refresh()
        return Withheld(token=token, until=until, matches=found.matches())

    def restore(self, token: str, now: datetime) -> tuple[str, ...]:
        """See ``MemoryPort``; returns the ids of the memories that are back, for whoever indexes them."""
        until, named = self._withholding.of(token)
        if until is None:
            raise UnknownEntryError("nothing is withheld under that token: it was carried out or taken back already")
        if now > until:
            raise UnknownEntryError(f"too late: it could be taken back for {UNDO.seconds} seconds")
        with self._store.transaction():
            self._end(token)
        self._search.refresh()
        return tuple(name for kind, name in named if kind not in ("sentences", "turns", "proposals", notices.KIND))

    def carry_out(self, token: str, now: datetime) -> Receipt:
        """See ``MemoryPort``. With everything goes whatever else is on its way out."""
        until, named = self._withholding.of(token)
        if until is None:
            raise UnknownEntryError("nothing is withheld under that token: it was carried out or taken back already")
        tokens = self._withholding.tokens() if _EVERYTHING in named else (token,)
        named = [one for each in tokens for one in self._withholding.of(each)[1]]

        def find() -> Chosen:
            for each in tokens:
                self._withholding.end(each)
            found = chosen(self._store, named)
            derive(self._store, found, self._about)
            return found

        return self._erase(find, now, everything=_EVERYTHING in named)

    def carry_out_all(self, now: datetime) -> tuple[Receipt, ...]:
        """Erase all that is withheld: when the vault is opened, before anything is read from it, and when it is closed."""
        receipts: list[Receipt] = []
        while tokens := self._withholding.tokens():
            receipts.append(self.carry_out(tokens[0], now))
        return tuple(receipts)

    # Why, and what else

    def explain(self, name: str) -> Explanation:
        """See ``MemoryPort``."""
        preference = self._one(name)
        said = self._store.sentences([name]).get(name, [])
        before = self._store.preferences(history=True, ids=self._store.history_of(name))
        return Explanation(
            preference=preference,
            because=tuple((s.said_at, s.text) for s in said),
            used_for=self.uses.of(name),
            history=before,
        )

    def correct(self, name: str, value: str, now: datetime) -> Preference:
        """See ``MemoryPort``. The new value has no sentence: the driver wrote it down, and said nothing."""
        old = self._one(name)
        if old.status is not Status.ACTIVE:
            raise UnknownEntryError(
                f"the preference {name[:80]!r} is history and cannot be corrected: forget it instead"
            )
        reason = self._store.consent().forbids(old.category, now)
        if reason is not None:
            raise ConsentError(f"the correction was refused, {reason}: switch it on again first")
        fresh = self.value(old.detail, value)
        if fold(fresh) == fold(old.value):
            return old
        held = self._store.preferences([old.detail])
        same = next((p for p in held if fold(p.value) == fold(fresh)), None)
        made = same or Preference(
            id=self._new_id(),
            detail=old.detail,
            value=fresh,
            sentences=(),
            conversation=f"correction-{now:%Y%m%dT%H%M%S}",
            confidence=1.0,
            valid_from=now,
        )
        with self._store.transaction():
            if same is None:
                self._store.add(made, now)
            self._store.supersede(old.id, now, made.id)
        self._search.refresh()
        return made

    def value(self, detail: str, said: str) -> str:
        """A value as the driver wrote it down, as it is stored.

        Raises:
            UnknownEntryError: it is no value of the category; the message names those that it has, or what it is made of.
        """
        title = BY_DETAIL[detail].title.lower()
        if not words(said) or len(said) > LONGEST_VALUE:
            raise UnknownEntryError(f"a value for {title} has 1 to {LONGEST_VALUE} characters with a word among them")
        if is_closed(detail):
            fixed = tuple(dict.fromkeys((*CLOSED[detail].examples, *BY_DETAIL[detail].examples)))
            if normal(said) not in fixed:
                raise UnknownEntryError(f"{title} cannot be {said[:40]!r}: it is one of {', '.join(fixed)}")
            return normal(said)
        found = self._canon.canonical(detail, said, said)
        if found is None:
            raise UnknownEntryError(
                f"{title} cannot be {said[:40]!r}: say it as in {', '.join(BY_DETAIL[detail].examples)}"
            )
        return found

    def _one(self, name: str) -> Preference:
        held = self._store.preferences(history=True, ids=[name])
        if not held:
            raise UnknownEntryError(f"no preference has the id {name[:80]!r}: list what is remembered")
        return held[0]
