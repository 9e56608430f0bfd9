"""A day of use writes the files that the pages on privacy name, and no other; what was said stands in clear in exports alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path

import pytest

from deploy.app import assemble
from deploy.assistant import Assistant
from deploy.config import load_config
from deploy.drivers.keys import pins_of
from deploy.screen import ScreenServer
from memory.rights.files import FILES
from memory.vault.backups import make_backup
from memory.vault.files import Files

PRIVACY = Path(__file__).parents[3] / "docs" / "privacy.md"
SAID = (
    "remember that i love zydeco",
    "remember that i like ethiopian food",
    "remind me to water the ficus in two hours",
    "open the driver's window halfway",
    "take me to the airport",
    "this is a private trip",
    "i really love klezmer",
    "set a timer for ten minutes for the gnocchi",
    "the private trip is over",
    "export what you remember",
    "yes",
    "guest mode",
    "i really love mariachi",
    "i am grace",
    "remember that i love bebop",
    "i am ada",
    "forget that i like ethiopian food",
)
WORDS = ("zydeco", "ethiopian", "ficus", "klezmer", "gnocchi", "mariachi", "bebop", "window", "airport")

COMPILED = re.compile(r"\.local/share/glovebox-models/computed/commands-\w+-\w+")
"""With the models: the commands as they were compiled. That no name is in it tests ``test_computed.py``."""


class Day:
    """The folders in which anything could be written, and all that ever lay there."""

    def __init__(self, folder: Path) -> None:
        self.home, self.rest = folder / "own", folder
        self.seen: set[str] = set()
        self.elsewhere: set[str] = set()
        self.clear: set[tuple[str, str]] = set()

    def look(self) -> None:
        for path in self.rest.rglob("*"):
            if not path.is_file():
                continue
            if not path.is_relative_to(self.home):
                self.elsewhere.add(str(path.relative_to(self.rest)))
                continue
            name = path.relative_to(self.home).as_posix()
            self.seen.add(name)
            content = path.read_bytes().lower()
            self.clear |= {(name, word) for word in WORDS if word.encode() in content}


@pytest.fixture
def day(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Day]:
    temporary = own_home / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.chdir(own_home)
    made = Day(own_home)
    yield made
    made.look()


def use(day: Day, assistant: Assistant) -> None:
    """What drivers say, then what they do on the screen."""
    for text in SAID:
        list(assistant.say(text))
        day.look()
    given = assistant.screen()
    with ScreenServer(given, day.home):
        day.look()
        given.pins.set("ada", "4711")
        assert given.drivers is not None
        given.drivers.save_export("4711")
        day.look()
    assistant.end_trip(lambda _: None)
    day.look()


def kind_of(name: str) -> str | None:
    """What a file is by its name below the data folder, with slashes; None for one that is not of ours."""
    whole = (
        name.removesuffix(".part").removesuffix(".new") if name.endswith((".part", ".url.new", ".pin.new")) else name
    )
    return next((kind for kind, patterns in FILES.items() if any(fnmatch(whole, one) for one in patterns)), None)


def test_a_day_of_use_writes_what_the_privacy_page_names_and_nothing_else(day: Day) -> None:
    flags = {"home": str(day.home), "driver.name": "ada", "driver.others": "grace", "profile": "small"}
    config = load_config(flags=flags, environment={})
    with assemble(config) as assistant:
        use(day, assistant)
    key = pins_of(config).require("ada", "4711", datetime.now(UTC)).key(create=False)
    make_backup(Files.of(day.home, "ada"), key, 3)  # as an upgrade does
    day.look()
    found = {name: kind_of(name) for name in day.seen}
    assert [name for name, kind in found.items() if kind is None] == []
    assert set(found.values()) == set(FILES)
    assert {name for name, _ in day.clear if kind_of(name) != "exports"} == set()
    assert any(word == "zydeco" for _, word in day.clear), "the export should tell what was said"
    assert {word for _, word in day.clear} & {"klezmer", "gnocchi", "mariachi", "window", "airport"} == set()
    assert [name for name in day.elsewhere if not COMPILED.fullmatch(name)] == []


def test_the_privacy_page_names_the_same_files(day: Day) -> None:
    table = re.findall(r"^\| `(\w+)`: [^|]*\| ([^|]*) \|", PRIVACY.read_text("utf-8"), re.MULTILINE)
    assert {kind: tuple(re.findall(r"`([^`]+)`", names)) for kind, names in table} == dict(FILES)
