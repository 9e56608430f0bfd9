"""The vehicle as the rest of Glovebox sees it: every wish goes through the gate, and "done" means that it moved.

Owns the order read -> gate -> plan -> write -> watch, and the limit of watching. Owns no rule (``vehicle.policy``), no
signal (``vehicle.catalog``) and no connection (``vehicle.adapters``).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from schemas.actions import Action
from schemas.errors import AdapterError, NotMovedError, VehicleError
from schemas.events import ActionResult, ActionStatus, Moved, Ruling, VehicleState, Verdict
from schemas.ports import Clock
from vehicle.adapters import VehicleAdapter
from vehicle.catalog import Catalog, Plan, actions_for
from vehicle.gate import SILENT, Gate
from vehicle.media import MediaLibrary
from vehicle.places import Places
from vehicle.policy import CONFIRMATION_S, REFUSING

DEADLINE_S = 2.0
"""How long a value may take to begin to move. Our choice: the slowest simulated actuator shows movement in 0.1 s."""

FIRST_LOOK_S, LONGEST_LOOK_S = 0.02, 0.2
"""Pauses between looks at the vehicle begin short and double."""

NOT_FITTED = Ruling(verdict=Verdict.DENY, rule="not_fitted", reason=REFUSING["not_fitted"], source="service")

_log = logging.getLogger("glovebox.vehicle")


class GatedVehicle:
    """One vehicle behind its gate; meets ``schemas.ports.VehiclePort``. One action at a time: others wait."""

    def __init__(
        self,
        adapter: VehicleAdapter,
        clock: Clock,
        *,
        gate: Gate | None = None,
        confirmation_s: float = CONFIRMATION_S,
        places: Places | None = None,
        media: MediaLibrary | None = None,
        deadline_s: float = DEADLINE_S,
    ) -> None:
        """A vehicle that has not been read yet: its gate is silent until the first live state.

        Args:
            adapter: the connection; only this object may use it from now on.
            clock: for the gate and for watching.
            gate: None for one with the policy in force.
            confirmation_s: seconds that a question of that gate stays open.
            places: None for the catalogue that comes with Glovebox.
            media: None for the library that comes with Glovebox.
            deadline_s: how long a value may take to begin to move.

        Raises:
            schemas.errors.ConfigError: a catalogue cannot be read.
        """
        self.gate = gate or Gate(clock, confirmation_s=confirmation_s)
        self._adapter, self._clock, self._deadline_s = adapter, clock, deadline_s
        self._catalog = Catalog(places or Places.load(), media or MediaLibrary.load())
        self._offers = actions_for(adapter.offers())
        self._turn = asyncio.Lock()

    def offers(self) -> frozenset[str]:
        """Names of the actions that this vehicle has all signals for."""
        return self._offers

    async def state(self) -> VehicleState:
        """Current signals; a live state also arms the gate.

        Raises:
            schemas.errors.AdapterError: the vehicle cannot be reached; the gate is silent again.
        """
        try:
            state = await self._adapter.read()
        except (AdapterError, OSError) as error:
            raise self._lost(error) from error
        self.gate.arm(state)
        return state

    async def act(self, action: Action) -> ActionResult:
        """Ask the gate, then the vehicle. Denied and unconfirmed are results; DONE only when the value has moved."""
        async with self._turn:
            if action.name not in self._offers:
                return ActionResult(action=action, status=ActionStatus.DENIED, ruling=NOT_FITTED)
            try:
                state = await self.state()
            except AdapterError as error:
                return _fault(action, SILENT, error)
            ruling, token = self.gate.request(action, state)
            if token is not None:
                status = ActionStatus.NEEDS_CONFIRMATION
                return ActionResult(action=action, status=status, ruling=ruling, token=token)
            return await self._carry_out(action, state, ruling)

    async def confirm(self, token: str) -> ActionResult:
        """Carry out the action that waits under this token, if the gate still agrees by the state of now.

        Raises:
            schemas.errors.ConfirmationError: unknown, used or expired token.
        """
        async with self._turn:
            action = self.gate.waiting(token)
            try:
                state = await self.state()
            except AdapterError as error:
                return _fault(action, SILENT, error)
            action, ruling = self.gate.confirm(token, state)
            return await self._carry_out(action, state, ruling)

    def withdraw(self, token: str) -> None:
        """Drop an action that waits for confirmation; unknown tokens are ignored."""
        self.gate.withdraw(token)

    async def close(self) -> None:
        """Silence the gate and release the adapter."""
        self.gate.disarm()
        await self._adapter.close()

    def _lost(self, error: Exception) -> AdapterError:
        """Fall silent, tell the log, and give the error to raise."""
        self.gate.disarm()
        _log.warning("vehicle adapter: %s", error)
        return error if isinstance(error, AdapterError) else AdapterError(f"the vehicle adapter failed: {error}")

    async def _carry_out(self, action: Action, state: VehicleState, ruling: Ruling) -> ActionResult:
        if ruling.verdict is not Verdict.ALLOW:
            return ActionResult(action=action, status=ActionStatus.DENIED, ruling=ruling)
        try:
            plan = self._catalog.plan(action, state)
        except AdapterError as error:
            _log.warning("%s: %s", action.name, error)
            return _fault(action, ruling, error)
        if plan.refusal:
            refused = Ruling(verdict=Verdict.DENY, rule="not_in_library", reason=plan.refusal, source="catalog")
            return ActionResult(action=action, status=ActionStatus.DENIED, ruling=refused)
        moved: tuple[Moved, ...] = ()
        if plan.changes:
            try:
                await self._write(plan)
                moved = await self._watch(action, state, plan)
            except VehicleError as error:
                return _fault(action, ruling, error)
        answer = dict(plan.answer)
        return ActionResult(action=action, status=ActionStatus.DONE, ruling=ruling, moved=moved, answer=answer)

    async def _write(self, plan: Plan) -> None:
        try:
            await self._adapter.write(plan.changes)
        except (AdapterError, OSError) as error:
            raise self._lost(error) from error

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
                if not _moved(before.values.get(name), after.get(name), target)
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


def _fault(action: Action, ruling: Ruling, error: VehicleError) -> ActionResult:
    return ActionResult(action=action, status=ActionStatus.FAULT, ruling=ruling, error=error.code)


def _moved(before: Any, after: Any, target: Any) -> bool:
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
