"""The development page in Chromium: the simulated car, live; and drivers changed on the page of an assistant that runs."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deploy.config import Config, load_config
from deploy.drivers.switching import ConfiguredDrivers
from deploy.screen import LiveDrivers, OwnLoop, ScreenServer, car_of, motion_of
from memory.screen.feed import Happened, What
from memory.vault.keys import KeySource
from schemas.actions import SetWindow
from schemas.clock import WallClock
from schemas.events import Motion
from schemas.ports import MemoryPort
from tests.memories import fill
from tests.screen_rig import Rig
from tests.screens import NOW, Car, drivers_of, parts_of, preference
from vehicle.adapters import open_adapter
from vehicle.service import GatedVehicle

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.socket  # as tests/screen/test_browser.py


def test_the_simulated_car_is_seen_to_move(rig: Rig, chromium: Browser) -> None:
    loop, clock = OwnLoop(), WallClock()
    vehicle = GatedVehicle(open_adapter("simulated", clock=clock), clock)
    object.__setattr__(rig.server.screen.parts, "car", car_of(vehicle, lambda: loop.loop))
    object.__setattr__(rig.server.screen.parts, "motion", motion_of(vehicle, lambda: loop.loop))
    refused: list[str] = []
    page = rig.open(chromium)
    page.on("console", lambda message: refused.append(message.text))
    page.goto(f"{rig.address}/dev/car")
    titles = page.locator("#car svg title")
    titles.filter(has_text="left front window 0 % open").wait_for(state="attached")
    loop.run(vehicle.act(SetWindow(window="driver", percent=100)))
    titles.filter(has_text=re.compile("left front window [1-9]")).wait_for(state="attached")
    assert refused == []
    page.context.close()
    loop.run(vehicle.close())
    loop.close()


def test_another_driver_takes_the_wheel_on_the_page_of_a_running_assistant(tmp_path: Path, chromium: Browser) -> None:
    """Who drives is the dialogue's, on the assistant's own loop; an open page shows the other's memory and nothing of the first."""
    loop, car, where = OwnLoop(), Car(), list[str]()
    drivers = drivers_of(car)
    fill(drivers.memories["ada"], preference("a1", "jazz"))
    fill(drivers.memories["bert"], preference("b1", "folk"))

    config = load_config(flags={"home": str(tmp_path), "driver.name": "ada", "driver.others": "bert"}, environment={})

    def opened(driving: Config, keys: KeySource | None = None) -> MemoryPort:
        del keys
        return drivers.memories[driving.driver.name]

    drivers.seat.follow(lambda: where.append(threading.current_thread().name))
    parts = parts_of(car, drivers, tmp_path)
    switching = ConfiguredDrivers(config, drivers.seat, opened)
    object.__setattr__(parts, "drivers", LiveDrivers(switching, lambda: loop.loop))
    with ScreenServer(parts, tmp_path) as server:
        page = chromium.new_page()
        page.goto(server.address)
        page.click("a[href='/latest']")
        other = chromium.new_page()  # a second window, left open on the first driver's memory
        other.goto((tmp_path / "screen.url").read_text("utf-8").strip())
        address = server.address.partition("/enter")[0]
        parts.feed.tell(Happened(What.HEARD, NOW, "words of ada"))
        page.wait_for_selector("text=words of ada")
        page.click("nav.rail >> text=Drivers")
        page.click("text=Bert")
        page.click("button:has-text('Change')")
        page.wait_for_url(f"{address}/")
        other.locator("text=words of ada").wait_for(state="detached")
        for window in (page, other):
            window.goto(f"{address}/memory")
            assert window.locator(".list >> text=folk").count() and "jazz" not in window.content()
            window.goto(f"{address}/memory/a1")
            assert "not there any more" in window.content() and "jazz" not in window.content()
            window.goto("about:blank")
        assert set(where) == {"screen-vehicle"}
        car.motion = Motion.MOVING
        page.goto(f"{address}/drivers/to/0")
        assert page.locator("h1").inner_text() == "You are driving"
        page.close()
        other.close()
    switching.wait()
    loop.close()
