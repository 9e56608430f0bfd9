"""The driver's switches: what may be remembered, each act under the lock. What the switches mean is `memory.consent`'s."""

from __future__ import annotations

from datetime import datetime

from memory import consent as switches
from memory.driver.session import Session
from memory.learn.screening import screening, sift
from schemas.memory import Consent


class Switches:
    """The switches of one driver; the methods are those of ``schemas.memory_port.ConsentPort``."""

    def __init__(self, session: Session) -> None:
        """Of this vault."""
        self._session = session

    def consent(self) -> Consent:
        """What may be remembered now."""
        return self._session.store.consent()

    def opt_out(self, key: str) -> Consent:
        """Switch a category off. Turns of it that wait to be learnt from, and its open proposals, are erased at once."""
        store = self._session.store
        with self._session.lock, store.transaction():
            consent = self._set(switches.opt_out(store.consent(), key))
            now = self._session.clock()
            off = consent.model_copy(update={"private_trip": False, "paused_until": None})
            guard = self._session.guard
            screen = screening(self._session.extractor, off, now)

            def forbidden(text: str) -> bool:
                return sift(text, screen).screening.forbidden is not None or bool(guard.forbidden(text, off))

            numbers = [number for number, text in store.turns() if forbidden(text)]
            proposed = [p.id for p in store.proposals() if off.forbids(p.category, now) or forbidden(p.sentence)]
            self._session.changed(forgotten=True)
            store.erase("turns", numbers)
            store.erase("proposals", proposed)
        if numbers or proposed:
            store.wiped()
        return consent

    def opt_in(self, key: str) -> Consent:
        """Switch a category on again, or a sensitive one or the keeping of conversations on for the first time."""
        with self._session.lock:
            return self._set(switches.opt_in(self.consent(), key))

    def set_private_trip(self, private: bool) -> Consent:
        """Remember nothing from now on, or remember again."""
        with self._session.lock:
            return self._set(switches.private_trip(self.consent(), private))

    def pause(self, until: datetime | None) -> Consent:
        """Remember nothing until then; None resumes."""
        with self._session.lock:
            return self._set(switches.pause(self.consent(), until))

    def _set(self, consent: Consent) -> Consent:
        self._session.store.set_consent(consent)
        self._session.changed()
        return self.consent()
