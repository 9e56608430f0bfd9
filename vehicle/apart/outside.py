"""The vehicle as the assistant reaches it in its own process: the same calls as on ``vehicle.service.GatedVehicle``.

Owns that process's life: it is started, watched, ended when it hangs, and started again when it ends. Keeps what was told last, for
what is asked without waiting. Holds no gate, no adapter and no secret of one.

When the process ends, whatever was under way is a fault, every open question is void, and the vehicle counts as away until the next
process is there; what waited for its time waits on there. Questions, limits and what can be undone begin anew. One that does not
answer in time is killed before anything else is asked: what comes late must not move.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from schemas.actions import Action
from schemas.errors import AdapterError, ConfirmationError, GloveboxError
from schemas.events import ActionResult, ActionStatus, VehicleState
from schemas.memory import Waiting
from vehicle.apart import messages as m
from vehicle.apart.inside import MOST_OPEN
from vehicle.apart.line import CLOSING_S, GONE, Line, Start
from vehicle.gate import SILENT
from vehicle.organizer import MOST_TIMERS

LOOK_S, ANSWER_S = 2.5, 12.0
"""How long a state and how long an action may take. Our choice: the longest wish in `vehicle.service` waits 1 s for an earlier
write, 1 s to read, 1 s to write and 3 s to watch, after another one that does the same; a state is waited for 1 s."""

AT_ONCE_S = 0.002
"""How long the event loop itself waits for an answer before it turns to other work. Our choice: a state takes .4 ms in place, and
to be woken by another thread takes as long again."""

OPENING_S = 60.0
"""How long the process may take to open its vehicle: more than `[vehicle.kuksa] start_s`. docs/log.md has how long it takes."""

PAUSES_S = (0.0, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Before it is started again after it ended once, twice, more often in a row."""

LASTED_S = 60.0
"""After that long what went wrong before is forgotten."""

_log = logging.getLogger("glovebox.vehicle")


class KeptElsewhere:
    """The timers and reminders that wait in the vehicle's process, as those who keep them see them."""

    def __init__(self, send: Callable[[m.Asked], None]) -> None:
        """Nothing waits."""
        self._send, self._guard = send, threading.Lock()
        self.era, self._waiting = 0, tuple[Waiting, ...]()
        """The era counts `restore`: what is told of an earlier one is another driver's, or forgotten."""
        self._changed: Callable[[], None] = lambda: None

    def watch(self, changed: Callable[[], None]) -> None:
        """From now on call this when what waits has changed, before the answer to what changed it; on a thread of its own."""
        self._changed = changed

    def kept(self) -> tuple[Waiting, ...]:
        """What waits, with the times that it is due at, the next one first."""
        return self._waiting

    def restore(self, kept: Sequence[Waiting]) -> None:
        """Let this wait, and nothing else; what has become due meanwhile is due at once."""
        with self._guard:
            self.era, self._waiting = self.era + 1, tuple(kept)[:MOST_TIMERS]
            self._send(m.Restore(era=self.era, waiting=self._waiting))

    def again(self) -> None:
        """Tell another process what waits."""
        with self._guard:
            self._send(m.Restore(era=self.era, waiting=self._waiting))

    def told(self, message: m.Kept) -> None:
        """Something else waits there now; what is said of before the last `restore` is of no use."""
        with self._guard:
            if message.era != self.era:
                return
            self._waiting = message.waiting
        self._changed()


class VehicleApart:
    """The vehicle in its own process; meets ``schemas.ports.VehiclePort``. May be asked from any event loop."""

    def __init__(self, fitting: m.Fitting, start: Start) -> None:
        """Start the process; `ready` waits until the vehicle is open there."""
        self._fitting, self._start = fitting, start
        self._guard = threading.Lock()
        self._offers = frozenset[str]()
        self._names: dict[str, tuple[str, ...]] = {}
        self._due: deque[tuple[int, str]] = deque()
        self._questions: dict[str, Action] = {}
        """What waits for a yes there, by its token."""
        self._changed: Callable[[], None] | None = None
        self._failures, self._closed = 0, threading.Event()
        self.away = False
        """Whether the vehicle could not be reached when it was last asked."""
        self.organizer = KeptElsewhere(self._say)
        self._line: Line | None = None
        self._line = self._opened()

    def ready(self) -> None:
        """Wait until the vehicle is open.

        Raises:
            schemas.errors.ConfigError: as ``vehicle.adapters.open_adapter``, and for contacts that cannot be read.
            schemas.errors.AdapterError: the vehicle cannot be reached, or its process ended.
        """
        line = self._line
        try:
            if line is None:
                raise AdapterError("the vehicle's own process ended before the vehicle was open")
            self._await(line)
        except GloveboxError:
            self.end()
            raise

    # What is known here --------------------------------------------------------------------------------------------------

    def offers(self) -> frozenset[str]:
        """Names of the actions that this vehicle has, as it told last."""
        return self._offers

    def names(self) -> dict[str, tuple[str, ...]]:
        """What the driver's contacts and playlists are called, and where stations are; empty where none are known."""
        return dict(self._names)

    def watch(self, changed: Callable[[], None]) -> None:
        """From now on call this whenever ``away`` changes; on a thread of its own, and it must be quick."""
        self._changed = changed

    def due(self) -> tuple[str, ...]:
        """Sentences to speak: timers and reminders that have become due since the last call."""
        told = list[str]()
        while self._due:
            era, sentence = self._due.popleft()
            if era == self.organizer.era:
                told.append(sentence)
        return tuple(told)

    # What is asked there -------------------------------------------------------------------------------------------------

    async def state(self) -> VehicleState:
        """Current signals.

        Raises:
            schemas.errors.AdapterError: the vehicle cannot be reached in time.
        """
        return (await self._asked(lambda number: m.Look(id=number), m.State, LOOK_S)).state

    async def act(self, action: Action) -> ActionResult:
        """Ask the gate, then the vehicle. Denied and unconfirmed are results; DONE only when the value has moved."""
        return await self._result(lambda number: _wish("act", number, action), action)

    async def put(self, signal: str, value: Any) -> ActionResult:
        """Write one signal, by the rules of the action that this amounts to.

        Raises:
            schemas.errors.AdapterError: as ``vehicle.service.GatedVehicle``, and when the process ended meanwhile.
        """
        told = await self._asked(lambda number: m.Put(id=number, signal=signal, value=value), m.Result, ANSWER_S)
        return self._noted(told.result())

    async def foresee(self, action: Action, *, confirmed: bool = False) -> ActionResult | None:
        """What `act` would most likely come to now: nothing is asked for, moved or noted. None where it cannot be told.

        Raises:
            schemas.errors.AdapterError: the vehicle cannot be reached.
        """
        kind = "foresee_confirmed" if confirmed else "foresee"
        told = await self._asked(lambda number: _wish(kind, number, action), m.Told, LOOK_S)
        return told.result() if isinstance(told, m.Result) else None

    async def take_back(self, action: Action) -> ActionResult | None:
        """Undo this action if it is the last that was done, by the gate's rules for that; None: there is nothing to take back."""
        try:
            told = await self._asked(lambda number: _wish("take_back", number, action), m.Told, ANSWER_S)
        except AdapterError as error:
            return _fault(action, error)
        return self._noted(told.result()) if isinstance(told, m.Result) else None

    async def confirm(self, token: str) -> ActionResult:
        """Carry out the action that waits under this token, if the gate still agrees.

        Raises:
            schemas.errors.ConfirmationError: unknown or expired token, and one from before the process was started again.
        """
        action = self._questions.pop(token, None)
        if action is None:
            raise ConfirmationError("no action waits under this token; ask for the action again")
        return await self._result(lambda number: m.Agree(id=number, token=token), action)

    def withdraw(self, token: str) -> None:
        """Drop an action that waits for confirmation; unknown tokens are ignored."""
        if self._questions.pop(token, None) is not None:
            self._say(m.Withdraw(token=token))

    async def close(self) -> None:
        """Release the vehicle and end its process; one that does not end in time is killed."""
        self._closed.set()
        line = self._line
        if line is None:
            return
        try:
            with suppress(GloveboxError):
                await self._asked(lambda number: m.Close(id=number), m.Nothing, CLOSING_S)
                await asyncio.to_thread(line.process.wait, CLOSING_S)
        except subprocess.TimeoutExpired:
            _log.warning("the vehicle's own process does not end; it is killed")
        finally:
            line.end()

    def end(self) -> None:
        """End the process at once, and for good."""
        self._closed.set()
        if self._line is not None:
            self._line.end()

    async def _result(self, make: Callable[[int], m.Asked], action: Action) -> ActionResult:
        try:
            return self._noted((await self._asked(make, m.Result, ANSWER_S)).result())
        except AdapterError as error:
            return _fault(action, error)

    def _noted(self, result: ActionResult) -> ActionResult:
        if result.token is not None:
            self._questions[result.token] = result.action
            if len(self._questions) > MOST_OPEN:
                self._questions.pop(next(iter(self._questions)))
        return result

    async def _asked(self, make: Callable[[int], m.Asked], kind: Any, within_s: float) -> Any:
        """The answer to a message.

        Raises:
            schemas.errors.GloveboxError: what the answer is, where it is an error.
            schemas.errors.AdapterError: there is none in time, or no process.
        """
        line = self._line
        if line is None:
            raise AdapterError(GONE)
        number, coming = line.post(make)
        line.listen(coming, AT_ONCE_S)
        if not coming.done():
            await _until(coming, lambda: line.forget(number), within_s)
        if not coming.done():
            line.listen(coming, AT_ONCE_S)  # it may be this side that was held up
        if not coming.done():
            _log.warning("the vehicle's own process did not answer in %g s; it is ended", within_s)
            line.end()
            raise AdapterError(GONE)
        answer = coming.result()
        if isinstance(answer, m.Failed):
            raise answer.error()
        if not isinstance(answer, kind):
            line.end()
            raise AdapterError("the vehicle's own process gave another answer than was asked for")
        return answer

    # The process ---------------------------------------------------------------------------------------------------------

    def _opened(self) -> Line:
        line = Line(self._start, self._heard, self._lost)
        line.send(m.Begin(fitting=self._fitting))
        return line

    def _await(self, line: Line) -> None:
        try:
            line.ready.result(OPENING_S)
        except TimeoutError as error:
            raise AdapterError(f"the vehicle's own process did not open the vehicle in {OPENING_S:g} s") from error
        self._names = line.names

    def _say(self, message: m.Asked) -> None:
        line = self._line
        if line is not None:
            with suppress(AdapterError):  # the next process is told what counts
                line.send(message)

    def _heard(self, message: m.Told) -> None:
        match message:
            case m.Standing(offers=offers, away=away):
                self._offers = frozenset(offers)
                self._tell(away=away)
            case m.Kept():
                self.organizer.told(message)
            case m.Due(era=era, sentences=sentences):
                self._due.extend((era, sentence) for sentence in sentences)
            case _:
                pass

    def _lost(self, line: Line) -> None:
        """The process has ended, whoever ended it."""
        with self._guard:
            if self._line is not line:
                return
            self._line = None
        self._questions.clear()
        if self._closed.is_set():
            return
        if not line.ready.done() or line.ready.exception() is not None:  # who opened it is told, and asks no more
            self._closed.set()
            return
        _log.warning("%s", GONE)
        self._tell(away=True)
        threading.Thread(target=self._again, args=(line,), name="vehicle-again", daemon=True).start()

    def _again(self, before: Line) -> None:
        if time.monotonic() - before.began > LASTED_S:
            self._failures = 0
        while not self._closed.wait(PAUSES_S[min(self._failures, len(PAUSES_S) - 1)]):
            self._failures += 1
            line = None
            try:
                line = self._opened()
                self._await(line)
            except (GloveboxError, OSError) as error:
                _log.warning("the vehicle's own process: %s", error)
                if line is not None:
                    line.end()
                continue
            with self._guard:
                self._line = line
            self.organizer.again()
            if self._closed.is_set():
                line.end()
            elif line.over:  # it ended before it was ours to notice
                self._lost(line)
            return

    def _tell(self, *, away: bool) -> None:
        if away != self.away:
            self.away = away
            if self._changed is not None:
                self._changed()


def _wish(kind: Any, number: int, action: Action) -> m.Wish:
    return m.Wish(kind=kind, id=number, name=action.name, slots=action.slots())


def _fault(action: Action, error: AdapterError) -> ActionResult:
    return ActionResult(action=action, status=ActionStatus.FAULT, ruling=SILENT, error=error.code)


async def _until(coming: Future[m.Told], given_up: Callable[[], None], within_s: float) -> None:
    """Let others work until it is there or the time is over; ``given_up`` is called where nobody waits any more."""
    waiting = asyncio.wrap_future(coming)
    waiting.add_done_callback(_heard_of)
    try:
        await asyncio.wait({waiting}, timeout=within_s)
    except asyncio.CancelledError:
        given_up()
        raise


def _heard_of(waiting: asyncio.Future[Any]) -> None:
    """Take note of an error that is told otherwise, so that nobody complains that it was never looked at."""
    if not waiting.cancelled():
        waiting.exception()
