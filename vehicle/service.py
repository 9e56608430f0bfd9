"""The vehicle as the rest of Glovebox sees it: every wish goes through the gate, and "done" means that it moved.

Owns the order read -> gate -> plan -> write -> watch, the limits of waiting, and what was done lately, to be undone.
Owns no rule (``vehicle.policy``), no signal (``vehicle.planning``) and no connection (``vehicle.adapters``).

Whatever an adapter does, an action ends within its limits and with a result: an adapter that does not answer in time, or
raises anything, has been lost. Then the gate is silent, every question is dropped, what is known of the vehicle counts as
old, and nothing of the past is carried out when it comes back.

Long because that order, and all that may break it, stands in one place.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from schemas.actions import Action, SetWindow, StopMoving, Undo
from schemas.actions.base import GROUPS, corners
from schemas.errors import AdapterError, BetweenError, NotMovedError, PartlyDoneError, VehicleError
from schemas.events import ActionResult, ActionStatus, Motion, Moved, Ruling, VehicleState, Verdict
from schemas.ports import Clock
from vehicle.adapters import VehicleAdapter
from vehicle.gate import SILENT, Gate, motion
from vehicle.media import MediaLibrary
from vehicle.organizer import Organizer
from vehicle.places import Places
from vehicle.planning import Plan, Planner
from vehicle.planning.plan import cut
from vehicle.policy import CONFIRMATION_S, LISTED_MOVING, REFUSING
from vehicle.signals import SIGNALS, TRAVELLING, check_changes, fits
from vehicle.sources import MediaSource, PlaceSource
from vehicle.undo import NOT_RESTORED, Done, History, action_for, restored, stands_for

DEADLINE_S = 2.0
"""How long a value may take to begin to move. Our choice: the slowest simulated actuator shows movement in 0.1 s."""

PATIENCE_S = 1.0
"""How long one call of the adapter may take. Our choice: ten times what a broker on the car's own network needs."""

FIRST_LOOK_S, LONGEST_LOOK_S = 0.02, 0.2
"""Pauses between looks at the vehicle begin short and double."""

UNKNOWN_AGE_S = 3600.0
"""The age of what is not to be believed: far beyond what the gate takes as fresh."""

PARTLY_LOOK_S = 0.4
"""How long a request of which a part was taken is looked after before it is told what moved. Our choice: as ``DEADLINE_S`` says, a
movement shows within 0.1 s."""

ROUTE_LOOK_S = 10.0
"""How old what is known of the route may be while something waits for its end. Our choice: minutes are told in whole ones."""

OUT_OF_ORDER_S = 0.05
"""A reading that is older than the last one by more than this came out of order."""

NOT_FITTED = Ruling(verdict=Verdict.DENY, rule="not_fitted", reason=REFUSING["not_fitted"], source="service")
SO_ALREADY = Ruling(verdict=Verdict.ALLOW, rule="already", reason="", source="service")
NOTHING_TO_UNDO = Ruling(
    verdict=Verdict.DENY, rule="nothing_to_undo", reason=REFUSING["nothing_to_undo"], source="service"
)

_log = logging.getLogger("glovebox.vehicle")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class _Meant:
    """What a wish comes to beyond its words: values to write as they are, and what is taken back with them."""

    changes: Mapping[str, Any]
    undoes: Done | None = None


class GatedVehicle:
    """One vehicle behind its gate; meets ``schemas.ports.VehiclePort``. One action at a time: others wait."""

    def __init__(  # noqa: PLR0913 - the parts of a vehicle, each by its name
        self,
        adapter: VehicleAdapter,
        clock: Clock,
        *,
        gate: Gate | None = None,
        confirmation_s: float = CONFIRMATION_S,
        places: PlaceSource | None = None,
        media: MediaSource | None = None,
        organizer: Organizer | None = None,
        deadline_s: float = DEADLINE_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """A vehicle that has not been read yet: its gate is silent until the vehicle has told anything.

        Args:
            adapter: the connection; only this object may use it from now on.
            clock: for the gate and for watching.
            gate: None for one with the policy in force.
            confirmation_s: seconds that a question of that gate stays open.
            places: None for the catalogue that comes with Glovebox.
            media: None for the library that comes with Glovebox.
            organizer: timers, calendar and contacts; None for timers alone.
            deadline_s: how long a value may take to begin to move.
            patience_s: how long one call of the adapter may take.

        Raises:
            schemas.errors.ConfigError: a catalogue cannot be read.
        """
        self.gate = gate or Gate(clock, confirmation_s=confirmation_s)
        self.organizer = organizer or Organizer(clock.now)
        self._adapter, self._clock = adapter, clock
        self._deadline_s, self._patience_s = deadline_s, patience_s
        self._media = media or MediaLibrary.load()
        self._planner = Planner(
            places or Places.load(), self._media, organizer=self.organizer, signals=adapter.offers()
        )
        self._signals = adapter.offers()
        self._absent = frozenset(SIGNALS) - self._signals
        self._offers = self._planner.offers()
        self._history = History(clock.now)
        self._noticed = self.organizer.oldest
        """The organizer's oldest notice when the last of its actions could be taken back."""
        self._travelling: dict[str, Any] = {}
        self._meant: dict[str, _Meant] = {}
        self._known: VehicleState | None = None
        self._known_at = 0.0
        self._turn = asyncio.Lock()
        self._looking: asyncio.Task[None] | None = None
        """A look at the route that is under way."""
        self._unfinished: asyncio.Future[Any] | None = None
        """A write that was given up and that the adapter has not let go of yet."""
        self.away = False
        """Whether the vehicle could not be reached when it was last asked."""
        self._told = ""
        """What was wrong the last time: said once in the log, however often the vehicle is asked."""
        self._changed: Callable[[], None] | None = None

    def offers(self) -> frozenset[str]:
        """Names of the actions that this vehicle has all signals for now: what it announces later is added, what goes is gone."""
        signals = self._adapter.offers()
        if signals != self._signals:
            _log.info("the vehicle has other signals than before: %s", ", ".join(sorted(signals ^ self._signals)))
            self._signals, self._absent = signals, frozenset(SIGNALS) - signals
            self._planner.fit(signals)
            self._offers = self._planner.offers()
        return self._offers

    def names(self) -> dict[str, tuple[str, ...]]:
        """What the driver's contacts and playlists are called, and where stations are; empty where none are known."""
        media = self._media if isinstance(self._media, MediaLibrary) else None
        playlists, dial = (media.playlist_names(), media.frequencies()) if media is not None else ((), ())
        return {"contact": self.organizer.people, "playlist": playlists, "frequency": dial}

    async def state(self) -> VehicleState:
        """Current signals; if there are any, they also arm the gate. Values that their signal cannot have are left out.

        Raises:
            schemas.errors.AdapterError: the vehicle cannot be reached in time; the gate is silent again.
        """
        state = self._believed(await self._within(self._adapter.read(), "read"))
        self.gate.arm(state)
        self._tell(away=False)
        return state

    def watch(self, changed: Callable[[], None]) -> None:
        """From now on call this whenever ``away`` changes; from the thread of the loop, and it must be quick."""
        self._changed = changed

    def known(self) -> VehicleState | None:
        """What was read last, as old as it is by now; None before the first reading. After a loss it is old at once."""
        if self._known is None:
            return None
        age = self._known.age_s + max(0.0, self._clock.now() - self._known_at)
        return self._known.model_copy(update={"age_s": age})

    async def act(self, action: Action) -> ActionResult:
        """Ask the gate, then the vehicle. Denied and unconfirmed are results; DONE only when the value has moved."""
        async with self._turn:
            if (lack := self._lacking(action)) is not None:
                return ActionResult(action=action, status=ActionStatus.DENIED, ruling=lack)
            meant = self._undone() if isinstance(action, Undo) else None
            if meant is None and isinstance(action, Undo):
                return ActionResult(action=action, status=ActionStatus.DENIED, ruling=NOTHING_TO_UNDO)
            return await self._requested(action, meant)

    async def foresee(self, action: Action, *, confirmed: bool = False) -> ActionResult | None:
        """What `act` would come to if all moves as it should, and with ``confirmed`` what a yes to it would: a look, no more.

        None for taking something back, and for what another action under way may change.
        """
        if isinstance(action, Undo) or self._turn.locked():
            return None
        if (lack := self._lacking(action)) is not None:
            return ActionResult(action=action, status=ActionStatus.DENIED, ruling=lack)
        state = await self.state()
        ruling = self.gate.foresee(action, state)
        if ruling.verdict is Verdict.DENY:
            return ActionResult(action=action, status=ActionStatus.DENIED, ruling=ruling)
        try:
            plan = self._planned(action, state, None)
        except AdapterError:
            return None
        if plan.refusal:
            return _impossible(action, plan)
        if _already(action, state, plan):
            return _unchanged(action, plan)
        if ruling.verdict is Verdict.CONFIRM and not confirmed:
            if (less := _narrower(action, state)) is not None:
                return await self.foresee(less)
            return ActionResult(action=action, status=ActionStatus.NEEDS_CONFIRMATION, ruling=ruling)
        return ActionResult(action=action, status=ActionStatus.DONE, ruling=ruling, answer=dict(plan.answer))

    async def take_back(self, action: Action) -> ActionResult | None:
        """Undo this action if it is the last that was done, by the gate's rules for that; None: there is nothing to take back."""
        done = self._history.last()
        return await self.act(Undo()) if done is not None and done.action == action else None

    async def put(self, signal: str, value: Any) -> ActionResult:
        """Write one signal, by the rules of the action that this amounts to.

        Raises:
            schemas.errors.AdapterError: no such signal, one that is only read or that this vehicle does not have, or a
                value that does not fit.
        """
        check_changes({signal: value})
        if signal not in self._adapter.offers():
            raise AdapterError(f"this vehicle has no {signal}")
        async with self._turn:
            return await self._requested(action_for(signal, value), _Meant({signal: value}))

    async def confirm(self, token: str) -> ActionResult:
        """Carry out the action that waits under this token, if the gate still agrees by the state of now.

        Raises:
            schemas.errors.ConfirmationError: unknown, used or expired token.
        """
        async with self._turn:
            meant = self._meant.pop(token, None)
            action = self.gate.waiting(token)
            try:
                state = await self._present()
            except AdapterError as error:
                return _fault(action, SILENT, error)
            action, ruling = self.gate.confirm(token, state)
            return await self._carry_out(action, state, ruling, meant)

    def withdraw(self, token: str) -> None:
        """Drop an action that waits for confirmation; unknown tokens are ignored."""
        self._meant.pop(token, None)
        self.gate.withdraw(token)

    def due(self) -> tuple[str, ...]:
        """Sentences to speak: timers and reminders that have become due since the last call.

        Where one waits for the arrival, the car is looked at now and then, if nobody else does: in the running loop.
        """
        if self.organizer.awaits_arrival and self._clock.now() - self._known_at >= ROUTE_LOOK_S and not self._looking:
            with suppress(RuntimeError):  # no loop runs: then nobody drives this car either
                self._looking = asyncio.get_running_loop().create_task(self._look())
        return tuple(notice.spoken() for notice in self.organizer.due())

    async def _look(self) -> None:
        try:
            with suppress(AdapterError):
                await self.state()
        finally:
            self._looking = None

    async def close(self) -> None:
        """Silence the gate and release the adapter; one that does not let go in time is left behind."""
        self.gate.disarm()
        try:
            await self._within(self._adapter.close(), "close")
        except AdapterError as error:
            _log.warning("%s", error)

    def _lacking(self, action: Action) -> Ruling | None:
        """Why this vehicle has nothing of what is asked for, or None."""
        if action.name not in self.offers():
            return NOT_FITTED
        missing = self._planner.missing(action)
        return NOT_FITTED.model_copy(update={"reason": missing}) if missing else None

    # Asking ------------------------------------------------------------------------------------------------------------

    def _undone(self) -> _Meant | None:
        self._keep_up()
        done = self._history.last()
        return _Meant(restored(done), done) if done is not None else None

    def _keep_up(self) -> None:
        """What was done before the organizer's notices were read anew cannot be taken back; what is done from now on can."""
        if self._noticed != self.organizer.oldest:
            self._noticed = self.organizer.oldest
            self._history.drop_effects()

    async def _requested(self, action: Action, meant: _Meant | None) -> ActionResult:
        try:
            state = await self._present()
        except AdapterError as error:
            return _fault(action, SILENT, error)
        undoes = meant is not None and meant.undoes is not None
        stood_for = stands_for(meant.changes) if meant is not None and undoes else ()
        ruling, token = self.gate.request(action, state, stands_for=stood_for)
        if token is not None:
            if meant is not None:
                self._meant[token] = meant
            elif (
                settled := self._settled(action, state)
            ) is not None:  # nobody is asked about what cannot be, or is so already
                self.gate.withdraw(token)
                return settled
            elif (less := _narrower(action, state)) is not None:
                self.gate.withdraw(token)
                return await self._requested(less, None)
            status = ActionStatus.NEEDS_CONFIRMATION
            return ActionResult(action=action, status=status, ruling=ruling, token=token)
        return await self._carry_out(action, state, ruling, meant)

    # Doing -------------------------------------------------------------------------------------------------------------

    async def _carry_out(
        self, action: Action, state: VehicleState, ruling: Ruling, meant: _Meant | None
    ) -> ActionResult:
        if ruling.verdict is not Verdict.ALLOW:
            return ActionResult(action=action, status=ActionStatus.DENIED, ruling=ruling)
        try:
            plan = self._planned(action, state, meant)
        except AdapterError as error:
            _log.warning("%s: %s", action.name, error)
            return _fault(action, ruling, error)
        if plan.refusal:
            return _impossible(action, plan)
        try:
            moved = await self._moved(action, state, plan)
            if plan.effect is not None:
                plan.effect.do()
        except PartlyDoneError as error:
            return await self._partly(action, state, ruling, plan, error)
        except BetweenError as error:
            for name in plan.changes:
                self._travelling.pop(name, None)
            return _impossible(action, Plan(refusal=error.spoken))
        except VehicleError as error:
            return _fault(action, ruling, error)
        self._remember(action, state, plan, meant)
        return ActionResult(
            action=action,
            status=ActionStatus.DONE,
            ruling=ruling,
            moved=moved,
            already=_already(action, state, plan),
            answer=dict(plan.answer),
        )

    def _settled(self, action: Action, state: VehicleState) -> ActionResult | None:
        """The result of what cannot be in this state, or is so already; None for all else, or where that shows only later."""
        try:
            plan = self._planned(action, state, None)
        except AdapterError:
            return None
        if plan.refusal:
            return _impossible(action, plan)
        return _unchanged(action, plan) if _already(action, state, plan) else None

    def _planned(self, action: Action, state: VehicleState, meant: _Meant | None) -> Plan:
        if meant is None:
            plan = self._planner.plan(action, state, self._travelling)
            return cut(plan, LISTED_MOVING) if action.query and motion(state) is Motion.MOVING else plan
        if meant.undoes is None:
            return Plan(meant.changes)
        effect = meant.undoes.effect
        if effect is not None and effect.undo is not None:
            effect = type(effect)(effect.undo, None)
        return Plan(meant.changes, {"undone": meant.undoes.action.name}, _MOVES_ITSELF, effect=effect)

    async def _moved(self, action: Action, state: VehicleState, plan: Plan) -> tuple[Moved, ...]:
        if not plan.changes:
            return ()
        self._travelling |= {name: value for name, value in plan.changes.items() if name in TRAVELLING}
        await self._within(self._adapter.write(plan.changes), "write")
        return await self._watch(action, state, plan)

    async def _partly(
        self, action: Action, state: VehicleState, ruling: Ruling, plan: Plan, error: PartlyDoneError
    ) -> ActionResult:
        """What became of a request of which the vehicle took a part: each signal is looked at, and what moved is told."""
        _log.warning("%s: %s", action.name, error)
        moved: tuple[Moved, ...] = ()
        waited, pause = 0.0, FIRST_LOOK_S
        try:
            while waited < PARTLY_LOOK_S:
                await self._clock.sleep(pause)
                waited, pause = waited + pause, min(2.0 * pause, LONGEST_LOOK_S)
                moved = _changes(state.values, (await self.state()).values, plan.proof)
        except AdapterError as lost:
            return _fault(action, ruling, lost)
        before = {one.signal: one.before for one in moved if one.before is not None}
        for name in plan.changes.keys() - before.keys():
            self._travelling.pop(name, None)
        if before:
            self._keep_up()
            self._history.note(Done(action, self._clock.now(), before))
        return _fault(action, ruling, error).model_copy(update={"moved": moved})

    def _remember(self, action: Action, state: VehicleState, plan: Plan, meant: _Meant | None) -> None:
        """Keep what can be taken back; what was taken back is gone."""
        if meant is not None and meant.undoes is not None:
            self._history.drop(meant.undoes)
            return
        before = {
            name: state.values[name]
            for name, value in plan.changes.items()
            if state.values.get(name) is not None and state.values[name] != value and name not in NOT_RESTORED
        }
        if not set(before) <= plan.unproven or plan.effect is not None:
            self._keep_up()
            self._history.note(Done(action, self._clock.now(), before, plan.effect))

    async def _watch(self, action: Action, before: VehicleState, plan: Plan) -> tuple[Moved, ...]:
        """Wait until every proving value is at its target or nearer to it than before.

        Raises:
            schemas.errors.NotMovedError: not in time.
            schemas.errors.AdapterError: the vehicle was lost meanwhile.
        """
        began, waited, pause = self._clock.now(), 0.0, FIRST_LOOK_S
        while True:
            after = (await self.state()).values
            waiting = [
                name
                for name, target in plan.proof.items()
                if not _nearer(before.values.get(name), after.get(name), target)
            ]
            if not waiting:
                return _changes(before.values, after, plan.changes)
            if max(waited, self._clock.now() - began) >= self._deadline_s:
                error = NotMovedError(f"{action.name}: {', '.join(waiting)} did not move in {self._deadline_s:g} s")
                _log.warning("%s", error)
                raise error
            await self._clock.sleep(pause)
            waited += pause
            pause = min(2.0 * pause, LONGEST_LOOK_S)

    # The adapter -------------------------------------------------------------------------------------------------------

    async def _present(self) -> VehicleState:
        """The state to judge a wish by, when no earlier write is under way: an old one must not arrive after a new one.

        Raises:
            schemas.errors.AdapterError: the adapter still holds one, or the vehicle cannot be reached in time.
        """
        earlier, self._unfinished = self._unfinished, None
        if earlier is not None and not earlier.done():
            await asyncio.wait({earlier}, timeout=self._patience_s)
            if not earlier.done():
                self._unfinished = earlier
                raise self._lost(
                    "the vehicle adapter still holds an earlier command; no other is given before it is over"
                )
        return await self.state()

    async def _within(self, call: Coroutine[Any, Any, _Answer], what: str) -> _Answer:
        """The adapter's answer, if it comes in time. Time is the wall's for waiting and the clock's for what came late.

        Raises:
            schemas.errors.AdapterError: too late, or it failed; the vehicle counts as lost.
            schemas.errors.PartlyDoneError: a part was taken; the vehicle is there.
            schemas.errors.BetweenError: nothing was sent; the vehicle is there.
        """
        began = self._clock.now()
        task = asyncio.ensure_future(call)
        try:
            done, _ = await asyncio.wait({task}, timeout=self._patience_s)
        except asyncio.CancelledError:
            self._give_up(task, what)
            raise
        if not done:
            self._give_up(task, what)
            raise self._lost(
                f"the vehicle adapter did not answer a {what} in {self._patience_s:g} s; it will be asked again"
            )
        error = task.exception() if not task.cancelled() else AdapterError("the vehicle adapter gave up")
        if isinstance(error, PartlyDoneError | BetweenError):
            raise error
        if isinstance(error, AdapterError):
            self._lost(str(error))
            raise error
        if error is not None:
            _log.error("vehicle adapter: a defect", exc_info=error)
            raise self._lost(f"the vehicle adapter failed: {type(error).__name__}: {error}") from error
        took = self._clock.now() - began
        if took > self._patience_s:
            raise self._lost(f"the vehicle adapter answered a {what} after {took:.1f} s: too late to be used")
        return task.result()

    def _give_up(self, task: asyncio.Future[Any], what: str) -> None:
        task.add_done_callback(_unheard)
        task.cancel()
        if what == "write":
            self._unfinished = task

    def _lost(self, why: str) -> AdapterError:
        """Fall silent, forget what was on its way, and give the error to raise."""
        self.gate.disarm()
        self._history.clear()
        self._travelling.clear()
        self._meant.clear()
        if self._known is not None:
            self._known = self._known.model_copy(update={"age_s": UNKNOWN_AGE_S})
        if not self.away or why != self._told:
            _log.warning("vehicle adapter: %s", why)
        self._told = why
        self._tell(away=True)
        return AdapterError(why)

    def _tell(self, *, away: bool) -> None:
        if away == self.away:
            return
        self.away = away
        if not away:
            _log.warning("the vehicle can be reached again")
        if self._changed is not None:
            self._changed()

    def _believed(self, state: VehicleState) -> VehicleState:
        """The state without values that cannot be, and as old at once if it came out of order."""
        now = self._clock.now()
        values = {name: value for name, value in state.values.items() if name in SIGNALS and fits(SIGNALS[name], value)}
        if len(values) < len(state.values):
            _log.warning("vehicle adapter: impossible values of %s", ", ".join(sorted(set(state.values) - set(values))))
        believed = state.model_copy(update={"values": values, "absent": self._absent})
        if self._known is not None and self._known.age_s < UNKNOWN_AGE_S:
            measured, before = now - state.age_s, self._known_at - self._known.age_s
            if measured < before - OUT_OF_ORDER_S:
                _log.warning("vehicle adapter: a reading came out of order")
                return believed.model_copy(update={"age_s": UNKNOWN_AGE_S})
        self._known, self._known_at = believed, now
        if self.organizer.awaits_arrival and {"navigation.destination", "navigation.minutes"} <= values.keys():
            self.organizer.arriving(60.0 * values["navigation.minutes"] if values["navigation.destination"] else 0.0)
        return believed


_MOVES_ITSELF = frozenset({"navigation.minutes", "navigation.kilometers", "seat.driver.memory", "media.position"})


def _unheard(task: asyncio.Future[Any]) -> None:
    """Take note of how an abandoned call ended, so that nobody complains of an error that was never looked at."""
    if not task.cancelled():
        task.exception()


def _unchanged(action: Action, plan: Plan) -> ActionResult:
    return ActionResult(
        action=action, status=ActionStatus.DONE, ruling=SO_ALREADY, already=True, answer=dict(plan.answer)
    )


def _narrower(action: Action, state: VehicleState) -> Action | None:
    """The same for those of several windows that are not where they are to be; None where that is all of them, or has no name.

    What nobody would see moving needs nobody's yes.
    """
    if not isinstance(action, SetWindow):
        return None
    meant = {corner for corner in corners(action.window, action.but) if f"window.{corner}" not in state.absent}
    moving = {corner for corner in meant if state.values.get(f"window.{corner}") != action.percent}
    name = next((name for name in (*GROUPS, *meant) if set(corners(name)) == moving), None)
    return action.model_copy(update={"window": name, "but": None}) if name is not None and moving < meant else None


def _already(action: Action, state: VehicleState, plan: Plan) -> bool:
    """Whether everything that a plan writes was so before."""
    changes = plan.changes if plan.effect is None and not isinstance(action, StopMoving) else {}
    known = {name: value for name, value in changes.items() if name not in state.ends or value == 0}
    return bool(changes) and known == changes and all(state.values.get(name) == value for name, value in known.items())


def _impossible(action: Action, plan: Plan) -> ActionResult:
    ruling = Ruling(verdict=Verdict.DENY, rule="not_possible", reason=plan.refusal, source="planner")
    return ActionResult(action=action, status=ActionStatus.DENIED, ruling=ruling, answer=dict(plan.answer))


def _fault(action: Action, ruling: Ruling, error: VehicleError) -> ActionResult:
    return ActionResult(action=action, status=ActionStatus.FAULT, ruling=ruling, error=error.code)


def _nearer(before: Any, after: Any, target: Any) -> bool:
    """True if a value is at its target, or a number that has come nearer to it."""
    if after == target or (isinstance(target, tuple) and after == list(target)):
        return True
    numbers = [
        value for value in (before, after, target) if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    return len(numbers) == 3 and abs(target - after) < abs(target - before)


def _changes(before: Mapping[str, Any], after: Mapping[str, Any], changes: Mapping[str, Any]) -> tuple[Moved, ...]:
    return tuple(
        Moved(signal=name, before=before.get(name), after=after.get(name), target=target)
        for name, target in changes.items()
        if before.get(name) != after.get(name)
    )
