"""Timers and reminders in free words: several at once, and those that are not wanted any more."""

from __future__ import annotations

from typing import Any

import pytest

from models.text import spoken
from voice.dialogue import errands

MINUTES: dict[str, list[dict[str, Any]]] = {
    "set a timer for five minutes and another for ten minutes": [{"minutes": 5}, {"minutes": 10}],
    "set two timers, one for 5 and one for 10 minutes": [{"minutes": 5}, {"minutes": 10}],
    "Set a timer for five and another one for ten minutes.": [{"minutes": 5}, {"minutes": 10}],
    "please set two timers for five and ten minutes": [{"minutes": 5}, {"minutes": 10}],
    "set a timer for an hour and a half and another one for two hours": [{"minutes": 90}, {"minutes": 120}],
    "could you set two timers for twenty and thirty seconds": [{"seconds": 20}, {"seconds": 30}],
    "set a timer for 30 seconds and another for a minute": [{"seconds": 30}, {"minutes": 1}],
    "set a ten minute timer and a five minute one": [{"minutes": 10}, {"minutes": 5}],
    "set a pasta timer for eight minutes and an egg timer for four": [],
    "set a pasta timer for eight and an egg timer for four minutes": [
        {"minutes": 8, "label": "pasta"}, {"minutes": 4, "label": "egg"},
    ],
    "start a timer for 10 minutes and another one for the eggs for 4 minutes": [
        {"minutes": 10}, {"minutes": 4, "label": "eggs"},
    ],
    "set a timer for five minutes and another for ten minutes and a third for an hour": [
        {"minutes": 5}, {"minutes": 10}, {"minutes": 60},
    ],
}  # fmt: skip


@pytest.mark.parametrize("text", MINUTES)
def test_several_timers_in_a_sentence(text: str) -> None:
    assert [timer.slots for timer in errands.timers(spoken(text))] == MINUTES[text]


@pytest.mark.parametrize(
    "text",
    [
        "set a timer for five minutes",
        "set a timer for the pasta and the potatoes",
        "set a timer for five minutes and the heating to twenty degrees",
        "set a timer for five minutes and play some jazz",
        "set timers for five, ten and fifteen minutes",  # without its comma that may be anything
        "set a timer for five minutes and another one",
        "remind me in five minutes to call anna and in ten minutes to call ben",
    ],
)
def test_what_is_no_list_of_timers_is_left_alone(text: str) -> None:
    assert errands.timers(spoken(text)) == ()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("forget the reminder about the dentist", "the dentist"),
        ("please delete my reminder to call mum", "call mum"),
        ("cancel the milk reminder", "milk"),
    ],
)
def test_a_reminder_that_is_not_wanted_any_more(text: str, label: str) -> None:
    command = errands.asked(spoken(text))
    assert command is not None
    assert (command.name, command.slots) == ("cancel_timer", {"kind": "reminder", "label": label})


@pytest.mark.parametrize("text", ["forget the reminder", "forget about the dentist", "forget that i like reminders"])
def test_forgetting_something_else_cancels_nothing(text: str) -> None:
    assert errands.asked(spoken(text)) is None
