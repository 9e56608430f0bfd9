"""The self-validator: what was not said is not done."""

from __future__ import annotations

import pytest

from schemas.actions import ACTIONS, Action, parse_action
from voice.dialogue.validator import mended, validate

OFFERS = frozenset(action.name for action in ACTIONS)


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
    text = "full light all the way" if name == "set_high_beam" else "open the thing at the back all the way"
    finding = validate(action, text, [], OFFERS)
    assert finding.ok
    assert finding.ask_first


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
    assert validate(parse_action("change_temperature", {"change": change}), text, [], OFFERS).ok is ok


@pytest.mark.parametrize(
    ("slots", "text", "facts", "left"),
    [
        (
            {"kind": "gas_station", "quality": "thai"},
            "we need petrol",
            ["favourite_cuisine: thai"],
            {"kind": "gas_station"},
        ),
        (
            {"kind": "restaurant", "quality": "thai"},
            "i'm hungry",
            ["favourite_cuisine: thai"],
            {"kind": "restaurant", "quality": "thai"},
        ),
        ({"kind": "restaurant", "quality": "cheap"}, "somewhere cheap", [], {"kind": "restaurant", "quality": "cheap"}),
    ],
)
def test_a_fact_fills_only_where_it_belongs(
    slots: dict[str, object], text: str, facts: list[str], left: dict[str, object]
) -> None:
    def fits(detail: str, action: Action) -> bool:
        return detail == "favourite_cuisine" and action.slots()["kind"] == "restaurant"

    assert mended(parse_action("find_place", slots), text, facts, fits).slots() == left


def test_words_that_name_nothing_leave_a_slot_empty() -> None:
    action = parse_action("play_music", {"genre": "some music"})
    assert mended(action, "play some music", [], lambda detail, action: bool(detail and action)).slots() == {}
