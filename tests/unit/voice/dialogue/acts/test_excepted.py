"""What is left out: the places that an exception names, and the acts without them."""

from __future__ import annotations

import pytest

from models.acts.spelling import read, write
from voice.dialogue.acts import excepted


@pytest.mark.parametrize(
    ("words", "corners"),
    [
        ("except mine", {"driver"}), ("all but hers", {"passenger"}), ("not the back ones", {"rear_left", "rear_right"}),
        ("apart from the rear right", {"rear_right"}), ("other than the front left", {"driver"}),
        ("save for the two behind", {"rear_left", "rear_right"}), ("apart from my reading light", {"driver"}),
        ("but leave the music", set()),
    ],
)  # fmt: skip
def test_the_corners_that_words_name(words: str, corners: set[str]) -> None:
    assert excepted.named(words) == corners


@pytest.mark.parametrize(
    ("text", "acts", "left"),
    [
        ("everything off apart from my reading light", "set_reading_light(zone=all,on=false)",
         ("set_reading_light(zone=rear,on=false); set_reading_light(zone=passenger,on=false)")),
        ("warm up the whole car but not the back", "change_temperature(change=up)",
         "change_temperature(change=up,zone=driver); change_temperature(change=up,zone=passenger)"),
        ("lower every window by half save for the two behind", "set_window(window=all,but=rear_left,percent=50)",
         "set_window(window=all,but=rear,percent=50)"),
        ("all windows down except mine and the radio on", "set_window(window=all,percent=100); play_radio()",
         "set_window(window=all,but=driver,percent=100); play_radio()"),
        ("all the seats but mine", "set_seat_heating(level=2,zone=all); set_seat_heating(level=2,zone=driver)",
         "set_seat_heating(level=2,zone=rear); set_seat_heating(level=2,zone=passenger)"),
        ("heat the back but not mine", "set_seat_heating(level=2,zone=rear)", "set_seat_heating(level=2,zone=rear)"),
        ("heat mine but not mine", "set_seat_heating(level=2)", "set_seat_heating(level=2)"),
        ("open all windows", "set_window(window=all,percent=100)", "set_window(window=all,percent=100)"),
    ],
)  # fmt: skip
def test_what_is_left_of_acts(text: str, acts: str, left: str) -> None:
    assert write(excepted.without(text, read(acts))[0]) == left


def test_the_words_that_were_heeded_are_told() -> None:
    acts = read("set_window(window=all,percent=50)")
    assert excepted.without("every window by half save for the two behind", acts)[1] == "save for the two behind"
    assert excepted.without("every window by half", acts)[1] == ""
