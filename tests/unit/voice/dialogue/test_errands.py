"""Reminders in free words that are not wanted any more."""

from __future__ import annotations

import pytest

from models.text import spoken
from voice.dialogue import errands


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
