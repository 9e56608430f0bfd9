"""The gate: the only door between a wish and the vehicle.

``rule`` is a pure function of (action, vehicle state, policy). ``Gate`` adds what needs memory: it starts silent,
limits rates, keeps confirmations and writes the log of decisions. It touches no vehicle: ``vehicle.service`` does.

- Nothing is allowed until the vehicle has told anything of itself; losing the adapter makes the gate silent again and
  drops every question.
- Missing, stale or implausible speed, gear or ignition counts as moving, and so do conflicting ones (speed in P).
- A confirmation is bound to one action with its values, works once, expires, and is judged again by the state at that
  time: what is refused by then stays undone.
- The log holds names of actions and rules, and slots that are numbers, switches or members of a closed list. Free words
  never enter it.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin

from schemas.actions import Action
from schemas.actions.information import EMERGENCY_NUMBERS
from schemas.errors import ConfirmationError
from schemas.events import Motion, Ruling, VehicleState, Verdict
from schemas.ports import Clock
from vehicle.policy import (
    CONFIRMATION_S,
    POLICY,
    RATE_LIMITS,
    RATE_WINDOW_S,
    REFUSING,
    SPEAKER_ASKS,
    SPEAKER_REFUSED,
    SPEAKERS,
    STALE_S,
    UNKNOWN_PARKED,
    UNKNOWN_SPEED,
    WET_RIDE_KMH,
    Condition,
    Op,
    Row,
)
from vehicle.signals import ALL_WINDOWS, OF_THE_WORLD, OTHERS_WINDOWS, REAR_WINDOWS, SIGNALS
from vehicle.travel import Movement, movements, number

Policy = Mapping[str, tuple[Row, ...]]

GEARS = frozenset({"P", "R", "N", "D"})
LOG_LENGTH = 10_000
"""Decisions kept in this process's memory, and nowhere else; the oldest leave first."""

_SEVERITY = {Verdict.ALLOW: 0, Verdict.CONFIRM: 1, Verdict.DENY: 2}


def _refusal(rule: str) -> Ruling:
    return Ruling(verdict=Verdict.DENY, rule=rule, reason=REFUSING[rule], source="gate")


_SPEAKING = {
    Verdict.CONFIRM: Ruling(verdict=Verdict.CONFIRM, rule="speaker", reason=SPEAKER_ASKS, source="our choice"),
    Verdict.DENY: Ruling(verdict=Verdict.DENY, rule="speaker", reason=SPEAKER_REFUSED, source="our choice"),
}
SILENT = _refusal("silent")
TOO_OFTEN = _refusal("too_often")


def fresh(state: VehicleState) -> bool:
    """True if speed and gear are at most ``STALE_S`` old; NaN and negative ages are not."""
    return 0.0 <= state.age_s <= STALE_S


def known_speed(state: VehicleState) -> float | None:
    """Speed in km/h, or None where it is missing, stale or implausible."""
    speed = number(state.speed_kmh)
    return speed if speed is not None and speed >= 0.0 and fresh(state) else None


def motion(state: VehicleState) -> Motion:
    """The driving state: parked is standing in P, idling is standing in another gear, everything else is moving.

    Standing is a speed of exactly 0, known, fresh and with gear and ignition known.
    """
    if known_speed(state) != 0.0 or state.gear not in GEARS or state.ignition_on is None:
        return Motion.MOVING
    return Motion.PARKED if state.gear == "P" else Motion.IDLING


def rule(action: Action, state: VehicleState, policy: Policy = POLICY) -> Ruling:
    """The policy's ruling on an action in a state: the strictest of the rows that apply.

    Raises:
        KeyError: the policy has no row for this action (a defect of the table).
    """
    table = _IN_FORCE if policy is POLICY else Table(policy)
    return table.ruling(action, state, motion(state))


class _Seen:
    """An action in a state, and its movements, which several conditions ask for."""

    __slots__ = ("_movements", "action", "state")

    def __init__(self, action: Action, state: VehicleState) -> None:
        self.action, self.state = action, state
        self._movements: Mapping[str, Movement] | None = None

    @property
    def movements(self) -> Mapping[str, Movement]:
        if self._movements is None:
            self._movements = movements(self.action, self.state)
        return self._movements


_Test = Callable[[_Seen], bool]


class _Opinion:
    """One row in one driving state, ready to be asked."""

    __slots__ = ("_row", "_ruling", "_verdict", "tests")

    def __init__(self, row: Row, verdict: Verdict, tests: tuple[_Test, ...]) -> None:
        self._row, self._verdict, self.tests = row, verdict, tests
        self._ruling: Ruling | None = None

    def ruling(self) -> Ruling:
        if self._ruling is None:
            row, verdict = self._row, self._verdict
            self._ruling = Ruling(verdict=verdict, rule=row.rule, reason=row.reason(verdict), source=row.source)
        return self._ruling


class Table:
    """A policy in the order in which it is asked: by action and driving state, the strictest rows first."""

    def __init__(self, policy: Policy) -> None:
        """Nothing of it is prepared before it is asked."""
        self._policy = policy
        self._ready: dict[str, Mapping[Motion, tuple[_Opinion, ...]]] = {}

    def ruling(self, action: Action, state: VehicleState, driving: Motion) -> Ruling:
        """The first row that applies: of equally strict ones, the first in the policy. Who speaks can make it stricter.

        Raises:
            KeyError: the policy has no row for this action.
        """
        ruling = self._by_rows(action, state, driving)
        wanted = SPEAKERS.get(str(state.values.get("cabin.speaker")), {}).get(self._policy[action.name][-1].tier)
        emergency = getattr(action, "digits", "") in EMERGENCY_NUMBERS
        if wanted is None or emergency or _SEVERITY[wanted] <= _SEVERITY[ruling.verdict]:
            return ruling
        return _SPEAKING[wanted]

    def _by_rows(self, action: Action, state: VehicleState, driving: Motion) -> Ruling:
        ready = self._ready.get(action.name)
        if ready is None:
            ready = self._ready[action.name] = _prepared(self._policy[action.name])
        seen = _Seen(action, state)
        for opinion in ready[driving]:
            for test in opinion.tests:
                if not test(seen):
                    break
            else:
                return opinion.ruling()
        raise KeyError(action.name)


def _prepared(rows: Sequence[Row]) -> Mapping[Motion, tuple[_Opinion, ...]]:
    """The rows with an opinion in each driving state; allowing under a condition is none."""
    tested = [(row, tuple(_test(condition) for condition in row.when)) for row in rows]
    ready: dict[Motion, tuple[_Opinion, ...]] = {}
    for driving in Motion:
        voiced = [
            (row.verdicts[driving], row, tests)
            for row, tests in tested
            if row.verdicts[driving] is not Verdict.ALLOW or not row.when
        ]
        voiced.sort(key=lambda one: -_SEVERITY[one[0]])
        ready[driving] = tuple(_Opinion(row, verdict, tests) for verdict, row, tests in voiced)
    return ready


def _test(condition: Condition) -> _Test:
    """Whether a condition holds, or cannot be known: then it counts as met. What the car does not have meets none."""
    test, name = _comparison(condition), condition.subject
    if name not in SIGNALS or name in OF_THE_WORLD:
        return test
    return lambda seen: name not in seen.state.absent and test(seen)


def _comparison(condition: Condition) -> _Test:
    subject, wanted = _subject(condition.subject), condition.value
    if condition.op is Op.IN and condition.subject in SIGNALS:
        return lambda seen: (value := subject(seen)) is None or value in wanted
    if condition.op is Op.IN:
        return lambda seen: subject(seen) in wanted
    if condition.op is Op.IS:
        kind = type(wanted)
        return lambda seen: (value == wanted) if isinstance(value := subject(seen), kind) else True
    if condition.op is Op.ABOVE:
        return lambda seen: (known := number(subject(seen))) is None or known > wanted
    return lambda seen: (known := number(subject(seen))) is None or known < wanted


_SUBJECTS: Mapping[str, Callable[[_Seen], Any]] = {
    "opens": lambda seen: any(movement.opens for movement in seen.movements.values()),
    "closes": lambda seen: any(movement.closes for movement in seen.movements.values()),
    "target": lambda seen: _widest([movement.target for movement in seen.movements.values()]),
    "rear_window": lambda seen: not seen.movements.keys().isdisjoint(REAR_WINDOWS),
    "others_window": lambda seen: any(name in OTHERS_WINDOWS for name in seen.movements),
    "rear_locked": lambda seen: _any_on(seen.state, ("doors.child_lock", "windows.locked")),
    "wet_ride": lambda seen: _wet_ride(known_speed(seen.state), number(seen.state.values.get("outside.rain"))),
    "emergency": lambda seen: getattr(seen.action, "digits", "") in EMERGENCY_NUMBERS,
    "speed": lambda seen: known_speed(seen.state),
    "ignition": lambda seen: seen.state.ignition_on,
    "widest_window": lambda seen: _widest(
        [number(seen.state.values.get(name)) for name in ALL_WINDOWS if name not in seen.state.absent]
    ),
}


def _subject(name: str) -> Callable[[_Seen], Any]:
    """How what a condition is about is read."""
    if name.startswith("slot."):
        slot = name.removeprefix("slot.")
        return lambda seen: getattr(seen.action, slot)
    return _SUBJECTS.get(name) or (lambda seen: seen.state.values.get(name))


def _any_on(state: VehicleState, names: Sequence[str]) -> bool | None:
    """Whether one of these switches is on, of those that the car has; None where that is not known."""
    told = [state.values.get(name) for name in names if name not in state.absent]
    if True in told:
        return True
    return None if None in told else False


def _wet_ride(speed: float | None, rain: float | None) -> bool | None:
    """Whether it rains and the car is fast enough that nobody has a hand at the roof; None where that is not known."""
    certain = [speed is not None and speed >= WET_RIDE_KMH, rain is not None and rain > 0.0]
    if all(certain):
        return True
    unsure = speed is None or rain is None
    return None if unsure else False


def _widest(positions: Sequence[float | None]) -> float | None:
    """The greatest of some positions, in percent; None where one is unknown, or there is none."""
    known = [position for position in positions if position is not None]
    return max(known, default=None) if len(known) == len(positions) else None


_IN_FORCE = Table(POLICY)


@cache
def _closed(kind: type[Action]) -> Mapping[str, tuple[Any, ...]]:
    """Slots of an action -> the members of their closed list; empty for a number, a switch or free words."""
    found: dict[str, tuple[Any, ...]] = {}
    for slot, field in kind.model_fields.items():
        options = (field.annotation, *get_args(field.annotation))  # a list, or a list or None
        members = [get_args(option) for option in options if get_origin(option) is Literal]
        found[slot] = members[0] if members else ()
    return MappingProxyType(found)


def impersonal_slots(action: Action) -> dict[str, Any]:
    """The filled slots that are numbers, switches or members of a closed list: nothing in the driver's own words."""
    kept: dict[str, Any] = {}
    for slot, members in _closed(type(action)).items():
        value = getattr(action, slot, None)
        if isinstance(value, bool | int | float) or (value is not None and value in members):
            kept[slot] = value
    return kept


class Occasion(StrEnum):
    """Why an entry is in the log."""

    REQUEST = "request"
    CONFIRMED = "confirmed"
    """Asked again after a yes."""
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    SILENCED = "silenced"
    """Dropped because the adapter was lost."""


@dataclass(frozen=True, slots=True)
class Decided:
    """One entry of the log. ``at`` is seconds of the gate's clock."""

    at: float
    occasion: Occasion
    action: str
    slots: Mapping[str, Any]
    motion: Motion
    verdict: Verdict
    rule: str


@dataclass(frozen=True, slots=True)
class _Question:
    """An action that waits for a yes, and what it was asked under."""

    action: Action
    stands_for: tuple[Action, ...]
    asked: float
    driving: Motion
    ruling: Ruling


class Gate:
    """The stateful gate of one vehicle. Not safe for use by several threads."""

    def __init__(
        self,
        clock: Clock,
        *,
        policy: Policy = POLICY,
        confirmation_s: float = CONFIRMATION_S,
        new_token: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        """A silent gate.

        Args:
            clock: seconds for expiry and rates.
            policy: rows by action.
            confirmation_s: seconds that a question stays open, the last instant included.
            new_token: makes the name of a question; must not repeat itself.
        """
        self._clock, self._policy, self._confirmation_s = clock, policy, confirmation_s
        self._table = _IN_FORCE if policy is POLICY else Table(policy)
        self._new_token = new_token
        self._armed = False
        self._questions: dict[str, _Question] = {}
        self._recent: dict[str, deque[float]] = {}
        self._log: deque[Decided] = deque(maxlen=LOG_LENGTH)

    @property
    def armed(self) -> bool:
        """False while the gate is silent."""
        return self._armed

    @property
    def log(self) -> tuple[Decided, ...]:
        """What was decided, oldest first; a copy."""
        return tuple(self._log)

    def arm(self, state: VehicleState) -> bool:
        """Leave silence once the vehicle has told anything: a speed that never comes counts as moving, and is no silence."""
        told = (state.speed_kmh, state.gear, state.ignition_on, *state.values.values())
        self._armed = self._armed or any(value is not None for value in told)
        return self._armed

    def disarm(self) -> None:
        """Fall silent: the vehicle was lost. Every question is dropped, so nothing old is carried out later."""
        self._armed = False
        for token in list(self._questions):
            self._drop(token, Occasion.SILENCED)

    def request(
        self, action: Action, state: VehicleState, *, stands_for: Sequence[Action] = ()
    ) -> tuple[Ruling, str | None]:
        """Judge an action; for CONFIRM also the token to hand to ``confirm``.

        Args:
            action: what was asked for.
            state: the vehicle now.
            stands_for: the actions that it comes to (an undo); the strictest ruling on any of them is the ruling.
        """
        while self._questions:
            oldest = next(iter(self._questions))  # they stand in the order in which they were asked
            if not self._expired(self._questions[oldest]):
                break
            self._drop(oldest, Occasion.EXPIRED)
        meant, driving = tuple(stands_for), motion(state)
        ruling = self._judge((action, *meant), state, driving)
        self._note(Occasion.REQUEST, action, driving, ruling)
        if ruling.verdict is Verdict.CONFIRM:
            token = self._new_token()
            self._questions[token] = _Question(action, meant, self._clock.now(), driving, ruling)
            return ruling, token
        if ruling.verdict is Verdict.ALLOW:
            self._count((action, *meant))
        return ruling, None

    def foresee(self, action: Action, state: VehicleState) -> Ruling:
        """What `request` would rule now; nothing is counted, kept or written into the log."""
        return self._judge((action,), state, motion(state))

    def waiting(self, token: str) -> Action:
        """The action that a token stands for.

        Raises:
            schemas.errors.ConfirmationError: unknown or expired; an expired one is dropped.
        """
        question = self._questions.get(token)
        if question is None:
            raise ConfirmationError("no action waits under this token; ask for the action again")
        if self._expired(question):
            self._drop(token, Occasion.EXPIRED)
            limit = f"{self._confirmation_s:g} s"
            raise ConfirmationError(f"{question.action.name} waited longer than {limit}; ask for the action again")
        return question.action

    def confirm(self, token: str, state: VehicleState) -> tuple[Action, Ruling]:
        """Use a token up and judge its action by the state now. The yes stands for any CONFIRM; a DENY stays a DENY.

        Returns:
            The action and its ruling: ALLOW with the rule that had asked, or DENY.

        Raises:
            schemas.errors.ConfirmationError: unknown or expired.
        """
        action = self.waiting(token)
        meant = (action, *self._questions.pop(token).stands_for)
        driving = motion(state)
        ruling = self._judge(meant, state, driving)
        if ruling.verdict is not Verdict.DENY:
            ruling = Ruling(verdict=Verdict.ALLOW, rule=ruling.rule, reason="", source=ruling.source)
            self._count(meant)
        self._note(Occasion.CONFIRMED, action, driving, ruling)
        return action, ruling

    def withdraw(self, token: str) -> None:
        """Drop a question; unknown tokens are ignored."""
        if token in self._questions:
            self._drop(token, Occasion.WITHDRAWN)

    def _judge(self, actions: Sequence[Action], state: VehicleState, driving: Motion) -> Ruling:
        """The strictest ruling on any of them; of equally strict ones, the first."""
        if not self._armed:
            return SILENT
        rulings = [self._table.ruling(action, state, driving) for action in actions]
        strictest = max(rulings, key=lambda ruling: _SEVERITY[ruling.verdict])
        if strictest.verdict is not Verdict.DENY and any(self._too_often(action) for action in actions):
            return TOO_OFTEN
        if strictest.verdict is Verdict.DENY and driving is Motion.MOVING:
            return self._explained(strictest, actions, state)
        return strictest

    def _explained(self, refusal: Ruling, actions: Sequence[Action], state: VehicleState) -> Ruling:
        """The refusal, and first what is not known, where a car that tells it and is parked would not be refused this."""
        speed = known_speed(state)
        lack = UNKNOWN_SPEED if speed is None else UNKNOWN_PARKED
        parked = state.model_copy(update={"speed_kmh": 0.0, "gear": "P", "ignition_on": True, "age_s": 0.0})
        if speed or any(self._table.ruling(one, parked, Motion.PARKED).verdict is Verdict.DENY for one in actions):
            return refusal
        return refusal.model_copy(update={"reason": f"{lack} {refusal.reason}"})

    def _too_often(self, action: Action) -> bool:
        recent = self._recent.get(action.name, deque[float]())
        while recent and self._clock.now() - recent[0] >= RATE_WINDOW_S:
            recent.popleft()
        return len(recent) >= RATE_LIMITS[self._policy[action.name][-1].tier]

    def _count(self, actions: Sequence[Action]) -> None:
        for name in {action.name for action in actions}:
            self._recent.setdefault(name, deque()).append(self._clock.now())

    def _expired(self, question: _Question) -> bool:
        return self._clock.now() - question.asked > self._confirmation_s

    def _drop(self, token: str, occasion: Occasion) -> None:
        question = self._questions.pop(token)
        self._note(occasion, question.action, question.driving, question.ruling)

    def _note(self, occasion: Occasion, action: Action, driving: Motion, ruling: Ruling) -> None:
        slots = MappingProxyType(impersonal_slots(action))
        self._log.append(Decided(self._clock.now(), occasion, action.name, slots, driving, ruling.verdict, ruling.rule))
