"""Words that went into no act: exceptions, conditions, sides and opposites are heeded or asked about, never lost."""

from __future__ import annotations

import pytest

from models.acts.spelling import read
from schemas.actions.acts import Act
from tests.dialogues import Rig
from voice.dialogue.acts.accounted import unheeded
from voice.dialogue.replies import responder


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("all windows down except the one behind me", "set_window(window=all,percent=100)"),
        ("heat my seat if my back starts to hurt", "set_seat_heating(level=2)"),
        ("i do not want the seat that hot so never heat it", "set_seat_heating(level=2)"),
        ("warm up the seat next to the passenger door would you", "set_seat_heating(level=2)"),
    ],
)
def test_words_that_went_nowhere_are_a_reason_to_ask(rig: Rig, text: str, acts: str) -> None:
    reply = rig.say(text, acts)
    assert rig.done == [] and "Shall I" in reply.text


@pytest.mark.parametrize(
    ("text", "acts", "done"),
    [
        (
            "make it sixty eight in here would you",
            "set_temperature(fahrenheit=68)",
            "set_temperature(celsius=20.0, zone=all)",
        ),
        ("if you could turn the fan to two", "set_fan_speed(level=2)", "set_fan_speed(level=2)"),
        ("the red one for the lights in here", "set_ambient_color(color=red)", "set_ambient_color(color=red)"),
    ],
)
def test_what_is_accounted_for_is_done(rig: Rig, text: str, acts: str, done: str) -> None:
    rig.say(text, acts)
    assert rig.done == [done]


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("a touch warmer then", "change_temperature(change=down)"),
        ("would you open up the roof", "set_sunroof(percent=0)"),
        ("that fog light thing off again", "set_fog_lights(on=true)"),
    ],
)
def test_words_that_ask_for_the_opposite_are_a_reason_to_ask(rig: Rig, text: str, acts: str) -> None:
    assert "Shall I" in rig.say(text, acts).text
    assert rig.done == []


@pytest.mark.parametrize(
    ("text", "acts", "done"),
    [
        ("the roof is open so close it would you", "set_sunroof(percent=0)", "set_sunroof(percent=0)"),
    ],
)
def test_words_that_are_turned_round_are_none(rig: Rig, text: str, acts: str, done: str) -> None:
    rig.say(text, acts)
    assert rig.done == [done]


def test_a_value_is_not_made_up_where_another_one_is_named(rig: Rig) -> None:
    assert rig.say("wheel heating the same as my seat", "set_steering_wheel_heating(level=2)").text.startswith(
        "I can't see that setting"
    )
    assert rig.done == []


@pytest.mark.parametrize(
    ("text", "acts", "done"),
    [
        ("temperature to twenty no twenty one", "set_temperature(celsius=21)", ["set_temperature(celsius=21.0, zone=all)"]),
        ("fan to three sorry four", "set_fan_speed(level=4)", ["set_fan_speed(level=4)"]),
        ("blue light fan on three and a coffee", "set_ambient_color(color=blue); cannot(topic=ordering)",
         ["set_ambient_color(color=blue)"]),
        ("i do not want you to turn the music off", "set_playback(command=pause)", []),
        ("the roof and all windows shut but leave mine", "set_sunroof(percent=0); set_window(window=all,percent=0)",
         []),
    ],
)  # fmt: skip
def test_what_was_taken_back_turned_down_or_left_out(rig: Rig, text: str, acts: str, done: list[str]) -> None:
    rig.say(text, acts)
    assert rig.done == done


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("heat for the passenger cool for me", True),
        ("make hers cooler than mine", False),
    ],
)
def test_two_who_are_named_are_both_meant(rig: Rig, text: str, asks: bool) -> None:
    rig.say(text, "change_temperature(change=down,zone=passenger)")
    assert (rig.done == []) is asks


@pytest.mark.parametrize("text", ["a bit louder in the back only", "volume up but just at the front"])
def test_a_place_that_nothing_can_have_is_not_lost(rig: Rig, text: str) -> None:
    assert "I left one thing out" in rig.say(text, "change_volume(change=up)").text
    assert rig.done == []


@pytest.mark.parametrize(
    ("text", "acts", "asked"),
    [
        ("more air in the back", "change_fan_speed(change=up)", True),
        ("more air at the back please", "change_fan_speed(change=up)", False),  # "the back" alone may be anybody's
        ("could i have more air", "change_fan_speed(change=up)", False),
    ],
)
def test_a_place_that_went_nowhere_is_asked_about(rig: Rig, text: str, acts: str, asked: bool) -> None:
    assert rig.say(text, acts).text.startswith("Shall I") is asked
    assert (rig.done == []) is asked


@pytest.mark.parametrize(
    ("text", "acts", "part"),
    [
        ("a pharmacy that isn't crown please", "find_place(kind=pharmacy)", "not crown"),
        ("some petrol but not shell i can't abide shell", "find_place(kind=gas_station)", "not shell"),
        ("petrol except for shell please it's dear", "find_place(kind=gas_station)", "not shell"),
        ("some fleetwood mac but not dreams", "play_music(artist=fleetwood mac)", "not dreams"),
        ("recirculate the air until we are out of here", "set_recirculation(on=true)", "until you are out of here"),
        ("the fog lights on only the rear", "set_fog_lights(on=true)", "only the rear"),
    ],
)  # fmt: skip
def test_a_question_says_which_part_it_leaves_out(rig: Rig, text: str, acts: str, part: str) -> None:
    told = rig.say(text, acts).text
    assert told.startswith(f"I left one thing out: {part}.") and told.endswith("?"), told
    assert rig.done == []


@pytest.mark.parametrize(
    ("text", "acts", "done"),
    [
        ("passenger's seat heating to two please not mine", "set_seat_heating(level=2,zone=passenger)", "passenger"),
        ("my seat heating to two but not hers", "set_seat_heating(level=2,zone=driver)", "driver"),
        ("seat heating to two not mine just hers", "set_seat_heating(level=2,zone=passenger)", "passenger"),
        ("seat heating to two but not the wipers", "set_seat_heating(level=2,zone=driver)", "driver"),
    ],
)
def test_whoever_is_left_out_and_is_not_meant_anyway_needs_no_question(
    rig: Rig, text: str, acts: str, done: str
) -> None:
    rig.say(text, acts)
    assert rig.done == [f"set_seat_heating(level=2, zone={done})"]
    assert (
        "I left one thing out: not yours."
        in rig.say("seat heating on two but not mine", "set_seat_heating(level=2,zone=all)").text
    )
    assert len(rig.done) == 1


@pytest.mark.parametrize(
    ("clause", "said"),
    [
        ("but not shell i can't abide shell", "not Shell"), ("and not mine", "not yours"), ("but not mine just hers", "not yours"),
        ("all the windows bar mine", "not yours"), ("not the one i like", "not the one you like"),
        ("don't touch the roof", "don't touch the roof"), ("when it rains", "when it rains"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_said_without_what_stands_beside_it(clause: str, said: str) -> None:
    assert responder.not_done(clause, "Petrol, but not Shell, I can't abide Shell") == f"I left one thing out: {said}."


def test_what_words_ask_the_opposite_of_is_no_guess(rig: Rig) -> None:
    reply = rig.say(
        "lock up and dome light off would you", "set_door_locks(locked=false); set_dome_light(on=false)", 0.3
    )
    assert rig.done == [] and "unlock" not in reply.text.lower()


def test_what_opens_the_car_is_no_guess_without_a_word_for_it(rig: Rig) -> None:
    assert "Shall I" not in rig.say("nine clever monkeys painted the moon", "set_sunroof(percent=10)", 0.3).text
    assert "Shall I" in rig.say("could the sunroof have a gap", "set_sunroof(percent=10)", 0.3).text


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("once we are past the bridge remind me to ring dave", "set_reminder(what=ring dave,minutes=15)"),
        ("when we're ten minutes from home set a timer", "set_timer(minutes=10)"),
    ],
)
def test_a_condition_of_a_reminder_is_not_left_out_in_silence(rig: Rig, text: str, acts: str) -> None:
    assert rig.say(text, acts).text.startswith("I left one thing out")
    assert rig.done == []


def test_a_condition_in_what_one_is_reminded_of_is_no_condition_of_the_reminder() -> None:
    what = "see when the bank closes"
    reminder = Act("set_reminder", {"what": what, "minutes": 10})
    assert unheeded(f"remind me in ten minutes to {what}", [reminder]) == ""
    assert unheeded(f"when we pass the bank remind me to {what}", [reminder]) == "when we pass the bank remind me to"


@pytest.mark.parametrize(
    ("text", "acts", "left"),
    [
        ("open the windows but don't touch the back", "set_window(window=all,percent=100)", True),
        ("open the front windows but don't touch the back", "set_window(window=front,percent=100)", False),
        ("open the windows but don't touch the back", "set_window(window=all,but=rear,percent=100)", False),
        ("warm the seats and leave mine alone", "set_seat_heating(zone=all,level=2)", True),
        ("warm her seat and leave mine alone", "set_seat_heating(zone=passenger,level=2)", False),
        ("a c on and don't touch the heating", "set_seat_heating(level=2)", True),
        ("mute the sat nav but keep the route", "set_guidance(on=false)", False),
        ("heated seat off but leave the air on", "set_seat_heating(level=0)", False),
        ("close the windows but keep mine open", "set_window(window=all,percent=0)", True),
    ],
)
def test_what_is_to_be_left_alone_is_heeded_or_asked_about(text: str, acts: str, left: bool) -> None:
    assert bool(unheeded(text, read(acts))) is left


@pytest.mark.parametrize(
    ("text", "acts", "told"),
    [
        ("lock up lights off and wake me", "set_door_locks(locked=true); stop()", "what you want with the lights"),
        ("heat her seat cool mine", "set_seat_ventilation(level=2,zone=passenger)", "Shall I"),
        ("up and down with the heating", "change_temperature(change=up); change_temperature(change=down)", "opposite"),
    ],
)
def test_a_thing_or_a_side_that_no_act_has_is_not_left_out_in_silence(
    rig: Rig, text: str, acts: str, told: str
) -> None:
    assert told in rig.say(text, acts).text
    assert rig.done == []


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("never mind the lights lock the doors", "set_door_locks(locked=true)"),
        ("the seat next to the window could be warmer", "set_seat_heating(level=2,zone=passenger)"),
    ],
)
def test_what_is_only_named_is_not_missed(rig: Rig, text: str, acts: str) -> None:
    rig.say(text, acts)
    assert rig.done


def test_what_was_ruled_out_is_not_offered(rig: Rig) -> None:
    reply = rig.say("anything but jazz please just put something on", "play_music(genre=jazz)")
    assert reply.text == responder.not_done("anything but jazz") and rig.done == []


def test_how_loud_it_is_turns_nothing_down(rig: Rig) -> None:
    rig.say("how loud is it", "change_volume(change=down)")
    assert rig.done == []


def test_a_lock_that_an_offer_would_leave_out_is_named(rig: Rig) -> None:
    reply = rig.say(
        "close the windows lock up and lights off", "set_window(window=all,percent=0); set_dome_light(on=false)", 0.5
    )
    assert "what you want with the lock" in reply.text and rig.done == []


def test_a_reason_behind_a_comma_does_not_hide_the_wish(rig: Rig) -> None:
    rig.say("please set the fan to two for me", "set_fan_speed(level=2)")
    rig.parser.knows |= {
        "cancel that he's rung me already": ("cannot(topic=calls)", 0.95),
        "kill the ceiling light it's glaring": ("none()", 0.4),
        "kill the ceiling light": ("set_dome_light(on=false)", 0.95),
    }
    assert rig.say("cancel that, he's rung me already").text == "Shall I undo that?"
    rig.say("no")
    rig.say("kill the ceiling light, it's glaring")
    assert rig.done[-1] == "set_dome_light(on=False)"
