"""The self-validator: what was not said is not done."""

from __future__ import annotations

import pytest

from schemas.actions import ACTIONS, Action, parse_action
from voice.dialogue.validator import numbers, validate

OFFERS = frozenset(action.name for action in ACTIONS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("twenty one and a half degrees", {20.0, 1.0, 21.0, 21.5}),
        ("nineteen point five", {19.0, 5.0, 19.5}),
        ("to 21.5 please", {21.5}),
        ("one hundred percent", {1.0, 100.0}),
        ("no number at all", set[float]()),
    ],
)
def test_numbers_are_read_in_words_and_digits(text: str, expected: set[float]) -> None:
    assert expected <= numbers(text)
    assert bool(numbers(text)) == bool(expected)


@pytest.mark.parametrize(
    ("name", "slots", "text", "facts", "ok"),
    [
        ("set_temperature", {"celsius": 22}, "i want twenty two in here", [], True),
        ("set_temperature", {"celsius": 22}, "make it comfortable", ["preferred_temperature: 22 degrees"], True),
        ("set_temperature", {"celsius": 22}, "make it comfortable", [], False),
        ("set_temperature", {"celsius": 18}, "i want twenty two in here", [], False),
        ("play_music", {"genre": "jazz"}, "some jazz would be nice", [], True),
        ("play_music", {"genre": "jazz"}, "play something", ["favorite_genres: jazz"], True),
        ("play_music", {"genre": "metal"}, "play something", ["favorite_genres: jazz"], False),
        ("set_seat_heating", {"level": 3}, "my seat as warm as it gets", [], True),
        ("set_seat_heating", {"level": 3}, "do something about my seat", [], False),
        ("set_ambient_light", {"on": True}, "don't turn on the light", [], False),
        ("set_ambient_light", {"on": False}, "i do not want that light on", [], True),
        ("change_temperature", {"change": "up"}, "i'm freezing", [], True),
    ],
)
def test_slots_must_be_grounded(name: str, slots: dict[str, object], text: str, facts: list[str], ok: bool) -> None:
    finding = validate(parse_action(name, slots), text, facts, OFFERS)
    assert finding.ok is ok, finding.reason
    assert finding.reason


def test_an_action_that_the_vehicle_lacks_is_refused() -> None:
    action = parse_action("set_mute", {"on": True})
    assert not validate(action, "mute", [], OFFERS - {"set_mute"}).ok


@pytest.mark.parametrize("name", ["set_window", "set_trunk", "set_door_locks", "set_high_beam", "move_seat"])
def test_what_was_no_complete_command_moves_nothing_without_a_yes(name: str) -> None:
    slots: dict[str, dict[str, object]] = {
        "set_window": {"percent": 100}, "set_trunk": {"open": True}, "set_door_locks": {"locked": False},
        "set_high_beam": {"on": True}, "move_seat": {"direction": "back"},
    }  # fmt: skip
    action: Action = parse_action(name, slots[name])
    finding = validate(action, "open the thing at the back all the way", [], OFFERS)
    assert finding.ok
    assert finding.ask_first
