"""Several requests in one sentence: read by their parts where the whole leaves a doubt, and put together."""

from __future__ import annotations

import pytest

from models.acts.spelling import read, write
from schemas.actions.acts import Act, Parsed
from voice.dialogue.acts.planning import arranged, timed
from voice.dialogue.acts.sentence import joined


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("navigate_to(destination=school); navigate_to(destination=work)",
         "navigate_to(destination=work); add_stop(destination=school)"),
        ("find_place(kind=bakery); set_fan_speed(level=1); navigate_to(destination=home)",
         "navigate_to(destination=home); find_on_route(kind=bakery); set_fan_speed(level=1)"),
        ("cancel_navigation(); navigate_to(destination=home)", "navigate_to(destination=home)"),
        ("set_airflow(direction=feet); set_air_conditioning(on=true); set_airflow(direction=windshield)",
         "set_airflow(direction=windshield_and_feet); set_air_conditioning(on=true)"),
        ("cancel_navigation(); set_mute(on=true)", "cancel_navigation(); set_mute(on=true)"),
    ],
)  # fmt: skip
def test_acts_that_mean_something_else_together(said: str, meant: str) -> None:
    assert write(arranged(read(said))) == meant


@pytest.mark.parametrize(
    ("said", "done", "meant"),
    [
        ("change_volume(change=down); undo()", "change_volume", "undo()"),
        ("change_volume(change=down); undo()", "set_volume", "undo()"),
        ("recline_seat(direction=forward); undo()", "recline_seat", "undo()"),
        ("change_volume(change=down); undo()", "set_mute", "undo(); change_volume(change=down)"),
        ("undo(); change_volume(change=down)", "change_volume", "undo(); change_volume(change=down)"),
        ("set_mute(on=true); undo()", "", "undo(); set_mute(on=true)"),
        ("change_temperature(change=up); change_temperature(change=up,zone=driver)", "",
         "change_temperature(change=up,zone=driver)"),
        ("change_temperature(change=up,zone=driver); change_temperature(change=up,zone=passenger)", "",
         "change_temperature(change=up,zone=driver); change_temperature(change=up,zone=passenger)"),
        ("change_temperature(change=up); change_temperature(change=down,zone=driver)", "",
         "change_temperature(change=up); change_temperature(change=down,zone=driver)"),
    ],
)  # fmt: skip
def test_what_is_taken_back_was_done_before_and_a_change_is_made_once(said: str, done: str, meant: str) -> None:
    assert write(arranged(read(said), done)) == meant


def test_the_parts_count_where_they_leave_nothing_over() -> None:
    text = "the fan at three and twenty three degrees"
    whole = Parsed(read("set_temperature(celsius=23)"), 0.9)
    parts = [Parsed(read("set_fan_speed(level=3)"), 0.8), Parsed(read("set_temperature(celsius=23)"), 0.9)]
    assert joined.parts(text) == ("the fan at three", "twenty three degrees")
    assert joined.better(text, whole, joined.parts(text), parts).acts == (*parts[0].acts, *parts[1].acts)
    guessed = [Parsed(read("set_fan_speed(level=3)"), 0.3), Parsed(read("none()"), 0.5)]
    assert joined.better(text, whole, joined.parts(text), guessed) == whole


def test_fewer_acts_count_only_against_a_guess() -> None:
    found = [Parsed(read("set_mute(on=true)"), 0.9), Parsed(read("chat()"), 0.9)]
    acts = read("set_mute(on=true); set_fan_speed(level=5)")
    assert joined.better("", Parsed(acts, 0.1), ("quiet", "well"), found).acts == found[0].acts
    assert joined.better("", Parsed(acts, 0.4), ("quiet", "well"), found).acts == acts


def test_numbers_and_halves_are_not_cut() -> None:
    assert joined.parts("twenty one and a half degrees") == ("twenty one and a half degrees",)
    assert joined.parts("a hundred and twenty") == ("a hundred and twenty",)
    assert joined.parts("a and b and c and d and e and f") == ("a and b and c and d and e and f",)


def test_commas_part_what_was_asked_for_and_not_what_is_left_out_of_it() -> None:
    assert joined.parts("Radio off, 21.5 degrees; fan on two!") == (
        "radio off", "twenty one point five degrees", "fan on two",
    )  # fmt: skip
    assert joined.parts("heat every seat, just not the back ones") == ("heat every seat just not the back ones",)
    assert joined.parts("if it is raining, close the roof") == ("close the roof",)


def part(acts: str, sure: float = 0.99) -> Parsed:
    return Parsed(read(acts), sure)


def test_a_part_that_the_whole_has_lost_is_carried_out() -> None:
    text, pieces = "paused and call my sister", ("pause it", "call my sister")
    found = [part("set_playback(command=pause)"), part("call_contact(person=sister)")]
    whole = part("set_playback(command=pause)", 0.9)
    assert (
        write(joined.better(text, whole, pieces, found).acts)
        == "set_playback(command=pause); call_contact(person=sister)"
    )


def test_a_part_that_nobody_can_read_is_named() -> None:
    text, pieces = "radio off and the purple thing", ("radio off", "the purple thing")
    found = [part("set_playback(command=pause)"), part("set_ambient_color(color=purple)", 0.3)]
    read_ = joined.better(text, part("set_climate(on=false)", 0.2), pieces, found)
    assert write(read_.acts) == "set_playback(command=pause)" and read_.left == ("the purple thing",)


@pytest.mark.parametrize("told", ["tell()", "chat()", "none()", "cannot(topic=rules)"])
def test_a_part_of_a_story_is_no_request(told: str) -> None:
    pieces, whole = ("pretend that we are parked", "open the boot"), part(told, 0.8)
    found = [part("chat()"), part("set_trunk(open=true)")]
    assert joined.better("pretend that we are parked and open the boot", whole, pieces, found) == whole


def test_a_part_that_is_sure_of_the_opposite_is_believed_before_the_whole() -> None:
    text, found = "fan down radio up", [part("change_fan_speed(change=down)"), part("change_volume(change=up)")]
    whole = part("change_fan_speed(change=down); change_volume(change=down)")
    assert joined.turned_round(whole, found)
    read_ = joined.better(text, whole, ("fan down", "radio up"), found)
    assert write(read_.acts) == "change_fan_speed(change=down); change_volume(change=up)"
    further = [part("set_window(percent=100)"), part("set_window(percent=50)")]
    assert not joined.turned_round(part("set_window(percent=50)"), further)


@pytest.mark.parametrize("out", ["but don't touch the back", "and leave the rear ones alone", "but please not mine"])
def test_what_is_left_out_is_read_with_what_it_is_left_out_of(out: str) -> None:
    assert joined.parts(f"open the windows {out} and play some jazz") == (f"open the windows {out}", "play some jazz")


def test_times_of_day_are_read_by_rules() -> None:
    guess = Parsed(read("set_reminder(what=feed the cat,hour=6,minute=30)"), 0.4)
    found = timed("remind me at quarter past six to feed the cat", guess)
    assert found.acts[0].slots == {"what": "feed the cat", "hour": 6, "minute": 15} and found.sure >= 0.6
    other = Parsed(read("play_music(genre=jazz)"), 0.9)
    assert timed("play some jazz", other) is other


@pytest.mark.parametrize(
    ("text", "acts", "context", "meant"),
    [
        ("so turn that off", "set_defrost(window=rear,on=false)", "did set_defrost(on=true)", "set_defrost(window=front,on=false)"),
        ("it's clear switch it off", "set_defrost(window=front,on=false)", "did set_defrost(window=rear,on=true)",
         "set_defrost(window=rear,on=false)"),
        ("that's enough turn it off", "set_seat_heating(level=0)", "did set_seat_heating(level=2,zone=passenger)",
         "set_seat_heating(level=0,zone=passenger)"),
        ("put it on for her", "set_seat_heating(level=2,zone=passenger)", "did set_seat_heating(level=0)",
         "set_seat_heating(level=2,zone=passenger)"),
        ("turn that off in the back", "set_defrost(window=rear,on=false)", "did set_defrost(on=true)",
         "set_defrost(window=rear,on=false)"),
        ("turn it off", "set_defrost(window=rear,on=false)", "did set_mute(on=true)", "set_defrost(window=rear,on=false)"),
    ],
)  # fmt: skip
def test_it_is_where_it_was_done(text: str, acts: str, context: str, meant: str) -> None:
    assert write(joined.where_it_is(text, Parsed(read(acts), 0.5), context).acts) == meant


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("turn the music up no wait that's too loud", "turn the music up"),
        ("warmer in here hmm no too warm", "warmer in here"),
        ("dim the lights a bit no hold on it's too dark", "dim the lights a bit"),
        ("turn it up it's too quiet", ""),
        ("it's too loud turn it down", ""),
        ("turn it down no wait up", ""),
    ],
)
def test_a_wish_that_is_too_much_is_called_off(text: str, wish: str) -> None:
    assert joined.called_off(text) == wish


def test_only_a_step_is_called_off_by_too_much() -> None:
    whole = Parsed(read("change_volume(change=down)"), 0.9)
    assert write(joined.as_it_is(Parsed(read("change_volume(change=up)"), 0.9), whole).acts) == "refrain()"
    assert joined.as_it_is(Parsed(read("play_music(genre=jazz)"), 0.9), whole) is whole


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("is that enough to get to two harbors and back", "how far is it to two harbors and back"),
        ("do i need to charge to get home", "how far is it to home"),
        ("how far can i go", ""),
    ],
)
def test_where_the_range_is_to_reach_is_asked_for_beside_it(text: str, goal: str) -> None:
    whole = Parsed(read("get_range()"), 0.9)
    assert joined.goal_asked(text, whole) == goal
    far = joined.with_goal(Parsed(read("get_distance(destination=two harbors)"), 0.9), whole)
    assert write(far.acts) == "get_distance(destination=two harbors); get_range()"
    assert joined.with_goal(Parsed(read("chat()"), 0.9), whole) is whole


def test_after_reminders_were_told_of_a_number_is_a_time_of_the_clock() -> None:
    guess = Parsed(read("set_timer(minutes=10)"), 0.9)
    assert write(timed("make that ten", guess, "did get_timers(kind=reminder)").acts) == "set_reminder(hour=10)"
    assert timed("make that ten", guess, "did get_timers()") is guess


def test_which_roads_to_take_is_another_thing_than_where_to() -> None:
    goal, roads = Act("navigate_to", {"destination": "airport"}), Act("set_route_preference", {"preference": "fastest"})
    found = [Parsed((goal,), 0.99), Parsed((roads,), 0.99)]
    assert joined.lost(Parsed((goal,), 0.8), ("take me to the airport", "the fastest way"), found) == (
        "the fastest way",
    )


@pytest.mark.parametrize(("text", "parts"), [
    ("oh and turn the fan up", ("oh turn the fan up",)),
    ("play jazz, um, and turn it up", ("play jazz um", "turn it up")),
    ("play jazz and uh open the window", ("play jazz", "uh open the window")),
    ("lock the doors, oh", ("lock the doors oh",)),
])  # fmt: skip
def test_a_sound_is_no_part_of_its_own(text: str, parts: tuple[str, ...]) -> None:
    assert joined.parts(text) == parts
