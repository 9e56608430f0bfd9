"""How written English is read aloud."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.tts.speakable import LIMIT, speakable

READ = [
    ("It is 21.5 °C, set to 20°.", "It is 21.5 degrees Celsius, set to 20 degrees."),
    ("It is 1 °C outside.", "It is 1 degree Celsius outside."),
    ("-3 °C to 3 °F", "-3 degrees Celsius to 3 degrees Fahrenheit"),
    ("I'll wake you at 7:30.", "I'll wake you at seven thirty."),
    ("at 7:05 p.m., not 10:00", "at seven oh five p.m., not ten o'clock"),
    ("3:00 o'clock, 10:00 a.m.", "three o'clock, ten a.m."),
    ("At 21:31: buy milk.", "At twenty one thirty one: buy milk."),
    ("a score of 25:61 or 1:2:3", "a score of 25:61 or 1:2:3"),
    ("A/C off, and w/o a break 24/7", "air conditioning off, and without a break twenty four seven"),
    ("80 km/h or 50 mph, 5 km in 5 min", "80 kilometres an hour or 50 miles an hour, 5 kilometres in 5 minutes"),
    ("7.5 l/100 km", "7.5 litres per hundred kilometres"),
    ("1,200.5 km, 22kWh, 43%", "1,200.5 kilometres, 22 kilowatt hours, 43 percent"),
    ("1 h, 1 km", "1 hour, 1 kilometre"),
    ("€5, $1, £3.50, $2.00", "5 euros, 1 dollar, 3 pounds 50, 2 dollars"),
    ("10-15 minutes, 2 – 3", "10 to 15 minutes, 2 to 3"),
    ("on 2026-11-22 in a 12-ounce cup", "on 2026-11-22 in a 12-ounce cup"),
    ("+49 30 5550101.", "plus four nine, three zero, five five five zero one zero one."),
    ("0176 5554433", "zero one seven six, five five five four four three three"),
    ("1,000 and 2000 and 123456", "1,000 and 2000 and 123456"),
    ("Dr. Smith, Mrs. Lee, No. 5, St. James", "Doctor Smith, Missus Lee, number 5, Saint James"),
    ("Answer with no. That is all.", "Answer with no. That is all."),
    ("e.g. jazz, i.e. swing", "for example jazz, that is swing"),
    ("rock & roll, AC/DC", "rock and roll, AC DC"),
    ("2½ hours, ½ an hour", "2 and a half hours, half an hour"),
    ("Hauptstraße, Größe, Beyoncé", "Hauptstrahssa, Grösse, Beyoncé"),
    ("*bold* `code` a_b", "bold code a b"),
    ("The lights are on 🚗👍🏽.", "The lights are on ."),
    ('<speak>hi <break time="20s"/> you</speak>', "hi you"),
    ("a < b > c [[h@l'oU]]", "a b c h@l'oU"),
    ("I'm at home, 5m away", "I'm at home, 5 metres away"),
    ("MP3, B12, A8, 3rd, USB-C", "MP3, B12, A8, 3rd, USB-C"),
    ("don't, it's, o'clock", "don't, it's, o'clock"),
]


@pytest.mark.parametrize(("text", "words"), READ)
def test_what_is_read(text: str, words: str) -> None:
    assert speakable(text) == words


@given(st.text(max_size=LIMIT))
def test_a_text_stays_small_enough_for_a_pipe(text: str) -> None:
    assert len(speakable(text).encode()) <= 16 * LIMIT


@pytest.mark.parametrize(
    "text", ["7" * LIMIT, "1 " * (LIMIT // 2), "5% " * (LIMIT // 3), "½" * LIMIT, "<a" * 2000, "1," * 2000]
)
def test_the_worst_texts_stay_small_and_quick(text: str) -> None:
    assert len(speakable(text).encode()) < 65_536
