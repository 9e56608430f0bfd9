"""What is usual with one driver, and what was learnt of late: read from the vault as far as consent allows now.

Owns which suggestions the driver does not want to hear again, and how many things were forgotten in which hour: numbers, nothing
else.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta, tzinfo

from memory.driver.session import Session
from memory.reflect.habits import habits
from schemas.manners import SUGGESTIONS, Change, Habit, Review
from schemas.memory import ENDLESS, Kind, Period, Preference, Status

ASKED_AGAIN = timedelta(days=7)
"""After how long a suggestion that nobody answered is made again. Our choice."""
_FORGOTTEN = "forgotten"
"""Key in ``meta`` of how much was forgotten: an hour, in UTC, and a number."""
_KEPT_DAYS = 31


class Knowing:
    """The habits of one driver and the review of a day; the methods are those of ``schemas.memory_port.KnowingPort``."""

    def __init__(self, session: Session, zone: tzinfo) -> None:
        """Over this vault; days are counted in this zone."""
        self._session, self._zone = session, zone

    # Habits

    def habits(self) -> tuple[Habit, ...]:
        """What the driver usually has done at this time of the week and has not had done today, the surest first."""
        session, store = self._session, self._session.store
        with session.lock:
            now, consent = session.now()
            if SUGGESTIONS in consent.opted_out or consent.silent(now) is not None:
                return ()
            held = store.preferences()
            wanted = [p for p in held if p.sense.wanted and consent.forbids(p.category, now) is None]
            turned_down = {(p.detail, p.value.lower()) for p in held if not p.sense.wanted}
            wanted = [p for p in wanted if (p.detail, p.value.lower()) not in turned_down]
            uses = store.uses([p.id for p in wanted])
            found = habits([(p, uses.get(p.id, ())) for p in wanted], now, self._zone)
            return tuple(one for one in found if not store.declines(_mark(one), now))

    def suggested(self, habit: Habit, yes: bool | None) -> None:
        """Note that a suggestion was made and how it was answered; None: not yet. A no is for good."""
        session = self._session
        with session.lock:
            now, consent = session.now()
            if consent.silent(now) is None:
                until = now + ASKED_AGAIN if yes is None else now if yes else ENDLESS
                session.store.decline(_mark(habit), until)

    # The review of a day

    def review(self, period: Period) -> Review:
        """What changed in a time: what was learnt, what it took the place of, what ended; of what is gone only how much it was."""
        session, store, archive = self._session, self._session.store, self._session.archive
        with session.lock:
            held = store.preferences(history=True)
            after = store.successors()
            holds = {(one.detail, one.value) for one in held if one.status is Status.ACTIVE}
            before: dict[str, Preference] = {after[one.id]: one for one in held if one.id in after}
            changes = [_change(one, before.get(one.id)) for one in held if _is_new(one, period)]
            changes += [
                Change(
                    kind=Kind.PREFERENCE,
                    id=p.id,
                    text=p.value,
                    at=p.valid_to,
                    detail=p.detail,
                    sense=p.sense,
                    conditions=p.conditions,
                    ended=True,
                )
                for p in held
                if p.status is Status.SUPERSEDED
                and p.id not in after
                and (p.detail, p.value) not in holds
                and p.valid_to
                and period.holds(p.valid_to)
            ]
            changes += [
                Change(kind=one.kind, id=one.id, text=one.text, at=one.at)
                for one in archive.thoughts()
                if period.holds(one.at)
            ]
            changes += [
                Change(kind=Kind.PROFILE, id=one.id, text=one.value, at=one.since, detail=one.key)
                for one in archive.profile()
                if one.aspect != "habit"
                and period.holds(one.since)  # habits are told as the thoughts that they come from
            ]
            changes += [
                Change(kind=Kind.FACT, id=one.id, text=one.text, at=one.said_at, about=one.about)
                for one in store.facts.all()
                if period.holds(one.said_at)
            ]
            refused = [
                one
                for one in store.logged()
                if one["outcome"] == "refused" and period.holds(datetime.fromisoformat(one["at"]))
            ]
            changes.sort(key=lambda one: one.at, reverse=True)
            return Review(period=period, changes=tuple(changes), refused=len(refused), forgotten=self._gone(period))

    def _gone(self, period: Period) -> int:
        held = json.loads(self._session.store.meta(_FORGOTTEN) or "{}")
        return sum(number for moment, number in held.items() if period.holds(datetime.fromisoformat(moment)))

    def forgotten(self, number: int) -> None:
        """Count what was erased just now; called with the lock held."""
        if number:
            store, now = self._session.store, self._session.clock()
            held = json.loads(store.meta(_FORGOTTEN) or "{}")
            oldest = (now - timedelta(days=_KEPT_DAYS)).isoformat()
            kept = {moment: count for moment, count in held.items() if moment >= oldest}
            hour = now.replace(minute=0, second=0, microsecond=0).isoformat()
            with store.transaction():
                store.set_meta(_FORGOTTEN, json.dumps({**kept, hour: kept.get(hour, 0) + number}))


def _is_new(one: Preference, period: Period) -> bool:
    return one.status is Status.ACTIVE and period.holds(one.valid_from)


def _change(one: Preference, before: Preference | None) -> Change:
    return Change(
        kind=Kind.PREFERENCE,
        id=one.id,
        text=one.value,
        at=one.valid_from,
        detail=one.detail,
        sense=one.sense,
        conditions=one.conditions,
        before=None if before is None else before.value,
    )


def _mark(habit: Habit) -> str:
    """What a suggestion is remembered by: not its time, lest a no on Thursdays is a maybe on Fridays."""
    return f"suggestion\0{habit.detail}\0{habit.value.lower()}\0{habit.action}"
