"""Taking back what was changed last: which values to restore, and by the rules of which actions that is judged.

Owns the memory of what was done (in the program's memory only) and the table from a signal to the action whose rules
restoring it must obey. Writes nothing: ``vehicle.service`` restores, after the gate has judged the actions that the undo
stands for. A window that was opened is closed by the rules of closing it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from schemas import actions as a
from schemas.errors import AdapterError
from vehicle.planning.needs import settings
from vehicle.planning.plan import Effect

UNDO_S = 300.0
"""Seconds after which an action is not taken back any more: by then "undo that" means something else. Our choice."""

KEPT = 8
"""Actions that can be taken back one after the other."""


@dataclass(frozen=True, slots=True)
class Done:
    """An action that was carried out, with what it takes to go back."""

    action: a.Action
    at: float
    before: Mapping[str, Any]
    """Values that it changed, as they were; the car's own changes (minutes to go) are not among them."""
    effect: Effect | None = None

    @property
    def reversible(self) -> bool:
        """Whether there is anything to take back."""
        return bool(self.before) or (self.effect is not None and self.effect.undo is not None)


class History:
    """What was done lately, newest last."""

    def __init__(self, now: Callable[[], float], *, kept_s: float = UNDO_S) -> None:
        """An empty history.

        Args:
            now: seconds of the vehicle's clock.
            kept_s: seconds that an action can be taken back.
        """
        self._now, self._kept_s = now, kept_s
        self._done: deque[Done] = deque(maxlen=KEPT)

    def note(self, done: Done) -> None:
        """Keep an action that can be taken back."""
        if done.reversible:
            self._done.append(done)

    def last(self) -> Done | None:
        """The newest action that can still be taken back."""
        while self._done and self._now() - self._done[-1].at > self._kept_s:
            self._done.clear()  # the newest is too old, so all are
        return self._done[-1] if self._done else None

    def drop(self, done: Done) -> None:
        """Forget it: it has been taken back."""
        self._done = deque((kept for kept in self._done if kept is not done), maxlen=KEPT)

    def drop_effects(self) -> None:
        """Forget what was done beside the vehicle: timers and reminders are forgotten, or are another driver's now."""
        self._done = deque((kept for kept in self._done if kept.effect is None), maxlen=KEPT)

    def clear(self) -> None:
        """Forget everything: the vehicle was lost, and nothing old is restored afterwards."""
        self._done.clear()


_Maker = Callable[[Any], a.Action]


def _one(kind: type[a.Action], slot: str, **fixed: Any) -> _Maker:
    """An action with a value in a slot. It is for the gate's rules only, so steps and ranges of speech do not bind it."""
    return lambda value: kind.model_construct(**fixed, **{slot: value})


def _said(kind: type[a.Action], slot: str) -> _Maker:
    """An action whose words the gate does not look at."""
    return lambda _: kind.model_construct(None, **{slot: "what was there before"})


RESTORES: Mapping[str, _Maker] = MappingProxyType({
    **{name: _one(kind, slot, **place) for kind in a.ACTIONS for name, slot, place in settings(kind)},
    **{f"seat.{zone}.lumbar": lambda _: a.ChangeLumbar(change="up") for zone in ("driver", "passenger")},
    **dict.fromkeys(("seat.driver.position", "seat.driver.height"), lambda _: a.MoveSeat(direction="up")),
    "seat.driver.recline": lambda _: a.ReclineSeat(direction="back"),
    **{f"mirror.{zone}.{way}": lambda _: a.AdjustMirror(direction="up")
       for zone in ("driver", "passenger") for way in ("tilt", "pan")},
    "sunroof.tilt": lambda level: a.SetRoofTilt(raised=level > 0),
    "trunk.position": lambda percent: a.SetTrunk(open=percent > 0),
    **dict.fromkeys(("media.source", "media.title", "media.artist", "media.genre"), _said(a.PlayMusic, "song")),
    "media.position": lambda _: a.Seek(change="back"),
    "media.playing": lambda playing: a.SetPlayback(command="play" if playing else "pause"),
    **dict.fromkeys(("navigation.destination", "navigation.stops", "navigation.latitude", "navigation.longitude",
                     "navigation.minutes", "navigation.kilometers"), _said(a.NavigateTo, "destination")),
    "charging.timer": lambda at: a.SetChargeTimer(on=bool(at)),
    "phone.number": _said(a.CallContact, "person"),
})  # fmt: skip
"""Every signal that can be written -> the action whose rules hold for writing this value to it: the one that ``sets`` it, and here
those whose slots are not the value itself."""


NOT_RESTORED = frozenset({"phone.number"})
"""What is over once it was done."""


def restored(done: Done) -> Mapping[str, Any]:
    """The values that taking it back writes.

    The shade that opened along with the roof stays open: it may only close under a closed roof.
    """
    along = {"sunroof.shade"} if "sunroof.position" in done.before else set[str]()
    return {name: value for name, value in done.before.items() if name not in along}


def action_for(signal: str, value: Any) -> a.Action:
    """The action that writing this value to this signal amounts to, for the gate to judge.

    Raises:
        schemas.errors.AdapterError: no action writes it.
    """
    if signal not in RESTORES:
        raise AdapterError(f"no action writes {signal}, so it is not written")
    return RESTORES[signal](value)


def stands_for(changes: Mapping[str, Any]) -> tuple[a.Action, ...]:
    """The actions that writing these values amounts to, for the gate to judge; each once."""
    found: list[a.Action] = []
    for signal, value in changes.items():
        action = action_for(signal, value)
        if action not in found:
            found.append(action)
    return tuple(found)
