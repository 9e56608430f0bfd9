"""The first minute, manners obeyed, suggestions and the review of a day, in a dialogue over a real memory and a fake car."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from memory.guest import GuestMemory
from models.commands.matcher import TemplateMatcher
from schemas.actions import Action, Domain
from schemas.events import ActionResult, Reply
from schemas.manners import INTRODUCTION, SUGGESTIONS
from schemas.memory import Recollection, Waiting
from schemas.seat import Seat
from tests.dialogues import NOW, FakeVehicle, StubParser
from tests.memories import fill, memory_of
from tests.screens import preference
from voice.dialogue.agent import Dialogue
from voice.dialogue.coordinator import DialogueSettings
from voice.dialogue.knowing import saying
from voice.dialogue.replies import responder


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher()


class Plain(FakeVehicle):
    """A car that answers to what it is asked about alone, and to media."""

    def carried_out(self, action: Action) -> ActionResult:
        result = super().carried_out(action)
        return result if action.domain is Domain.MEDIA else result.model_copy(update={"answer": {}})


class Drive:
    """A driver who talks; time is moved by the test."""

    def __init__(self, matcher: TemplateMatcher, *, introduces: bool = False) -> None:
        self.now, self.parser, self.vehicle = NOW, StubParser(), Plain()
        self.memory = memory_of("ada", clock=lambda: self.now)
        self.seat = Seat(self.memory)
        self._matcher, self._introduces = matcher, introduces
        self.begin()

    def begin(self) -> None:
        """Another trip."""
        self.dialogue = Dialogue(
            seat=self.seat, vehicle=self.vehicle, matcher=self._matcher, parser=self.parser, clock=lambda: self.now,
            settings=DialogueSettings(introduces=self._introduces),
        )  # fmt: skip

    def say(self, text: str, acts: str = "none()") -> str:
        self.parser.knows[text.lower().strip(".,!?")] = (acts, 0.95)
        self.now += timedelta(seconds=5)
        return self.reply(text).text

    def reply(self, text: str) -> Reply:
        return asyncio.run(self.dialogue.respond(self.dialogue.typed(text)))

    def habit(self) -> None:
        """Jazz on the last three of this weekday."""
        fill(self.memory, preference("jazz", "jazz"))
        now = self.now
        for weeks in (3, 2, 1):
            self.now = now - timedelta(weeks=weeks)
            held = self.memory.preferences()[0]
            self.memory.used((Recollection(preference=held, score=1.0),), "play_music")
        self.now = now

    @property
    def kept(self) -> dict[str, str]:
        return {entry.key: entry.value for entry in self.memory.profile()}


@pytest.fixture
def drive(matcher: TemplateMatcher) -> Drive:
    return Drive(matcher)


@pytest.fixture
def first(matcher: TemplateMatcher) -> Drive:
    return Drive(matcher, introduces=True)


# The first minute


def test_a_name_of_nobody_who_is_configured_is_what_the_driver_is_called(drive: Drive) -> None:
    assert drive.say("My name's Rob by the way", "switch_driver(name=rob)") == "Okay, Rob."
    assert "You are Rob" in drive.say("remind me who i am", "who_am_i()")
    assert drive.say("switch over to driver Zoe", "switch_driver(name=zoe)") == responder.NO_SUCH_DRIVER
    assert drive.say("i'm Rob's better half", "switch_driver(name=rob)") == responder.NO_SUCH_DRIVER
    assert drive.say("i'm Bea and that's all", "switch_driver(name=bea); chat()").startswith("Okay, Bea.")


def test_one_question_after_the_other_each_with_an_example_and_kept(drive: Drive) -> None:
    assert drive.say("get to know me").endswith(saying.QUESTIONS["name"])
    assert drive.say("Sam") == f"Okay, Sam. {saying.QUESTIONS['length']}"
    assert drive.say("short please").endswith(saying.QUESTIONS["units"])
    assert drive.say("fahrenheit and miles").startswith("Thank you, Sam.")
    assert drive.kept == {
        "name": "Sam", "reply_length": "brief", "temperature_unit": "fahrenheit", "distance_unit": "miles",
    }  # fmt: skip
    assert "for example" in " ".join(saying.QUESTIONS.values()) and drive.dialogue.open is None


def test_it_is_offered_once_on_the_very_first_drive_and_declined_for_good(first: Drive) -> None:
    assert first.say("turn on the seat heating").endswith(saying.OFFER)
    assert first.say("no thanks") == saying.DECLINED
    for _ in range(3):
        first.begin()
        assert saying.OFFER not in first.say("turn off the seat heating")
    assert INTRODUCTION in first.memory.consent().opted_out and not first.kept


def test_who_is_known_already_is_not_offered_it_nor_a_guest_nor_on_a_private_trip(first: Drive) -> None:
    fill(first.memory, preference("p", "jazz"))
    assert saying.OFFER not in first.say("turn on the seat heating")
    first.memory.forget("everything")
    first.memory.set_private_trip(True)
    first.begin()
    assert saying.OFFER not in first.say("turn on the seat heating")
    first.seat.take(GuestMemory())
    assert saying.OFFER not in first.say("turn on the seat heating")


def test_a_yes_begins_it(first: Drive) -> None:
    first.say("turn on the seat heating")
    assert first.say("yes please").endswith(saying.QUESTIONS["name"])


@pytest.mark.parametrize("leaves", ["later", "stop", "not now", "that's enough", "never mind"])
def test_it_can_be_left_at_any_moment(drive: Drive, leaves: str) -> None:
    drive.say("get to know me")
    drive.say("Sam")
    assert drive.say(leaves) == saying.LEFT or leaves == "never mind"
    assert drive.kept == {"name": "Sam"}


def test_an_order_ends_it_and_is_done(drive: Drive) -> None:
    drive.say("get to know me")
    assert "?" not in drive.say("turn on the seat heating")
    assert [action.name for action in drive.vehicle.done] == ["set_seat_heating"] and not drive.kept
    assert drive.dialogue.open is None


def test_a_question_may_be_skipped_and_what_is_no_answer_is_asked_once_more(drive: Drive) -> None:
    drive.say("get to know me")
    assert drive.say("no").endswith(saying.QUESTIONS["length"])
    assert drive.say("what a lovely bird", "chat()").endswith(saying.QUESTIONS["length"])
    assert drive.say("a lovely bird indeed", "chat()") == "Sorry, I still don't understand, so I'll leave it."
    assert not drive.kept


def test_it_does_not_begin_while_something_is_about_to_ring_or_nothing_may_be_kept(drive: Drive) -> None:
    _, state = drive.memory.reminders.load()[1], drive.memory.reminders.load()[0]
    drive.memory.reminders.save((Waiting(kind="timer", label="", at=drive.now + timedelta(minutes=1)),), state)
    assert "?" not in drive.say("get to know me") and drive.dialogue.open is None
    drive.now += timedelta(minutes=5)
    drive.memory.set_private_trip(True)
    assert drive.say("get to know me") == "I keep nothing about you now, so let us do that another time."


# Obeyed from then on


def test_the_name_is_in_the_greeting_and_in_no_other_sentence(drive: Drive) -> None:
    drive.say("call me Sam", "cannot(topic=name)")
    drive.begin()
    assert drive.say("hello") == "Hello Sam. What can I do for you?"
    assert "Sam" not in drive.say("turn on the seat heating")
    drive.seat.take(GuestMemory())
    assert drive.say("hello") == "Hello. What can I do for you?"


def test_short_answers_name_numbers_and_names_and_nothing_else(drive: Drive) -> None:
    drive.say("be brief")
    assert drive.say("turn off the seat heating") == "Done."
    assert "21" in drive.say("set the temperature to 21 degrees")
    assert drive.say("be chatty").startswith("Okay, I'll tell you a bit more")
    drive.say("talk normally again")
    assert drive.kept == {"reply_length": "normal"}


def test_units_are_the_drivers_whatever_the_car_shows_and_said_only_for_now_on_a_private_trip(drive: Drive) -> None:
    drive.say("give me everything in miles")
    assert drive.kept == {"distance_unit": "miles"} and drive.seat.units.miles
    drive.memory.set_private_trip(True)
    drive.say("give me everything in kilometers")
    assert drive.kept == {"distance_unit": "miles"} and not drive.seat.units.miles
    drive.seat.take(GuestMemory())
    drive.seat.take(drive.memory)
    assert drive.seat.units.miles


def test_what_may_not_be_kept_is_said(drive: Drive) -> None:
    drive.memory.set_private_trip(True)
    said = drive.say("call me Joe", "cannot(topic=name)")
    assert said == "Okay, Joe. That is for this trip; I keep nothing of it." and not drive.kept
    assert drive.say("hello").startswith("Hello Joe.")


# Suggestions


def test_a_suggestion_tells_its_evidence_and_a_yes_goes_through_the_gate(drive: Drive) -> None:
    drive.habit()
    said = drive.say("turn on the seat heating")
    assert "you usually listen to jazz on Fridays, all of the last three weeks. Shall I play jazz?" in said
    assert [action.name for action in drive.vehicle.done] == ["set_seat_heating"]
    assert drive.say("why", "why()").startswith("Because you did so on ")
    drive.say("yes")
    assert [action.name for action in drive.vehicle.done] == ["set_seat_heating", "play_music"]


def test_at_most_one_a_trip_and_a_no_is_for_good(drive: Drive) -> None:
    drive.habit()
    assert saying.OFFER not in (said := drive.say("turn on the seat heating")) and "usually" in said
    assert drive.say("no") == "Okay, I won't suggest that again."
    for _ in range(2):
        assert "usually" not in drive.say("turn off the seat heating")
        drive.begin()
    assert not drive.memory.habits()


@pytest.mark.parametrize("why", ["silenced", "private", "opted out", "guest", "ringing", "unfinished", "already"])
def test_nothing_is_suggested_where_it_must_not_be(drive: Drive, why: str) -> None:
    drive.habit()
    text = "turn on the seat heating"
    match why:
        case "silenced":
            assert drive.say("don't suggest anything any more") == saying.NO_MORE
            assert SUGGESTIONS in drive.memory.consent().opted_out
            drive.begin()
        case "private":
            drive.memory.set_private_trip(True)
        case "opted out":
            drive.memory.opt_out("music")
        case "guest":
            drive.seat.take(GuestMemory())
        case "ringing":
            state, _ = drive.memory.reminders.load()
            drive.memory.reminders.save((Waiting(kind="timer", label="", at=drive.now + timedelta(minutes=1)),), state)
        case "unfinished":
            text = "open the trunk"  # refused
        case _:
            drive.say("play some jazz", "play_music(genre=jazz)")
    assert "usually" not in drive.say(text)


def test_suggestions_can_be_had_again(drive: Drive) -> None:
    drive.say("stop making suggestions")
    assert drive.say("you may make suggestions again") == saying.AGAIN
    drive.habit()
    drive.begin()
    assert "usually" in drive.say("turn on the seat heating")


# The review of a day


def test_the_day_is_told_newest_first_three_at_a_time_and_each_can_be_undone(drive: Drive) -> None:
    for number, value in enumerate(("soul", "blues", "rock", "jazz")):
        drive.now += timedelta(minutes=1)
        held = preference(f"p{number}", value).model_copy(update={"valid_from": drive.now})
        fill(drive.memory, held)
    said = drive.say("what did you learn today")
    assert said == (
        "Today I learned four things. First: you like jazz. Second: you like rock. Third: you like blues. "
        "There is one more. Say: what else."
    )
    assert drive.say("what else") == "And you like soul."
    assert drive.say("undo the second") == "Undone: I have forgotten that you like rock."
    assert {one.value for one in drive.memory.preferences()} == {"jazz", "blues", "soul"}
    assert drive.say("what did you learn today").endswith("One thing was forgotten.")


def test_what_took_the_place_of_another_is_put_back(drive: Drive) -> None:
    fill(drive.memory, preference("p", "soul"))
    drive.memory.correct("p", "jazz")
    assert drive.say("what did you learn today") == "Today I learned one thing: you like jazz, in place of soul."
    assert drive.say("undo the first") == "Okay, it is as before: you like soul."
    assert [one.value for one in drive.memory.preferences()] == ["soul"]


def test_nothing_new_and_nothing_to_undo_are_said(drive: Drive) -> None:
    assert drive.say("what did you learn yesterday") == "Yesterday I learned nothing new."
    assert drive.say("undo the first") == saying.NOTHING_SAID


def test_what_was_refused_is_told_as_a_count_alone(drive: Drive) -> None:
    drive.memory.opt_out("music")
    drive.memory.remember("i love the beatles", "favorite_artists_or_bands")
    said = drive.say("what did you learn today")
    assert said == "Today I learned nothing new. Once I was told something that I must not keep."
