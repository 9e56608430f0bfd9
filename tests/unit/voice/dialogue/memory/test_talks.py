"""What did we talk about: the time alone is enough to ask for, and nothing is told that is not kept."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.service import DriverMemory
from memory.vault.keys import RawKey
from memory.vault.lifecycle import Vault
from models.commands.matcher import TemplateMatcher
from models.runtime.fake_encoder import KeywordEncoder
from schemas.events import VehicleState
from schemas.memory import CONVERSATIONS, Kind, Turn
from schemas.seat import Seat
from tests.dialogues import FakeVehicle, StubParser
from voice.dialogue.agent import Dialogue
from voice.dialogue.coordinator import DialogueSettings
from voice.dialogue.memory.talks import asks

TUESDAY = datetime(2026, 3, 3, 18, 0, tzinfo=UTC)


class Car(FakeVehicle):
    speed = 0.0

    async def state(self) -> VehicleState:
        return VehicleState(speed_kmh=self.speed)


class Days:
    """A memory in which something was said on Tuesday and on Wednesday; it is Thursday."""

    def __init__(self, folder: Path) -> None:
        self.now = TUESDAY
        vault = Vault.open(folder, "ada", RawKey(bytes(range(32))), clock=lambda: self.now)
        self.memory = DriverMemory("ada", vault, encoder=KeywordEncoder(), clock=lambda: self.now)
        self.car = Car()
        self.dialogue = Dialogue(
            seat=Seat(self.memory), vehicle=self.car, matcher=TemplateMatcher(), parser=StubParser(),
            clock=lambda: self.now, settings=DialogueSettings(questions=0),
        )  # fmt: skip

    def said(self, *sentences: str) -> None:
        for sentence in sentences:
            self.memory.note(Turn(speaker="driver", text=sentence, at=self.now), f"t-{self.now:%d}")
            self.memory.note(Turn(speaker="assistant", text="Okay.", at=self.now), f"t-{self.now:%d}")
            self.now += timedelta(minutes=1)
        self.memory.learn_pending()
        self.memory.reflect()
        self.now += timedelta(days=1)

    def __call__(self, text: str) -> str:
        return asyncio.run(self.dialogue.respond(self.dialogue.typed(text))).text


@pytest.fixture
def days(tmp_path: Path) -> Iterator[Days]:
    made = Days(tmp_path)
    made.memory.opt_in(CONVERSATIONS)
    made.said("i met my sister in hamburg", "my brother has a new dog")
    made.said("my boss wants to move to lisbon")
    yield made
    made.memory.close()


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what did we talk about yesterday", ["lisbon"]),
        ("What did I say last Tuesday?", ["hamburg", "dog"]),
        ("do you remember what we talked about on tuesday", ["hamburg", "dog"]),
    ],
)
def test_a_time_alone_is_enough(days: Days, question: str, told: list[str]) -> None:
    reply = days(question)
    assert [word for word in ("hamburg", "dog", "lisbon") if word in reply] == told
    span = days.memory.period(question)
    found = days.memory.search(question, period=span)
    assert [one.kind for one in found] == [Kind.SUMMARY, *[Kind.EPISODE] * len(told)]


def test_one_thing_while_driving_and_nothing_of_other_times(days: Days) -> None:
    days.car.speed = 50.0
    assert ";" not in days("what did i say on tuesday") and "sunday" in days("what did we talk about last sunday")
    assert days("what did we talk about last sunday").startswith("I have kept nothing")


def test_a_category_that_is_switched_off_is_not_listed(days: Days) -> None:
    days.said("i heard some jazz with my sister")
    assert "jazz" in days("what did we talk about yesterday")
    days.memory.opt_out("music")
    assert "jazz" not in days("what did we talk about yesterday")


def test_without_conversations_it_says_so(days: Days) -> None:
    days.memory.opt_out(CONVERSATIONS)
    assert "don't keep" in days("what did we talk about yesterday")


def test_the_question_is_not_kept(days: Days) -> None:
    days("what did we talk about yesterday")
    days.memory.learn_pending()
    assert all("talk about" not in e.driver for e in days.memory.episodes())


@pytest.mark.parametrize("text", ["what did you say", "what do you remember about me", "tell me what is on the radio"])
def test_other_questions_are_others(text: str) -> None:
    assert not asks(text)
