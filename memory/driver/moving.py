"""A preference that was put under the wrong topic is moved to another one: through consent and maintenance, and back again.

What is moved keeps its sentences, its conditions and how sure it is. What stood in the way ends with it and comes back with it.
"""

from __future__ import annotations

from collections.abc import Callable

from memory.driver.session import Session
from memory.learn.maintenance import Maintainer
from schemas.errors import ConsentError, UnknownEntryError
from schemas.memory import Candidate, Decision, Outcome, Preference, Status
from schemas.preferences import BY_DETAIL, WITH


class Moving:
    """Moves what one driver's memory holds from topic to topic."""

    def __init__(self, session: Session, maintainer: Maintainer, value: Callable[[str, str], str]) -> None:
        """Over this vault.

        Args:
            session: the open vault.
            maintainer: decides what becomes of it beside what the other topic holds.
            value: a value as a category stores it.
        """
        self._session, self._store, self._maintainer, self._value = session, session.store, maintainer, value

    def move(self, name: str, detail: str, *, instead: bool = False) -> Decision:
        """See ``schemas.memory_port.MemoryPort``."""
        session, store = self._session, self._store
        if detail not in BY_DETAIL:
            raise UnknownEntryError(f"there is no topic {detail[:80]!r}")
        with session.lock:
            session.changed()
            now, old = session.clock(), self._active(name)
            for category in (old.category, BY_DETAIL[detail]):
                reason = store.consent().forbids(category, now)
                if reason is not None:
                    raise ConsentError(f"nothing was moved, {reason}: switch it on again first")
            value = self._value(detail, old.value)
            if detail not in WITH:
                session.guard.require(value, store.consent())
            if detail == old.detail:
                return Decision(outcome=Outcome.PASS, detail=detail, reason="it is there already", preference=old.id)
            held = store.preferences([detail])
            ruling = self._maintainer.decide(_candidate(old, detail, value), held)
            values = tuple(p.value for p in ruling.replaced)
            if ruling.outcome is Outcome.UPDATE and not instead:
                return Decision(outcome=Outcome.ASK, detail=detail, reason=ruling.reason, value=value, replaced=values)
            made = old.model_copy(update={"id": session.new_id(), "detail": detail, "value": value})
            with store.transaction():
                store.add(made, now)
                for ended in (old, *ruling.replaced, *((ruling.equal,) if ruling.equal is not None else ())):
                    store.supersede(ended.id, now, made.id)
            session.search.refresh()
        outcome = ruling.outcome if ruling.outcome in (Outcome.UPDATE, Outcome.PASS) else Outcome.APPEND
        return Decision(
            outcome=outcome, detail=detail, reason=ruling.reason, value=value, preference=made.id, replaced=values, sense=made.sense
        )  # fmt: skip

    def move_back(self, name: str) -> tuple[Preference, ...]:
        """See ``schemas.memory_port.MemoryPort``."""
        session, store = self._session, self._store
        with session.lock:
            session.changed()
            made = self._active(name)
            before = {old for old, new in store.successors().items() if new == made.id}
            held = store.preferences(history=True, ids=before)
            if not any(p.detail != made.detail for p in held):
                raise UnknownEntryError(f"the preference {name[:80]!r} was not moved: there is nothing to take back")
            for one in held:
                reason = store.consent().forbids(one.category, session.clock())
                if reason is not None:
                    raise ConsentError(f"nothing was moved back, {reason}: switch it on again first")
            with store.transaction():
                store.erase("preferences", [made.id])
                store.revive(before)
            session.search.refresh()
            return store.preferences(ids=before)

    def _active(self, name: str) -> Preference:
        held = self._store.preferences(ids=[name])
        if not held or held[0].status is not Status.ACTIVE:
            raise UnknownEntryError(f"no preference that holds has the id {name[:80]!r}: list what is remembered")
        return held[0]


def _candidate(old: Preference, detail: str, value: str) -> Candidate:
    """What maintenance is asked about: the same under the other topic, without words that once ended something else."""
    return Candidate(
        detail=detail, value=value, sentence=value, said_at=old.valid_from, conversation=old.conversation,
        confidence=old.confidence, sense=old.sense, conditions=old.conditions,
    )  # fmt: skip
