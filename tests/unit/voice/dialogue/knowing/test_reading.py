"""How drivers say how they want to be spoken to, by the small models: the suite written before the reader, and later sentences."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.app import open_car
from deploy.car import Car
from deploy.config import load_config
from deploy.engines import Engines
from models.catalog import Catalog
from models.commands.matcher import TemplateMatcher
from models.text import spoken
from schemas.clock import StreamClock
from schemas.events import Command, Route
from voice.dialogue.coordinator import Plan
from voice.dialogue.knowing import reading
from voice.dialogue.understanding import Turn, Understanding

SUITE = Path(__file__).parents[4] / "suites" / "knowing.yaml"
CASES: list[dict[str, Any]] = yaml.safe_load(SUITE.read_text("utf-8"))
LATER = (
    ("from now on just call me Ash", {"called": "Ash"}),
    ("my friends call me Lottie", {"called": "Lottie"}),
    ("I go by Max", {"called": "Max"}),
    ("could you talk a little less", {"length": "brief"}),
    ("your explanations are way too long", {"length": "brief"}),
    ("I'd rather have short replies", {"length": "brief"}),
    ("feel free to talk more", {"length": "full"}),
    ("I would like more detailed answers", {"length": "full"}),
    ("please use miles when you tell me how far it is", {"distance": "miles"}),
    ("I don't understand celsius, use fahrenheit", {"temperature": "fahrenheit"}),
    ("what have you noted about me this week", {"what": "review"}),
    ("anything you learned about me yesterday", {"what": "review"}),
    ("call my wife", "-"),
    ("call me an ambulance", "-"),
    ("it's too long to the next charger", "-"),
    ("keep the windows short of closed", "-"),
    ("a short break would be nice", "-"),
    ("my boss calls me Sammy", "-"),
)
"""Written after the reader and not looked at while it was made."""


@pytest.fixture(scope="module")
def car(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Car]:
    config = load_config(flags={"profile": "small", "home": str(tmp_path_factory.mktemp("car"))}, environment={})
    engines = Engines(config, Catalog.load(config.data))
    encoder = engines.encoder()
    made = open_car(config, encoder, StreamClock(), parser=engines.parser(encoder))
    yield made
    made.leave()


def meant(car: Car, text: str) -> dict[str, Any] | str:
    """What a sentence comes to, as the suite writes it: what the dialogue makes of it when it only looks ahead."""
    plans: list[Plan] = []
    understands = Understanding.turn

    async def noted(*told: Any, **more: Any) -> Turn:
        turn = await understands(*told, **more)
        plans.append(turn.plan)
        return turn

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Understanding, "turn", noted)
        asyncio.run(car.dialogue.foresee(car.dialogue.typed(text)))
    (plan,) = plans
    command = plan.command if plan.command is not None and plan.command.name in reading.NAMES else None
    units = {unit for act in plan.acts if act.name == "set_unit" for unit in act.slots.values()}
    if plan.command is not None and plan.command.name == "set_unit":
        units = set(plan.command.slots.values())
    if units:
        return reading.units(" ".join(map(str, units)))
    if command is None:
        return "-"
    if command.name == "manner":
        return {"called" if name == "name" else name: value for name, value in command.slots.items()}
    on = {True: "suggestions_on", False: "suggestions_off"}.get(bool(command.slots.get("on")))
    return {"what": on if command.name == "suggestions" else command.name}


def right(found: dict[str, Any] | str, want: dict[str, Any] | str) -> bool:
    if isinstance(want, str) or isinstance(found, str):
        return found == want
    told = {name: value for name, value in want.items() if name not in ("period", "place", "about")}
    return found == {name: value or "normal" for name, value in told.items()}


def test_the_ways_that_were_written_before_the_reader(car: Car) -> None:
    alone = [case for case in CASES if case["want"] == "-" or case["want"].get("about") is None]
    wrong = [
        (case["say"], meant(car, case["say"])) for case in alone if not right(meant(car, case["say"]), case["want"])
    ]
    assert len(alone) >= 50 and not wrong


def test_ways_that_were_written_afterwards(car: Car) -> None:
    wrong = [(text, meant(car, text)) for text, want in LATER if not right(meant(car, text), want)]
    assert len(wrong) <= 4, wrong
    assert not [text for text, _ in wrong if dict(LATER)[text] == "-"], wrong  # nothing is taken for what it is not


@pytest.mark.parametrize(
    ("field", "text", "found"),
    [
        ("name", "Sam", {"name": "Sam"}),
        ("name", "um, just call me Maggie please", {"name": "Maggie"}),
        ("name", "my name is jean luc", {"name": "Jean Luc"}),
        ("name", "O'Neill", {"name": "O'Neill"}),
        ("name", "navigate home now quickly please", {}),
        ("name", "it's two hundred and four", {}),
        ("name", "", {}),
        ("length", "short", {"length": "brief"}),
        ("length", "the longer ones", {"length": "full"}),
        ("length", "whatever you like", {"length": "normal"}),
        ("length", "open the window", {}),
        ("units", "fahrenheit and miles", {"temperature": "fahrenheit", "distance": "miles"}),
        ("units", "metric please", {"temperature": "celsius", "distance": "kilometers"}),
        ("units", "the usual ones", {}),
    ],
)
def test_ordinary_answers_are_read(field: str, text: str, found: dict[str, str]) -> None:
    plan = Plan(Route.REJECT, "nothing known of it", asks=0.3)
    assert reading.answered(field, text, plan) == found


def test_an_order_is_no_name() -> None:
    order = TemplateMatcher().match("open the window")
    assert isinstance(order, Command)
    assert reading.answered("name", "open the window", Plan(Route.FAST, "an order", order)) == {}


@pytest.mark.parametrize("text", ["later", "not now", "that's enough", "leave me alone", "another time please"])
def test_it_can_be_left(text: str) -> None:
    assert reading.leaves(spoken(text))
