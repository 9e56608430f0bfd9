"""The half of ``MemoryPort`` with which the driver is in command: looking, forgetting, correcting, exporting, consent.

Owns the lock round each of these acts, and that learning in progress notices them. What they do is `memory.rights.control`'s; the
other half, learning and recall, is `memory.service`'s, whose class is built on this one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

from memory import consent as switches
from memory.learn.extraction import NONE, Extractor
from memory.learn.screening import screening, sift
from memory.recall.search import HybridSearch
from memory.rights.control import Control
from memory.rights.export import export
from memory.rights.import_ import take_in
from memory.store.conversations import Archive
from memory.store.listing import kept, listed, tally
from memory.store.preferences import Store
from memory.store.reminders import Reminders
from memory.vault.lifecycle import Vault
from schemas.memory import (
    Consent,
    Decision,
    Explanation,
    Listing,
    Matches,
    Period,
    Preference,
    Receipt,
    Selector,
    TakenIn,
    Withheld,
)
from schemas.ports import Encoder


class Commanded:
    """A memory under its driver's command, over an open vault. Safe for use by several threads."""

    driver: str
    _vault: Vault
    _store: Store
    _archive: Archive
    _search: HybridSearch
    _control: Control
    _extractor: Extractor
    _encoder: Encoder
    _clock: Callable[[], datetime]
    _lock: threading.RLock
    reminders: Reminders
    """Timers and reminders that wait."""
    _refused: dict[str, list[Decision]]
    """Conversation -> what was refused when it was said: kept in memory only, since the vault may not hold it."""
    _revision: int
    """Counts changes, so that learning that thought without the lock notices them."""

    # Looking, forgetting, exporting

    def preferences(self, key: str | None = None, *, history: bool = False) -> tuple[Preference, ...]:
        """See ``MemoryPort``."""
        details = None if key is None else [c.detail for c in switches.categories(key)]
        return self._store.preferences(details, history=history)

    def browse(
        self, key: str | None = None, *, text: str = "", period: Period | None = None, limit: int = 6, offset: int = 0
    ) -> Listing:
        """See ``MemoryPort``."""
        details = None if key is None else [c.detail for c in switches.categories(key)]
        return listed(self._store, details, text=text, period=period, limit=limit, offset=offset)

    def browse_kept(
        self, *, name: str | None = None, text: str = "", period: Period | None = None, limit: int = 6, offset: int = 0
    ) -> Listing:
        """See ``MemoryPort``."""
        return kept(self._store, name=name, text=text, period=period, limit=limit, offset=offset)

    def tally(self) -> dict[str, int]:
        """See ``MemoryPort``."""
        return tally(self._store)

    def matching(self, what: Selector) -> Matches:
        """See ``MemoryPort``."""
        with self._lock:
            return self._control.matching(what)

    def forget(self, key: str) -> Receipt:
        """See ``MemoryPort``. With a preference goes what it took the place of."""
        return self.forget_where(self._control.selector(key))

    def forget_where(self, what: Selector) -> Receipt:
        """See ``MemoryPort``."""
        with self._lock:
            self._revision += 1
            if what.everything:
                self._refused.clear()
            self._forgetting(what)
            receipt = self._control.forget(what, self._clock())
            if what.everything:
                self.reminders.forgotten()
        self._rings(what)
        return receipt

    def _rings(self, what: Selector) -> None:
        """Tell whoever rings that there may be nothing to ring for any more; not under the lock, they have their own."""
        if what.everything:
            self.reminders.changed()

    def _forgetting(self, what: Selector) -> None:
        """Something is about to be forgotten or withheld: `memory.reflect.keeping` lets go of what waits."""

    def _restored(self, names: Collection[str]) -> None:
        """These are shown again: `memory.reflect.keeping` may make them again."""

    def withhold(self, what: Selector) -> Withheld:
        """See ``MemoryPort``."""
        with self._lock:
            self._revision += 1
            self._forgetting(what)
            held = self._control.withhold(what, self._clock())
            if what.everything:
                self.reminders.forgotten(held.token)
        self._rings(what)
        return held

    def restore(self, token: str) -> None:
        """See ``MemoryPort``."""
        with self._lock:
            self._revision += 1
            self._restored(self._control.restore(token, self._clock()))
            self.reminders.restored(token)
        self.reminders.changed()

    def carry_out(self, token: str) -> Receipt:
        """See ``MemoryPort``."""
        with self._lock:
            self._revision += 1
            receipt = self._control.carry_out(token, self._clock())
            self.reminders.carried_out(token)
            return receipt

    def explain(self, name: str) -> Explanation:
        """See ``MemoryPort``."""
        with self._lock:
            return self._control.explain(name)

    def correct(self, name: str, value: str) -> Preference:
        """See ``MemoryPort``."""
        with self._lock:
            self._revision += 1
            return self._control.correct(name, value, self._clock())

    def _about(self, text: str) -> str | None:
        topics = self._encoder.topics(text)
        best = max((d for d in topics if d != NONE), key=topics.__getitem__)
        return best if topics[best] >= self._extractor.settings.forbidden_at else None

    def export(self) -> dict[str, Any]:
        """See ``MemoryPort``; the shape is `memory.rights.export.Export`."""
        with self._lock:
            return export(self._store, self._archive, self._control.uses, self.driver, self._clock())

    def take_in(self, exported: Mapping[str, Any], *, allow: bool = False) -> TakenIn:
        """See ``MemoryPort``."""
        with self._lock:
            self._revision += 1
            taken = take_in(exported, self._store, self._archive, self._control.uses, self._clock(), allow=allow)
            self._search.refresh()
            self.reminders.added()
        self.reminders.changed()
        return taken

    # Consent

    def consent(self) -> Consent:
        """See ``MemoryPort``."""
        return self._store.consent()

    def opt_out(self, key: str) -> Consent:
        """See ``MemoryPort``. Turns of the category that wait to be learnt from, and its open proposals, are erased at once."""
        with self._lock, self._store.transaction():
            consent = self._set(switches.opt_out(self._store.consent(), key))
            now = self._clock()
            off = consent.model_copy(update={"private_trip": False, "paused_until": None})

            def forbidden(text: str) -> bool:
                return sift(text, screening(self._extractor, off, now)).screening.forbidden is not None

            numbers = [number for number, text in self._store.turns() if forbidden(text)]
            proposed = [p.id for p in self._store.proposals() if off.forbids(p.category, now) or forbidden(p.sentence)]
            self._store.erase_turns(numbers)
            self._store.erase_proposals(proposed)
        if numbers or proposed:
            self._store.wiped()
        return consent

    def opt_in(self, key: str) -> Consent:
        """See ``MemoryPort``."""
        with self._lock:
            return self._set(switches.opt_in(self._store.consent(), key))

    def set_private_trip(self, private: bool) -> Consent:
        """See ``MemoryPort``."""
        with self._lock:
            return self._set(switches.private_trip(self._store.consent(), private))

    def pause(self, until: datetime | None) -> Consent:
        """See ``MemoryPort``."""
        with self._lock:
            return self._set(switches.pause(self._store.consent(), until))

    def _set(self, consent: Consent) -> Consent:
        self._store.set_consent(consent)
        self._revision += 1
        return self._store.consent()

    def close(self) -> None:
        """See ``MemoryPort``; drops the searchable copy too."""
        with self._lock:
            if not self._vault.closed:
                self._control.carry_out_all(self._clock())
            self._search.close()
            self._refused.clear()
            self._vault.close()
