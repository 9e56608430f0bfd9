"""Names what an action still lacks: the list of docs/adding-an-action.md, one line for each thing that is not there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory.screen.wording import LANGUAGES, sentences
from models.commands.templates import Templates, load_templates
from schemas.actions import ACTIONS, BY_NAME, Action, Domain, Zone
from tests import golden_policy
from vehicle.planning.needs import PARTS, settings
from vehicle.policy import POLICY
from vehicle.signals import SIGNALS, fits
from vehicle.undo import action_for


@pytest.fixture(scope="module")
def templates() -> Templates:
    return load_templates()


def on_the_class(kind: type[Action]) -> Iterator[str]:
    for attribute in ("title", "examples", "description"):
        if not getattr(kind, attribute, ""):
            yield f"its class has no {attribute!r}"
    if not (kind.done or kind.tells or kind.domain is Domain.MEMORY):
        yield "its class has no 'done', and does not say what it 'tells': nothing is said when it was carried out"
    if not (kind.do or kind.query or kind.domain is Domain.MEMORY):
        yield "its class has no 'do': how is it asked about?"
    if kind.query and kind.sets:
        yield "its class has 'query' and 'sets', but a question writes nothing"
    for slot in {slot for slot in kind.sets.values() if slot not in kind.model_fields}:
        yield f"its class sets a signal to {slot!r}, which is none of its slots"
    if kind.needs is None and not kind.per_place and any("{" in name for name in kind.sets):
        yield "its class has no 'needs' and no 'per_place': which of the places must a vehicle have?"
    for attribute in ("step", "outright"):
        if (name := getattr(kind, attribute)) and name not in BY_NAME:
            yield f"its {attribute!r} is {name!r}, which is no action"
    if kind.stride and kind.step:
        yield "its class has both a 'stride' and a 'step'"
    for change in set(kind.complaints) - {"up", "down"}:
        yield f"its complaints ask for {change!r}"


def in_the_vehicle(kind: type[Action]) -> Iterator[str]:
    written = {name for name, _, _ in settings(kind)}
    names = {
        *(kind.needs or ()),
        *kind.also,
        *PARTS.get(kind.name, ()),
        *(name for names in kind.instead for name in names),
    }
    for name in sorted((names | written) - set(SIGNALS)):
        yield f"vehicle/signals.py has no signal {name!r}"
    for name, _, _ in settings(kind):
        signal = SIGNALS.get(name)
        if signal is not None and not signal.writable:
            yield f"it sets {name!r}, which can only be read"
        elif signal is not None and action_for(name, signal.initial).name != kind.name:
            yield f"{action_for(name, signal.initial).name} sets {name!r}, too: which one's rules hold when it is taken back?"
        elif signal is not None and not fits(signal, signal.initial):
            yield f"{name!r} does not begin with a value of its kind"
    if kind.name not in POLICY:
        yield "vehicle/policy.py has no base row for it"
    if kind.name not in golden_policy.GOLDEN and kind.name not in golden_policy.FREE:
        yield "tests/golden_policy.py does not say its rules"


def lacks(kind: type[Action], templates: Templates) -> list[str]:
    found = list(on_the_class(kind))
    if kind.domain is not Domain.MEMORY:
        found += in_the_vehicle(kind)
    if kind.name not in templates.intents:
        found.append("models/commands has no sentence for it")
    for language in LANGUAGES:
        if f"action.{kind.name}" not in sentences(language):
            found.append(f"memory/screen/locale/{language}.actions.toml has no title for it")
    return found


@pytest.mark.parametrize("kind", ACTIONS, ids=lambda kind: kind.name)
def test_nothing_is_missing(kind: type[Action], templates: Templates) -> None:
    assert lacks(kind, templates) == []


def test_every_action_has_one_name() -> None:
    assert len(BY_NAME) == len(ACTIONS)


def test_what_is_missing_is_named(templates: Templates) -> None:
    class Half(Action):
        name, domain, description, query = "half", Domain.SEATS, "Half an action.", True
        sets = {"seat.{zone}.nothing": "level"}
        step, stride = "whole", 1
        complaints = {"sideways": frozenset({"crooked"})}
        zone: Zone = "all"

    missing = "\n".join(lacks(Half, templates))
    for words in (
        "'title'", "'examples'", "'done'", "'query' and 'sets'", "'level', which is none of its slots", "'needs'",
        "'whole', which is no action", "'stride' and a 'step'", "'sideways'", "no signal 'seat.passenger.nothing'",
        "no base row", "golden_policy", "no sentence", "en.actions.toml", "de.actions.toml",
    ):  # fmt: skip
        assert words in missing, missing
