"""Several requests in one sentence, requests for what the car lacks, and what is asked in words with a "not"."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel

from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from schemas.actions import ACTIONS, parse_action
from schemas.errors import GenerationError
from schemas.events import Reply, Route, Transcript, Verdict
from schemas.memory import Words
from schemas.seat import Seat
from tests.memories import memory_of
from vehicle.policy import POLICY
from voice.dialogue.coordinator import Coordinator, Plan, parts
from voice.dialogue.operator import Operator
from voice.dialogue.replies.responder import lacks
from voice.dialogue.validator import mended, validate

NOW = datetime(2026, 1, 2, tzinfo=UTC)
EVERYTHING = frozenset(action.name for action in ACTIONS)


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher(load_templates())


class Encoder:
    """A fake: knows three requests by a word."""

    dimension = 4
    asks = {"hungry": "find_place", "massage": "set_seat_massage", "tired": "find_place"}

    def encode(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return np.ones((len(texts), 4), np.float32)

    def topics(self, text: str) -> dict[str, float]:
        return {"favourite_cuisine": 0.05, "none": 0.95}

    def requests(self, text: str) -> dict[str, float]:
        found = next((action for word, action in self.asks.items() if word in text), None)
        return {found: 0.9, "none": 0.1} if found else {"find_place": 0.02, "none": 0.98}

    def strength(self, text: str) -> dict[str, float]:
        return {"none": 1.0}

    def words(self, text: str, detail: str) -> tuple[Words, ...]:
        return ()

    def choices(self, text: str, detail: str) -> dict[str, float]:
        return {}


class Model:
    """A fake: finds a restaurant where that is in the slice, else fails."""

    def fill(self, task: str, model: type[BaseModel], *, turns: Sequence[str], facts: Sequence[str] = ()) -> BaseModel:
        if "navigation" not in model.model_fields:
            raise GenerationError("nothing fits")
        return model.model_validate({"navigation": {"find_place": {"kind": "restaurant"}}})


def done(matcher: TemplateMatcher, text: str, *, confidence: float = 1.0) -> tuple[list[str], bool]:
    """The actions that are proposed for a sentence, and whether a yes is needed first."""
    coordinator = Coordinator(matcher, Encoder(), EVERYTHING)
    plan = coordinator.plan(Transcript(text=text, confidence=confidence, in_grammar=matcher.match(text) is not None))
    assert plan.route is Route.MODEL, plan.reason
    proposal = Operator(Seat(memory_of("anna", clock=lambda: NOW)), Model(), EVERYTHING).propose(text, plan)
    return [action.describe() for action in proposal.actions], proposal.ask_first


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("make it warmer and play some jazz", ["change_temperature(change=up, zone=all)", "play_music(genre=jazz)"]),
        ("set the temperature to twenty one and a half degrees and then turn on the radio",
         ["set_temperature(celsius=21.5, zone=all)", "play_radio()"]),
        ("blow the air at my face and feet and turn up the fan",
         ["set_airflow(direction=face_and_feet)", "change_fan_speed(change=up)"]),
        ("turn on the headlights and close the sunroof and play some rock",
         ["set_low_beam(on=True)", "set_sunroof(percent=0)", "play_music(genre=rock)"]),
        ("make it cooler and i'm so hungry", ["change_temperature(change=down, zone=all)", "find_place(kind=restaurant)"]),
    ],
)  # fmt: skip
def test_joined_requests_are_all_done(matcher: TemplateMatcher, text: str, actions: list[str]) -> None:
    assert done(matcher, text) == (actions, False)


def test_what_was_only_heard_needs_a_yes_where_something_opens(matcher: TemplateMatcher) -> None:
    assert done(matcher, "make it warmer and open the window", confidence=0.8)[1]
    assert not done(matcher, "make it warmer and play some jazz", confidence=0.8)[1]


@pytest.mark.parametrize(
    "text",
    [
        "blow the air at my face and feet",
        "set the temperature to twenty one and a half degrees",
        "i'm hungry and tired",
    ],
)
def test_what_joins_inside_a_request_does_not_cut_it(matcher: TemplateMatcher, text: str) -> None:
    plan = Coordinator(matcher, Encoder(), EVERYTHING).plan(
        Transcript(text=text, confidence=1.0, in_grammar=matcher.match(text) is not None)
    )
    assert plan.parts == ()


def test_parts_of_a_sentence_without_commands_are_cut_at_every_join() -> None:
    assert parts("this and that then those", lambda _: False) == ("this", "that", "those")
    assert parts("and", lambda _: False) == ()
    assert parts("nothing to cut", lambda _: False) == ("nothing to cut",)


def test_a_car_without_massage_neither_hears_nor_does_it(matcher: TemplateMatcher) -> None:
    offers = EVERYTHING - {"set_seat_massage"}
    own = TemplateMatcher(load_templates(without={"set_seat_massage"}))
    assert matcher.match("give me a massage") is not None
    assert own.match("give me a massage") is None
    assert "set_seat_massage" not in own.templates.intents
    for one in (matcher, own):
        plan = Coordinator(one, Encoder(), offers).plan(
            Transcript(text="give me a massage", confidence=1.0, in_grammar=one.match("give me a massage") is not None)
        )
        assert (plan.route, plan.lacks) == (Route.REJECT, ("set_seat_massage",))


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
def test_validator(name: str, slots: dict[str, Any], text: str, ok: bool) -> None:
    assert validate(parse_action(name, slots), text, [], EVERYTHING).ok is ok


@pytest.mark.parametrize(
    ("name", "text", "change"),
    [
        ("change_temperature", "i'm freezing", "up"), ("change_temperature", "it's too hot", "down"),
        ("change_display_brightness", "the screen is too bright", "down"),
        ("change_temperature", "make it cool", "up"),
    ],
)  # fmt: skip
def test_a_complaint_decides_the_direction(name: str, text: str, change: str) -> None:
    """The model's direction stands (here always the wrong one) only where the words complain of nothing."""
    wrong = "down" if change == "up" and text != "make it cool" else "up"
    action = mended(parse_action(name, {"change": wrong}), text, [], lambda _detail, _action: False)
    assert action.slots()["change"] == change


def test_stopping_is_never_asked_about_and_calling_by_the_gate_alone() -> None:
    assert not validate(parse_action("stop_moving", {}), "hold it there", [], EVERYTHING).ask_first
    assert not validate(parse_action("call_contact", {"person": "anna"}), "ring anna for me", [], EVERYTHING).ask_first
    for name in ("call_contact", "send_email"):
        assert {v for row in POLICY[name] for v in row.verdicts.values()} == {Verdict.CONFIRM}


def plan_of(matcher: TemplateMatcher, text: str, encoder: Encoder | None = None) -> Plan:
    heard = Transcript(text=text, confidence=0.9, in_grammar=matcher.match(text) is not None)
    return Coordinator(matcher, encoder or Encoder(), EVERYTHING).plan(heard)


@pytest.mark.parametrize("text", ["navigate to", "make it a", "turn on the", "set the temperature to"])
def test_words_that_break_off_become_no_other_request(matcher: TemplateMatcher, text: str) -> None:
    plan = plan_of(matcher, text)
    assert (plan.route, plan.unfinished) == (Route.REJECT, True)


def test_what_no_action_is_likely_for_is_nothing_that_the_car_can_do(matcher: TemplateMatcher) -> None:
    class Unsure(Encoder):
        def requests(self, text: str) -> dict[str, float]:
            return {**{f"action{n}": 0.05 for n in range(12)}, "set_media_source": 0.1, "none": 0.3}

    plan = plan_of(matcher, "change the oil", Unsure())
    assert plan.route is Route.REJECT
    assert lacks(plan.lacks) == "This car can't do that."


def test_what_follows_a_command_and_is_not_understood_is_told(matcher: TemplateMatcher) -> None:
    plan = plan_of(matcher, "make it warmer and bake a cake")
    assert (plan.actions, plan.rest) == (("change_temperature",), True)
    assert plan.told(Reply(text="Done.", route=plan.route, reason="")).text == "Done. I didn't understand the rest."
    assert not plan_of(matcher, "make it warmer but only if it rains").rest, "a condition is not left out"


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("heat the driver's seat no the other one", "set_seat_heating(level=2, zone=passenger)"),
        ("open the window no the passenger one", "set_window(window=passenger, percent=100)"),
        ("set the temperature to twenty two no twenty", "set_temperature(celsius=20.0, zone=all)"),
    ],
)
def test_a_correction_in_one_breath_takes_the_place_of_the_order(
    matcher: TemplateMatcher, text: str, action: str
) -> None:
    actions, ask_first = done(matcher, text)
    assert (actions, ask_first) == ([action], False)
    assert done(matcher, text, confidence=0.6)[1] is action.startswith("set_window"), (
        "what was only heard so is asked about"
    )
