"""Several things that a wish to forget names at once, a kind that is not to be learnt any more, and numbers with a point."""

from __future__ import annotations

import pytest

from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from schemas.seat import Seat
from tests.dialogues import Rig
from voice.dialogue.forgetting import erasing, naming
from voice.dialogue.forgetting.forgetting import NO_TOPIC
from voice.dialogue.memory.remembering import Remembering


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher(load_templates())


@pytest.fixture
def rig(matcher: TemplateMatcher) -> Rig:
    rig = Rig(matcher)
    for told in ("i love jazz", "i love rock"):
        rig.memory.remember(told)
    rig.memory.remember("i like it at 19.5 degrees", "preferred_temperature")
    rig.memory.learner.keeping.remember("the gate is green")
    assert len(rig.memory.preferences()) == 3
    return rig


def held(rig: Rig) -> set[str]:
    return {one.value for one in rig.memory.preferences()} | {one.text for one in rig.memory.facts()}


def test_each_thing_that_is_named_is_asked_about_once(rig: Rig) -> None:
    asked = rig.say("forget the 19.5 degrees and the jazz").text
    assert asked.startswith("Forget that you like it at 19.5 degrees and that you ") and "jazz" in asked
    rig.say("yes")
    assert held(rig) == {"rock", "the gate is green"} and rig.done == []


def test_one_of_them_may_be_picked(rig: Rig) -> None:
    rig.say("forget the jazz and the gate")
    rig.say("only the jazz")
    assert held(rig) == {"rock", "19.5 degrees", "the gate is green"}


def test_an_order_beside_a_thing_is_an_order(rig: Rig) -> None:
    assert "Forget" in rig.say("forget the jazz and set the fan to level two").text
    assert rig.done == ["set_fan_speed(level=2)"]


def test_all_there_is_is_asked_about_twice(rig: Rig) -> None:
    rig.say("forget the 19.5 degrees, the jazz, the rock and the gate")
    assert "Once more" in rig.say("yes").text and len(held(rig)) == 4
    rig.say("yes")
    assert held(rig) == set()


def test_a_name_with_and_in_it_is_one_thing_and_what_is_not_held_is_none(rig: Rig) -> None:
    assert naming.each(rig.memory, "the jazz and the polka") == ()
    assert naming.each(rig.memory, "jazz") == naming.each(rig.memory, "jazz and jazz") == ()
    assert [one.names for one in naming.each(rig.memory, "both jazz and the gate")] == [
        frozenset(one.id for one in rig.memory.preferences() if one.value == "jazz"),
        frozenset(one.id for one in rig.memory.facts()),
    ]


def test_a_kind_is_named_by_its_word_and_not_by_a_value(rig: Rig) -> None:
    assert naming.kind_of(rig.memory, "my cabin temperature") == "preferred_temperature"
    assert naming.kind_of(rig.memory, "jazz") is None and naming.kind_of(rig.memory, "polka") is None


def test_a_number_with_a_point_is_one_word() -> None:
    found = erasing.wish("my wife hates it, forget the 23.5 degrees", lambda part: "5" in part.split())
    assert found is not None and found.rest == "" and found.about == "23 5 degrees"


def test_what_is_no_topic_is_said_to_be_none(rig: Rig) -> None:
    talk = Remembering(Seat(rig.memory), lambda: rig.now)
    assert talk.forget_named("my work", None, "please don't store anything i say about my work") == NO_TOPIC
    assert talk.forget_named("my work", None, "forget my work") != NO_TOPIC
