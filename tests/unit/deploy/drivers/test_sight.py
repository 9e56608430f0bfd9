"""Keys that the car sees: whose memory one opens, and whose it does not."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.config import load_config
from deploy.drivers.sight import FileSight, KeyWatch, MqttSight, key_id, sight_of, watching
from models.commands.matcher import TemplateMatcher
from schemas.errors import ConfigError
from schemas.events import Motion
from tests.unit.deploy.drivers.test_owning import House
from tests.vehicle_rigs import answers, free_port, mosquitto, until

OWNERS = {"fob-1": "ada", "phone-2": "grace"}
PATIENCE_S = 30.0


class Stub:
    """A source that says what it is told to."""

    key: str | None = None

    def seen(self) -> str | None:
        return self.key

    def close(self) -> None:
        """Nothing to end."""


class Drive:
    """A house, a source, and the car's driving state."""

    def __init__(self, house: House) -> None:
        self.house, self.sight, self.motion = house, Stub(), Motion.PARKED
        self.watch = KeyWatch(self.sight, OWNERS, house.drivers, lambda: self.motion)

    def sees(self, key: str | None) -> str:
        """Whose memory is open then."""
        self.sight.key = key
        self.watch.look()
        return str(self.house.memory.driver)


@pytest.fixture
def drive(tmp_path: Path) -> Iterator[Drive]:
    house = House(tmp_path / "home", TemplateMatcher())
    yield Drive(house)
    house.stop()


def test_a_key_opens_the_memory_of_a_driver_without_a_pin(drive: Drive) -> None:
    assert drive.sees(None) == drive.sees("") == "ada"
    assert drive.sees("phone-2") == "grace" and drive.house.drivers.awaited is None
    assert drive.sees("fob-1") == "ada"


def test_of_a_driver_with_a_pin_it_only_says_who_is_asked_for_it(drive: Drive) -> None:
    drive.house.give_pins(grace="1357")
    drive.house.wheel("ada")
    assert drive.sees("phone-2") == "guest" and drive.house.drivers.awaited == "grace"
    assert "until the PIN of Grace" in drive.house.browser.get("/")
    assert "Please enter your PIN on the screen" in drive.house.say("thank you")
    drive.house.wheel("grace", "1357")
    assert drive.sees("phone-2") == "grace"


def test_a_key_that_is_nobodys_makes_a_guest(drive: Drive) -> None:
    assert drive.sees("a stranger's") == "guest" and drive.house.drivers.awaited is None


def test_nobody_is_changed_while_the_car_is_not_parked(drive: Drive) -> None:
    for drive.motion in (Motion.MOVING, Motion.IDLING):
        assert drive.sees("phone-2") == "ada"
    drive.motion = Motion.PARKED
    assert drive.sees("phone-2") == "grace"


def test_what_is_chosen_on_the_screen_stands_until_another_key_comes(drive: Drive) -> None:
    drive.sees("phone-2")
    drive.house.wheel("ada")
    assert drive.sees("phone-2") == "ada" and drive.sees(None) == "ada" and drive.sees("phone-2") == "ada"
    assert drive.sees("") == "ada" and drive.sees("phone-2") == "grace"


def test_a_file_that_others_may_write_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "key"
    sight = FileSight(file)
    assert sight.seen() is None
    file.write_text("fob-1 \nmore\n")
    file.chmod(0o644)
    assert sight.seen() == "fob-1"
    file.chmod(0o666)
    assert sight.seen() is None
    file.unlink()
    file.symlink_to(tmp_path / "elsewhere")
    assert sight.seen() is None
    assert [key_id(data) for data in (b"", b"\n", b"x" * 300, b"a\x00b", b"\xff")] == ["", "", "", "", "�"]


def test_the_file_is_looked_at_while_the_program_runs(drive: Drive, tmp_path: Path) -> None:
    file, taken = tmp_path / "key", threading.Event()
    file.write_text("phone-2")
    toml = tmp_path / "glovebox.toml"
    toml.write_text(f'[driver]\nname = "ada"\nothers = ["grace"]\nkeys = {{ phone-2 = "grace" }}\n'
                    f'[driver.sight]\nsource = "file"\nfile = "{file}"\n')  # fmt: skip
    drive.house.seat.follow(lambda: taken.set() if drive.house.memory.driver == "grace" else None)
    with watching(load_config(toml, environment={}), drive.house.drivers, lambda: Motion.PARKED):
        assert taken.wait(PATIENCE_S)


def test_a_source_without_its_file_is_named() -> None:
    assert sight_of(load_config(environment={})) is None
    with pytest.raises(ConfigError, match=r"driver\.sight\.file"):
        sight_of(load_config(flags={"driver.sight.source": "file"}, environment={}))


@pytest.mark.socket
def test_a_topic_of_the_broker_says_which_key_is_there(tmp_path: Path) -> None:
    program, port = mosquitto(), free_port()
    if program is None:
        pytest.skip("mosquitto is not installed (Debian package mosquitto)")
    from paho.mqtt import publish

    settings = tmp_path / "broker.conf"
    settings.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\n")
    sight = MqttSight(host="127.0.0.1", port=port, topic="car/key")
    assert sight.seen() is None
    broker = subprocess.Popen([program, "-c", str(settings)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        until(lambda: answers(port), "mosquitto")
        for told in ("fob-1", "", "phone-2"):
            publish.single("car/key", told, qos=1, retain=True, hostname="127.0.0.1", port=port)
            until(lambda told=told: sight.seen() == told, "what was told")
        broker.kill()
        until(lambda: sight.seen() is None, "the end of the connection")
    finally:
        sight.close()
        broker.kill()
        broker.wait()
