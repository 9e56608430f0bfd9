"""What a few words mean after what was done or asked: another value of the same thing, a step from it, two exchanged."""

from __future__ import annotations

import pytest

from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from tests.dialogues import Rig

UNSURE = 0.6


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher(load_templates())


@pytest.fixture
def rig(matcher: TemplateMatcher) -> Rig:
    return Rig(matcher)


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("halfway", 3), ("only a third", 2), ("make it three quarters", 4), ("just a bit", 1), ("a touch less than that", 1),
        ("a bit less", 1), ("a notch more", 3), ("a bit higher", 3), ("no four", 4),
    ],
)  # fmt: skip
def test_an_answer_with_another_level_is_asked_about_as_that(rig: Rig, words: str, asked: int) -> None:
    rig.say("some wind for those behind", "set_rear_fan(level=2)", UNSURE)
    assert rig.say(words).text == f"Shall I set the fan in the back to {asked}?"
    rig.say("yes")
    assert rig.done == [f"set_rear_fan(level={asked})"]


def test_a_step_from_what_was_asked_about_is_taken_from_that_number(rig: Rig) -> None:
    rig.say("some wind in here", "set_fan_speed(level=4)", UNSURE)
    assert rig.say("a touch less than that").text == "Shall I set the fan to 3?"
    rig.say("no")
    rig.say("quieter would do", "set_volume(percent=30)", UNSURE)
    assert rig.say("a bit more").text == "Shall I set the volume to 40 percent?"
    rig.say("no")
    rig.say("it might be warmer", "set_temperature(celsius=22)", UNSURE)
    assert rig.say("a bit less").text == "Shall I set the temperature to 20.5 degrees?"


def test_what_was_done_is_changed_by_steps_as_before(rig: Rig) -> None:
    rig.say("bring the fan to three then", "set_fan_speed(level=3)")
    rig.say("a touch less than that")
    rig.say("warm my seat to three", "set_seat_heating(level=3)")
    rig.say("halfway")
    rig.say("music at thirty then", "set_volume(percent=30)")
    rig.say("halfway")
    assert rig.done == [
        "set_fan_speed(level=3)", "change_fan_speed(change=down)",
        "set_seat_heating(level=3, zone=driver)", "set_seat_heating(level=2, zone=driver)",
        "set_volume(percent=30)", "set_volume(percent=50)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "words", ["swap them", "swap those two please", "the other way round", "no switch them around"]
)
def test_two_that_were_done_in_two_places_are_exchanged(rig: Rig, words: str) -> None:
    rig.say("warm mine more than hers", "set_seat_heating(level=3);set_seat_heating(level=1,zone=passenger)")
    rig.say(words)
    assert rig.done[2:] == ["set_seat_heating(level=1, zone=driver)", "set_seat_heating(level=3, zone=passenger)"]
    rig.say(words)
    assert rig.done[4:] == rig.done[:2]


def test_what_is_alike_or_alone_is_not_exchanged(rig: Rig) -> None:
    rig.say("warm mine and hers", "set_seat_heating(level=2);set_seat_heating(level=2,zone=passenger)")
    rig.say("swap them", "chat()")
    rig.say("some more wind", "change_fan_speed(change=up)")
    rig.say("swap them", "chat()")
    rig.say("the other way round")
    assert rig.done[2:] == ["change_fan_speed(change=up)", "change_fan_speed(change=down)"]


def test_two_windows_are_moved_in_one_go_and_told_in_one_sentence(rig: Rig) -> None:
    said = rig.say(
        "crack mine and the one behind me", "change_window(change=open);change_window(change=open,window=rear_left)"
    )
    assert said.text == "Opening your window and the rear left one a little."
    assert len(rig.done) == 2
    both = "change_window(change=close,window=rear_right);change_window(change=close,window=passenger)"
    said = rig.say("now the other side up a little bit", both, UNSURE)
    assert said.text == "Shall I close the rear right window and the passenger's a little?"
    said = rig.say("one up and the other down", "change_window(change=close);change_window(change=open,window=rear)")
    assert said.text == "Closing your window a little. Opening the rear windows a little."
