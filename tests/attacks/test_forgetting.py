"""Ways of saying that something is to be forgotten: asked once, with what it is, and gone from everywhere.

Those of forgetting.yaml name it; those of forgetting_meant.jsonl only mean it, in a whole sentence.

Said to the assistant as it is assembled, over a vault in a folder: with the models that Glovebox carries. What goes is looked for
in every cell of the vault, in what waits to be learnt from, in the reminders and in the bytes of the data folder; what stays must
be told there as before. Near misses change nothing and ask nothing.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import yaml

from deploy import app
from deploy.car import Car
from deploy.config import Config, load_config
from deploy.engines import Engines
from memory.service import DriverMemory
from models.catalog import Catalog
from models.commands.matcher import TemplateMatcher
from models.text import words
from schemas.clock import StreamClock
from schemas.memory import CONVERSATIONS, Proposal
from schemas.ports import ActParser, Encoder
from schemas.preferences import BY_DETAIL
from tests.vaults import every_word
from vehicle.service import GatedVehicle

CASES = yaml.safe_load((Path(__file__).parent / "forgetting.yaml").read_text("utf-8"))
MEANT = [
    json.loads(line) for line in (Path(__file__).parent / "forgetting_meant.jsonl").read_text("utf-8").splitlines()
]
"""What is told, what is said then, and a word that must be gone after a yes (`about`), or stay unasked (`keep`). What is asked
about nevertheless (`asked`) is a known fault: the driver's no mends it."""
WORLD = CASES["world"]
BEGAN = datetime(2026, 11, 24, 10, 0, tzinfo=UTC)
"""A Tuesday."""
Heard: TypeAlias = tuple[Encoder, ActParser]


def _stored(days: float) -> str:
    return (BEGAN - timedelta(days=days)).isoformat()


def _telling() -> dict[str, tuple[str, ...]]:
    """Each thing of the world -> words that only it is told with."""
    told: dict[str, tuple[str, ...]] = {
        name: (one["value"],) for part in ("preferences", "questions") for name, one in WORLD[part].items()
    }
    told |= {name: (one["value"],) for name, one in WORLD["facts"].items()}
    told |= {"boss": ("quarterly", "boss"), "lisbon": ("lisbon",), "willow": ("willow",), "interview": ("interview",)}
    return told | {"opera": ("opera",), "dentist": ("dentist",), "grandma": ("grandma",), "harbour": ("harbour",)}


TELLING = _telling()


def world(consent: Mapping[str, Any]) -> dict[str, Any]:
    """What is stored before each case, as an export."""
    preferences = [
        {
            "id": name, "category": BY_DETAIL[one["detail"]].key, "value": one["value"], "status": "active",
            "confidence": 0.9, "uses": 0,
            "sentences": [{"text": one["sentence"], "said_at": _stored(30), "conversation": "old"}], "valid_from": _stored(30),
            "valid_to": None, "superseded_by": None, "last_used": None, "used_for": [], "conversation": "old",
            "kept_unused_days": 540,
        }
        for name, one in WORLD["preferences"].items()
    ]  # fmt: skip
    episodes = [
        {
            "id": name, "conversation": f"day{one['days']}-1", "at": _stored(one["days"]), "driver": one["driver"],
            "assistant": one["assistant"], "details": [], "tags": [], "importance": 0.5, "uses": 0, "last_used": None,
        }
        for name, one in WORLD["talks"].items()
    ]  # fmt: skip
    told = [("event", name, one["text"]) for name, one in WORLD["events"].items()]
    told += [("thought", name, one["text"]) for name, one in WORLD["thoughts"].items()]
    thoughts = [
        {
            "id": name, "kind": kind, "text": text, "at": _stored(12), "details": [], "tags": [], "sources": [],
            "importance": 0.9, "uses": 0, "last_used": None,
        }
        for kind, name, text in told
    ]  # fmt: skip
    summaries = [
        {
            "id": f"day-{name}", "day": (BEGAN.date() - timedelta(days=one["days"])).isoformat(),
            "lines": [{"source": name, "text": one["driver"], "details": [], "tags": []}],
        }
        for name, one in WORLD["talks"].items()
    ]  # fmt: skip
    profile = [
        {
            "id": name, "basis": "provided", "aspect": "fact", "key": one["key"], "value": one["value"], "details": [],
            "sources": [], "confidence": 1.0, "since": _stored(20),
        }
        for name, one in WORLD["facts"].items()
    ]  # fmt: skip
    return {
        "format": "glovebox-memory", "version": 3, "driver": "ada", "exported_at": _stored(0), "consent": dict(consent),
        "preferences": preferences, "proposals": [], "waiting": [], "decisions": [], "trips": [], "episodes": episodes,
        "thoughts": thoughts, "summaries": summaries, "profile": profile, "terms": None, "notices": [], "declined_until": [],
    }  # fmt: skip


def readable(data: bytes) -> str:
    """What can be read in a file: all of a text, of other files the runs of letters.

    In the vault's encrypted pages a word as short as "jazz" turns up by chance, once in some millions of bytes.
    """
    try:
        return data.decode("utf-8").lower()
    except UnicodeDecodeError:
        return b" ".join(re.findall(rb"[\t\n\r -~]{12,}", data)).decode("ascii").lower()


class Drive:
    """A car whose driver has the world stored."""

    def __init__(self, folder: Path, heard: Heard, matcher: TemplateMatcher | None, questions: int) -> None:
        self.folder, self.clock = folder, StreamClock()
        encoder, parser = heard
        self.car: Car = app.open_car(
            _config(folder, questions), encoder, self.clock, matcher, parser=parser, now=self.now
        )
        assert isinstance(self.car.seat.memory, DriverMemory)
        self.memory: DriverMemory = self.car.seat.memory
        assert isinstance(self.car.vehicle, GatedVehicle)
        self.organizer = self.car.vehicle.organizer
        self.clock.advance_to(5.0)
        self.memory.opt_in(CONVERSATIONS)
        taken = self.memory.take_in(world(self.memory.export()["consent"]))
        assert not taken.refused, taken.refused
        for name, one in WORLD["questions"].items():
            waits = Proposal(
                id=name, detail=one["detail"], value=one["value"], sentence=one["sentence"], said_at=BEGAN - timedelta(days=2),
                conversation="old", confidence=0.5, expires_at=BEGAN + timedelta(days=9),
            )  # fmt: skip
            self.memory.session.store.propose(waits, BEGAN)
        for label in WORLD["reminders"].values():
            self.organizer.start(self.organizer.reminder(label, seconds=7200))

    def now(self) -> datetime:
        return BEGAN + timedelta(seconds=self.clock.now())

    def say(self, text: str) -> str:
        reply = asyncio.run(self.car.dialogue.respond(self.car.dialogue.typed(text)))
        self.clock.advance_to(self.clock.now() + 3.0)
        return reply.text

    def told(self) -> str:
        """Every word that is left: in the vault, in what waits in memory, in the reminders, in files in clear."""
        store = self.memory.session.store
        said = [*every_word(store), *(value for (value,) in store.read("SELECT value FROM meta"))]
        said += [text for e in self.memory.conversations.hot.all() for text in (e.driver, e.assistant)]
        said += [one.label for one in self.organizer.waiting()]
        files = [readable(path.read_bytes()) for path in self.folder.rglob("*") if path.is_file()]
        return " ".join([*words(" ".join(said)), *files])

    def end(self) -> None:
        """The conversation and the trip are over, and learnt from."""
        self.car.dialogue.end_conversation()
        self.memory.learn_pending()
        self.memory.reflect()


def _config(folder: Path, questions: int) -> Config:
    config = load_config(environment={}, flags={"profile": "small", "driver.name": "ada"})
    data = config.data.model_copy(update={"folder": folder / "data", "key_file": folder / "vault.key"})
    key = config.memory.key.model_copy(update={"source": "file"})
    return config.model_copy(
        update={
            "data": data,
            "memory": config.memory.model_copy(update={"key": key, "questions_per_trip": questions}),
            "vehicle": config.vehicle.model_copy(update={"profile": "parked", "decision_log": False}),
        }
    )


@pytest.fixture(scope="session")
def carried() -> Heard:
    """What Glovebox carries."""
    config = load_config(environment={}, flags={"profile": "small"})
    engines = Engines(config, Catalog.load(config.data))
    encoder = engines.encoder()
    return encoder, engines.parser(encoder)


@pytest.fixture(scope="session")
def matchers() -> dict[str, TemplateMatcher]:
    return {}


@pytest.fixture
def drive(
    request: pytest.FixtureRequest, tmp_path: Path, carried: Heard, matchers: dict[str, TemplateMatcher]
) -> Iterator[Drive]:
    case = request.node.callspec.params["case"]
    made = Drive(tmp_path, carried, matchers.get("all"), questions=case.get("questions", 0))
    matchers["all"] = made.car.matcher
    yield made
    made.car.leave()


def stands(telling: str, told: str) -> bool:
    return re.search(rf"\b{re.escape(telling)}\b", told) is not None


ASKS = re.compile(r"\b(?:forget|delete|erase|cancel)\b[^.?]*\?", re.IGNORECASE)


def test_there_are_enough_of_them() -> None:
    assert len({(one["say"], *one.get("before", ())) for one in CASES["said"]}) >= 60
    assert len({one["say"] for one in CASES["near"]}) >= 15


@pytest.mark.parametrize("case", CASES["said"], ids=lambda one: one["say"].lower().replace(" ", "-")[:60])
def test_what_is_to_be_forgotten_is_gone_from_everywhere(case: Mapping[str, Any], drive: Drive) -> None:
    known = drive.told()
    for text in case.get("before", ()):
        reply = drive.say(text)
    goes = set(TELLING) if case["gone"] == ["everything"] else set(case["gone"]) & set(TELLING)
    telling = {word for name in goes for word in TELLING[name]}
    if case["gone"] == ["before"]:
        telling |= {max((word for word in words(case["before"][-1]) if not stands(word, known)), key=len)}
    elif not goes:
        telling |= set(case["gone"])
    before = drive.told()
    for name in goes:
        assert any(stands(word, before) for word in TELLING[name]), f"{name} was not there"
    reply = first = drive.say(case["say"])
    if "asked" not in case or case["asked"]:
        named = case.get("asked") or list(telling)
        assert ASKS.search(reply) and any(word in reply.lower() for word in named), f"asked {reply!r}"
        assert all(stands(word, drive.told()) or word not in before for word in telling), "not before a yes"
    if ASKS.search(reply):
        reply = drive.say("yes")
        if case["gone"] == ["everything"]:  # as on the screen, that is asked about once more
            assert reply.startswith("Once more"), reply
            assert all(stands(word, drive.told()) for word in telling if stands(word, before)), (
                "not before the second yes"
            )
            reply = drive.say("yes")
        assert not ASKS.search(reply), f"asked twice: {first!r}, {reply!r}"
    also = case.get("also")
    assert also is None or also in f"{first} {reply}".lower(), f"{first!r}, {reply!r}"
    drive.end()
    told = drive.told()
    left = {word for word in telling if stands(word, told)}
    assert not left, f"{left} after {first!r}, {reply!r}"
    for name in set(TELLING) - goes:
        gone = [word for word in TELLING[name] if stands(word, before) and not stands(word, told)]
        assert not gone or set(TELLING[name]) & telling, f"{name} is gone, too, after {first!r}, {reply!r}"
    assert date(2026, 11, 24) == drive.now().date()


@pytest.mark.parametrize("case", CASES["near"], ids=lambda one: one["say"].lower().replace(" ", "-")[:60])
def test_a_near_miss_forgets_nothing(case: Mapping[str, Any], drive: Drive) -> None:
    for text in case.get("before", ()):
        drive.say(text)
    reply = drive.say(case["say"])
    assert not ASKS.search(reply), reply
    drive.say("yes")
    told = drive.told()
    for name, telling in TELLING.items():
        assert all(stands(word, told) for word in telling), f"{name} is gone after {reply!r}"


@pytest.mark.parametrize(
    "case", [one for one in MEANT if "about" in one], ids=lambda one: one["say"].replace(" ", "-")[:60]
)
def test_what_a_whole_sentence_means_is_gone(case: Mapping[str, Any], drive: Drive) -> None:
    drive.say(case["tell"])
    before = drive.told()
    assert stands(case["about"], before)
    reply = drive.say(case["say"])
    assert ASKS.search(reply), reply
    assert stands(case["about"], drive.told()), "not before a yes"
    drive.say(case["about"] if reply.startswith("Which") else "yes")
    drive.end()
    told = drive.told()
    assert not stands(case["about"], told), reply
    own = f"{case['tell']} {case['say']} {case['about']}"
    lost = [t for t, *_ in TELLING.values() if stands(t, before) and not stands(t, told) and t not in own]
    assert not lost, f"{lost} after {reply!r}"


@pytest.mark.parametrize(
    "case",
    [one for one in MEANT if "keep" in one and not one.get("asked")],
    ids=lambda one: one["say"].replace(" ", "-")[:60],
)
def test_what_only_sounds_like_it_is_left_alone(case: Mapping[str, Any], drive: Drive) -> None:
    drive.say(case["tell"])
    assert stands(case["keep"], drive.told())
    reply = drive.say(case["say"])
    assert not ASKS.search(reply), reply
    drive.say("yes")
    assert stands(case["keep"], drive.told()), reply


@pytest.mark.parametrize(
    "case", [one for one in MEANT if one.get("asked")], ids=lambda one: one["say"].replace(" ", "-")[:60]
)
def test_what_is_asked_about_by_mistake_is_kept_after_a_no(case: Mapping[str, Any], drive: Drive) -> None:
    """They were meant to be left alone and are asked about."""
    drive.say(case["tell"])
    reply = drive.say(case["say"])
    drive.say("no")
    drive.end()
    assert stands(case["keep"], drive.told()), reply


@pytest.mark.parametrize(
    ("case", "answer", "gone", "left"),
    [
        ({}, "esso", ["esso"], ["shell"]),
        ({}, "the second one", ["esso"], ["shell"]),
        ({}, "both of them", ["esso", "shell"], []),
        ({}, "neither", [], ["esso", "shell"]),
        ({}, "yes", [], ["esso", "shell"]),
    ],
    ids=["by its name", "by its place", "both", "none", "a yes says nothing"],
)
def test_of_two_that_fit_alike_the_driver_says_which(
    case: Mapping[str, Any], answer: str, gone: list[str], left: list[str], drive: Drive
) -> None:
    drive.memory.remember("i fill up at esso as well", "preferred_gas_station")
    assert stands("shell", drive.told()) and stands("esso", drive.told())
    reply = drive.say("the petrol one can go from your memory")
    assert re.match(r"Which shall I forget: that you fill up at shell, or that you fill up at esso\?", reply), reply
    drive.say(answer)
    told = drive.told()
    assert not [one for one in gone if stands(one, told)] and all(stands(one, told) for one in left), answer


@pytest.mark.parametrize("case", [{}])
def test_of_what_was_never_told_nothing_is_found(case: Mapping[str, Any], drive: Drive) -> None:
    before = drive.told()
    reply = drive.say("whatever you have stored about my yacht, get rid of it")
    assert not ASKS.search(reply) and "nothing" in reply, reply
    assert all(stands(one, drive.told()) for (one, *_) in TELLING.values() if stands(one, before))
