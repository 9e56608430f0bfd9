"""The assistant as a device of Home Assistant: a valid announcement, true states, and nothing that was not allowed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("paho.mqtt", reason="the extra [mqtt] is not installed")

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from deploy.config import load_config
from deploy.settings import AnnounceSettings
from deploy.showing.house import GUEST, LONGEST, House, Overheard, Several, announcing, discovery
from memory.guest import GuestMemory
from schemas.errors import ConfigError
from schemas.events import Phase, Reply, Route, Transcript, TurnRecord
from schemas.seat import Seat
from tests.documented.home_assistant import wrong
from tests.memories import memory_of
from tests.vehicle_rigs import PATIENCE_S, answers, free_port, mosquitto, until

# The announcement --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("names", "words"), [(False, False), (True, False), (True, True)])
def test_home_assistants_documented_fields_accept_the_announcement(names: bool, words: bool) -> None:
    said = discovery("car", "glovebox/car", names=names, words=words, version="1.0")
    assert wrong(said) == []
    assert ("driver" in said["components"], "last_request" in said["components"]) == (names, words)


def test_the_check_of_fields_sees_what_is_wrong() -> None:
    said = discovery("car", "glovebox/car", names=True, words=True, version="1.0")
    del said["origin"]["name"], said["device"]["identifiers"], said["components"]["push_to_talk"]["command_topic"]
    said["components"]["state"] |= {"unit_of_measurement": "%", "color": "red"}
    said["components"]["driver"]["unique_id"] = said["components"]["state"]["unique_id"]
    assert len(wrong(said)) == 6


# The device -----------------------------------------------------------------------------------------------------------


NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


class Hand:
    """What is done by hand."""

    pressed = 0

    def press(self) -> None:
        self.pressed += 1

    def answer(self, number: int, words: str) -> None:
        raise AssertionError

    def order(self, words: str) -> None:
        raise AssertionError


class Dashboard:
    """Home Assistant's side of a broker of its own."""

    def __init__(self, folder: Path) -> None:
        program = mosquitto()
        if program is None:
            pytest.skip("mosquitto is not installed (Debian package mosquitto)")
        self.port = free_port()
        config = folder / "mosquitto.conf"
        config.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\n")
        self.broker = subprocess.Popen(
            [program, "-c", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until(lambda: answers(self.port), "mosquitto")
        self.seen: dict[str, str] = {}
        self.client = Client(CallbackAPIVersion.VERSION2)
        self.client.on_message = lambda _c, _d, message: self.seen.__setitem__(message.topic, message.payload.decode())
        self.client.on_connect = self._connected
        self.client.connect("127.0.0.1", self.port)
        self.client.loop_start()

    @staticmethod
    def _connected(client: Any, _data: Any, _flags: Any, _reason: Any, _properties: Any) -> None:
        client.subscribe("#")

    def state(self, name: str) -> str | None:
        return self.seen.get(f"glovebox/car/{name}")

    def shows(self, name: str, wanted: str) -> None:
        until(lambda: self.state(name) == wanted, f"{name} {wanted}, not {self.state(name)}")

    def ask(self, name: str, payload: str) -> None:
        self.client.publish(f"glovebox/car/{name}/set", payload, qos=1).wait_for_publish(PATIENCE_S)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()
        self.broker.kill()
        self.broker.wait()


@pytest.fixture
def dashboard(tmp_path: Path) -> Iterator[Dashboard]:
    made = Dashboard(tmp_path)
    yield made
    made.close()


def settings(port: int, **more: Any) -> AnnounceSettings:
    given = {
        "to": "homeassistant",
        "host": "127.0.0.1",
        "port": port,
        "client_id": "car",
        "discovery_prefix": "homeassistant",
    }
    return AnnounceSettings.model_validate({**given, "names": True, "requests": True, **more})


def asked_for(words: str) -> TurnRecord:
    return TurnRecord.model_construct(
        transcript=Transcript(text=words, confidence=1.0, in_grammar=True),
        reply=Reply(text="Done.", route=Route.FAST, reason=""),
        era=0,
    )


class Silent:
    def woke(self, at: float, detection: Any) -> None:
        """Nothing."""

    def finished(self, record: TurnRecord) -> None:
        """Nothing."""

    def ended(self, at: float, conversation: str) -> None:
        """Nothing."""


@pytest.mark.socket
def test_a_dashboard_shows_the_assistant_and_can_press(dashboard: Dashboard) -> None:
    seat, hand = Seat(memory_of("ada", clock=lambda: NOON)), Hand()
    house = House(settings(dashboard.port), seat, hand, "1.0")
    dashboard.shows("availability", "online")
    announced = json.loads(dashboard.seen["homeassistant/device/car/config"])
    assert wrong(announced) == []
    dashboard.shows("driver", "ada")
    for phase in Phase:
        Several(house, house).stands(phase, None, 0)
        dashboard.shows("state", phase.value)
    Overheard(Silent(), house).finished(asked_for("open the window"))
    dashboard.shows("last_request", "open the window")
    Overheard(Silent(), house).finished(asked_for("x" * 300))
    dashboard.shows("last_request", "x" * LONGEST)
    dashboard.ask("push_to_talk", "PRESS")
    until(lambda: hand.pressed == 1, "the press")
    house.close()
    dashboard.shows("availability", "offline")
    dashboard.shows("last_request", "")


@pytest.mark.socket
def test_a_private_trip_begins_from_there_and_is_ended_by_the_driver(dashboard: Dashboard) -> None:
    seat = Seat(memory_of("ada", clock=lambda: NOON))
    house = House(settings(dashboard.port), seat, Hand(), "1.0")
    dashboard.shows("private_trip", "OFF")
    house.requested("take me home")
    dashboard.shows("last_request", "take me home")
    dashboard.ask("private_trip", "ON")
    until(lambda: seat.memory.consent().private_trip, "the private trip")
    dashboard.shows("private_trip", "ON")
    dashboard.shows("last_request", "")
    dashboard.shows("driver", GUEST)
    house.requested("nobody is to know")
    dashboard.ask("private_trip", "OFF")
    dashboard.ask("push_to_talk", "PRESS")
    dashboard.shows("private_trip", "ON")
    assert seat.memory.consent().private_trip
    assert "nobody is to know" not in dashboard.seen.values()
    seat.memory.set_private_trip(False)
    dashboard.shows("private_trip", "OFF")
    dashboard.shows("driver", "ada")
    house.close()


@pytest.mark.socket
def test_neither_names_nor_words_are_told_unless_they_are_switched_on(dashboard: Dashboard) -> None:
    seat = Seat(memory_of("ada", clock=lambda: NOON))
    house = House(settings(dashboard.port, names=False, requests=False), seat, Hand(), "1.0")
    dashboard.shows("availability", "online")
    house.requested("take me home")
    house.stands(Phase.THINKING, None, 0)
    dashboard.shows("state", "thinking")
    seat.take(GuestMemory())
    dashboard.shows("private_trip", "ON")
    assert dashboard.state("driver") is None and dashboard.state("last_request") in (None, "")
    assert not {"ada", "take me home"} & set(dashboard.seen.values())
    house.close()


def test_nothing_is_announced_by_default() -> None:
    config = load_config()
    given: list[House] = []
    with announcing(config.announce, Seat(GuestMemory()), Hand(), given.append, "1.0"):
        assert given == [] and (config.announce.names, config.announce.requests) == (False, False)


def test_a_password_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    wanted = settings(1, username="glovebox", password_file=tmp_path / "absent")
    with pytest.raises(ConfigError, match=r"announce\.password_file"):
        House(wanted, Seat(GuestMemory()), Hand(), "1.0")
