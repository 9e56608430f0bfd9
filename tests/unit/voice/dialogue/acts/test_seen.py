"""What is said by pointing at how things stand."""

from __future__ import annotations

from typing import Any

import pytest

from models.acts.spelling import read, write
from models.text import spoken
from schemas.manners import METRIC, Units
from voice.dialogue.acts.seen import seen, unconditional

CAR: dict[str, Any] = {
    "seat.passenger.occupancy": "empty", "seat.rear_left.occupancy": "empty", "seat.rear_right.occupancy": "occupied",
    "seat.driver.heating": 3, "seat.passenger.heating": 1, "climate.driver.temperature": 21.0,
    "climate.passenger.temperature": 23.0, "outside.temperature": 9.0, "outside.rain": 10, "window.driver": 0,
    "window.passenger": 0, "window.rear_left": 100, "window.rear_right": 20, "light.dome": False, "light.ambient.on": False,
    "light.reading.driver": True, "light.reading.passenger": False, "light.reading.rear_left": False,
    "light.reading.rear_right": False, "media.source": "music", "climate.fan": 3,
}  # fmt: skip


def put(text: str, acts: str, units: Units = METRIC, **changed: object) -> tuple[str, tuple[str, ...]]:
    values = {**CAR, **{name.replace("__", "."): value for name, value in changed.items()}}
    found = seen(spoken(text), read(acts), values, units)
    return write(found.acts), found.says


@pytest.mark.parametrize(
    ("text", "acts", "meant"),
    [
        ("warm the seats where somebody is sitting", "set_seat_heating(level=2,zone=passenger)",
         "set_seat_heating(level=2,zone=driver); set_seat_heating(level=2,zone=rear)"),
        ("no heating for the empty seats please", "set_seat_heating(level=0,zone=all)", "set_seat_heating(level=0,zone=passenger)"),
        ("light for the taken seats and none for those not in use",
         "set_reading_light(zone=all,on=true); set_reading_light(zone=all,on=false)",
         ("set_reading_light(zone=driver,on=true); set_reading_light(zone=rear_right,on=true); "
          "set_reading_light(zone=passenger,on=false); set_reading_light(zone=rear_left,on=false)")),
        ("warm her seat to the same level as mine", "set_seat_heating(level=2,zone=passenger)",
         "set_seat_heating(level=3,zone=passenger)"),
        ("the wheel at the same level as the passenger's seat", "set_steering_wheel_heating(level=2)",
         "set_steering_wheel_heating(level=1)"),
        ("twenty on my side and her seat the same as mine", "set_temperature(celsius=20,zone=driver); set_seat_heating(level=2)",
         "set_temperature(celsius=20,zone=driver); set_seat_heating(level=3,zone=passenger)"),
        ("i want it one degree colder than hers", "change_temperature(change=down,zone=driver,by=1)",
         "set_temperature(celsius=22,zone=driver)"),
        ("two degrees warmer than me for the passenger", "change_temperature(change=up,zone=passenger,by=2)",
         "set_temperature(celsius=23,zone=passenger)"),
        ("seventy two up front and seventy in the back",
         "set_temperature(fahrenheit=72,zone=driver); set_temperature(fahrenheit=70,zone=passenger)",
         ("set_temperature(zone=driver,fahrenheit=72); set_temperature(zone=passenger,fahrenheit=72); "
          "set_temperature(zone=rear,fahrenheit=70)")),
        ("twenty on the front passenger side", "set_temperature(celsius=20,zone=passenger)",
         "set_temperature(celsius=20,zone=passenger)"),
        ("it's a bit quiet for me", "change_volume(change=down)", "change_volume(change=up)"),
        ("it's so quiet, a bit lower even", "change_volume(change=down)", "change_volume(change=down)"),
        ("go on with the podcast would you", "set_playback(command=play)", "set_media_source(source=podcast)"),
        ("go on with the music would you", "set_playback(command=play)", "set_playback(command=play)"),
        ("the right hand window down a third", "set_window(window=right,percent=35)", "set_window(window=passenger,percent=35)"),
        ("both of the right windows down", "set_window(window=right,percent=100)", "set_window(window=right,percent=100)"),
        ("close the window which is wide open", "set_window(percent=0)", "set_window(window=rear_left,percent=0)"),
        ("shut any open window", "set_window(window=all,percent=0)", "set_window(window=rear,percent=0)"),
        ("close the roof if it's raining", "set_sunroof(percent=0)", "set_sunroof(percent=0)"),
        ("heat my seat if it is colder than ten degrees outside", "set_seat_heating(level=2)", "set_seat_heating(level=2)"),
        ("warm my seat", "set_seat_heating(level=2)", "set_seat_heating(level=2)"),
        ("fan down two notches", "change_fan_speed(change=down)", "set_fan_speed(level=1)"),
        ("fan down two", "change_fan_speed(change=down)", "set_fan_speed(level=1)"),
        ("fan up by four", "change_fan_speed(change=up)", "set_fan_speed(level=5)"),
        ("fan down two", "set_fan_speed(level=2)", "set_fan_speed(level=2)"),
        ("fan down four", "set_fan_speed(level=4)", "set_fan_speed(level=0)"),
        ("fan down two degrees", "change_fan_speed(change=down)", "change_fan_speed(change=down)"),
        ("fan down to two", "change_fan_speed(change=down)", "change_fan_speed(change=down)"),
        ("seat down one and her seat up one", "change_seat_heating(change=down)", "set_seat_heating(level=2)"),
        ("fan up by a couple of steps", "change_fan_speed(change=up)", "set_fan_speed(level=5)"),
        ("her seat up five levels", "change_seat_heating(change=up,zone=passenger)", "set_seat_heating(level=3,zone=passenger)"),
        ("turn the fan up a notch", "change_fan_speed(change=up)", "change_fan_speed(change=up)"),
    ],
)  # fmt: skip
def test_the_cars_state_fills_what_was_pointed_at(text: str, acts: str, meant: str) -> None:
    assert put(text, acts) == (meant, ())


def test_what_is_not_so_is_left_and_said() -> None:
    assert put("open the roof if it is warmer than twenty degrees outside", "set_sunroof(percent=100)") == (
        "", ("It is 9 degrees outside, so I leave it.",),
    )  # fmt: skip
    fahrenheit = put(
        "heat my seat if it's below forty degrees outside", "set_seat_heating(level=2)", Units(fahrenheit=True)
    )
    assert fahrenheit[1] == ("It is 48 degrees outside, so I leave it.",)
    assert put("open my window if it isn't raining", "set_window(percent=100)")[1] == ("It is raining, so I leave it.",)
    unknown = put("close it all if it's raining", "set_window(window=all,percent=0)", outside__rain=None)
    assert unknown[0] == "" and "can't see" in unknown[1][0]
    closed = put("close the open windows", "set_window(percent=0)", window__rear_left=0, window__rear_right=0)
    assert closed == ("", ("There is no open window.",))


def test_seats_that_the_car_does_not_see_are_asked_for() -> None:
    acts, said = put(
        "heat the occupied seats",
        "set_seat_heating(level=2,zone=all)",
        seat__passenger__occupancy=None,
        seat__rear_left__occupancy=None,
        seat__rear_right__occupancy=None,
    )
    assert acts == "" and "can't see" in said[0]


def test_a_condition_of_the_moment_is_no_part_of_the_order() -> None:
    assert unconditional("open the roof only if it's not raining right now") == "open the roof"
    assert unconditional("close it whenever it rains") == "close it whenever it rains"


LIT: dict[str, Any] = {
    "light__ambient__on": True, "light__reading__rear_left": True, "climate__on": True, "seat__driver__heating": 2,
    "seat__passenger__heating": 0, "media__playing": True,
}  # fmt: skip


@pytest.mark.parametrize(
    ("acts", "left_on"),
    [
        ("all_off()", ()),
        ("all_off(spared=my reading light)", ("set_reading_light(zone=driver,on=false)",)),
        ("all_off(spared=the reading light)",
         ("set_reading_light(zone=driver,on=false)", "set_reading_light(zone=rear_left,on=false)")),
        ("all_off(spared=the light in the back)", ("set_reading_light(zone=rear_left,on=false)",)),
        ("all_off(spared=the music)", ("set_playback(command=pause)",)),
        ("all_off(spared=the fan)", ("set_climate(on=false)",)),
        ("all_off(spared=my seat)", ("set_seat_heating(level=0,zone=driver)",)),
        ("all_off(spared=the dog)", ()),
    ],
)  # fmt: skip
def test_everything_is_whatever_is_on_without_what_stays(acts: str, left_on: tuple[str, ...]) -> None:
    everything = {
        "set_ambient_light(on=false)", "set_reading_light(zone=driver,on=false)", "set_reading_light(zone=rear_left,on=false)",
        "set_climate(on=false)", "set_seat_heating(level=0,zone=driver)", "set_playback(command=pause)",
    }  # fmt: skip
    found, says = put("everything off", acts, **LIT)
    assert (set(found.split("; ")), says) == (everything - set(left_on), ())


def test_where_nothing_is_on_that_is_said() -> None:
    found = seen("everything off", read("all_off()"), {}, METRIC)
    assert (found.acts, found.says) == ((), ("There is nothing on that I could switch off.",))


@pytest.mark.parametrize(
    ("text", "acts", "what"),
    [
        ("nineteen if the grandweans are in the back", "set_temperature(celsius=19,zone=rear)", "who is in the car"),
        ("i want it at nineteen if my mother sits beside me", "set_temperature(celsius=19)", "who is in the car"),
        ("set the fan to two whenever jess is in the car", "set_fan_speed(level=2)", "who is in the car"),
        (
            "if it's under five degrees i want the seat heating on",
            "set_seat_heating(level=2)",
            "the outside temperature",
        ),
        (
            "make it twenty four in the back if it is cold",
            "set_temperature(celsius=24,zone=rear)",
            "the outside temperature",
        ),
        ("close the roof as soon as it rains", "set_sunroof(percent=0)", "the outside temperature"),
    ],
)
def test_what_has_a_condition_that_cannot_be_kept_is_left_and_said(text: str, acts: str, what: str) -> None:
    left, says = put(text, acts)
    assert left == "" and len(says) == 1 and says[0].startswith(f"I can't act on {what}")


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("twenty in the back for the kids", "set_temperature(celsius=20,zone=rear)"),
        ("close the roof if it's raining", "set_sunroof(percent=0)"),
        ("heat my seat if you can, it's cold outside", "set_seat_heating(level=2)"),
        ("make it warmer in the back if you would", "change_temperature(change=up,zone=rear)"),
        ("can you make it warmer if the kids are cold", "change_temperature(change=up)"),
        ("remind me of the umbrella when it rains", "set_reminder(what=umbrella)"),
    ],
)
def test_what_has_no_such_condition_is_done(text: str, acts: str) -> None:
    assert put(text, acts) == (acts, ())
