"""Both ends of the line to the vehicle's process: garbage, hangs, ends, new beginnings, and what must not move after them."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from schemas.actions import SetDomeLight, SetTemperature, SetTimer, SetTrunk, SetWindow
from schemas.clock import StreamClock, WallClock
from schemas.errors import AdapterError, ConfigError, ConfirmationError, VehicleError
from schemas.events import ActionStatus, VehicleState
from schemas.memory import Waiting
from tests.gated_car import FITTING, Beside, beside
from tests.vehicle_rigs import until
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.apart import inside, outside
from vehicle.apart import messages as m
from vehicle.apart.outside import VehicleApart
from vehicle.organizer import Contact, Organizer
from vehicle.policy import RATE_LIMITS
from vehicle.service import GatedVehicle

LIGHT = SetDomeLight(on=True)


class Slow(SimulatedVehicle):
    """Notes what is written, and waits where it is told to."""

    def __init__(self) -> None:
        super().__init__(StreamClock(), profile="parked")
        self.written: list[dict[str, Any]] = []
        self.reading = threading.Event()
        self.hold: threading.Event | None = None
        """Held up in a read until this is set, without letting the loop go on."""
        self.free = threading.Event()
        """Held up in a read until this is set, while the loop goes on."""
        self.free.set()

    async def read(self) -> VehicleState:
        self.reading.set()
        if self.hold is not None:
            self.hold.wait(20.0)
        if not self.free.is_set():
            await asyncio.to_thread(self.free.wait, 20.0)
        return await super().read()

    async def write(self, changes: Mapping[str, Any]) -> None:
        self.written.append(dict(changes))
        await super().write(changes)


class Rig:
    """A vehicle apart whose process is a thread, and may be had again and again."""

    def __init__(self) -> None:
        self.cars: list[Slow] = []
        self.vehicles: list[GatedVehicle] = []
        self.processes: list[Beside] = []
        self.fails: list[Exception] = []
        self.changes: list[bool] = []
        self.apart = VehicleApart(FITTING, self.start)

    def start(self) -> tuple[socket.socket, Beside]:
        process = Beside(self.open)
        self.processes.append(process)
        return process.ours, process

    def open(self) -> GatedVehicle:
        if self.fails:
            raise self.fails.pop(0)
        car = Slow()
        clock = WallClock()
        vehicle = GatedVehicle(car, clock, organizer=Organizer(clock.now, lambda: datetime.now(UTC)))
        self.cars.append(car)
        self.vehicles.append(vehicle)
        return vehicle

    def kill(self) -> None:
        self.processes[-1].kill()

    def again(self, times: int = 2) -> None:
        until(lambda: len(self.vehicles) == times and self.serves(), "the next one")

    def serves(self) -> bool:
        """Whether there is a process that answers."""
        try:
            asyncio.run(self.apart.state())
        except AdapterError:
            return False
        return not self.apart.away


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Generator[Rig]:
    monkeypatch.setattr(outside, "PAUSES_S", (0.0, 0.01))
    made = Rig()
    made.apart.ready()
    made.apart.watch(lambda: made.changes.append(made.apart.away))
    yield made
    for car in made.cars:
        if car.hold is not None:
            car.hold.set()
    asyncio.run(made.apart.close())


def test_the_end_of_the_process_is_a_fault_and_the_next_one_works(rig: Rig) -> None:
    assert asyncio.run(rig.apart.act(LIGHT)).status is ActionStatus.DONE
    rig.kill()
    until(lambda: rig.changes[:1] == [True], "the end")
    rig.again()
    assert rig.changes == [True, False]
    assert asyncio.run(rig.apart.act(LIGHT)).status is ActionStatus.DONE


def test_while_there_is_none_every_wish_is_a_fault_and_nothing_waits(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "PAUSES_S", (3600.0,))
    rig.kill()
    until(lambda: rig.apart.away, "the end")
    result = asyncio.run(rig.apart.act(LIGHT))
    assert (result.status, result.error) == (ActionStatus.FAULT, "adapter")
    assert asyncio.run(rig.apart.take_back(LIGHT)).error == "adapter"  # type: ignore[union-attr]
    for call in (rig.apart.state(), rig.apart.foresee(LIGHT), rig.apart.put("light.dome", True)):
        with pytest.raises(AdapterError):
            asyncio.run(call)
    assert rig.apart.due() == () and "set_dome_light" in rig.apart.offers()


def test_what_was_under_way_is_a_fault(rig: Rig) -> None:
    rig.cars[0].hold = threading.Event()
    threading.Thread(target=lambda: (rig.cars[0].reading.wait(20.0), rig.kill())).start()
    result = asyncio.run(rig.apart.act(LIGHT))
    assert (result.action, result.status, result.error) == (LIGHT, ActionStatus.FAULT, "adapter")
    rig.cars[0].hold.set()
    rig.again()
    assert rig.cars[0].written == rig.cars[1].written == []


def test_a_question_is_void_after_the_end(rig: Rig) -> None:
    asked = asyncio.run(rig.apart.act(SetTrunk(open=True)))
    assert asked.token is not None
    rig.kill()
    until(lambda: rig.apart.away, "the end")
    with pytest.raises(ConfirmationError):
        asyncio.run(rig.apart.confirm(asked.token))
    rig.again()
    with pytest.raises(ConfirmationError):
        asyncio.run(rig.apart.confirm(asked.token))
    assert rig.cars[1].written == []


def test_a_yes_that_the_process_ends_over_is_a_fault(rig: Rig) -> None:
    asked = asyncio.run(rig.apart.act(SetTrunk(open=True)))
    rig.cars[0].reading.clear()
    rig.cars[0].hold = threading.Event()
    threading.Thread(target=lambda: (rig.cars[0].reading.wait(20.0), rig.kill())).start()
    result = asyncio.run(rig.apart.confirm(str(asked.token)))
    assert (result.action, result.status) == (SetTrunk(open=True), ActionStatus.FAULT)
    rig.cars[0].hold.set()
    rig.again()
    assert rig.cars[0].written == rig.cars[1].written == []


def test_the_gate_knows_its_questions_and_not_the_assistant(rig: Rig) -> None:
    """A token that the gate does not know opens nothing, whatever the assistant believes."""
    asked = asyncio.run(rig.apart.act(SetTrunk(open=True)))
    rig.vehicles[0].gate.disarm()
    with pytest.raises(ConfirmationError):
        asyncio.run(rig.apart.confirm(str(asked.token)))
    assert rig.cars[0].written == []


def test_one_that_hangs_is_ended_before_anything_else_is_asked(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "ANSWER_S", 0.05)
    held = rig.cars[0].hold = threading.Event()
    result = asyncio.run(rig.apart.act(LIGHT))
    assert (result.status, result.error) == (ActionStatus.FAULT, "adapter")
    assert rig.processes[0].killed
    held.set()
    assert rig.processes[0].wait(20.0) == 0
    assert rig.cars[0].written == []
    monkeypatch.undo()
    rig.again()


def test_what_nobody_waits_for_any_more_is_given_up(rig: Rig) -> None:
    async def abandoned() -> None:
        held = rig.cars[0].hold = threading.Event()
        wish = asyncio.create_task(rig.apart.act(SetWindow(percent=50)))
        await asyncio.to_thread(rig.cars[0].reading.wait, 20.0)
        wish.cancel()
        with suppress(asyncio.CancelledError):
            await wish
        rig.cars[0].hold = None
        held.set()
        await rig.apart.state()

    asyncio.run(abandoned())
    assert rig.cars[0].written == []
    assert asyncio.run(rig.apart.act(LIGHT)).status is ActionStatus.DONE


def test_a_process_that_cannot_open_its_vehicle_says_why() -> None:
    for error, kind in ((ConfigError("no such mapping"), ConfigError), (ZeroDivisionError(), VehicleError)):
        processes = list[Beside]()

        def start(error: Exception = error, processes: list[Beside] = processes) -> tuple[socket.socket, Beside]:
            def opens() -> GatedVehicle:
                raise error

            processes.append(Beside(opens))
            return processes[-1].ours, processes[-1]

        apart = VehicleApart(FITTING, start)
        with pytest.raises(kind):
            apart.ready()
        time.sleep(0.05)
        assert len(processes) == 1 and processes[0].wait(20.0) == 0, "it has ended, and none is started again"


def test_one_that_cannot_be_had_again_is_tried_until_it_can(rig: Rig) -> None:
    rig.fails = [AdapterError("not yet"), ConfigError("not yet"), RuntimeError()]
    rig.kill()
    until(lambda: rig.changes[:1] == [True], "the end")
    rig.again()
    assert len(rig.processes) == 5 and rig.fails == []


def test_after_closing_nothing_is_started(rig: Rig) -> None:
    asyncio.run(rig.apart.close())
    asyncio.run(rig.apart.close())
    assert rig.processes[0].wait(20.0) == 0
    assert len(rig.processes) == 1 and rig.changes == []
    assert asyncio.run(rig.apart.act(LIGHT)).status is ActionStatus.FAULT


# Timers -----------------------------------------------------------------------------------------------------------------


def timer(label: str, *, seconds: float = 600.0) -> Waiting:
    return Waiting(kind="timer", label=label, at=datetime.now(UTC) + timedelta(seconds=seconds))


def labels(rig: Rig) -> list[str]:
    return [one.label for one in rig.vehicles[-1].organizer.waiting()]


def test_what_waits_is_kept_before_the_answer_and_waits_on_in_the_next_process(rig: Rig) -> None:
    kept = list[tuple[Waiting, ...]]()
    rig.apart.organizer.watch(lambda: kept.append(rig.apart.organizer.kept()))
    assert asyncio.run(rig.apart.act(SetTimer(minutes=5, label="eggs"))).status is ActionStatus.DONE
    assert [[one.label for one in waiting] for waiting in kept] == [["eggs"]]
    rig.kill()
    rig.again()
    until(lambda: labels(rig) == ["eggs"], "the timer")
    assert asyncio.run(rig.apart.act(SetTimer(minutes=9, label="tea"))).status is ActionStatus.DONE
    assert [one.label for one in rig.apart.organizer.kept()] == ["eggs", "tea"]


def test_what_is_due_is_said_once(rig: Rig) -> None:
    rig.apart.organizer.restore([timer("eggs", seconds=-1.0)])
    said = list[str]()
    until(lambda: bool(said.extend(rig.apart.due()) or said), "the timer")
    time.sleep(3 * inside.TICK_S)
    assert (said, rig.apart.due(), rig.apart.organizer.kept()) == (["Your eggs timer is over."], (), ())


def test_nothing_of_the_driver_before_is_told_or_kept(rig: Rig) -> None:
    """What the process told before it knew of another driver arrives after that: it is neither said nor kept in their vault."""
    organizer, kept = rig.apart.organizer, list[tuple[Waiting, ...]]()
    organizer.restore([timer("hers")])
    before = organizer.era

    def tells(*messages: m.Told) -> None:
        for message in messages:
            rig.processes[0].theirs.send(m.packed(message))
        asyncio.run(rig.apart.state())  # answered after what was told before

    tells(m.Due(era=before, sentences=("Your secret timer is over.",)))
    organizer.watch(lambda: kept.append(organizer.kept()))
    organizer.restore([timer("his")])
    tells(
        m.Kept(era=before, waiting=(timer("secret"),)),
        m.Due(era=before, sentences=("Your other secret timer is over.",)),
    )
    assert rig.apart.due() == () and kept == []
    assert [one.label for one in organizer.kept()] == ["his"]


# Garbage ----------------------------------------------------------------------------------------------------------------


@contextmanager
def line(opens: Callable[[], GatedVehicle] | None = None) -> Generator[tuple[socket.socket, Beside]]:
    process = Beside(opens or (lambda: GatedVehicle(Slow(), StreamClock())))
    process.ours.settimeout(20.0)
    yield process.ours, process
    process.ours.close()
    process.wait(20.0)


def told(ours: socket.socket) -> m.Told:
    while isinstance(message := m.told(ours.recv(m.MOST_BYTES + 1)), m.Names | m.Standing | m.Ready | m.Kept):
        pass
    return message


def test_garbage_gets_an_error_and_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    dice = Random(3)  # noqa: S311 - repeatable, not secret
    good = m.packed(m.Wish(kind="act", id=1, name="set_dome_light", slots={"on": True}))
    with line() as (ours, _):
        ours.send(m.packed(m.Begin(fitting=FITTING)))
        for _ in range(300):
            cut = bytearray(good[: dice.randrange(1, len(good))])
            cut[dice.randrange(len(cut))] = dice.randrange(256)
            ours.send(bytes(cut))
            answer = told(ours)
            assert isinstance(answer, m.Failed) and "Traceback" not in answer.message
        for bad in (
            b"", b"{}", m.packed(m.Begin(fitting=FITTING)), b"x" * (m.MOST_BYTES + 50),
            m.packed(m.Wish(kind="act", id=9, name="set_window", slots={"percent": "__import__"})),
            m.packed(m.Put(id=9, signal="speed", value=3)), m.packed(m.Put(id=9, signal="window.driver", value=[1])),
            m.packed(m.Agree(id=9, token="x")), m.packed(m.Ready()),
        ):  # fmt: skip
            ours.send(bad)
            assert isinstance(told(ours), m.Failed), bad
        ours.send(good)
        answer = told(ours)
        assert isinstance(answer, m.Result) and answer.status is ActionStatus.DONE
    assert [record for record in caplog.records if record.exc_info] == []


@pytest.mark.parametrize("first", [b"", b"garbage", m.packed(m.Look(id=1))])
def test_only_the_first_message_opens_a_vehicle(first: bytes) -> None:
    def opens() -> GatedVehicle:
        raise AssertionError("it was opened")

    with line(opens) as (ours, _):
        ours.send(first)
        answer = told(ours)
        assert isinstance(answer, m.Failed) and answer.code == "vehicle"
        assert ours.recv(10) == b""


def test_who_asks_too_much_at_once_is_told_so() -> None:
    car = Slow()
    with line(lambda: GatedVehicle(car, StreamClock(), patience_s=60.0)) as (ours, _):
        ours.send(m.packed(m.Begin(fitting=FITTING)))
        car.free.clear()
        for number in range(1, 3 * inside.MOST_OPEN + 1):
            ours.send(m.packed(m.Look(id=number)))
        assert {told(ours).kind for _ in range(2 * inside.MOST_OPEN)} == {"failed"}
        car.free.set()
        assert {told(ours).kind for _ in range(inside.MOST_OPEN)} == {"state"}
        ours.send(m.packed(m.Look(id=1)))
        assert isinstance(told(ours), m.State)


def test_a_vehicle_process_that_tells_garbage_is_ended(rig: Rig) -> None:
    rig.processes[0].theirs.send(b"garbage")
    rig.again()
    assert rig.processes[0].killed


# Cut --------------------------------------------------------------------------------------------------------------------


def test_nothing_is_written_once_the_line_is_cut_whatever_hangs() -> None:
    """The loop is held up in a read while the assistant dies; then it goes on with the wish, and must not write."""
    car = Slow()
    with line(lambda: GatedVehicle(car, StreamClock())) as (ours, process):
        ours.send(m.packed(m.Begin(fitting=FITTING)))
        car.hold = threading.Event()
        ours.send(m.packed(m.Wish(kind="act", id=1, name="set_temperature", slots={"celsius": 25.0})))
        assert car.reading.wait(20.0)
        ours.close()
        car.hold.set()
        process.wait(20.0)
    assert car.written == []


def test_an_adapter_that_is_not_let_go_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inside, "LEAVE_S", 0.01)
    car, left = Slow(), threading.Event()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    thread = threading.Thread(
        target=lambda: inside.attend(theirs, lambda _fitting, _wrap: GatedVehicle(car, StreamClock()), left.set)
    )
    thread.start()
    ours.send(m.packed(m.Begin(fitting=FITTING)))
    held = car.hold = threading.Event()
    ours.send(m.packed(m.Look(id=1)))
    assert car.reading.wait(20.0)
    ours.close()
    assert left.wait(20.0)
    held.set()
    thread.join(20.0)


def test_the_limits_are_counted_there(rig: Rig) -> None:
    most = max(RATE_LIMITS.values())
    rules = [asyncio.run(rig.apart.act(SetTemperature(celsius=20.0 + n % 2))).ruling.rule for n in range(most + 1)]
    assert rules[-1] == "too_often"


def test_many_names_come_in_several_messages_however_slowly_they_are_heard() -> None:
    people = [Contact(name=f"Nora Number{n} {'x' * 60}") for n in range(6000)]
    organizer = Organizer(StreamClock().now, contacts=people)
    vehicle = GatedVehicle(Slow(), StreamClock(), organizer=organizer)
    with beside(vehicle) as apart:
        assert apart.names()["contact"] == organizer.people
    with line(lambda: vehicle) as (ours, _):
        ours.send(m.packed(m.Begin(fitting=FITTING)))
        time.sleep(0.3)
        heard = [m.told(ours.recv(m.MOST_BYTES + 1))]
        while not isinstance(heard[-1], m.Ready):
            heard.append(m.told(ours.recv(m.MOST_BYTES + 1)))
        names = [name for one in heard if isinstance(one, m.Names) and one.of == "contact" for name in one.names]
        assert tuple(names) == organizer.people
