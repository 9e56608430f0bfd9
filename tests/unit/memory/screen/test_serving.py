"""The screen as the program serves it: the address file, the timeline's entries as live events, drivers on the assistant's loop."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import pytest

from deploy.config import Config, load_config
from deploy.drivers.switching import ConfiguredDrivers
from deploy.screen import ADDRESS_FILE, LiveDrivers, OwnLoop, ScreenServer, car_of, motion_of, told
from deploy.timeline import TimelineEntry, entry_of
from memory.screen.app import CALM_S
from memory.screen.feed import Happened, What
from memory.vault.keys import KeySource
from schemas.errors import AdapterError, ConfigError
from schemas.events import Motion, VehicleState
from schemas.memory import Decision, Outcome
from schemas.ports import MemoryPort
from schemas.seat import Seat
from tests.memories import memory_of
from tests.screens import NOW, Browser, Car, FakeDrivers, parts_of


def now() -> datetime:
    return NOW


@pytest.mark.parametrize(
    ("entry", "what", "text", "undo"),
    [
        (TimelineEntry(at_s=0, kind="heard", text="", data={"text": "play jazz"}), What.HEARD, "play jazz", None),
        (TimelineEntry(at_s=0, kind="said", text="“Okay.”"), What.SAID, "Okay.", None),
        (
            TimelineEntry(at_s=0, kind="moved", text="window: 0 → 100", data={"action": "set_window", "slots": {"percent": 100}}),
            What.DONE, "window: 0 → 100", None,
        ),
        (
            entry_of(0, Decision(outcome=Outcome.APPEND, detail="favorite_genres", reason="new", value="jazz", preference="p")),
            What.REMEMBERED, "jazz", "p",
        ),
        (
            entry_of(0, Decision(outcome=Outcome.UPDATE, detail="favorite_genres", reason="r", value="jazz", preference="p",
                                 replaced=("rock",))),
            What.CHANGED, "jazz", "p",
        ),
        (
            entry_of(0, Decision(outcome=Outcome.UPDATE, detail="favorite_genres", reason="r", value="jazz", preference="p",
                                 replaced=("rock", "pop"))),
            What.CHANGED, "jazz", None,
        ),
        (entry_of(0, Decision(outcome=Outcome.ASK, detail="favorite_genres", reason="r", value="jazz")), What.ASKED, "jazz", None),
    ],
)  # fmt: skip
def test_what_a_driver_has_use_for_is_shown(entry: TimelineEntry, what: What, text: str, undo: str | None) -> None:
    shown = told(entry, now)
    assert shown is not None and (shown.what, shown.text, shown.preference) == (what, text, undo)


def test_acts_come_with_their_slots_and_questions_are_left_to_the_answer() -> None:
    refused = TimelineEntry(at_s=0, kind="refused", text="x", data={"action": "set_sunroof", "slots": {"percent": 100}})
    shown = told(refused, now)
    assert shown is not None and (shown.what, shown.action, shown.slots) == (
        What.REFUSED,
        "set_sunroof",
        {"percent": 100},
    )
    asked = TimelineEntry(at_s=0, kind="moved", text="x", data={"action": "get_range", "slots": {}})
    assert told(asked, now) is None


def test_what_was_refused_or_not_heard_is_not_shown() -> None:
    refused = Decision(outcome=Outcome.REFUSED, detail="dietary_preference", reason="off")
    assert told(entry_of(0, refused), now) is None
    assert told(TimelineEntry(at_s=0, kind="heard", text="no words", data={"text": ""}), now) is None
    assert told(TimelineEntry(at_s=0, kind="wake", text="x"), now) is None


@pytest.fixture
def drivers() -> FakeDrivers:
    return FakeDrivers(lambda name: memory_of(name, clock=now))


@pytest.fixture
def server(tmp_path: Path, drivers: FakeDrivers) -> Iterator[ScreenServer]:
    with ScreenServer(parts_of(Car(), drivers, tmp_path), tmp_path) as running:
        yield running


@pytest.mark.socket
def test_the_address_file_is_for_its_owner_and_new_after_each_use(server: ScreenServer, tmp_path: Path) -> None:
    file = tmp_path / ADDRESS_FILE
    first = file.read_text().strip()
    assert first == server.address and file.stat().st_mode & 0o777 == 0o600
    with httpx2.Client() as browser:
        assert browser.get(first).status_code == 303
        second = file.read_text().strip()
        assert second not in {first, ""} and browser.get(first).status_code == 403
        assert browser.get(second).status_code == 303


@pytest.mark.socket
def test_an_event_reaches_an_open_page_by_itself(server: ScreenServer) -> None:
    with httpx2.Client(timeout=100) as browser:
        browser.get(server.address)
        address = server.address.partition("/enter")[0]
        with browser.stream("GET", f"{address}/live") as stream:
            lines = stream.iter_lines()
            assert next(lines) == "event: motion"
            server.screen.parts.feed.tell(Happened(What.REMEMBERED, NOW, "jazz", "favorite_genres", "p1"))
            data = next(line for line in lines if "jazz" in line)
            assert "/take-back/1" in json.loads(data.removeprefix("data: "))


@pytest.mark.socket
def test_a_page_that_was_told_somebody_is_there_still_gets_the_next_one_while_the_assistant_ends(
    server: ScreenServer,
) -> None:
    with httpx2.Client(timeout=100) as browser:
        browser.get(server.address)
        address = server.address.partition("/enter")[0]
        with browser.stream("GET", f"{address}/live") as stream:
            lines = stream.iter_lines()
            assert next(lines) == "event: motion"
            assert browser.head(f"{address}/static/look.css").status_code == 200
            ended = threading.Thread(target=server.screen.end)
            ended.start()
            assert "event: end" in lines
            assert browser.head(f"{address}/static/look.css").status_code == 503
            assert browser.get(f"{address}/").status_code == 200 and ended.is_alive()
            with browser.stream("GET", f"{address}/live") as again:
                assert "event: end" in again.iter_lines()
            assert browser.get(f"{address}/static/live.js").status_code == 200
        ended.join()


@pytest.mark.socket
def test_nobody_waits_at_the_end_where_no_page_was_open(server: ScreenServer) -> None:
    began = time.monotonic()
    server.screen.end()
    assert time.monotonic() - began < CALM_S / 2


@pytest.mark.socket
def test_a_port_that_is_taken_is_told(server: ScreenServer, tmp_path: Path, drivers: FakeDrivers) -> None:
    port = int(server.address.partition("127.0.0.1:")[2].partition("/")[0])
    with pytest.raises(ConfigError, match=str(port)), ScreenServer(parts_of(Car(), drivers, tmp_path), tmp_path, port):
        pass


class FakeVehicle:
    def __init__(self, state: VehicleState | None) -> None:
        self._state = state

    async def state(self) -> VehicleState:
        if self._state is None:
            raise AdapterError("lost")
        return self._state

    def says(self, state: VehicleState) -> None:
        self._state = state


def test_the_driving_state_is_asked_on_the_vehicles_loop() -> None:
    loop = OwnLoop()
    standing = VehicleState(speed_kmh=0.0, gear="P", ignition_on=True)
    assert motion_of(FakeVehicle(standing), lambda: loop.loop)() is Motion.PARKED
    assert motion_of(FakeVehicle(None), lambda: loop.loop)() is None
    assert motion_of(FakeVehicle(standing), lambda: None)() is None
    loop.close()


def test_day_and_night_come_by_what_the_car_was_told_then_by_its_light_sensor() -> None:
    loop = OwnLoop()
    car = FakeVehicle(None)
    sight = motion_of(car, lambda: loop.loop)

    def bright(age_s: float = 0.0, **values: object) -> bool | None:
        known = {name.replace("_", ".", 1): value for name, value in values.items()}
        car.says(VehicleState(speed_kmh=0.0, gear="P", ignition_on=True, age_s=age_s, values=known))
        sight()
        return sight.bright()

    assert bright(outside_light=25) is None  # dusk, and nothing was known before: the time of day counts
    assert bright(outside_light=80) is True
    assert bright(outside_light=25) is True  # under trees
    assert bright(outside_light=34.9) is True and bright(outside_light=15) is True
    assert bright(outside_light=14.9) is False
    assert bright(outside_light=25) is False and bright(outside_light=35) is True
    assert bright(outside_light=80, display_mode="night") is False
    assert bright(outside_light=2, display_mode="day") is True
    assert bright(outside_light=2, display_mode="auto") is False
    assert bright(outside_light=80, age_s=3600.0) is None  # too old to be believed
    assert bright() is None  # a car without a sensor
    loop.close()


def test_a_change_of_driver_is_made_on_the_assistants_loop(tmp_path: Path) -> None:
    loop, where = OwnLoop(), list[str]()
    config = load_config(flags={"home": str(tmp_path), "driver.name": "ada", "driver.others": "bert"}, environment={})

    def opened(driving: Config, keys: KeySource | None = None) -> MemoryPort:
        del keys
        return memory_of(driving.driver.name, clock=now)

    drivers = ConfiguredDrivers(config, Seat(opened(config)), opened)
    drivers.seat.follow(lambda: where.append(threading.current_thread().name))
    live = LiveDrivers(drivers, lambda: loop.loop)
    assert live.switch("bert").driver == "bert" and live.names == ("ada", "bert")
    live.delete()
    assert drivers.seat.memory.driver == "guest" and set(where) == {"screen-vehicle"}
    loop.close()
    assert LiveDrivers(drivers, lambda: None).switch("ada").driver == "ada"
    drivers.wait()
    drivers.seat.close()


def test_what_the_screen_deletes_is_proven_gone_by_the_memorys_own_check(tmp_path: Path) -> None:
    car = Car(now=datetime.now(UTC))

    def make(name: str) -> MemoryPort:
        return memory_of(name, clock=lambda: car.now, folder=tmp_path)

    held = FakeDrivers(make, ("ada",))
    memory = held.memories["ada"]
    memory.remember("i love jazz", "favorite_genres")
    memory.remember("i love italian food", "favourite_cuisine")
    from memory.screen.app import Screen

    browser = Browser(Screen(parts_of(car, held, tmp_path)))
    kept, gone = (memory.preferences(key)[0] for key in ("favourite_cuisine", "favorite_genres"))
    assert gone.value in browser.get("/memory") and kept.value in browser.page
    browser.get(f"/memory/{gone.id}")
    where = browser.post(f"/memory/{gone.id}/forget")
    assert gone.value not in browser.get("/memory")
    car.wait()
    assert "Checked: nothing of it is left in any file" in browser.get(where.replace("leaving", "receipt"))
    browser.get(f"/memory/{kept.id}/correct")
    assert "Thai food" in browser.get(browser.post(f"/memory/{kept.id}/correct", value="thai"))
    assert "Italian food" in browser.page  # as history
    browser.get("/privacy/everything")
    browser.post("/privacy/everything", 200)
    where = browser.post("/privacy/everything/really")
    car.wait()
    assert "Checked" in browser.get(where.replace("leaving", "receipt")) and memory.preferences(history=True) == ()
    memory.close()


def test_loops_are_not_left_running() -> None:
    loop = OwnLoop()
    assert loop.run(asyncio.sleep(0, "answer")) == "answer"
    loop.close()
    assert loop.loop.is_closed()


def test_a_simulated_car_that_only_a_screen_looks_at_stands_unless_a_drive_was_chosen() -> None:
    from deploy import config
    from deploy.cli.screen import _at_rest

    assert _at_rest(config.load()).vehicle.profile == "parked"
    assert _at_rest(config.load(flags={"vehicle.profile": "town"})).vehicle.profile == "town"
    assert (
        _at_rest(config.load(flags={"vehicle.adapter": "mqtt"})).vehicle.profile == config.load().config.vehicle.profile
    )


def test_the_car_is_drawn_as_it_is_now() -> None:
    loop = OwnLoop()
    state = VehicleState(speed_kmh=31.0, gear="D", ignition_on=True, values={"window.driver": 40.0})
    seen = car_of(FakeVehicle(state), lambda: loop.loop)()
    assert seen is not None and "31 km/h" in seen.svg and seen.lines[0].startswith("31 km/h")
    assert " style=" not in seen.svg and "<script" not in seen.svg  # the policy of the page would refuse them
    assert car_of(FakeVehicle(None), lambda: loop.loop)() is None
    loop.close()


def test_tools_that_browser_tests_lack_are_skipped_over_but_never_in_continuous_integration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tests.screen_rig import absent

    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no browser"):
        absent("no browser")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no browser"):
        absent("no browser")
