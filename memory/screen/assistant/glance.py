"""The car as the open pages see it: looked at once a second for all of them, beside everything else.

A car that is slow to answer holds up no page that shows the turn: what was seen last stands until the next look is there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime

from memory.screen.assistant.ports import Cabin
from memory.screen.assistant.tiles import SHOWN
from memory.screen.assistant.whereabouts import Place, apart_m, place
from schemas.events import VehicleState

EVERY_S = 1.0
"""Between two looks while a page is open: what a button does is looked at once more at once. Our choice."""

STIRS_M = 30.0
"""Metres by which the car's place must have changed for the map to be made anew: a receiver that stands still strays by ten. Our
choice."""


class Glance:
    """The last look at the car; safe for use by several threads."""

    def __init__(
        self, cabin: Cabin | None, clock: Callable[[], datetime], changed: Callable[[], None] = lambda: None
    ) -> None:
        """At that car, by the clock of what waits; ``changed`` is called when it looks different."""
        self._cabin, self._clock, self._changed, self._lock = cabin, clock, changed, threading.Lock()
        self._state: VehicleState | None = None
        self._at, self._looking, self._key = -EVERY_S, False, ""
        self._place: Place | None = None
        self.version = 0
        """Another number whenever what is shown of the car is different."""

    def state(self) -> VehicleState | None:
        """The car as it was a second ago at most; looks where nobody has. None where it does not answer."""
        if time.monotonic() - self._at >= EVERY_S:
            self._look()
        return self._state

    def again(self) -> None:
        """Something was asked of the car: what was seen before counts no more."""
        self._at = -EVERY_S
        self._look()

    def keep_up(self) -> None:
        """Look anew if it is time, on a thread of its own."""
        if self._cabin is None or time.monotonic() - self._at < EVERY_S:
            return
        with self._lock:
            if self._looking:
                return
            self._looking = True
        threading.Thread(target=self._look, name="glance", daemon=True).start()

    def _look(self) -> None:
        if self._cabin is None:
            return
        try:
            state = self._cabin.look()
            key = "" if state is None else self._told(self._cabin, state)
        finally:
            self._looking = False
        self._state, self._at = state, time.monotonic()
        if key != self._key:
            self._key = key
            self.version += 1
            self._changed()

    def _told(self, cabin: Cabin, state: VehicleState) -> str:
        now = self._clock()
        waits = [(one.kind, one.label, one.at, (one.at - now).total_seconds() // 60) for one in cabin.waiting()]
        at = place(state.values, "position")
        if at is None or self._place is None or apart_m(at, self._place) > STIRS_M:
            self._place = at
        return repr(([state.values.get(name) for name in SHOWN], waits, self._place, place(state.values, "navigation")))
