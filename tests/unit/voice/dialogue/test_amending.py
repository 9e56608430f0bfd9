"""An utterance that went on: nothing is done twice, and nothing stays done that the whole does not ask for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from models.commands.matcher import TemplateMatcher
from schemas.actions import SetUnit
from schemas.clock import StreamClock
from schemas.events import ActionStatus, Reply, Transcript
from schemas.seat import Seat
from tests.dialogues import NOW, Rig, StubParser, holding
from vehicle.adapters.simulated import SimulatedVehicle
from vehicle.service import GatedVehicle
from voice.dialogue.agent import Dialogue
from voice.dialogue.amending import First, Way, way


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher()


class Car:
    """A simulated car, and a dialogue without a model."""

    def __init__(self, matcher: TemplateMatcher) -> None:
        self.matcher, self.clock = matcher, StreamClock()
        self.vehicle = GatedVehicle(SimulatedVehicle(self.clock, profile="parked"), self.clock)
        self.dialogue = Dialogue(
            seat=Seat(holding()),
            vehicle=self.vehicle,
            matcher=matcher,
            parser=StubParser(),
            clock=lambda: NOW,
        )

    def heard(self, text: str) -> Transcript:
        return Transcript(text=text, confidence=0.9, in_grammar=self.matcher.match(text) is not None)

    def say(self, text: str) -> Reply:
        return asyncio.run(self.dialogue.respond(self.heard(text)))

    def go_on(self, begun: str, whole: str, tail: str | None, *, answered: bool = True) -> Reply:
        first = First(self.heard(begun), self.say(begun) if answered else None)
        self.clock.advance_to(self.clock.now() + 1.0)
        return asyncio.run(self.dialogue.amend(self.heard(whole), None if tail is None else self.heard(tail), first))

    def values(self, *names: str) -> Sequence[object]:
        self.clock.advance_to(self.clock.now() + 60.0)
        values = asyncio.run(self.vehicle.state()).values
        return [values[name] for name in names]


@pytest.fixture
def car(matcher: TemplateMatcher) -> Car:
    return Car(matcher)


@pytest.mark.parametrize("answered", [True, False])
def test_a_longer_command_takes_the_place_of_its_beginning(car: Car, answered: bool) -> None:
    car.go_on("open the passenger window", "open the passenger window halfway", None, answered=answered)
    assert car.values("window.passenger", "window.driver") == [50, 0]


@pytest.mark.parametrize("answered", [True, False])
def test_a_step_is_not_taken_twice(car: Car, answered: bool) -> None:
    zones = [f"climate.{zone}.temperature" for zone in ("driver", "passenger", "rear")]
    before = car.values(*zones)
    car.go_on("make it warmer", "make it warmer in the back", None, answered=answered)
    after = car.values(*zones)
    assert after[:2] == before[:2]
    once = Car(car.matcher)
    once.say("make it warmer in the back")
    assert after[2] == once.values(*zones)[2] != before[2]


@pytest.mark.parametrize("tail", ["no", "cancel that", "never mind", "undo that", "no wait"])
def test_what_is_cancelled_is_taken_back(car: Car, tail: str) -> None:
    car.go_on("turn on the seat heating", f"turn on the seat heating {tail} now then", tail)
    assert car.values("seat.driver.heating") == [0]


def test_where_taking_back_might_hurt_somebody_the_gate_asks_first(car: Car) -> None:
    reply = car.go_on("open the sunroof", "open the sunroof no now then", "no")
    assert reply.pending is not None and "hand" in reply.text
    assert car.values("sunroof.position") == [100]


def test_another_target_for_the_same_thing_needs_no_taking_back(car: Car) -> None:
    reply = car.go_on("open the sunroof", "open the sunroof halfway", None)
    assert [result.action.name for result in reply.results] == ["set_sunroof"]
    assert car.values("sunroof.position") == [50]


def test_another_window_was_meant(car: Car) -> None:
    car.go_on("open the window", "open the window i mean the passenger one oh", "i mean the passenger one")
    assert car.values("window.driver", "window.passenger") == [0, 100]


def test_another_command_comes_after_it(car: Car) -> None:
    reply = car.go_on("open the window", "open the window close the trunk", "turn on the seat heating")
    assert car.values("window.driver", "seat.driver.heating") == [100, 2]
    assert "indow" in reply.text and "eat" in reply.text


@pytest.mark.parametrize(
    ("begun", "tail", "signal"),
    [
        ("lock the doors", "unfold the mirrors", "mirrors.folded"),
        ("fold the mirrors", "unlock the doors", "doors.locked"),
    ],
)
def test_what_may_be_and_before_its_opposite_is_asked_about(car: Car, begun: str, tail: str, signal: str) -> None:
    before = car.values(signal)
    reply = car.go_on(begun, f"{begun} {tail}", tail)
    assert reply.text.endswith("?") and tail.split(maxsplit=1)[0].removeprefix("un") in reply.text
    assert car.values(signal) == before


def test_in_a_conversation_it_is_asked_about_once_and_behind_the_wake_word_not(car: Car) -> None:
    def said(text: str, *, addressed: bool) -> Reply:
        return asyncio.run(car.dialogue.respond(car.heard(text), addressed=addressed))

    assert said("unfold the mirrors", addressed=True).results
    car.say("fold the mirrors")
    assert said("unfold the mirrors", addressed=False).text.endswith("?")
    assert car.values("mirrors.folded") == [True]
    assert said("unfold the mirrors", addressed=False).results
    assert car.values("mirrors.folded") == [False]
    car.say("lock the doors")
    question = said("unlock the doors", addressed=False)  # the car asks before it does that
    assert [result.status for result in question.results] == [ActionStatus.NEEDS_CONFIRMATION]


def test_after_the_question_the_one_that_was_meant_is_done(car: Car) -> None:
    car.go_on("lock the doors", "lock the doors unfold the mirrors", "unfold the mirrors")
    car.say("fold the mirrors")
    assert car.values("doors.locked", "mirrors.folded") == [True, True]


@pytest.mark.parametrize("tail", [None, "", "mumble and mutter"])
def test_a_cough_or_talk_behind_a_command_changes_nothing(car: Car, tail: str | None) -> None:
    whole = "open the window" if tail is None else "open the window mumble and mutter"
    reply = car.go_on("open the window", whole, tail)
    assert car.values("window.driver") == [100]
    assert len(reply.results) == 1


def test_a_question_that_was_asked_for_the_beginning_is_withdrawn(matcher: TemplateMatcher) -> None:
    car = Car(matcher)
    car.go_on("unlock the doors", "unlock the doors cancel it now", "cancel")
    assert car.say("yes").results == ()


def test_only_what_was_done_last_is_taken_back(car: Car) -> None:
    car.say("open the sunroof")
    undone = asyncio.run(car.vehicle.take_back(SetUnit(unit="fahrenheit")))
    assert undone is None and car.values("sunroof.position") == [100]


def test_a_first_part_without_words_leaves_the_whole(matcher: TemplateMatcher) -> None:
    whole = Transcript(text="mumble", confidence=0.9, in_grammar=False)
    empty = Transcript(text="", confidence=0.0, in_grammar=False)
    assert way(matcher, whole, None, First(empty)) is Way.REPLACED
    assert way(matcher, whole, None, None) is Way.REPLACED


def test_a_step_takes_the_place_of_a_journey_from_where_that_began(car: Car) -> None:
    said = car.go_on("open the window", "open the window just a little bit", None)
    assert said.text == "Opening your window a little."
    assert car.values("window.driver") == [20]


@pytest.mark.parametrize("tail", ["undo that", "no cancel that", "no"])
def test_a_timer_is_taken_back(car: Car, tail: str) -> None:
    car.vehicle.organizer.restore(())  # as at every start
    said = car.go_on("set a timer for five minutes", f"set a timer for five minutes {tail}", tail)
    assert said.text == "Okay, I won't."
    assert car.vehicle.organizer.waiting() == ()


def test_the_other_one_is_another_seat(car: Car) -> None:
    car.go_on("heat the driver's seat", "heat the driver's seat no the other one", "no the other one")
    assert car.values("seat.driver.heating", "seat.passenger.heating") == [0, 2]


def test_what_is_joined_to_an_order_after_a_pause_is_done_too(car: Car) -> None:
    said = car.go_on("lock the doors", "lock the doors and fold the mirrors", "and fold the mirrors")
    assert said.text == "Doors locked already. Mirrors folded."
    assert car.values("doors.locked", "mirrors.folded") == [True, True]


@pytest.mark.parametrize(("known", "done"), [(True, []), (False, ["set_mute(on=True)"])])
def test_a_command_that_ends_what_was_not_done_yet_is_read_with_it(
    matcher: TemplateMatcher, known: bool, done: list[str]
) -> None:
    rig = Rig(matcher)
    begun, tail = "i fancy silence in twenty minutes so", "mute the sound"
    whole = f"{begun} {tail}"
    if known:
        rig.parser.knows[whole] = "cannot(topic=schedule)", 0.95
    first = First(rig.dialogue.typed(begun), rig.say(begun))
    heard = [rig.dialogue.typed(text) for text in (whole, tail)]
    asyncio.run(rig.dialogue.amend(heard[0], heard[1], first))
    assert rig.done == done
