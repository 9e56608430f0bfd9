"""docs/actions.md tells every action with its slots, tier and rules, and docs/places.md the kinds of places."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from schemas.actions import ACTIONS, Domain, PlaceKind
from vehicle.places import Places
from vehicle.policy import POLICY

DOCS = Path(__file__).parents[3] / "docs"
ROW = re.compile(r"^\| `(\w+)` \| ([^|]*) \| (\d) \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)


def test_every_action_is_documented_as_it_is() -> None:
    text = (DOCS / "actions.md").read_text("utf-8")
    rows = {name: (slots, tier, rules, answer) for name, slots, tier, rules, answer in ROW.findall(text)}
    kinds = [kind for kind in ACTIONS if kind.domain is not Domain.MEMORY]
    assert list(rows) == [kind.name for kind in kinds]
    for kind in kinds:
        slots, tier, rules, answer = rows[kind.name]
        fields = [f"{name}{'' if field.is_required() else '?'}" for name, field in kind.model_fields.items()]
        assert [slot for slot in slots.strip().split(", ") if slot] == fields, kind.name
        assert int(tier) == POLICY[kind.name][-1].tier
        assert re.findall(r"`(\w+)`", rules) == [row.rule for row in POLICY[kind.name] if row.when]
        assert answer.strip() or not kind.query, f"{kind.name} is a question without an answer"


def test_every_kind_of_place_is_documented() -> None:
    text = (DOCS / "places.md").read_text("utf-8")
    assert all(f"`{kind}`" in text for kind in get_args(PlaceKind))


def test_every_documented_tag_is_in_the_sample() -> None:
    table = [
        line for line in (DOCS / "places.md").read_text("utf-8").splitlines() if line.startswith("| ") and "`" in line
    ]
    told = {tag for line in table for tag in re.findall(r"`([^`]+)`", line)}
    known = {tag for place in Places.load().places for tag in place.tags}
    assert len(told) > 30 and told <= known
