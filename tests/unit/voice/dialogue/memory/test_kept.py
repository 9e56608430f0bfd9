"""Facts in the talk about memory, each in a sentence: kept, told, explained, forgotten, switched off; and what was done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory.service import DriverMemory
from schemas.actions import parse_action
from schemas.events import Command, CommandKind
from schemas.kinds import PARKED
from schemas.memory import FACTS, Fact, Outcome
from schemas.seat import Seat
from tests.memories import memory_of
from voice.dialogue.filling import liked
from voice.dialogue.memory.kept import words
from voice.dialogue.memory.question import ByTheWay
from voice.dialogue.memory.remembering import Remembering
from voice.dialogue.replies.responder import REMEMBER_WHAT

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
KEY = "the spare key is under the mat"


class Talk:
    def __init__(self) -> None:
        self.memory: DriverMemory = memory_of(clock=lambda: NOW)
        self.talk = Remembering(Seat(self.memory), lambda: NOW)

    def keep(self, text: str, **more: Any) -> str:
        """What is said to it."""
        decision = self.memory.learner.keeping.remember(text, **more)
        return self.talk.told([decision])[0]

    def says(self, name: str, **slots: str) -> str:
        told = self.talk.handle(Command(kind=CommandKind.MEMORY, name=name, slots=slots), "c", moving=False)
        return " ".join(filter(None, (told, *(one.again for one in self.talk.asks()))))


@pytest.fixture
def talk() -> Iterator[Talk]:
    made = Talk()
    yield made
    made.memory.close()


def test_what_is_kept_is_said_and_what_is_refused_says_why(talk: Talk) -> None:
    assert talk.keep(KEY) == f"Okay, I'll keep that: {KEY}."
    assert talk.keep(KEY) == f"I keep that already: {KEY}."
    told = talk.keep(
        "the alarm is serviced", about="my mother", until=NOW + timedelta(days=2), until_words="till tuesday"
    )
    assert told == "Okay, I'll keep that: my mother: the alarm is serviced till tuesday."
    assert talk.keep("my boss is gay").startswith("I won't keep that: it tells of")
    talk.memory.opt_out(FACTS)
    assert talk.keep("x y z") == "I won't keep that: you switched keeping things for you off."


def test_where_the_car_stands_is_kept_for_a_day_and_told_back_without_it(talk: Talk) -> None:
    told = talk.keep("i parked on level three", until=NOW + timedelta(days=2), until_words=PARKED)
    assert told == "Okay, I'll keep that for a day, or until you tell me another place: i parked on level three."
    asked = talk.talk.what("preferred_parking_type", moving=False, question="where did i park")
    assert asked.startswith("You parked on level three.")


def test_what_steers_a_terminal_is_not_kept(talk: Talk) -> None:
    assert talk.keep("\x1b]0;pwn\x07 my dog is called Rex\x1b[31m") == "Okay, I'll keep that: my dog is called Rex."
    (fact,) = talk.memory.facts()
    assert fact.text == "my dog is called Rex"
    assert talk.memory.correct_fact(fact.id, "my dog is called Max\x9b5m\u202e").text == "my dog is called Max"


def test_asked_what_is_remembered_it_is_told_with_the_rest(talk: Talk) -> None:
    talk.memory.remember("i love jazz", "favorite_genres")
    talk.keep(KEY)
    assert talk.says("remember_what") == f"I remember that you like jazz and you asked me to keep this: {KEY}."
    assert talk.says("remember_what", category=FACTS) == f"I remember that you asked me to keep this: {KEY}."
    assert talk.talk.about("the spare key", moving=False) == f"I remember that you asked me to keep this: {KEY}."
    assert talk.says("when_said") == "You said that today at 8:00."
    assert talk.talk.why("") == f"You asked me to keep it today at 8:00. Your words were: {KEY}."


def test_that_is_forgotten(talk: Talk) -> None:
    talk.keep(KEY)
    assert talk.says("forget_last") == "Forgotten."
    assert talk.memory.facts() == ()
    talk.keep("i parked on level three")
    assert talk.says("forget_words", words="where i parked") == (
        "Forget what you asked me to keep: i parked on level three?"
    )


def test_they_are_switched_off_and_on(talk: Talk) -> None:
    talk.keep(KEY)
    assert talk.says("opt_out", category=FACTS) == (
        "Okay, from now on I keep nothing for you. I still have one thing from before. Shall I delete that?"
    )
    assert talk.memory.learner.keeping.remember("a b c").outcome is Outcome.REFUSED
    assert talk.says("opt_in", category=FACTS) == "Okay, I keep for you again what you ask me to."
    assert talk.says("forget_category", category=FACTS) == f"Forget what you asked me to keep: {KEY}?"


def test_a_fact_names_whom_and_until_when_only_once() -> None:
    fact = Fact(id="k", text="My wife lands at nine till friday", about="my wife", said_at=NOW, conversation="c")
    assert words(fact.model_copy(update={"until_words": "till friday"})) == "My wife lands at nine till friday"


@pytest.mark.parametrize(
    ("name", "slots", "wanted"),
    [
        ("set_temperature", {"celsius": 21}, ("preferred_temperature", "21 degrees")),
        ("set_fan_speed", {"level": 3}, ("fan_speed_preferences", "medium")),
        ("set_fan_speed", {"level": 4}, ("fan_speed_preferences", "high")),
        ("set_seat_heating", {"level": 3, "zone": "driver"}, ("seat_heating_preferences", "high")),
        ("play_music", {"genre": "jazz"}, ("favorite_genres", "jazz")),
        ("set_ambient_color", {"color": "blue"}, ("interior_lighting_color_preferences", "blue")),
        ("set_route_preference", {"preference": "avoid_tolls"}, ("avoidance_of_specific_road_types", "toll roads")),
        ("set_temperature", {"celsius": 21, "zone": "passenger"}, None),
        ("set_window", {"window": "driver", "percent": 100}, None),
        ("set_seat_heating", {"level": 0, "zone": "driver"}, None),
    ],
)
def test_what_is_done_stands_for_a_liking(name: str, slots: Mapping[str, Any], wanted: tuple[str, str] | None) -> None:
    assert liked(parse_action(name, dict(slots))) == wanted


def test_that_is_what_was_done() -> None:
    memory = memory_of(clock=lambda: NOW)
    talk = Remembering(Seat(memory), lambda: NOW)
    talk.heard("set the temperature to 21")
    talk.acted((), [parse_action("set_temperature", {"celsius": 21})])
    said, decision = talk.remember_that()
    assert said == "Okay, I'll remember that you like it at 21 degrees."
    assert decision is not None and decision.value == "21 degrees"
    assert [(p.detail, p.value) for p in memory.preferences()] == [("preferred_temperature", "21 degrees")]


def test_what_tells_no_liking_is_not_kept() -> None:
    memory = memory_of(clock=lambda: NOW)
    talk = Remembering(Seat(memory), lambda: NOW)
    talk.acted((), [parse_action("set_window", {"window": "driver", "percent": 100})])
    assert talk.remember_that()[0] == REMEMBER_WHAT
    assert not memory.preferences()


def test_what_is_told_anew_of_a_fact_takes_its_place_and_is_said_back(talk: Talk) -> None:
    talk.keep("the bakery closes at six")
    assert talk.talk.corrected("does the bakery close at five", orders=False) == ""
    assert talk.talk.corrected("remind me at five of the bakery that closes", orders=True) == ""
    said = talk.talk.corrected("the bakery closes at five now", orders=False)
    assert said == "Okay, I've changed that: the bakery closes at five."
    assert [fact.text for fact in talk.memory.facts()] == ["the bakery closes at five"]
    assert talk.talk.corrected("the butcher closes at seven", orders=False) == ""


@pytest.mark.parametrize(
    ("yes", "said", "text"),
    [
        (True, "Okay, I've changed that: mum lives in leeds.", "mum lives in leeds"),
        (False, "Okay, I'll leave it as it was.", "mum lives in york"),
    ],
)
def test_what_may_be_told_anew_is_asked_about(yes: bool, said: str, text: str) -> None:
    memory = memory_of(clock=lambda: NOW)
    seat = Seat(memory)
    asks = ByTheWay(seat, lambda: NOW)
    talk = Remembering(seat, lambda: NOW, questions=asks)
    memory.learner.keeping.remember("mum lives in york")
    assert talk.corrected("mum lives in leeds", orders=False) == "I keep this: mum lives in york."
    asked = talk.doubt()
    assert asked is not None and asked.question == "Shall I change that to: mum lives in leeds?"
    assert asks.settle(asked.of, yes).text == said
    assert [fact.text for fact in memory.facts()] == [text]
    memory.close()
