"""Recall as far as consent allows: what lies in a category that is switched off is kept until forgotten, but not recalled.

Owns that, and the uses of what was recalled. What matters for a query is found by `memory.recall.preferences` and
`memory.recall.search`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory.driver.conversations import Conversations
from memory.driver.session import Session
from memory.learn.evidence import NONE
from memory.recall.times import period_in
from memory.store.preferences import silent
from schemas.memory import FACTS, Consent, Found, Kind, Period, Preference, Recollection
from schemas.ports import Encoder
from schemas.preferences import BY_DETAIL, CATEGORIES

TALK = (Kind.EPISODE, Kind.SUMMARY, Kind.EVENT)
"""What is kept of conversations only if the driver asked for that."""


TOPIC_AT = 0.35
"""Share of what a question is about, were it about something that may be remembered, from which on a category is meant. Our choice:
of 17 typed questions those about a category gave it .37 or more, all others .32 or less."""


class Recollections:
    """What is recalled of one driver; the methods are those of ``schemas.memory_port.RecallPort``."""

    def __init__(self, session: Session, conversations: Conversations) -> None:
        """Over this vault; the conversations are told what was asked, for pruning goes by it."""
        self._session, self._conversations = session, conversations

    def recall(
        self, query: str, *, details: Sequence[str] = (), limit: int = 3, ahead: bool = False
    ) -> tuple[Recollection, ...]:
        """Active preferences that matter for the query, best first."""
        session = self._session
        with session.lock:
            now, consent = session.now()
            found = session.search.preferences(
                query, details=details, hidden=_hidden(consent, now), limit=limit, now=now
            )
            if not ahead:
                self._conversations.asked(query, consent, now)
            held = {p.id: p for p in session.store.preferences(ids=[name for name, _ in found])} if found else {}
            return tuple(Recollection(preference=held[name], score=score) for name, score in found if name in held)

    def against(self, details: Sequence[str]) -> tuple[Preference, ...]:
        """What the driver dislikes or avoids, of these detail keys."""
        session = self._session
        with session.lock:
            now, consent = session.now()
            wanted = sorted(set(details) - _hidden(consent, now))
            held = session.store.preferences(wanted) if wanted else ()
        return tuple(p for p in held if not p.sense.wanted)

    def topics(self, question: str) -> tuple[str, ...]:
        """The detail keys that a question may be about; none for what is not remembered at all ("what's my shoe size")."""
        return topics(self._session.encoder, question)

    def search(
        self,
        query: str,
        *,
        kinds: Sequence[Kind] = (),
        tags: Sequence[str] = (),
        period: Period | None = None,
        details: Sequence[str] = (),
        limit: int = 5,
    ) -> tuple[Found, ...]:
        """Memories of any kind that matter for the query, best first; no talk while it is not kept, no facts while they are off."""
        session = self._session
        with session.lock:
            now, consent = session.now()
            off = (() if consent.conversations else TALK) + ((Kind.FACT,) if FACTS in consent.opted_out else ())
            able = [kind for kind in kinds or Kind if kind not in off]
            if not able:
                return ()
            found = session.search.search(
                query, kinds=able, tags=tags, period=period, details=details, hidden=_hidden(consent, now),
                limit=limit, now=now,
            )  # fmt: skip
            self._conversations.asked(query, consent, now)
            return found

    def used(self, recalled: Sequence[Recollection | Found], action: str | None = None) -> None:
        """Note a use of each, and for which action. A use is not noted while nothing may be remembered."""
        session, store = self._session, self._session.store
        with session.lock:
            now, consent = session.now()
            if silent(consent, now) is not None:
                return
            told = [
                (r.kind, r.id, r.details) if isinstance(r, Found) else (Kind.PREFERENCE, r.preference.id, (r.preference.detail,))
                for r in recalled
            ]  # fmt: skip
            allowed = [
                name for kind, name, details in told
                if kind is Kind.PREFERENCE and consent.forbids(BY_DETAIL[details[0]], now) is None
            ]  # fmt: skip
            held = [p.id for p in store.preferences(ids=allowed)] if allowed else []
            names = [*(name for kind, name, _ in told if kind is not Kind.PREFERENCE), *held]
            if names:
                with store.transaction():
                    store.used(names, now)
                    for name in held if action is not None else ():
                        store.used_for(name, action or "", now)

    def period(self, words: str) -> Period | None:
        """The time that words speak of, on the driver's calendar and trips; None where they speak of none."""
        return period_in(words, self._session.clock(), self._conversations.zone, self._session.archive.trips())


def topics(encoder: Encoder, text: str) -> tuple[str, ...]:
    """The detail keys that a text may be about, were it about any."""
    found = {key: share for key, share in encoder.topics(text).items() if key != NONE}
    whole = sum(found.values())
    return tuple(key for key, share in found.items() if whole and share / whole >= TOPIC_AT)


def _hidden(consent: Consent, now: datetime) -> frozenset[str]:
    """Detail keys that are switched off; a pause or a private trip hides nothing."""
    always = consent.model_copy(update={"private_trip": False, "paused_until": None})
    return frozenset(c.detail for c in CATEGORIES if always.forbids(c, now) is not None)
