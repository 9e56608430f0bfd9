"""docs/places.md tells the kinds of places."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from schemas.actions import PlaceKind
from vehicle.places import Places

DOCS = Path(__file__).parents[3] / "docs"


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
