"""Numbers, units, shares and days: what the act makes of them, and what is asked where it made nothing of one."""

from __future__ import annotations

from datetime import timedelta

import pytest

from models.acts.spelling import read
from models.text import WEEKDAYS, spoken
from schemas.actions import BY_NAME, parse_action
from schemas.actions.acts import Act
from tests.dialogues import NOW, Rig
from voice.dialogue import errands
from voice.dialogue.acts.accounted import doubt
from voice.dialogue.acts.resolving import on_day, resolve
from voice.dialogue.replies import responder


@pytest.mark.parametrize(
    ("text", "acts", "counted"),
    [
        ("open the window by five inches", "change_window(change=open,by=5)", False),
        ("open the window ten centimetres", "set_window(percent=10)", False),
        ("set the fan to three kilometres an hour", "set_fan_speed(level=3)", False),
        ("close the sunroof by twenty degrees", "set_sunroof(percent=20)", False),
        ("forty decibels please", "set_volume(percent=40)", False),
        ("the temperature to twenty percent", "set_temperature(celsius=20)", False),
        ("the fan to twenty one degrees", "set_temperature(celsius=21)", False),
        ("ambient light at forty dollars", "set_ambient_brightness(percent=40)", False),
        ("make it five percent warmer", "change_temperature(change=up,by=5)", False),
        ("open the window four inches", "change_window(change=open,by=4)", False),
        ("five volts on the fan", "set_fan_speed(level=5)", False),
        ("sixty kilos of volume", "set_volume(percent=60)", False),
        ("the charge limit at eighty percent", "set_charge_limit(percent=80)", True),
        ("fan on two feet only", "set_fan_speed(level=2); set_airflow(direction=feet)", True),
        ("make it two and a half degrees warmer", "change_temperature(change=up,by=2.5)", True),
        ("set it to twenty one degrees", "set_temperature(celsius=21)", True),
        ("a timer for five minutes", "set_timer(minutes=5)", True),
        ("open the window by five percent and in ten metres turn", "change_window(change=open,by=5)", True),
    ],
)
def test_a_number_in_a_unit_that_the_action_does_not_count_in_is_asked_about(
    text: str, acts: str, counted: bool
) -> None:
    meant = read(acts)
    actions = tuple(action for act in meant if (action := resolve(act, BY_NAME.keys()).action) is not None)
    assert len(actions) == len(meant)
    assert bool(doubt(spoken(text), meant, actions, "", BY_NAME.keys())) is not counted


@pytest.mark.parametrize(("said", "seconds"), [("two minutes", 120), ("ten seconds", 10), ("eight minutes", 480)])
def test_what_is_skipped_is_as_long_as_was_said(rig: Rig, said: str, seconds: int) -> None:
    number = {"two minutes": 2, "ten seconds": 10, "eight minutes": 8}[said]
    rig.say(f"would you jump {said} on", f"seek(change=forward,seconds={number})")
    assert rig.done == [f"seek(change=forward, seconds={seconds})"]


def test_what_is_too_long_to_skip_is_said_to_be(rig: Rig) -> None:
    reply = rig.say("jump thirty minutes on would you", "seek(change=forward,seconds=30)")
    assert reply.text == "Forward or back goes from 5 to 600 seconds." and not rig.done


def test_a_number_too_short_to_call_is_no_order_for_something_else(rig: Rig) -> None:
    rig.say("would you jump ten seconds on", "seek(change=forward,seconds=10)")
    reply = rig.say("call nine", "seek(change=forward,seconds=9)")
    assert reply.text == "Shall I go forward 10 seconds?" and len(rig.done) == 1


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("wake me in two hours or so", "set_timer(minutes=120)"),
        ("an hour and twenty for the roast would you", "set_timer(minutes=80)"),
        ("jump back a minute would you", "seek(change=back,seconds=60)"),
        ("two minutes further on in this", "seek(change=forward,seconds=120)"),
    ],
)
def test_hours_are_minutes_and_minutes_seconds(text: str, acts: str) -> None:
    (act,) = read(acts)
    action = parse_action(act.name, dict(act.slots))
    assert doubt(text, (act,), (action,), "", frozenset({act.name})) == ""


def test_a_number_out_of_range_is_told_with_the_range(rig: Rig) -> None:
    assert (
        rig.say("make it thirty five in here", "set_temperature(celsius=35)").text
        == "Temperature goes from 16 to 28 degrees."
    )
    assert rig.done == []


def test_a_temperature_that_is_no_celsius_is_fahrenheit(rig: Rig) -> None:
    rig.say("sixty eight next to me", "set_temperature(celsius=68,zone=passenger)")
    assert rig.done == ["set_temperature(celsius=20.0, zone=passenger)"]


def test_a_number_that_went_nowhere_is_named_and_only_what_was_said_is_offered(rig: Rig) -> None:
    reply = rig.say("twenty three and fan five", "set_fan_speed(level=5)")
    assert reply.text == "I don't know what the 23 is for. Shall I set the fan to 5?" and rig.done == []
    reply = rig.say("twenty three on the fan", "set_fan_speed(level=5)")
    assert reply.text == "What is the 23 for? Please say that again." and rig.done == []


def test_so_many_steps_are_no_number_that_is_left_over(rig: Rig) -> None:
    rig.vehicle.values["climate.fan"] = 4
    rig.say("fan down two notches", "change_fan_speed(change=down)")
    assert rig.done == ["set_fan_speed(level=2)"]


def test_what_a_leftover_number_is_about_is_asked_with_the_rest(rig: Rig) -> None:
    told = rig.say("windows up and air con on at nineteen", "set_window(percent=0); set_air_conditioning(on=true)").text
    assert told.startswith("I don't know what the 19 is for. Shall I close") and "air conditioning" in told
    assert rig.done == []


@pytest.mark.parametrize(
    ("ahead", "slots"),
    [(0, {"day": "today"}), (1, {"day": "tomorrow"}), (3, None), (6, None)],
)
@pytest.mark.parametrize("name", ["get_weather", "get_calendar", "set_reminder"])
def test_another_day_than_tomorrow_is_not_taken_for_it(name: str, ahead: int, slots: dict[str, str] | None) -> None:
    said = f"what about {WEEKDAYS[(NOW.weekday() + ahead) % 7].lower()}"
    found = on_day(Act(name, {"day": "tomorrow"}), said, NOW)
    if name == "set_reminder" and ahead > 1:
        slots = {"day": WEEKDAYS[(NOW.weekday() + ahead) % 7].lower()}
    assert (None if found is None else found.slots) == slots


@pytest.mark.parametrize(
    ("said", "ahead"),
    [
        ("in three days at nine", 3),
        ("the day after tomorrow at ten", 2),
        ("in six days", 6),
        ("in nine days", 9),
        ("in two weeks", 14),
        ("next week", None),
    ],
)
def test_a_reminder_may_be_so_many_days_ahead(said: str, ahead: int | None) -> None:
    found = on_day(Act("set_reminder", {"what": "milk", "hour": 9}), f"remind me {said} about the milk", NOW)
    if ahead is None:
        assert found is None
        return
    assert found is not None
    day = NOW.date() + timedelta(days=ahead)
    told = found.slots.get("date") or found.slots["day"]
    assert told in (day.isoformat(), WEEKDAYS[day.weekday()].lower())


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("remind me on the fourth of may to pay the tax", (5, 4)),
        ("remind me to pay the tax on may the fourth", (5, 4)),
        ("remind me at ten on christmas eve to get the goose", (12, 24)),
        ("set a reminder for the thirtieth at two to collect the suit", (0, 30)),
    ],
)
def test_a_reminder_may_be_on_a_date(said: str, day: tuple[int, int]) -> None:
    found = errands.dated(said, NOW.date())
    assert found is not None and found[1] >= NOW.date()
    assert (found[1].month if day[0] else 0, found[1].day) == day
    assert not {"fourth", "may", "christmas", "thirtieth"} & set(found[0].split())


def test_a_date_beside_another_day_belongs_to_the_errand() -> None:
    assert errands.dated("remind me tomorrow to book a table on the third", NOW.date()) is None
    assert errands.dated("remind me at six to order flowers for the fourteenth of may", NOW.date()) is None


def test_a_dated_reminder_asks_for_its_time_and_never_takes_another_day() -> None:
    act = on_day(Act("set_reminder", {"what": "pay the tax"}), "remind me on the fourth of may to pay the tax", NOW)
    assert act is not None and resolve(act, frozenset(BY_NAME)).needs == responder.AT_WHAT_TIME


def test_a_day_beside_tomorrow_or_within_what_one_is_reminded_of_changes_nothing() -> None:
    for act, said in (
        (Act("get_weather", {"day": "tomorrow"}), "and tomorrow not on sunday"),
        (Act("set_reminder", {"what": "cancel sunday lunch", "hour": 8}), "remind me at eight to cancel sunday lunch"),
        (Act("play_music", {"song": "sunday bloody sunday"}), "play sunday bloody sunday"),
    ):
        assert on_day(act, said, NOW) == act


def test_another_day_is_told_to_be_out_of_reach(rig: Rig) -> None:
    assert rig.say("what's it like outside at the weekend", "get_weather()").text == responder.ONLY_TOMORROW
    told = rig.say("remind me next month to pay the tax", "set_reminder(what=pay the tax,hour=9)").text
    assert told == responder.WHICH_DAY
    assert rig.done == []


@pytest.mark.parametrize(
    ("text", "act", "percent"),
    [
        ("drop the back windows by half", "change_window(window=rear,change=open)", 50),
        ("let the back windows down two thirds of the way", "change_window(window=rear,change=open)", 65),
        ("bring the back windows up a quarter", "change_window(window=rear,change=close)", 75),
    ],
)
def test_a_share_that_was_said_is_no_step(rig: Rig, text: str, act: str, percent: int) -> None:
    assert rig.say(text, act).text.endswith(f"the rear windows to {percent} percent?")
    rig.say("yes")
    assert rig.done == [f"set_window(window=rear, percent={percent})"]


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("open my window a bit i'll be half an hour", "change_window(window=driver,change=open)"),
        (
            "open my window a bit and the screen at half brightness",
            "change_window(window=driver,change=open); set_display_brightness(percent=50)",
        ),
    ],
)
def test_another_half_is_no_share_of_the_window(rig: Rig, text: str, acts: str) -> None:
    if rig.say(text, acts).pending:
        rig.say("yes")
    assert "set_window(window=driver, percent=50)" not in rig.done


def test_a_number_in_a_reason_is_no_amount(rig: Rig) -> None:
    rig.say("it's nine o'clock, open the roof for me", "")
    rig.parser.knows["it's nine oclock open the roof for me"] = "set_sunroof(percent=100)", 0.95
    assert "9" not in rig.say("it's nine o'clock, open the roof for me").text
    assert rig.done == ["set_sunroof(percent=100)"]


def test_the_day_after_is_neither_today_nor_tomorrow(rig: Rig) -> None:
    assert rig.say("and the day after that", "get_weather(day=tomorrow)").text == responder.ONLY_TOMORROW


@pytest.mark.parametrize(
    ("text", "hour", "minute"),
    [
        ("remind me at twenty to eight in the evening to put the bins out", 7, 40),
        ("remind me to take my tablets at twenty five to seven", 6, 35),
        ("remind me at ten past one to feed the meter", 1, 10),
        ("remind me at five to one to call in", 12, 55),
        ("remind me at a quarter to four to pick up the kids", 3, 45),
        ("remind me at five minutes past six to leave", 6, 5),
    ],
)
def test_minutes_before_and_past_the_hour(text: str, hour: int, minute: int) -> None:
    found = errands.asked(text)
    assert found is not None and (found.slots["hour"], found.slots["minute"]) == (hour, minute)


def test_minutes_before_the_hour_are_no_number_that_was_left_over(rig: Rig) -> None:
    rig.vehicle.answers["set_reminder"] = {"at": "16:50", "what": "move the car"}
    reply = rig.say("remind me at ten to five to move the car", "set_reminder(what=move the car,hour=5,minute=50)", 0.1)
    assert not rig.dialogue.open and reply.text
    assert rig.done == ["set_reminder(what=move the car, hour=4, minute=50)"]
    assert rig.say("remind me at ten to check the oven", "set_reminder(what=check the oven,hour=10)").text
    assert rig.done[-1] == "set_reminder(what=check the oven, hour=10)"
