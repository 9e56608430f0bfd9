"""Timers and reminders of a driver: where they lie in the driver's vault, and how they leave it.

Encrypted at rest, gone with the vault and with everything that is forgotten. When one is due is the vehicle's organizer's matter.
Nothing of them is searched, recalled or learnt from. What was set while nothing may be written (a pause, a private trip) is held
in memory only, as long as the program runs, and stays there when that is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime

from pydantic import TypeAdapter, ValidationError

from memory.store.preferences import Store
from schemas.memory import Waiting

KEY = "notices"
"""Key in ``meta`` of what waits; with a token behind it, of what is withheld under that (`memory.store.withheld`)."""

KIND = "notices"
"""What ``withheld`` calls them."""

_LIST = TypeAdapter(tuple[Waiting, ...])


def stored(store: Store, key: str = KEY) -> tuple[Waiting, ...]:
    """What lies in the vault; nothing where that cannot be read."""
    held = store.meta(key)
    try:
        return () if held is None else _LIST.validate_json(held)
    except ValidationError:
        return ()


def keep(store: Store, waiting: Sequence[Waiting]) -> None:
    """Let this lie in the vault, and nothing else."""
    store.set_meta(KEY, _LIST.dump_json(tuple(waiting)).decode() if waiting else None)


def put_aside(store: Store, token: str) -> str:
    """Take what waits out of sight, until `put_back` or `erase`; returns the key under which it lies then."""
    aside = f"{KEY} {token}"
    store.set_meta(aside, store.meta(KEY))
    store.set_meta(KEY, None)
    return aside


def put_back(store: Store, aside: str) -> None:
    """Let what was put aside wait again, beside what was set meanwhile."""
    with store.transaction():
        keep(store, in_order(frozenset(stored(store)) | frozenset(stored(store, aside))))
        erase(store, [aside])


def erase(store: Store, keys: Iterable[str]) -> None:
    """Delete what lies under these keys."""
    for key in keys:
        store.set_meta(key, None)


def left(store: Store, keys: Iterable[str]) -> bool:
    """Whether anything lies under these keys."""
    return any(store.meta(key) is not None for key in keys)


def in_order(waiting: Iterable[Waiting]) -> tuple[Waiting, ...]:
    """The next one first."""
    return tuple(sorted(waiting, key=lambda one: (one.at, one.kind, one.label)))


def bare(one: Waiting) -> Waiting:
    """Without its words, where they may not be written: that it is due, and when."""
    return one.model_copy(update={"label": ""})


class Reminders:
    """What waits of one driver, for whoever rings. Safe for use by several threads."""

    def __init__(
        self,
        store: Store,
        lock: AbstractContextManager[None],
        clock: Callable[[], datetime],
        special: Callable[[str], bool],
    ) -> None:
        """What lies in this vault, read and written under this lock.

        Args:
            store: the vault's tables.
            lock: held for every act.
            clock: aware current time.
            special: whether words tell of what may not be written: of such a reminder only the time lies in the vault.
        """
        self._store, self._lock, self._clock, self._special = store, lock, clock, special
        self._words: dict[Waiting, Waiting] = {}
        """What lies in the vault without its words -> with them."""
        self._unkept: tuple[Waiting, ...] = ()
        """Set while nothing might be written."""
        self._aside: dict[str, tuple[Waiting, ...]] = {}
        """Token -> what of them is withheld."""
        self._state = 0
        self._changed: Callable[[], None] = _nobody_rings

    def watch(self, changed: Callable[[], None] | None) -> None:
        """See ``schemas.memory_port.RemindersPort``."""
        self._changed = changed or _nobody_rings

    def changed(self) -> None:
        """Tell that what waits is another and `save` was not the reason; called without the lock."""
        self._changed()

    def load(self) -> tuple[int, tuple[Waiting, ...]]:
        """What waits, and a number for `save`.

        Raises:
            schemas.errors.MemoryStoreError: the vault cannot be read.
        """
        with self._lock:
            return self._state, in_order(self._held() | frozenset(self._unkept))

    def _held(self) -> frozenset[Waiting]:
        return frozenset(self._words.get(one, one) for one in stored(self._store))

    def save(self, waiting: Sequence[Waiting], state: int) -> None:
        """Keep this in the place of what was there; during a pause or a private trip nothing new of it.

        Args:
            waiting: all that waits.
            state: what `load` gave. Does nothing if something was forgotten or taken back since: `changed` told of that.

        Raises:
            schemas.errors.MemoryStoreError: the vault cannot be written.
        """
        with self._lock:
            if state != self._state:
                return
            held, now, unkept = self._held(), frozenset(waiting), frozenset(self._unkept)
            fresh = now - held
            moved = {(one.kind, one.label) for one in unkept - now}  # what is due on arrival gets another time
            silent = self._store.consent().silent(self._clock()) is not None
            self._unkept = in_order(one for one in fresh if silent or one in unkept or (one.kind, one.label) in moved)
            kept = now - frozenset(self._unkept)
            if kept != held:
                wordless = {one: bare(one) for one in kept if self._special(one.label)}
                self._words = {without: one for one, without in wordless.items()}
                keep(self._store, in_order(wordless.get(one, one) for one in kept))
            if held - kept:
                self._store.wiped()

    def forgotten(self, token: str | None = None) -> None:
        """What lay in the vault is erased, or withheld under a token: what did not lie there goes the same way."""
        with self._lock:
            if token is None:
                self._aside.clear()
                self._words.clear()
            else:
                self._aside[token] = self._unkept
            self._unkept = ()
            self._state += 1

    def restored(self, token: str) -> None:
        """What was withheld under a token is back."""
        with self._lock:
            self._unkept = in_order(frozenset(self._unkept) | frozenset(self._aside.pop(token, ())))
            self._state += 1

    def carried_out(self, token: str) -> None:
        """What was withheld under a token is gone."""
        with self._lock:
            self._aside.pop(token, None)

    def added(self) -> None:
        """Something was put into the vault beside."""
        with self._lock:
            self._state += 1


def _nobody_rings() -> None:
    """Nobody waits for what is set here."""
