"""Whose memory it is, and who may destroy it: the ways round, by the screen over HTTP and by voice, on real vaults."""

from __future__ import annotations

import asyncio
import itertools
import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher

from deploy.app import first_memory
from deploy.config import Config, load_config
from deploy.drivers.keys import as_driver, device_key, key_source
from deploy.drivers.owner import Owner, wiping
from deploy.drivers.switching import ConfiguredDrivers, finish_deletions, wipe_all
from deploy.screen import LiveDrivers
from memory.screen.app import Screen
from memory.screen.parts import Parts
from memory.service import DriverMemory
from memory.vault.keys import KeySource
from memory.vault.keys.pinned import Cost
from memory.vault.lifecycle import Vault
from memory.vault.pins import Pins
from models.commands.matcher import TemplateMatcher
from models.runtime.fake_encoder import KeywordEncoder
from schemas.errors import PinError, VaultBusyError
from schemas.events import Motion, VehicleState
from schemas.memory import Selector, Turn
from schemas.ports import Wiping
from schemas.seat import Seat
from tests.dialogues import FakeVehicle, StubParser
from tests.screens import ORIGIN, Browser
from tests.vaults import killed_at_every_line
from voice.dialogue.agent import Dialogue
from voice.dialogue.coordinator import DialogueSettings

CHEAP = Cost(iterations=1, memory_kib=64)
START = datetime(2026, 3, 4, 9, 15, tzinfo=UTC)


class Parked(FakeVehicle):
    """Stands."""

    async def state(self) -> VehicleState:
        return VehicleState(speed_kmh=0.0)


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher()


class House:
    """A car of ada and grace with vaults on disk, its screen, and somebody who talks to it."""

    def __init__(self, folder: Path, matcher: TemplateMatcher) -> None:
        self.now, self._matcher = START, matcher
        self.config = load_config(
            flags={"home": str(folder), "driver.name": "ada", "driver.others": "grace"}, environment={}
        )
        self.folder = self.config.data.folder
        self.start()

    def start(self) -> None:
        """Start the program."""
        self.pins = Pins(self.folder, lambda name: device_key(as_driver(self.config, name)), cost=CHEAP)
        self.seat = Seat(first_memory(self.config, self.opened))
        self.drivers = ConfiguredDrivers(self.config, self.seat, self.opened, pins=self.pins, now=lambda: self.now)
        live = LiveDrivers(self.drivers, lambda: None)
        self.screen = Screen(
            Parts(
                seat=self.seat, motion=lambda: Motion.PARKED, clock=lambda: self.now, pins=self.pins, drivers=live,
                later=lambda seconds, act: None,
            )
        )  # fmt: skip
        self.browser = Browser(self.screen)
        self.dialogue = Dialogue(
            seat=self.seat,
            vehicle=Parked(),
            matcher=self._matcher,
            parser=StubParser(),
            clock=lambda: self.now,
            settings=DialogueSettings(questions=0),
            drivers=self.drivers,
        )

    def stop(self) -> None:
        """End it."""
        self.drivers.wait()
        self.seat.close()

    def opened(self, config: Config, keys: KeySource | None = None) -> DriverMemory:
        clock: Callable[[], datetime] = lambda: self.now  # noqa: E731
        vault = Vault.open(config.data.folder, config.driver.name, keys or key_source(config), clock=clock)
        return DriverMemory(config.driver.name, vault, encoder=KeywordEncoder(), clock=clock)

    @property
    def memory(self) -> Any:
        return self.seat.memory

    def say(self, text: str) -> str:
        self.now += timedelta(seconds=5)
        return asyncio.run(self.dialogue.respond(self.dialogue.typed(text))).text

    def values(self) -> set[str]:
        return {p.value for p in self.memory.preferences()}

    def wheel(self, name: str | None, pin: str | None = None) -> None:
        self.drivers.switch(name, pin)
        self.drivers.wait()

    def give_pins(self, **pins: str) -> None:
        for name, pin in pins.items():
            self.wheel(name)
            self.pins.set(name, pin)

    def vaults(self) -> set[str]:
        return {path.stem for path in self.folder.glob("*.vault")}

    def steal(self, path: str, **fields: str) -> int:
        """A form that no page offered, with a token of the session's own: what comes of it."""
        session = self.screen.door.known(self.browser.session())
        assert session is not None
        data = {"token": session.token(path, self.seat.shift), **fields}
        return self.browser.client.post(path, data=data, headers={"Origin": ORIGIN}).status_code


@pytest.fixture
def house(tmp_path: Path, matcher: TemplateMatcher) -> Iterator[House]:
    made = House(tmp_path / "home", matcher)
    made.memory.remember("i like jazz music")
    made.wheel("grace")
    made.memory.remember("i like rock music")
    made.wheel("ada")
    yield made
    made.stop()


# Wiping


def test_a_guest_wipes_nobody_over_http(house: House) -> None:
    house.give_pins(grace="1357")
    house.wheel("ada")
    house.browser.get("/drivers/to/guest")
    house.browser.post("/drivers/to/guest")
    page = house.browser.get("/drivers/hand-over")
    assert "A guest cannot do this" in page and "<form" not in page.partition("<main")[2]
    assert house.steal("/drivers/hand-over") == 403
    assert house.steal("/drivers/hand-over/wipe") == 400
    assert house.vaults() == {"ada", "grace"}
    with pytest.raises(PinError):
        house.drivers.wipe("")


def test_a_guest_deletes_nobody_by_voice(house: House) -> None:
    house.give_pins(ada="2468")
    assert house.say("guest mode").startswith("Guest mode")
    assert house.say("delete me") == "There is nothing to delete."
    house.say("yes")
    house.say("i am ada")
    assert house.say("delete me") == "There is nothing to delete."
    house.say("yes")
    house.say("yes")
    assert house.vaults() == {"ada", "grace"}


def test_a_driver_without_a_pin_does_not_wipe_one_with_a_pin(house: House) -> None:
    house.give_pins(grace="1357")
    house.wheel("ada")
    house.browser.get("/drivers/hand-over")
    assert "PIN of Grace" in house.browser.page
    for pins in ({}, {"pin0": ""}, {"pin0": "0000"}):
        assert house.steal("/drivers/hand-over", **pins) == 403
    assert house.steal("/drivers/hand-over/wipe") == 400 and house.vaults() == {"ada", "grace"}
    house.now += timedelta(seconds=31)
    house.browser.get("/drivers/hand-over")
    house.browser.post("/drivers/hand-over", 200, pin0="1357")
    assert "Everything is wiped" in house.browser.post("/drivers/hand-over/wipe", 200)
    assert not house.vaults() and house.memory.driver == "guest"
    assert not [path for path in house.folder.rglob("*") if path.is_file()]


def test_only_the_owner_wipes_where_somebody_has_a_pin(house: House) -> None:
    house.give_pins(grace="1357", ada="2468")
    code = house.drivers.owner.appoint("ada")
    house.wheel("grace", "1357")
    assert "Only Ada can do this" in house.browser.get("/drivers/hand-over")
    assert house.steal("/drivers/hand-over", pin0="1357") == 403
    assert house.steal("/drivers/hand-over", code=code.replace(code[0], "x")) == 403
    house.wheel("ada", "2468")
    house.browser.get("/drivers/hand-over")
    assert "PIN of Grace" not in house.browser.page
    house.browser.post("/drivers/hand-over", 403, pin0="1357")
    assert "Really wipe" in house.browser.post("/drivers/hand-over", 200, pin0="2468")
    house.browser.post("/drivers/hand-over/wipe", 200)
    assert not house.vaults() and house.drivers.owner.name is None


def test_who_forgot_the_pin_wipes_by_the_recovery_code(house: House) -> None:
    house.give_pins(ada="2468")
    code = house.drivers.owner.appoint("ada")
    assert code.replace("-", "") not in (house.folder / "owner.json").read_text()
    house.wheel(None)
    assert "Recovery code" in house.browser.get("/drivers/hand-over")
    house.browser.get("/drivers/hand-over?by=code")
    assert "Really wipe" in house.browser.post("/drivers/hand-over", 200, code=code.replace("-", " "))
    house.browser.post("/drivers/hand-over/wipe", 200)
    assert not house.vaults()


def test_what_was_agreed_to_ends_with_the_driver_and_with_time(house: House) -> None:
    agreed = house.drivers.may_wipe({})
    house.wheel("grace")
    with pytest.raises(PinError):
        house.drivers.wipe(agreed)
    house.browser.get("/drivers/hand-over")
    house.browser.post("/drivers/hand-over", 200)
    house.now += timedelta(minutes=6)
    house.browser.post("/drivers/hand-over/wipe", 400)
    assert house.vaults() == {"ada", "grace"}


def test_wiping_takes_vaults_that_no_configuration_names(house: House) -> None:
    house.opened(as_driver(house.config, "stray")).close()
    house.drivers.wipe(house.drivers.may_wipe({}))
    assert not house.vaults()


def test_who_may_wipe() -> None:
    for owner, guarded in itertools.product((None, "ada"), (set[str](), {"grace"}, {"ada"}, {"ada", "grace"})):
        assert not wiping(None, owner, guarded, code=True).allowed
        assert wiping("grace", owner, guarded, code=False).allowed == (not guarded or owner is None)
        assert wiping("ada", owner, guarded, code=False).allowed
    assert wiping("ada", "ada", {"ada", "grace"}, code=True) == Wiping(True, ("ada",), True, "ada")
    assert wiping("ada", "ada", {"grace"}, code=False).pins == ("grace",)
    assert wiping("ada", None, {"ada", "grace"}, code=False).pins == ("ada", "grace")


def test_wiping_beside_an_open_vault_marks_nobody(house: House) -> None:
    with pytest.raises(VaultBusyError):
        wipe_all(house.config)
    finish_deletions(house.config)
    assert house.vaults() == {"ada", "grace"}


def test_killed_at_every_line_of_wiping_everybody_goes_or_nobody(house: House, tmp_path: Path) -> None:
    house.give_pins(grace="1357")
    house.wheel(None)
    here, start = house.folder, tmp_path / "start"
    shutil.copytree(here, start)
    whole = {path.name for path in start.rglob("*") if path.is_file() and path.suffix != ".lock"}

    def before() -> None:
        shutil.rmtree(here)
        shutil.copytree(start, here)

    def afterwards() -> None:
        finish_deletions(house.config)
        left = {path.name for path in here.rglob("*") if path.is_file() and path.suffix != ".lock"}
        assert left in (whole, set()), left

    lines = ("memory.vault.lifecycle", "deploy.drivers.switching")
    assert killed_at_every_line(lambda: wipe_all(house.config), lines, before, afterwards, stride=4) > 5
    assert not [path for path in here.rglob("*") if path.suffix in {".vault", ".key", ".locked"}]


# A name opens nothing


def test_a_name_that_was_said_opens_no_memory_that_has_a_pin(house: House) -> None:
    house.give_pins(grace="1357")
    house.wheel("ada")
    assert house.say("i am grace") == (
        "Hello Grace. Please enter your PIN on the screen; until then you are a guest, and I remember nothing."
    )
    assert house.memory.driver == "guest" and house.drivers.awaited == "grace"
    for asked in ("what do you remember about me", "what do you remember about music", "who am i"):
        assert "rock" not in house.say(asked) and "jazz" not in house.say(asked)
    assert house.say("remember that i like blues music").startswith("I won't keep that")
    assert "until the PIN of Grace" in house.browser.get("/") and "/drivers/to/1" in house.browser.page
    assert "until Grace’s PIN is entered" in house.browser.get("/drivers")
    house.browser.get("/drivers/to/1")
    house.browser.post("/drivers/to/1", 403, pin="0000")
    assert house.memory.driver == "guest" and house.drivers.awaited == "grace"
    house.browser.post("/drivers/to/1", pin="1357")
    assert house.values() == {"rock"} and house.drivers.awaited is None
    assert "until the PIN" not in house.browser.get("/")


def test_the_car_starts_with_a_guest_where_the_first_driver_has_a_pin(house: House) -> None:
    house.give_pins(ada="2468")
    house.stop()
    house.start()
    assert house.memory.driver == "guest" and house.drivers.awaited == "ada"
    first, second = house.say("thank you"), house.say("thank you")
    assert "Please enter your PIN on the screen" in first and "PIN" not in second
    assert house.say("guest mode off").startswith("Hello Ada. Please enter your PIN")
    house.browser.get("/drivers/to/0")
    house.browser.post("/drivers/to/0", pin="2468")
    assert house.values() == {"jazz"} and house.say("i am ada") == "Hello Ada."


def test_what_the_one_before_said_is_learnt_though_the_pin_is_not_entered(house: House) -> None:
    house.give_pins(grace="1357")
    house.wheel("ada")
    house.memory.note(Turn(speaker="driver", text="i love greek food", at=house.now), "one")
    house.say("i am grace")
    house.drivers.wait()
    house.wheel("ada")
    assert house.values() == {"jazz", "greek"}


def test_tries_are_limited_across_restarts_on_the_screen(house: House) -> None:
    house.give_pins(grace="1357")
    house.wheel("ada")
    for _ in range(3):
        house.browser.get("/drivers/to/1")
        house.browser.post("/drivers/to/1", 403, pin="0000")
        house.stop()
        house.start()
    house.browser.get("/drivers/to/1")
    assert "Try again in" in house.browser.post("/drivers/to/1", 403, pin="1357")
    house.now += timedelta(seconds=31)
    house.browser.get("/drivers/to/1")
    house.browser.post("/drivers/to/1", pin="1357")
    assert house.values() == {"rock"}


def test_a_pin_of_before_is_adopted_when_it_is_entered(house: House) -> None:
    (house.folder / "grace.pin").write_text(json.dumps({"hash": PasswordHasher(1, 64, 1).hash("1357"), "missed": 0}))
    house.say("i am grace")
    assert house.memory.driver == "guest" and not (house.folder / "keys" / "grace.locked").exists()
    house.wheel("grace", "1357")
    assert house.values() == {"rock"} and (house.folder / "keys" / "grace.locked").exists()
    house.wheel("ada")
    with pytest.raises(PinError):
        house.opened(as_driver(house.config, "grace"))
    house.wheel("grace", "1357")
    assert house.values() == {"rock"}


def test_a_pin_is_set_changed_and_taken_away_on_the_screen_with_the_vault_open(house: House) -> None:
    house.browser.get("/drivers/pin")
    house.browser.post("/drivers/pin", fresh="2468")
    house.memory.remember("i like soul music")
    house.browser.get("/drivers/pin")
    house.browser.post("/drivers/pin", pin="2468", fresh="1111")
    house.stop()
    house.start()
    house.wheel("ada", "1111")
    assert house.values() == {"jazz", "soul"}
    house.browser.get("/drivers/pin")
    house.browser.post("/drivers/pin", pin="1111", remove="yes")
    house.stop()
    house.start()
    assert house.values() == {"jazz", "soul"}


# Who hands out or destroys proves to be that driver


@pytest.mark.parametrize("wish", ["delete me", "forget everything you know about me", "export my data"])
def test_what_a_pin_stands_before_is_not_done_by_voice(house: House, wish: str) -> None:
    house.give_pins(ada="2468")
    said = house.say(wish)
    assert said.startswith("That needs your PIN, so please ") and said.endswith("I have changed nothing.")
    house.say("yes")
    house.say("yes")
    assert house.values() == {"jazz"} and house.vaults() == {"ada", "grace"}
    assert not (house.folder / "exports").exists()


@pytest.mark.parametrize(
    "wish", ["forget everything i said today", "forget everything since yesterday", "forget what i said on this trip"]
)
def test_nor_what_leaves_as_little(house: House, wish: str) -> None:
    house.give_pins(ada="2468")
    house.memory.remember("i like soul music")
    house.memory.forget_where(Selector(key="favorite_genres", text="jazz"))
    assert house.values() == {"soul"}
    assert house.say(wish).startswith("That needs your PIN, so please delete that on the screen")
    house.say("yes")
    house.say("yes")
    assert house.values() == {"soul"}


@pytest.mark.parametrize("wish", ["delete me", "forget everything you know about me", "export my data"])
def test_nor_where_it_was_set_between_question_and_yes(house: House, wish: str) -> None:
    house.memory.remember("i like soul music")
    house.say(wish)
    house.pins.set("ada", "2468")
    assert house.say("yes").startswith(("That needs your PIN", "Once more"))
    house.say("yes")
    assert house.values() == {"jazz", "soul"} and not (house.folder / "exports").exists()


def test_an_export_needs_the_pin_on_the_screen(house: House) -> None:
    house.give_pins(ada="2468")
    house.browser.get("/privacy")
    assert house.steal("/privacy/export") == 403
    house.browser.get("/privacy/exporting")
    house.browser.post("/privacy/export", 403, pin="0000")
    assert not (house.folder / "exports").exists()
    assert house.browser.post("/privacy/export", pin="2468") == "/privacy/exported"
    assert len(list((house.folder / "exports").iterdir())) == 1


def test_deleting_oneself_needs_the_pin_on_the_screen_or_two_yeses(house: House) -> None:
    house.give_pins(ada="2468")
    house.browser.get("/drivers/delete")
    house.browser.post("/drivers/delete", 403, pin="0000")
    assert house.steal("/drivers/delete/really") == 400 and "ada" in house.vaults()
    house.browser.get("/drivers/delete")
    assert "You are deleted" in house.browser.post("/drivers/delete", 200, pin="2468")
    assert house.vaults() == {"grace"} and not list(house.folder.rglob("ada*"))
    assert house.steal("/drivers/delete") == 400  # a guest now
    house.wheel("grace")
    house.browser.get("/drivers/delete")
    assert "Really wipe" in house.browser.post("/drivers/delete", 200)
    house.browser.post("/drivers/delete/really", 200)
    assert not house.vaults()


def test_the_port_asks_for_the_pin_whatever_is_in_front_of_it(house: House) -> None:
    house.give_pins(ada="2468")
    for act in (house.drivers.delete, house.drivers.save_export):
        for pin in (None, "", "1111"):
            with pytest.raises(PinError):
                act(pin)
        house.now += timedelta(hours=2)
    with pytest.raises(PinError):
        house.drivers.may_wipe({})
    with pytest.raises(PinError):
        house.drivers.wipe("agreed")
    assert house.vaults() == {"ada", "grace"} and not (house.folder / "exports").exists()


def test_a_damaged_file_of_the_owner_lets_nobody_wipe_by_code(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    code = owner.appoint("ada")
    assert owner.is_code(code) and not owner.is_code("") and not owner.is_code(code[:-1] + "x")
    (tmp_path / "owner.json").write_text("[")
    assert owner.name is None and not owner.has_code and not owner.is_code(code)
