"""What is foreseen of a reply is what is said then, and foreseeing leaves everything as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from models.commands.matcher import TemplateMatcher
from schemas.actions import SetSunroof, SetTemperature, SetTimer, SetTrunk
from schemas.clock import StreamClock
from schemas.events import ActionStatus, Transcript
from schemas.memory import Recollection
from schemas.seat import Seat
from tests.dialogues import NOW, StubParser, holding, make, say
from tests.vaults import every_word
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.service import GatedVehicle
from voice.dialogue.agent import Dialogue


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher()


class Car:
    """A simulated car in a town, and a dialogue whose parser knows nothing."""

    def __init__(self, matcher: TemplateMatcher, profile: str = "town", held: Sequence[tuple[str, str]] = ()) -> None:
        self.clock, self.memory = StreamClock(), holding(*held)
        self.memory.opt_in("conversations")
        self.vehicle = GatedVehicle(SimulatedVehicle(self.clock, profile=profile), self.clock)
        self.dialogue = Dialogue(
            seat=Seat(self.memory), vehicle=self.vehicle,
            matcher=matcher, parser=StubParser({"set a timer": "set_timer()", "i could eat": "list_places(kind=restaurant)"}),
            clock=lambda: NOW,
        )  # fmt: skip
        self.asked: list[str] = []
        recall = self.memory.recall

        def counting(
            query: str, *, details: Sequence[str] = (), limit: int = 3, ahead: bool = False
        ) -> tuple[Recollection, ...]:
            if not ahead:
                self.asked.append(query)
            return recall(query, details=details, limit=limit, ahead=ahead)

        self.memory.recall = counting  # type: ignore[method-assign]

    def heard(self, text: str) -> Transcript:
        return self.dialogue.typed(text)

    def seen(self) -> object:
        """All that foreseeing must leave alone."""
        values = asyncio.run(self.vehicle.state()).values
        return (
            values,
            self.vehicle.gate.log,
            self.memory.conversations.hot.all(),
            self.vehicle.organizer.waiting(),
            self.memory.consent(),
            list(self.asked),
            self.memory.preferences(),
            every_word(self.memory.session.store),
        )

    def foresee(self, text: str, *, addressed: bool = True) -> str | None:
        return asyncio.run(self.dialogue.foresee(self.heard(text), addressed=addressed))

    def respond(self, text: str, *, addressed: bool = True) -> str:
        return asyncio.run(self.dialogue.respond(self.heard(text), addressed=addressed)).text


SAID = (
    "set the temperature to twenty two degrees", "open my window", "open the trunk", "navigate to the airport",
    "what's the temperature outside", "set a timer for five minutes", "set a timer", "what do you remember about me",
    "stop remembering podcasts", "play some jazz", "don't open the window", "engage the cruise control", "nonsense words only",
    "i love italian food", "thank you", "no", "tell me a joke",
)  # fmt: skip


@pytest.mark.parametrize("text", SAID)
def test_what_is_foreseen_is_what_is_said(matcher: TemplateMatcher, text: str) -> None:
    car = Car(matcher)
    before = car.seen()
    foreseen = car.foresee(text)
    assert car.seen() == before
    assert car.foresee(text) == foreseen
    assert foreseen is None or car.respond(text) == foreseen
    assert foreseen or text in ("thank you", "tell me a joke")


@pytest.mark.parametrize(
    ("text", "held"),
    [("play something", ("favorite_genres", "jazz")), ("i could eat", ("favourite_cuisine", "italian"))],
)
def test_what_memory_fills_is_foreseen_and_counts_as_no_question(
    matcher: TemplateMatcher, text: str, held: tuple[str, str]
) -> None:
    car = Car(matcher, held=[held])
    before = car.seen()
    foreseen = car.foresee(text)
    assert car.seen() == before
    assert foreseen and held[1] in foreseen and "because you like" in foreseen
    assert car.respond(text) == foreseen
    assert car.asked and car.memory.preferences()[0].uses == 1


def test_a_yes_is_foreseen_with_what_it_does(matcher: TemplateMatcher) -> None:
    car = Car(matcher, "town")
    asked = car.foresee("open the sunroof")
    assert car.respond("open the sunroof") == asked
    assert asked is not None and "Shall I" in asked
    before = car.seen()
    foreseen = car.foresee("yes")
    assert car.seen() == before
    assert foreseen and car.respond("yes") == foreseen


def test_after_a_question_of_memory_nothing_is_foreseen() -> None:
    dialogue, _, memory, _ = make(held=[("favorite_genres", "jazz")])
    say(dialogue, "stop remembering music")
    assert memory.consent().opted_out
    assert asyncio.run(dialogue.foresee(dialogue.typed("yes"))) is None


def test_what_is_not_addressed_is_not_foreseen(matcher: TemplateMatcher) -> None:
    assert Car(matcher).foresee("nonsense words only", addressed=False) is None


def test_foreseeing_asks_the_gate_and_not_the_vehicle() -> None:
    asyncio.run(_foresee())


async def _foresee() -> None:
    clock = StreamClock()
    vehicle = GatedVehicle(SimulatedVehicle(clock, profile="town"), clock)
    trunk = await vehicle.foresee(SetTrunk(open=True))
    assert trunk is not None and trunk.status is ActionStatus.DENIED
    roof = SetSunroof(percent=100)
    asked, agreed = await vehicle.foresee(roof), await vehicle.foresee(roof, confirmed=True)
    assert asked is not None and (asked.status, asked.token) == (ActionStatus.NEEDS_CONFIRMATION, None)
    assert agreed is not None and agreed.status is ActionStatus.DONE
    for action in (SetTemperature(celsius=20), SetTimer(minutes=5)):
        done = await vehicle.foresee(action)
        assert done is not None and (done.status, done.moved) == (ActionStatus.DONE, ())
    assert vehicle.gate.log == () and vehicle.organizer.waiting() == ()
