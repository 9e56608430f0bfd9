"""The self-validator: what was not said is not done."""

from __future__ import annotations

import pytest

from schemas.actions import ACTIONS, Action, parse_action
from schemas.events import Verdict
from vehicle.policy import POLICY
from voice.dialogue.validator import careful, validate

OFFERS = frozenset(action.name for action in ACTIONS)


@pytest.mark.parametrize(
    ("name", "slots", "text", "ok"),
    [
        ("set_temperature", {"celsius": 22}, "i want twenty two in here", True),
        ("set_temperature", {"celsius": 22}, "make it comfortable", False),
        ("set_temperature", {"celsius": 18}, "i want twenty two in here", False),
        ("play_music", {"genre": "jazz"}, "some jazz would be nice", True),
        ("set_seat_heating", {"level": 3}, "my seat as warm as it gets", True),
        ("set_seat_heating", {"level": 3}, "do something about my seat", False),
        ("set_ambient_light", {"on": True}, "don't turn on the light", False),
        ("set_ambient_light", {"on": False}, "i do not want that light on", True),
        ("change_temperature", {"change": "up"}, "i'm freezing", True),
    ],
)
def test_slots_must_be_grounded(name: str, slots: dict[str, object], text: str, ok: bool) -> None:
    finding = validate(parse_action(name, slots), text, OFFERS)
    assert finding.ok is ok, finding.reason
    assert finding.reason


def test_an_action_that_the_vehicle_lacks_is_refused() -> None:
    action = parse_action("set_mute", {"on": True})
    assert not validate(action, "mute", OFFERS - {"set_mute"}).ok


@pytest.mark.parametrize("name", ["set_window", "set_trunk", "set_door_locks", "set_high_beam", "move_seat"])
def test_what_was_only_heard_so_moves_nothing_without_a_yes(name: str) -> None:
    slots: dict[str, dict[str, object]] = {
        "set_window": {"percent": 100}, "set_trunk": {"open": True}, "set_door_locks": {"locked": False},
        "set_high_beam": {"on": True}, "move_seat": {"direction": "back"},
    }  # fmt: skip
    action: Action = parse_action(name, slots[name])
    assert careful(action)


@pytest.mark.parametrize(
    ("text", "change", "ok"),
    [
        ("i'm freezing", "up", True),
        ("i'm freezing", "down", False),
        ("it's too warm in here", "down", True),
        ("it's too warm in here", "up", False),
        ("make it warm", "up", True),
        ("it's warm outside but i'm cold", "up", True),
    ],
)
def test_a_complaint_is_not_answered_with_more_of_it(text: str, change: str, ok: bool) -> None:
    assert validate(parse_action("change_temperature", {"change": change}), text, OFFERS).ok is ok


@pytest.mark.parametrize(
    ("name", "slots", "text", "ok"),
    [
        ("undo", {}, "not that put it back", True),
        ("set_reminder", {"what": "buy milk", "minutes": 30}, "don't let me forget to buy milk in half an hour", True),
        ("set_charge_limit", {"percent": 80}, "don't charge above eighty percent", True),
        ("set_charge_limit", {"percent": 90}, "don't charge above eighty percent", False),
        ("set_route_preference", {"preference": "avoid_tolls"}, "drive without toll roads", True),
        ("change_seat_heating", {"change": "up"}, "my seat is not warm enough", True),
        ("change_temperature", {"change": "up"}, "don't make it warmer", False),
        ("get_charging", {}, "why isn't it charging", True),
        ("set_repeat", {"mode": "off"}, "don't repeat this song", True),
        ("set_repeat", {"mode": "track"}, "don't repeat this song", False),
        ("choose_route", {"number": 2}, "take the second one", True),
        ("set_timer", {"minutes": 90}, "a timer for an hour and a half", True),
        ("call_contact", {"person": "anna"}, "call somebody", False),
        ("set_seat_heating", {"level": 2}, "my backside is cold", True),
        ("set_seat_heating", {"level": 1}, "my backside is cold", False),
        ("set_trunk", {"open": True}, "is the trunk open", False),
        ("get_openings", {"part": "trunk"}, "is the trunk open", True),
        ("set_high_beam", {"on": True}, "is the high beam on", False),
        ("set_high_beam", {"on": True}, "it is dark put the high beam on", True),
    ],
)
def test_words_with_a_not_and_questions(name: str, slots: dict[str, object], text: str, ok: bool) -> None:
    assert validate(parse_action(name, slots), text, OFFERS).ok is ok


def test_stopping_is_never_asked_about_and_calling_by_the_gate_alone() -> None:
    assert not careful(parse_action("stop_moving", {}))
    assert not careful(parse_action("call_contact", {"person": "anna"}))
    for name in ("call_contact", "send_email"):
        assert {v for row in POLICY[name] for v in row.verdicts.values()} == {Verdict.CONFIRM}
