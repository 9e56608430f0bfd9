"""What a driver means by words of their own: one thing, wherever it stands, and nothing where the words tell none."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.service import DriverMemory
from schemas.memory import CONVERSATIONS, Proposal, Selector, Turn
from tests.memories import Desk, StoppedClock, likes, talked
from tests.vaults import every_word

NOW = StoppedClock().now
SAID = "my accountant is mrs lindqvist from the harbour office"


@pytest.fixture
def memory(desk: Desk) -> DriverMemory:
    made = desk()
    made.opt_in(CONVERSATIONS)
    return made


def left(desk: Desk, word: str) -> bool:
    return any(word in text for text in every_word(desk.store))


def test_what_names_several_things_alike_names_none(desk: Desk, memory: DriverMemory) -> None:
    talked(memory, NOW, SAID, "the harbour ferry leaves from the north pier at seven")
    assert memory.matching(Selector(about="nothing on the harbour should ever remain jokes included")).empty


def test_what_was_told_with_all_the_words_is_meant_and_not_what_has_one_of_them(
    desk: Desk, memory: DriverMemory
) -> None:
    likes(desk, "p1", "avoidance_of_specific_road_types", "tunnels", "i hate the harbour tunnel")
    likes(desk, "p2", "preferred_gas_station", "harbour", "i fill up at the harbour")
    (meant,) = memory.matching(Selector(about="that thing about the harbour tunnel")).preferences
    assert meant.id == "p1"
    assert [one.id for one in memory.matching(Selector(about="the harbour")).preferences] == ["p2"]


def test_us_names_nothing(desk: Desk, memory: DriverMemory) -> None:
    talked(memory, NOW, "the house in willow lane is too expensive for us")
    assert memory.matching(Selector(about="what you know about us")).empty


def test_the_words_of_the_assistant_s_own_replies_name_nothing(desk: Desk, memory: DriverMemory) -> None:
    """ "Don't" of the reply and "don't" of the wish once made the reply what was meant."""
    talked(memory, NOW, SAID)
    assert memory.matching(Selector(about="i don't want it on file that tunnels make me nervous")).empty


def test_what_waits_for_a_yes_goes_with_the_sentence_that_it_is_from(desk: Desk, memory: DriverMemory) -> None:
    said = "i get nervous on motorways"
    waits = Proposal(
        id="q1", detail="avoidance_of_specific_road_types", value="highways", sentence=said, said_at=NOW,
        conversation="trip-0", confidence=0.4, expires_at=NOW + timedelta(days=9),
    )  # fmt: skip
    talked(memory, NOW, said)
    desk.store.propose(waits, NOW)
    assert memory.matching(Selector(about="i don't want it on file that motorways make me nervous")).asked == (waits,)
    memory.forget_where(Selector(about="i don't want it on file that motorways make me nervous"))
    assert not left(desk, "nervous") and memory.proposals() == ()


def test_what_was_said_just_now_and_waits_to_be_kept_is_found_by_its_words(desk: Desk, memory: DriverMemory) -> None:
    memory.note(Turn(speaker="driver", text="i go climbing on thursdays", at=NOW), "now")
    memory.note(Turn(speaker="assistant", text="I see.", at=NOW), "now")
    assert memory.matching(Selector(about="my tuesdays")).empty
    assert memory.matching(Selector(about="my thursdays")).turns == 1
    memory.forget_where(Selector(about="my thursdays"))
    memory.reflect()
    assert not left(desk, "climbing")


def test_a_value_that_is_said_names_nothing_else_of_its_kind(desk: Desk, memory: DriverMemory) -> None:
    likes(desk, "p1", "favorite_genres", "talk radio", "i can't stand talk radio")
    likes(desk, "p2", "preferred_radio_station", "capital", "capital is the station i listen to")
    assert [p.id for p in memory.matching(Selector(about="not liking talk radio")).preferences] == ["p1"]
    assert [p.id for p in memory.matching(Selector(about="my radio")).preferences] == ["p2", "p1"]


def test_a_number_is_the_same_in_words_and_in_digits(desk: Desk, memory: DriverMemory) -> None:
    likes(desk, "p1", "preferred_temperature", "19 degrees", "i like it at 19 degrees")
    likes(desk, "p2", "seat_heating_preferences", "high", "i like my seat warm")
    assert [p.id for p in memory.matching(Selector(about="the nineteen degrees")).preferences] == ["p1"]
